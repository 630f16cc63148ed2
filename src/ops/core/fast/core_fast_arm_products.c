// core_fast_arm_products.c - convolutions and fully-connected layers on
// Cortex-M: which calls, and how their weights lie.
#include <string.h>

#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_arm.h"

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"
#define TYPES_S16 "s16q, s8q|s8qc, s64|s64q|s64qc? -> s16q"

static int32_t arm_product_round_up(int32_t n, int32_t to) {
  return (n + to - 1) / to * to;
}

// Weights of channel i of all that lie one channel behind the other.
static tenon_arm_weights arm_product_weights_of(const tenon_call *c, int32_t i,
                                                bool is_once, bool folds) {
  const int32_t *d = c->in[1].dims;
  int32_t taps = 1;
  for (int k = 1; k < c->in[1].rank; ++k)
    taps *= d[k];
  const tenon_arm_weights w = {
      (const int8_t *)c->in[1].data + (ptrdiff_t)i * taps,
      taps,
      1,
      i,
      is_once,
      !is_once && ((const tenon_conv_attrs *)c->attrs)->single_scale,
      folds};
  return w;
}

static bool are_plain(const tenon_call *c, bool is_once) {
  for (int32_t i = 0; i < c->in[1].dims[0]; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, is_once, true);
    if (!tenon_core_arm_is_plain(c, &w)) return false;
  }
  return true;
}

// Where channel i of `group` begins that take turns, `size` weights of each.
static ptrdiff_t head_of(int32_t i, int32_t group, int32_t size, int32_t k) {
  return (ptrdiff_t)(i / group) * group * k + i % group * size;
}
static void put_weights(const tenon_arm_weights *w, int32_t i, int32_t group,
                        int32_t size, int32_t k, bool narrow, int8_t *to) {
  const ptrdiff_t at = head_of(i, group, size, k);
  for (int32_t j = 0; j < w->taps; ++j)
    tenon_core_arm_put(to, at + (ptrdiff_t)(j / size) * group * size + j % size,
                       size, narrow, w->data[j]);
}

// --- Convolutions ------------------------------------------------------------

static tenon_arm_window conv_window(const tenon_call *c, int32_t to) {
  const tenon_conv_attrs *a = c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims, *w = c->in[1].dims;
  tenon_arm_window g = {.h = x[1],
                        .w = x[2],
                        .c = x[3],
                        .out_h = y[1],
                        .out_w = y[2],
                        .out_c = y[3],
                        .kh = w[1],
                        .kw = w[2],
                        .run = w[2] * w[3],
                        .k = arm_product_round_up(w[1] * w[2] * w[3], to),
                        .rest = (int32_t)sizeof g};
  g.down = (int32_t)a->stride.data[0], g.right = (int32_t)a->stride.data[1];
  g.top = (int32_t)a->pad.data[0], g.left = (int32_t)a->pad.data[1];
  g.dil_y = (int32_t)a->dilation.data[0];
  g.dil_x = (int32_t)a->dilation.data[1];
  g.x_zero = tenon_core_zero(&c->in[0]);
  g.y_zero = tenon_core_zero(&c->out[0]);
  tenon_core_limits(&c->out[0], a->lo, a->hi, &g.lo, &g.hi);
  return g;
}
static bool arm_product_is_product(const tenon_call *c,
                                   const tenon_arm_window *g) {
  const int64_t *pad = ((const tenon_conv_attrs *)c->attrs)->pad.data;
  return g->kh == 1 && g->kw == 1 && g->down == 1 && g->right == 1 &&
         (pad[0] | pad[1] | pad[2] | pad[3]) == 0;
}
// A product has all pixels in one row. Whole words of rows of taps come first,
// then what is left of them (kern/isa/arm/dsp/conv_dsp.h).
static tenon_arm_window conv_dsp_window(const tenon_call *c) {
  tenon_arm_window g = conv_window(c, 4);
  if (arm_product_is_product(c, &g)) {
    g.w *= g.h, g.out_w *= g.out_h;
    g.h = g.out_h = 1;
  }
  g.k = g.kh * (g.run & ~3) + arm_product_round_up(g.kh * (g.run & 3), 4);
  g.how = (int32_t)((uint32_t)(-g.x_zero & 0xFFFF) * 0x10001u);
  g.also = g.dil_y * g.w * g.c;
  return g;
}
static void put_pair(const tenon_arm_weights *w, const tenon_arm_window *g,
                     int32_t i, bool narrow, int8_t *to) {
  static const int32_t order[] = {0, 2, 1, 3};
  const int32_t run = g->run, whole = run & ~3, rest = run & 3;
  const ptrdiff_t head = head_of(i, 2, 4, g->k);
  for (int32_t j = 0; j < w->taps; ++j) {
    const int32_t last = j / run * rest + j % run - whole;
    const int32_t at = j % run < whole
                           ? j / run * whole + j % run
                           : g->kh * whole + last / 4 * 4 + order[last % 4];
    tenon_core_arm_put(to, head + (ptrdiff_t)(at / 4) * 8 + at % 4, 4, narrow,
                       w->data[j]);
  }
}
static tenon_arm_window conv_mve_window(const tenon_call *c) {
  tenon_arm_window g = conv_window(c, 16);
  g.also = 4 * g.k;
  return g;
}

