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

// --- Forms -------------------------------------------------------------------

// How a kernel reads a layer: the window, what follows the sums of channels,
// their weights. Of both, channels are a multiple of `group`; those that do not
// exist are zeros.
typedef struct product_form product_form;
struct product_form {
  tenon_arm_window window;
  int32_t group;
  size_t each;   // bytes of what follows a channel's sums
  bool is_once;  // of a fully-connected layer
  bool folds, narrow;
  // Channel i, into a table of `each`; whether it is dead.
  bool (*channel)(const tenon_call *c, const tenon_arm_weights *w,
                  const product_form *f, int32_t i, void *table);
  void (*put)(const tenon_arm_weights *w, const product_form *f, int32_t i,
              int8_t *to);
  int32_t size;  // of `put`: so many weights of each channel take turns
};

static size_t form_channels(const product_form *f) {
  return (size_t)arm_product_round_up(f->window.out_c, f->group);
}
static size_t form_size(const product_form *f) {
  const size_t n = form_channels(f), k = (size_t)f->window.k;
  return sizeof f->window + n * (f->each + k) - (f->narrow ? n * k / 2 : 0);
}
static tenon_status form_pack(const tenon_call *c, const product_form *f,
                              void *packed) {
  memset(packed, 0, form_size(f));
  memcpy(packed, &f->window, sizeof f->window);
  void *const table = (tenon_arm_window *)packed + 1;
  int8_t *to = (int8_t *)table + form_channels(f) * f->each;
  for (int32_t i = 0; i < f->window.out_c; ++i) {
    const tenon_arm_weights w =
        arm_product_weights_of(c, i, f->is_once, f->folds);
    if (!f->channel(c, &w, f, i, table)) f->put(&w, f, i, to);
  }
  return TENON_OK;
}

// The functions <how>_size and <how>_pack of a form that begins with a window.
#define FORM(how, ...)                                                \
  static product_form how##_form(const tenon_call *c) {               \
    const product_form f = {.window = __VA_ARGS__};                   \
    return f;                                                         \
  }                                                                   \
  static size_t how##_size(const tenon_call *c) {                     \
    const product_form f = how##_form(c);                             \
    return form_size(&f);                                             \
  }                                                                   \
  static tenon_status how##_pack(const tenon_call *c, void *packed) { \
    const product_form f = how##_form(c);                             \
    return form_pack(c, &f, packed);                                  \
  }

// Where channel i of `group` begins that take turns, `size` weights of each.
static ptrdiff_t head_of(int32_t i, int32_t group, int32_t size, int32_t k) {
  return (ptrdiff_t)(i / group) * group * k + i % group * size;
}
static void put_turns(const tenon_arm_weights *w, const product_form *f,
                      int32_t i, int32_t group, int8_t *to) {
  const int32_t size = f->size;
  const ptrdiff_t at = head_of(i, group, size, f->window.k);
  for (int32_t j = 0; j < w->taps; ++j)
    tenon_core_arm_put(to, at + (ptrdiff_t)(j / size) * group * size + j % size,
                       size, f->narrow, w->data[j]);
}
static void put_weights(const tenon_arm_weights *w, const product_form *f,
                        int32_t i, int8_t *to) {
  put_turns(w, f, i, f->group, to);
}
// Of channels 0 and 2, then those of 1 and 3.
static void put_four(const tenon_arm_weights *w, const product_form *f,
                     int32_t i, int8_t *to) {
  put_turns(w, f, i / 4 * 4 + i % 2 * 2 + i % 4 / 2, 2, to);
}