static bool conv_any_match(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  return a->groups == 1 && tenon_core_arm_can_pack(c, 0);
}
static bool conv_dsp_match(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  return conv_any_match(c) && are_plain(c, false) &&
         tenon_core_arm_is_whole(c, a->lo, a->hi);
}
static bool conv_mve_match(const tenon_call *c) {
  return conv_any_match(c) && are_plain(c, false);
}

static bool conv_narrow_match(const tenon_call *c) {
  return conv_any_match(c) && tenon_core_arm_is_narrow(c);
}

static bool conv1_mve_match(const tenon_call *c) {
  const tenon_arm_window g = conv_mve_window(c);
  return arm_product_is_product(c, &g) && conv_mve_match(c);
}
static bool conv1_few_mve_match(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  return c->in[0].dims[3] <= 16 && c->out[0].dims[3] % 4 == 0 &&
         tenon_core_arm_is_whole(c, a->lo, a->hi) && conv1_mve_match(c);
}

// Where a result is larger than its operand both may as well end together: it
// takes no more, and what lies around them is at one place.
static size_t ahead_of(const tenon_call *c, int64_t most) {
  const int64_t x = (int64_t)tenon_count(&c->in[0]);
  const int64_t y = (int64_t)tenon_count(&c->out[0]);
  return (size_t)(most > y - x ? most : y - x);
}
// How far results may run ahead of what is read, in elements: pixels are read
// `group` at a time, and results of them written once all of them have been
// read; with `again` all of a group is read again before its last result.
static size_t conv_ahead_of(const tenon_call *c, const tenon_arm_window *g,
                            int64_t group, bool again) {
  const int64_t pixels = (int64_t)c->out[0].dims[0] * g->out_h * g->out_w;
  int64_t most = 0, lowest = INT64_MAX, now = INT64_MAX, end = pixels;
  int64_t i = pixels, first = (pixels - 1) / group * group;
  for (int64_t row = pixels / g->out_w; row-- > 0;) {
    const int64_t y = row % g->out_h * g->down - g->top;
    const int64_t line = (row / g->out_h * g->h + (y < 0 ? 0 : y)) * g->w;
    for (int64_t ox = g->out_w; ox-- > 0;) {
      const int64_t x = ox * g->right - g->left;
      const int64_t at = (line + (x < 0 ? 0 : x)) * g->c;
      if (at < now) now = at;
      if (--i > first) continue;
      if (again && now < lowest) lowest = now;
      if (lowest != INT64_MAX && end * g->out_c - lowest > most)
        most = end * g->out_c - lowest;
      if (now < lowest) lowest = now;
      now = INT64_MAX, end = first, first -= group;
    }
  }
  return ahead_of(c, most);
}
static size_t conv_ahead(const tenon_call *c, const tenon_arm_window *g,
                         int64_t group) {
  return conv_ahead_of(c, g, group, false);
}
static int64_t conv_dsp_items(const tenon_call *c) {
  const tenon_arm_window g = conv_dsp_window(c);
  return (int64_t)c->out[0].dims[0] * g.out_h;
}
static size_t conv_dsp_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_dsp_window(c);
  return conv_ahead(c, &g, 2);
}
// Rows are read again for each of their results; where they are copied, not.
static size_t arm_product_matrix_overlap(const tenon_call *c) {
  const int64_t n = c->in[1].dims[0], depth = c->in[1].dims[1];
  const int64_t rows = (int64_t)tenon_count(&c->out[0]) / n;
  const int64_t drift = rows > 1 && n > depth ? (rows - 1) * (n - depth) : 0;
  return (size_t)(drift + n);
}