// As tenon_requant_twice and tenon_requant_once take it.
static bool any_channel(const tenon_call *c, const tenon_arm_weights *w,
                        const product_form *f, int32_t i, void *table) {
  const tenon_arm_sums s = tenon_core_arm_sums(c, w);
  tenon_arm_channel *q = (tenon_arm_channel *)table + i;
  (void)f;
  q->bias = s.bias, q->mult = s.mult, q->shift = s.shift;
  return s.is_dead;
}
// Vectors of four channels.
static bool quad_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  tenon_arm_channel q;
  bool is_dead;
  (void)tenon_core_arm_channel(c, w, &q, &is_dead);
  tenon_core_arm_lane((tenon_arm_quad *)table, i, &q, f->is_once);
  return is_dead;
}

// --- Convolutions ------------------------------------------------------------

static tenon_arm_window conv_window(const tenon_call *c, int32_t to) {
  const tenon_conv_attrs *a = c->attrs;
  tenon_arm_window g =
      tenon_core_arm_image(c, a->stride, a->pad, a->dilation, a->lo, a->hi);
  g.run = g.kw * c->in[1].dims[3];
  g.k = arm_product_round_up(g.kh * g.run, to);
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
static void put_pair(const tenon_arm_weights *w, const product_form *f,
                     int32_t i, int8_t *to) {
  static const int32_t order[] = {0, 2, 1, 3};
  const tenon_arm_window *g = &f->window;
  const int32_t run = g->run, whole = run & ~3, rest = run & 3;
  const ptrdiff_t head = head_of(i, 2, 4, g->k);
  for (int32_t j = 0; j < w->taps; ++j) {
    const int32_t last = j / run * rest + j % run - whole;
    const int32_t at = j % run < whole
                           ? j / run * whole + j % run
                           : g->kh * whole + last / 4 * 4 + order[last % 4];
    tenon_core_arm_put(to, head + (ptrdiff_t)(at / 4) * 8 + at % 4, 4,
                       f->narrow, w->data[j]);
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

// Of a pair: biases, then the other three of each; the last pair of all that
// are whole says so, and so does one that is not.
static bool pair_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  int32_t *pair = (int32_t *)table + i / 2 * 8, *own = pair + 2 + i % 2 * 3;
  tenon_arm_channel q;
  bool is_dead;
  (void)tenon_core_arm_channel(c, w, &q, &is_dead);
  tenon_core_arm_round(&q, false, f->window.y_zero);
  pair[i % 2] = q.bias;
  own[0] = (int32_t)((uint32_t)q.mult << 1);  // for SMMLAR, less 2^32
  own[1] = q.round, own[2] = q.shift;
  if ((i | 1) + 2 >= f->window.out_c) pair[7] |= INT32_MIN;
  return is_dead;
}
// Words of two channels in turn.
#define PAIRS(...)                                                   \
  conv_dsp_window(c), .group = 2, .each = sizeof(tenon_arm_channel), \
                      .put = put_pair, .channel = __VA_ARGS__
FORM(conv_dsp, PAIRS(pair_channel))
FORM(conv_any_dsp, PAIRS(any_channel))
FORM(conv_narrow_dsp, PAIRS(any_channel, .narrow = true))
// Columns of two pixels, and a window as bytes where taps are no words or
// apart.
static size_t conv_dsp_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_dsp_window(c);
  (void)items;
  return (size_t)g.k * (g.c % 4 != 0 || g.dil_x != 1 ? 5 : 4);
}

// Bias, factor, shift to the right, not above 0, and to the left.
static bool four_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  const tenon_arm_sums s = tenon_core_arm_sums(c, w);
  int32_t *lane = (int32_t *)table + i / 4 * 16 + i % 4;
  (void)f;
  lane[0] = s.bias, lane[4] = s.mult;
  lane[8] = s.shift < 0 ? s.shift : 0, lane[12] = s.shift > 0 ? s.shift : 0;
  return s.is_dead;
}
static tenon_arm_window conv_narrow_window(const tenon_call *c) {
  tenon_arm_window g = conv_mve_window(c);
  g.also /= 2;
  return g;
}
// Tables of vectors of four channels; 16 weights of two take turns.
#define FOURS(its_window, its_channel, its_each)                            \
  its_window, .group = 4, .each = its_each, .folds = true, .put = put_four, \
              .size = 16, .channel = its_channel
FORM(conv_mve,
     FOURS(conv_mve_window(c), quad_channel, sizeof(tenon_arm_quad) / 4))
FORM(conv_any_mve, FOURS(conv_mve_window(c), four_channel, 16))
FORM(conv_narrow_mve, FOURS(conv_narrow_window(c), four_channel, 16),
     .narrow = true)
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

// Of four: biases, then of two at a time factors, halves and shifts; the last
// say so as those of pairs do.
static bool words_channel(const tenon_call *c, const tenon_arm_weights *w,
                          const product_form *f, int32_t i, void *table) {
  int32_t *four = (int32_t *)table + i / 4 * 16;
  int32_t *own = four + 4 + i % 4 / 2 * 6 + i % 2;
  tenon_arm_channel q;
  bool is_dead;
  (void)tenon_core_arm_channel(c, w, &q, &is_dead);
  tenon_core_arm_round(&q, true, f->window.y_zero);
  four[i % 4] = q.bias;
  own[0] = q.mult, own[2] = q.round, own[4] = q.shift;
  if ((i | 3) + 4 >= f->window.out_c) four[15] |= INT32_MIN;
  return is_dead;
}
// So many weights of four channels in turn.
#define ROWS(its_size, its_channel, its_each)                                \
  matrix_window(c, its_size), .group = 4, .each = its_each, .is_once = true, \
                              .folds = true, .put = put_weights,             \
                              .size = its_size, .channel = its_channel
FORM(matrix_dsp, ROWS(4, words_channel, 16))
FORM(matrix_any_dsp, ROWS(4, any_channel, sizeof(tenon_arm_channel)))
FORM(matrix_narrow_dsp, ROWS(4, any_channel, sizeof(tenon_arm_channel)),
     .narrow = true)
FORM(matrix_mve, ROWS(16, quad_channel, sizeof(tenon_arm_quad) / 4))
FORM(matrix_any_mve, ROWS(16, any_channel, sizeof(tenon_arm_channel)))
FORM(matrix_narrow_mve, ROWS(16, any_channel, sizeof(tenon_arm_channel)),
     .narrow = true)
static size_t matrix_mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = matrix_window(c, 16);
  (void)items;
  return g.k == g.c ? 0 : (size_t)g.k;
}

// --- 16-bit numbers ----------------------------------------------------------

// One tap, in the image: read where it is.
static bool is_direct(const tenon_arm_window *g) {
  return g->kh * g->kw == 1 && g->top == 0 && g->left == 0 &&
         (g->out_h - 1) * g->down < g->h && (g->out_w - 1) * g->right < g->w;
}
static tenon_arm_window conv_wide_window(const tenon_call *c, int32_t to) {
  tenon_arm_window g = conv_window(c, to);
  g.how = is_direct(&g) && (to != 4 || g.k == g.c);
  return g;
}
static bool wide_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  (void)w;
  tenon_core_arm_wide(c, i, f->is_once, (tenon_arm_wide *)table + i);
  return false;
}
// Words of four channels in turn, bytes 1 and 2 of each exchanged.
static void put_exchanged(const tenon_arm_weights *w, const product_form *f,
                          int32_t i, int8_t *to) {
  static const int32_t order[] = {0, 2, 1, 3};
  const ptrdiff_t at = head_of(i, 4, 4, f->window.k);
  for (int32_t k = 0; k < w->taps; ++k)
    to[at + k / 4 * 16 + order[k % 4]] = w->data[k];
}
#define WIDE_FORM(its_window, its_channel, its_put, its_each)          \
  its_window, .group = 4, .each = its_each, .put = its_put, .size = 8, \
              .channel = its_channel
FORM(conv_wide, WIDE_FORM(conv_wide_window(c, 4), wide_channel, put_exchanged,
                          sizeof(tenon_arm_wide)))