// Weights: words of two channels in turn.
static size_t conv_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = conv_dsp_window(c);
  return sizeof g + (size_t)arm_product_round_up(g.out_c, 2) *
                        (sizeof(tenon_arm_channel) + (size_t)g.k);
}
static size_t conv_narrow_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = conv_dsp_window(c);
  return conv_dsp_size(c) -
         (size_t)arm_product_round_up(g.out_c, 2) * (size_t)g.k / 2;
}
// Where they go.
static int8_t *conv_dsp_head(const tenon_call *c, bool narrow, void *packed,
                             tenon_arm_window *g) {
  memset(packed, 0, narrow ? conv_narrow_dsp_size(c) : conv_dsp_size(c));
  *g = conv_dsp_window(c);
  memcpy(packed, g, sizeof *g);
  return (int8_t *)packed + sizeof *g +
         (size_t)arm_product_round_up(g->out_c, 2) * sizeof(tenon_arm_channel);
}
static tenon_status conv_any_dsp_put(const tenon_call *c, bool narrow,
                                     void *packed) {
  tenon_arm_window g;
  int8_t *to = conv_dsp_head(c, narrow, packed, &g);
  tenon_arm_channel *q = (tenon_arm_channel *)((tenon_arm_window *)packed + 1);
  for (int32_t i = 0; i < g.out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, false, false);
    const tenon_arm_sums s = tenon_core_arm_sums(c, &w);
    q[i].bias = s.bias, q[i].mult = s.mult, q[i].shift = s.shift;
    if (!s.is_dead) put_pair(&w, &g, i, narrow, to);
  }
  return TENON_OK;
}
static tenon_status conv_any_dsp_pack(const tenon_call *c, void *packed) {
  return conv_any_dsp_put(c, false, packed);
}
static tenon_status conv_narrow_dsp_pack(const tenon_call *c, void *packed) {
  return conv_any_dsp_put(c, true, packed);
}
// Of a pair: biases, then the other three of each; the last pair of all that
// are whole says so, and so does one that is not.
static tenon_status conv_dsp_pack(const tenon_call *c, void *packed) {
  tenon_arm_window g;
  int8_t *to = conv_dsp_head(c, false, packed, &g);
  int32_t *table = (int32_t *)((tenon_arm_window *)packed + 1);
  for (int32_t i = 0; i < arm_product_round_up(g.out_c, 2); ++i) {
    int32_t *pair = table + i / 2 * 8, *own = pair + 2 + i % 2 * 3;
    if (i < g.out_c) {
      const tenon_arm_weights w = arm_product_weights_of(c, i, false, false);
      tenon_arm_channel q;
      bool is_dead;
      (void)tenon_core_arm_channel(c, &w, &q, &is_dead);
      tenon_core_arm_round(&q, false, g.y_zero);
      pair[i % 2] = q.bias;
      own[0] = (int32_t)((uint32_t)q.mult << 1);  // for SMMLAR, less 2^32
      own[1] = q.round, own[2] = q.shift;
      if (!is_dead) put_pair(&w, &g, i, false, to);
    }
    if (i % 2 && i + 2 >= g.out_c) own[2] |= INT32_MIN;
  }
  return TENON_OK;
}
// Columns of two pixels, and a window as bytes where taps are no words or
// apart.
static size_t conv_dsp_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_dsp_window(c);
  (void)items;
  return (size_t)g.k * (g.c % 4 != 0 || g.dil_x != 1 ? 5 : 4);
}

// Four channels are a table of vectors; 16 weights of channels 0 and 2 take
// turns, then those of 1 and 3.
static size_t conv_mve_bytes(const tenon_call *c, size_t table) {
  const tenon_arm_window g = conv_mve_window(c);
  return sizeof g + (size_t)((g.out_c + 3) / 4) * (table + 4 * (size_t)g.k);
}
static size_t conv_mve_size(const tenon_call *c) {
  return conv_mve_bytes(c, sizeof(tenon_arm_quad));
}
static size_t conv_any_mve_size(const tenon_call *c) {
  return conv_mve_bytes(c, sizeof(tenon_arm_quad) + 16);
}
static size_t conv_narrow_mve_size(const tenon_call *c) {
  const tenon_arm_window g = conv_mve_window(c);
  return conv_any_mve_size(c) - (size_t)((g.out_c + 3) / 4 * 2) * (size_t)g.k;
}
static void put_four(const tenon_arm_weights *w, int32_t i, int32_t k,
                     bool narrow, int8_t *to) {
  put_weights(w, i / 4 * 4 + i % 2 * 2 + i % 4 / 2, 2, 16, k, narrow, to);
}
static tenon_status conv_mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, conv_mve_size(c));
  *g = conv_mve_window(c);
  tenon_arm_quad *quads = (tenon_arm_quad *)(g + 1);
  int8_t *to = (int8_t *)(quads + (g->out_c + 3) / 4);
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, false, true);
    tenon_arm_channel q;
    bool is_dead;
    (void)tenon_core_arm_channel(c, &w, &q, &is_dead);
    tenon_core_arm_lane(quads, i, &q, false);
    if (!is_dead) put_four(&w, i, g->k, false, to);
  }
  return TENON_OK;
}
// Bias, factor, shift to the right, not above 0, and to the left.
static tenon_status conv_any_mve_put(const tenon_call *c, bool narrow,
                                     void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, narrow ? conv_narrow_mve_size(c) : conv_any_mve_size(c));
  *g = conv_mve_window(c);
  if (narrow) g->also /= 2;
  int32_t *table = (int32_t *)(g + 1);
  int8_t *to = (int8_t *)(table + (g->out_c + 3) / 4 * 16);
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, false, true);
    const tenon_arm_sums s = tenon_core_arm_sums(c, &w);
    int32_t *lane = table + i / 4 * 16 + i % 4;
    lane[0] = s.bias, lane[4] = s.mult;
    lane[8] = s.shift < 0 ? s.shift : 0, lane[12] = s.shift > 0 ? s.shift : 0;
    if (!s.is_dead) put_four(&w, i, g->k, narrow, to);
  }
  return TENON_OK;
}
static tenon_status conv_any_mve_pack(const tenon_call *c, void *packed) {
  return conv_any_mve_put(c, false, packed);
}
static tenon_status conv_narrow_mve_pack(const tenon_call *c, void *packed) {
  return conv_any_mve_put(c, true, packed);
}
static size_t conv_mve_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_mve_window(c);
  return conv_ahead(c, &g, 3);
}
static size_t conv1_few_mve_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_mve_window(c);
  return conv_ahead(c, &g, TENON_ARM_PIECE);
}
static size_t conv1_few_mve_scratch(const tenon_call *c, int64_t items) {
  (void)items;  // what is read behind the last is as long as a vector
  return TENON_ARM_PIECE * (size_t)c->in[0].dims[3] + 16;
}
// Pixels are read where they are, three at a time, until their last results are
// written.
static size_t conv1_mve_overlap(const tenon_call *c) {
  const int64_t depth = c->in[0].dims[3], out_c = c->out[0].dims[3];
  const int64_t pixels = (int64_t)tenon_count(&c->out[0]) / out_c;
  int64_t most = 0;
  for (int64_t i = (pixels - 1) / 3 * 3; i >= 0; i -= 3) {
    const int64_t end = i + 3 < pixels ? i + 3 : pixels;
    if (end * out_c - i * depth > most) most = end * out_c - i * depth;
  }
  return ahead_of(c, most);
}
static size_t conv1_mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_mve_window(c);
  (void)items;
  return g.c == g.k ? 0 : 3 * (size_t)g.k;
}
// Windows of three pixels.
static size_t conv_mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_mve_window(c);
  (void)items;
  return 3 * (size_t)g.k;
}

// --- Fully-connected layers --------------------------------------------------

static tenon_arm_window matrix_window(const tenon_call *c, int32_t to) {
  const tenon_fully_connected_attrs *a = c->attrs;
  tenon_arm_window g = {.c = c->in[1].dims[1],
                        .out_c = c->in[1].dims[0],
                        .rest = (int32_t)sizeof g};
  g.k = arm_product_round_up(g.c, to);
  g.x_zero = tenon_core_zero(&c->in[0]);
  g.y_zero = tenon_core_zero(&c->out[0]);
  tenon_core_limits(&c->out[0], a->lo, a->hi, &g.lo, &g.hi);
  return g;
}
static bool matrix_any_match(const tenon_call *c) {
  return tenon_core_arm_can_pack(c, 0);
}
static bool matrix_narrow_match(const tenon_call *c) {
  return matrix_any_match(c) && tenon_core_arm_is_narrow(c);
}
static bool matrix_dsp_match(const tenon_call *c) {
  const tenon_fully_connected_attrs *a = c->attrs;
  return matrix_any_match(c) && are_plain(c, true) &&
         tenon_core_arm_is_whole(c, a->lo, a->hi);
}
static bool matrix_mve_match(const tenon_call *c) {
  return matrix_any_match(c) && are_plain(c, true);
}

static size_t matrix_dsp_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = matrix_window(c, 4);
  (void)items;
  return g.k == g.c ? 0 : (size_t)g.k;
}