FORM(matrix_wide,
     WIDE_FORM(matrix_window(c, 4), wide_channel, put_exchanged,
               sizeof(tenon_arm_wide)),
     .is_once = true)
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
static bool arm_product_is_plain(const tenon_call *c,
                                 const tenon_arm_weights *w, bool is_long,
                                 arm_product_plain *q) {
  return is_long ? tenon_core_arm_long_sums(c, w, &q->wide)
                 : tenon_core_arm_narrow_sums(c, w, &q->narrow);
}
static bool arm_product_all_plain(const tenon_call *c, bool is_long) {
  arm_product_plain q;
  for (int32_t i = 0; i < c->in[1].dims[0]; ++i) {
    const tenon_arm_weights w = arm_product_weights_of(c, i, is_long, false);
    if (!arm_product_is_plain(c, &w, is_long, &q)) return false;
  }
  return true;
}
static bool conv_wide_match(const tenon_call *c) {
  return conv_any_match(c) && arm_product_all_plain(c, false);
}
static bool matrix_wide_match(const tenon_call *c) {
  return matrix_any_match(c) && arm_product_all_plain(c, true);
}
static bool plain_channel(const tenon_call *c, const tenon_arm_weights *w,
                          const product_form *f, int32_t i, void *table) {
  arm_product_plain *q = (arm_product_plain *)table + i;
  (void)arm_product_is_plain(c, w, f->is_once, q);
  if (!f->is_once) tenon_core_arm_round(&q->narrow, true, 0);
  return false;
}
// Words of two taps of two channels.
static void put_two(const tenon_arm_weights *w, const product_form *f,
                    int32_t i, int8_t *to) {
  const ptrdiff_t at = (ptrdiff_t)(i / 4) * 4 * f->window.k + i % 4 / 2 * 4;
  for (int32_t k = 0; k < w->taps; ++k)
    to[at + k / 2 * 8 + k % 2 * 2 + i % 2] = w->data[k];
}
FORM(conv_wide_dsp, WIDE_FORM(conv_window(c, 4), plain_channel, put_two,
                              sizeof(arm_product_plain)))
FORM(matrix_wide_dsp,
     WIDE_FORM(matrix_window(c, 4), plain_channel, put_two,
               sizeof(arm_product_plain)),
     .is_once = true)
static size_t conv_wide_dsp_scratch(const tenon_call *c, int64_t items) {
  return conv_wide_scratch(c, items) * 2;
}
static size_t conv_wide_dsp_overlap(const tenon_call *c) {
  const tenon_arm_window g = conv_window(c, 4);
  // Pairs of a row, of which the last may be alone.
  return conv_ahead(c, &g, g.out_w % 2 ? 1 : 2) * sizeof(int16_t);
}
static bool lane_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  tenon_arm_channel q;
  (void)f;
  (void)tenon_core_arm_narrow_sums(c, w, &q);
  tenon_core_arm_lane((tenon_arm_quad *)table, i, &q, true);
  return false;
}
static bool long_channel(const tenon_call *c, const tenon_arm_weights *w,
                         const product_form *f, int32_t i, void *table) {
  tenon_arm_long_quad *quad = (tenon_arm_long_quad *)table + i / 4;
  tenon_arm_long q;
  (void)f;
  (void)tenon_core_arm_long_sums(c, w, &q);
  quad->bias[i % 4] = q.bias, quad->low[i % 4] = q.low;
  quad->high[i % 4] = q.high, quad->shift[i % 4] = q.shift + 1;
  return false;
}
// Eight of four channels in turn.
FORM(conv_wide_mve, WIDE_FORM(conv_wide_window(c, 8), lane_channel, put_weights,
                              sizeof(tenon_arm_quad) / 4))
FORM(matrix_wide_mve,
     WIDE_FORM(matrix_window(c, 8), long_channel, put_weights,
               sizeof(tenon_arm_long_quad) / 4),
     .is_once = true)
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