// Weights: words of four channels in turn.
static size_t matrix_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 4);
  return sizeof g + (size_t)arm_product_round_up(g.out_c, 4) *
                        (sizeof(tenon_arm_channel) + (size_t)g.k);
}
static size_t matrix_narrow_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 4);
  return matrix_dsp_size(c) -
         (size_t)arm_product_round_up(g.out_c, 4) * (size_t)g.k / 2;
}
static int8_t *matrix_dsp_head(const tenon_call *c, bool narrow, void *packed,
                               tenon_arm_window *g) {
  memset(packed, 0, narrow ? matrix_narrow_dsp_size(c) : matrix_dsp_size(c));
  *g = matrix_window(c, 4);
  memcpy(packed, g, sizeof *g);
  return (int8_t *)packed + sizeof *g +
         (size_t)arm_product_round_up(g->out_c, 4) * sizeof(tenon_arm_channel);
}
static tenon_status matrix_any_dsp_put(const tenon_call *c, bool narrow,
                                       void *packed) {
  tenon_arm_window g;
  int8_t *to = matrix_dsp_head(c, narrow, packed, &g);
  tenon_arm_channel *q = (tenon_arm_channel *)((tenon_arm_window *)packed + 1);
  for (int32_t i = 0; i < g.out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, true, true);
    const tenon_arm_sums s = tenon_core_arm_sums(c, &w);
    q[i].bias = s.bias, q[i].mult = s.mult, q[i].shift = s.shift;
    if (!s.is_dead) put_weights(&w, i, 4, 4, g.k, narrow, to);
  }
  return TENON_OK;
}
static tenon_status matrix_any_dsp_pack(const tenon_call *c, void *packed) {
  return matrix_any_dsp_put(c, false, packed);
}
static tenon_status matrix_narrow_dsp_pack(const tenon_call *c, void *packed) {
  return matrix_any_dsp_put(c, true, packed);
}
// Of four: biases, then of two at a time factors, halves and shifts.
static tenon_status matrix_dsp_pack(const tenon_call *c, void *packed) {
  tenon_arm_window g;
  int8_t *to = matrix_dsp_head(c, false, packed, &g);
  int32_t *table = (int32_t *)((tenon_arm_window *)packed + 1);
  for (int32_t i = 0; i < arm_product_round_up(g.out_c, 4); ++i) {
    int32_t *four = table + i / 4 * 16, *own = four + 4 + i % 4 / 2 * 6 + i % 2;
    if (i < g.out_c) {
      const tenon_arm_weights w = arm_product_weights_of(c, i, true, true);
      tenon_arm_channel q;
      bool is_dead;
      (void)tenon_core_arm_channel(c, &w, &q, &is_dead);
      tenon_core_arm_round(&q, true, g.y_zero);
      four[i % 4] = q.bias;
      own[0] = q.mult, own[2] = q.round, own[4] = q.shift;
      if (!is_dead) put_weights(&w, i, 4, 4, g.k, false, to);
    }
    if (i % 4 == 3 && i + 4 >= g.out_c) own[4] |= INT32_MIN;
  }
  return TENON_OK;
}
static size_t matrix_mve_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 16);
  return sizeof g + (size_t)((g.out_c + 3) / 4) * sizeof(tenon_arm_quad) +
         (size_t)arm_product_round_up(g.out_c, 4) * (size_t)g.k;
}
// Sixteen weights of four channels in turn.
static tenon_status matrix_mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, matrix_mve_size(c));
  *g = matrix_window(c, 16);
  tenon_arm_quad *quads = (tenon_arm_quad *)(g + 1);
  int8_t *to = (int8_t *)(quads + (g->out_c + 3) / 4);
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, true, true);
    tenon_arm_channel q;
    bool is_dead;
    (void)tenon_core_arm_channel(c, &w, &q, &is_dead);
    tenon_core_arm_lane(quads, i, &q, true);
    if (!is_dead) put_weights(&w, i, 4, 16, g->k, false, to);
  }
  return TENON_OK;
}
static size_t matrix_any_mve_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 16);
  return sizeof g + (size_t)arm_product_round_up(g.out_c, 4) *
                        (sizeof(tenon_arm_channel) + (size_t)g.k);
}
static size_t matrix_narrow_mve_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 16);
  return matrix_any_mve_size(c) -
         (size_t)arm_product_round_up(g.out_c, 4) * (size_t)g.k / 2;
}
static tenon_status matrix_any_mve_put(const tenon_call *c, bool narrow,
                                       void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0,
         narrow ? matrix_narrow_mve_size(c) : matrix_any_mve_size(c));
  *g = matrix_window(c, 16);
  tenon_arm_channel *q = (tenon_arm_channel *)(g + 1);
  int8_t *to = (int8_t *)(q + arm_product_round_up(g->out_c, 4));
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, true, true);
    const tenon_arm_sums s = tenon_core_arm_sums(c, &w);
    q[i].bias = s.bias, q[i].mult = s.mult, q[i].shift = s.shift;
    if (!s.is_dead) put_weights(&w, i, 4, 16, g->k, narrow, to);
  }
  return TENON_OK;
}
static tenon_status matrix_any_mve_pack(const tenon_call *c, void *packed) {
  return matrix_any_mve_put(c, false, packed);
}
static tenon_status matrix_narrow_mve_pack(const tenon_call *c, void *packed) {
  return matrix_any_mve_put(c, true, packed);
}
static size_t matrix_mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = matrix_window(c, 16);
  (void)items;
  return g.k == g.c ? 0 : (size_t)g.k;
}

// --- 16-bit numbers ----------------------------------------------------------

static size_t wide_size(const tenon_arm_window *g) {
  return sizeof *g + (size_t)arm_product_round_up(g->out_c, 4) *
                         (sizeof(tenon_arm_wide) + (size_t)g->k);
}
static size_t conv_wide_size(const tenon_call *c) {
  const tenon_arm_window g = conv_window(c, 4);
  return wide_size(&g);
}
static size_t matrix_wide_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 4);
  return wide_size(&g);
}
// Words of four channels in turn, bytes 1 and 2 of each exchanged.
static tenon_status wide_pack(const tenon_call *c, const tenon_arm_window *g,
                              bool is_double, void *packed) {
  memset(packed, 0, wide_size(g));
  memcpy(packed, g, sizeof *g);
  tenon_arm_wide *q = (tenon_arm_wide *)((tenon_arm_window *)packed + 1);
  int8_t *to = (int8_t *)(q + arm_product_round_up(g->out_c, 4));
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w =
        arm_product_weights_of(c, i, true, false);  // its bytes
    tenon_core_arm_wide(c, i, is_double, &q[i]);
    for (int32_t k = 0; k < w.taps; ++k) {
      const int32_t byte = k % 4 == 1 ? 2 : k % 4 == 2 ? 1 : k % 4;
      to[i / 4 * 4 * g->k + k / 4 * 16 + i % 4 * 4 + byte] = w.data[k];
    }
  }
  return TENON_OK;
}
// One tap, in the image: read where it is.
static bool is_direct(const tenon_arm_window *g) {
  return g->kh * g->kw == 1 && g->top == 0 && g->left == 0 &&
         (g->out_h - 1) * g->down < g->h && (g->out_w - 1) * g->right < g->w;
}
static tenon_status conv_wide_pack(const tenon_call *c, void *packed) {
  tenon_arm_window g = conv_window(c, 4);
  g.how = is_direct(&g) && g.k == g.c;
  return wide_pack(c, &g, false, packed);
}
static tenon_status matrix_wide_pack(const tenon_call *c, void *packed) {
  const tenon_arm_window g = matrix_window(c, 4);
  return wide_pack(c, &g, true, packed);
}
static size_t conv_wide_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)conv_window(c, 4).k * sizeof(int16_t);
}
static size_t matrix_wide_scratch(const tenon_call *c, int64_t items) {
  return matrix_dsp_scratch(c, items) * sizeof(int16_t);
}
static size_t conv_wide_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_window(c, 4);
  return conv_ahead_of(c, &g, 1, is_direct(&g)) * sizeof(int16_t);
}
static size_t matrix_wide_overlap(const tenon_call *c) {
  return arm_product_matrix_overlap(c) * sizeof(int16_t);
}

// Those of plain channels.
typedef union arm_product_plain {
  tenon_arm_channel narrow;
  tenon_arm_long wide;  // of a fully-connected layer
} arm_product_plain;
static bool arm_product_is_plain(const tenon_call *c, int32_t i, bool is_long,
                                 arm_product_plain *q) {
  const tenon_arm_weights w = arm_product_weights_of(c, i, true, false);
  return is_long ? tenon_core_arm_long_sums(c, &w, &q->wide)
                 : tenon_core_arm_narrow_sums(c, &w, &q->narrow);
}
static bool arm_product_all_plain(const tenon_call *c, bool is_long) {
  arm_product_plain q;
  for (int32_t i = 0; i < c->in[1].dims[0]; ++i)
    if (!arm_product_is_plain(c, i, is_long, &q)) return false;
  return true;
}
static bool conv_wide_match(const tenon_call *c) {
  return conv_any_match(c) && arm_product_all_plain(c, false);
}
static bool matrix_wide_match(const tenon_call *c) {
  return matrix_any_match(c) && arm_product_all_plain(c, true);
}
// Words of two taps of two channels.
static tenon_status wide_dsp_pack(const tenon_call *c,
                                  const tenon_arm_window *g, bool is_long,
                                  void *packed) {
  memset(packed, 0, wide_size(g));
  memcpy(packed, g, sizeof *g);
  arm_product_plain *q = (arm_product_plain *)((tenon_arm_window *)packed + 1);
  int8_t *to = (int8_t *)(q + arm_product_round_up(g->out_c, 4));
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, true, false);
    (void)arm_product_is_plain(c, i, is_long, &q[i]);
    if (!is_long) tenon_core_arm_round(&q[i].narrow, true, 0);
    for (int32_t k = 0; k < w.taps; ++k)
      to[i / 4 * 4 * g->k + k / 2 * 8 + i % 4 / 2 * 4 + k % 2 * 2 + i % 2] =
          w.data[k];
  }
  return TENON_OK;
}
#define conv_wide_dsp_size conv_wide_size
static tenon_status conv_wide_dsp_pack(const tenon_call *c, void *packed) {
  const tenon_arm_window g = conv_window(c, 4);
  return wide_dsp_pack(c, &g, false, packed);
}
#define matrix_wide_dsp_size matrix_wide_size
static tenon_status matrix_wide_dsp_pack(const tenon_call *c, void *packed) {
  const tenon_arm_window g = matrix_window(c, 4);
  return wide_dsp_pack(c, &g, true, packed);
}
static size_t conv_wide_dsp_scratch(const tenon_call *c, int64_t items) {
  return conv_wide_scratch(c, items) * 2;
}
static size_t conv_wide_dsp_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_window(c, 4);
  // Pairs of a row, of which the last may be alone.
  return conv_ahead(c, &g, g.out_w % 2 ? 1 : 2) * sizeof(int16_t);
}
static size_t wide_mve_size(const tenon_arm_window *g, bool is_long) {
  return sizeof *g +
         (size_t)((g->out_c + 3) / 4) *
             ((is_long ? sizeof(tenon_arm_long_quad) : sizeof(tenon_arm_quad)) +
              4 * (size_t)g->k);
}
// Eight of four channels in turn.
static tenon_status wide_mve_pack(const tenon_call *c,
                                  const tenon_arm_window *g, bool is_long,
                                  void *packed) {
  const int32_t quads = (g->out_c + 3) / 4;
  memset(packed, 0, wide_mve_size(g, is_long));
  memcpy(packed, g, sizeof *g);
  void *const table = (tenon_arm_window *)packed + 1;
  int8_t *to = is_long ? (int8_t *)((tenon_arm_long_quad *)table + quads)
                       : (int8_t *)((tenon_arm_quad *)table + quads);
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, true, false);
    arm_product_plain q;
    (void)arm_product_is_plain(c, i, is_long, &q);
    put_weights(&w, i, 4, 8, g->k, false, to);
    if (!is_long) {
      tenon_core_arm_lane((tenon_arm_quad *)table, i, &q.narrow, true);
      continue;
    }
    tenon_arm_long_quad *quad = (tenon_arm_long_quad *)table + i / 4;
    quad->bias[i % 4] = q.wide.bias, quad->low[i % 4] = q.wide.low;
    quad->high[i % 4] = q.wide.high, quad->shift[i % 4] = q.wide.shift + 1;
  }
  return TENON_OK;
}
static size_t conv_wide_mve_size(const tenon_call *c) {
  const tenon_arm_window g = conv_window(c, 8);
  return wide_mve_size(&g, false);
}
static tenon_status conv_wide_mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window g = conv_window(c, 8);
  g.how = is_direct(&g);
  return wide_mve_pack(c, &g, false, packed);
}
static size_t matrix_wide_mve_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 8);
  return wide_mve_size(&g, true);
}
static tenon_status matrix_wide_mve_pack(const tenon_call *c, void *packed) {
  const tenon_arm_window g = matrix_window(c, 8);
  return wide_mve_pack(c, &g, true, packed);
}
static size_t conv_wide_mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_window(c, 1);
  (void)items;
  return is_direct(&g) ? 0 : (size_t)g.k * sizeof(int16_t);
}

// --- Descriptors -------------------------------------------------------------

// Those that take any channel come behind those that are faster.
#define PRODUCT_OF(its_types, name, feature, its_op, its_match, how, how_many, \
                   above, its_scratch, its_overlap)                            \
  CORE_KERNEL(name##_##feature) = {                                            \
      CORE_ARM_FIRST(name, feature, how_many, above),                          \
      .op = its_op,                                                            \
      .types = its_types,                                                      \
      .match = its_match,                                                      \
      .packs = 1u << 1 | 1u << 2,                                              \
      .pack_version = 2,                                                       \
      .pack_head = sizeof(tenon_arm_window),                                   \
      .pack_size = how##_size,                                                 \
      .pack = how##_pack,                                                      \
      .scratch = its_scratch,                                                  \
      .overlap = its_overlap}
#define PRODUCT(...) PRODUCT_OF(TYPES_S8, __VA_ARGS__)
#define conv_any_dsp_size conv_dsp_size
#define matrix_any_dsp_size matrix_dsp_size

PRODUCT(conv_s8, dsp, "core::conv", conv_dsp_match, conv_dsp, conv_dsp_items, 1,
        conv_dsp_scratch, conv_dsp_overlap);
// Weights of 4 bits take half of the flash: they come first.
#define NARROW(op, feature, how, how_many, its_scratch, its_overlap) \
  PRODUCT(op##_s4, feature, "core::" #op, how##_narrow_match,        \
          how##_narrow_##feature, how_many, 4, its_scratch, its_overlap)
NARROW(conv, dsp, conv, conv_dsp_items, conv_dsp_scratch, conv_dsp_overlap);
NARROW(conv, mve, conv, tenon_core_lines, conv_mve_scratch, conv_mve_overlap);
NARROW(fully_connected, dsp, matrix, tenon_core_products, matrix_dsp_scratch,
       arm_product_matrix_overlap);
NARROW(fully_connected, mve, matrix, tenon_core_products, matrix_mve_scratch,
       arm_product_matrix_overlap);
PRODUCT(conv_any_s8, dsp, "core::conv", conv_any_match, conv_any_dsp,
        conv_dsp_items, 0, conv_dsp_scratch, conv_dsp_overlap);
PRODUCT(conv_s8, mve, "core::conv", conv_mve_match, conv_mve, tenon_core_lines,
        1, conv_mve_scratch, conv_mve_overlap);
PRODUCT(conv1_s8, mve, "core::conv", conv1_mve_match, conv_mve,
        tenon_core_lines, 2, conv1_mve_scratch, conv1_mve_overlap);
PRODUCT(conv1_few_s8, mve, "core::conv", conv1_few_mve_match, conv_mve,
        tenon_core_lines, 3, conv1_few_mve_scratch, conv1_few_mve_overlap);
PRODUCT(fully_connected_s8, dsp, "core::fully_connected", matrix_dsp_match,
        matrix_dsp, tenon_core_products, 1, matrix_dsp_scratch,
        arm_product_matrix_overlap);
PRODUCT(fully_connected_any_s8, dsp, "core::fully_connected", matrix_any_match,
        matrix_any_dsp, tenon_core_products, 0, matrix_dsp_scratch,
        arm_product_matrix_overlap);
PRODUCT(fully_connected_s8, mve, "core::fully_connected", matrix_mve_match,
        matrix_mve, tenon_core_products, 1, matrix_mve_scratch,
        arm_product_matrix_overlap);
PRODUCT(fully_connected_any_s8, mve, "core::fully_connected", matrix_any_match,
        matrix_any_mve, tenon_core_products, 0, matrix_mve_scratch,
        arm_product_matrix_overlap);
PRODUCT(conv_any_s8, mve, "core::conv", conv_any_match, conv_any_mve,
        tenon_core_lines, 0, conv_mve_scratch, conv_mve_overlap);
#define WIDE(name, feature, op, match, how, how_many, above, scratch, overlap) \
  PRODUCT_OF(TYPES_S16, name, feature, op, match, how, how_many, above,        \
             scratch, overlap)
WIDE(conv_any_s16q, dsp, "core::conv", conv_any_match, conv_wide,
     tenon_core_lines, 0, conv_wide_scratch, conv_wide_overlap);
WIDE(conv_s16q, dsp, "core::conv", conv_wide_match, conv_wide_dsp,
     tenon_core_lines, 1, conv_wide_dsp_scratch, conv_wide_dsp_overlap);
WIDE(conv_s16q, mve, "core::conv", conv_wide_match, conv_wide_mve,
     tenon_core_lines, 0, conv_wide_mve_scratch, conv_wide_overlap);
WIDE(fully_connected_any_s16q, dsp, "core::fully_connected", matrix_any_match,
     matrix_wide, tenon_core_products, 0, matrix_wide_scratch,
     matrix_wide_overlap);
WIDE(fully_connected_s16q, dsp, "core::fully_connected", matrix_wide_match,
     matrix_wide_dsp, tenon_core_products, 1, matrix_wide_scratch,
     matrix_wide_overlap);
WIDE(fully_connected_s16q, mve, "core::fully_connected", matrix_wide_match,
     matrix_wide_mve, tenon_core_products, 0, NULL, matrix_wide_overlap);
