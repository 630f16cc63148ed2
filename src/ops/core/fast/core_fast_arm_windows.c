// core_fast_arm_windows.c - depthwise convolutions on Cortex-M: which calls,
// and how their weights lie.
#include <string.h>

#include "kern/loop/window.h"
#include "kern/product/conv.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_arm.h"
#include "ops/core/fast/core_fast_like.h"

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"

static tenon_arm_window arm_window_of(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  return tenon_core_arm_image(c, a->stride, a->pad, a->dilation, a->lo, a->hi);
}

static tenon_arm_weights arm_window_weights_of(const tenon_call *c, int32_t i,
                                               bool folds) {
  const int32_t *d = c->in[1].dims;
  const tenon_arm_weights w = {
      (const int8_t *)c->in[1].data + i,
      d[1] * d[2],
      d[3],
      i,
      false,
      ((const tenon_depthwise_conv_attrs *)c->attrs)->single_scale,
      folds};
  return w;
}
static bool arm_window_channel_of(const tenon_call *c, int32_t i, bool folds,
                                  tenon_arm_channel *q, bool *is_dead) {
  const tenon_arm_weights w = arm_window_weights_of(c, i, folds);
  return tenon_core_arm_channel(c, &w, q, is_dead);
}

static bool match(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  if (!tenon_core_arm_can_pack(c, 3) ||
      !tenon_core_arm_is_whole(c, a->lo, a->hi))
    return false;
  for (int32_t i = 0; i < c->in[1].dims[3]; ++i) {
    const tenon_arm_weights w = arm_window_weights_of(c, i, true);
    if (!tenon_core_arm_is_plain(c, &w)) return false;
  }
  return c->in[1].dims[3] == c->in[0].dims[3] && c->in[0].dims[3] >= 4;
}

// How far results may run ahead: a group of pixels of a row is read as a whole
// before the last of its channels is written, with `is_whole` before the first,
// and taps in front of it are not read again.
static size_t overlap_of(const tenon_call *c, int32_t group, bool is_whole) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], c->in[1].dims[1], c->in[1].dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  ptrdiff_t most = 0, lowest = PTRDIFF_MAX;
  for (ptrdiff_t row = (ptrdiff_t)tenon_core_lines(c); row-- > 0;) {
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    const ptrdiff_t line = row / g.out_h * g.h + ty.at + ty.begin * g.dil_y;
    ptrdiff_t ox = (g.out_w - 1) / group * group;
    for (ptrdiff_t end = g.out_w; ox >= 0; end = ox, ox -= group) {
      ptrdiff_t now = lowest;
      for (ptrdiff_t i = ox; i < end; ++i) {
        const tenon_taps tx = tenon_window_columns(&g, i);
        const ptrdiff_t first = (line * g.w + tx.at + tx.begin * g.dil_x) * g.c;
        if (ty.begin < ty.end && tx.begin < tx.end && first < now) now = first;
      }
      const ptrdiff_t read = is_whole ? lowest : now;
      const ptrdiff_t written = (row * g.out_w + end) * g.out_c;
      if (read != PTRDIFF_MAX && written - read > most) most = written - read;
      lowest = now;
    }
  }
  return (size_t)most;
}

// --- Any channels ------------------------------------------------------------

static bool any_match(const tenon_call *c) {
  return tenon_core_arm_can_pack(c, 3);
}

static size_t arm_window_size_of(const tenon_call *c, bool narrow) {
  const int32_t *d = c->in[1].dims;
  const int32_t taps = d[1] * d[2];
  return sizeof(tenon_arm_window) +
         (size_t)((d[3] + 3) / 4) *
             (sizeof(tenon_arm_any) +
              4 * (size_t)(narrow ? (taps + 1) / 2 : taps));
}
static tenon_status put_any(const tenon_call *c, bool narrow, void *packed) {
  memset(packed, 0, arm_window_size_of(c, narrow));
  const tenon_arm_window g = arm_window_of(c);
  memcpy(packed, &g, sizeof g);
  const int32_t taps = g.kh * g.kw;
  const int8_t *w = (const int8_t *)c->in[1].data;
  int8_t *to = (int8_t *)((tenon_arm_window *)packed + 1);
  for (int32_t i = 0; i < g.out_c; i += 4) {
    tenon_arm_any *q = (tenon_arm_any *)to;
    to = (int8_t *)(q + 1);
    for (int32_t j = 0; j < 4 && i + j < g.out_c; ++j) {
      const tenon_arm_weights own = arm_window_weights_of(c, i + j, false);
      const tenon_arm_sums s = tenon_core_arm_sums(c, &own);
      q->bias[j] = s.bias, q->mult[j] = s.mult;
      q->left[j] = s.shift > 0 ? s.shift : 0;
      q->right[j] = s.shift > 0 ? 0 : s.shift;
      q->place[j] = (uint32_t)((i + j) / (g.out_c / g.c));
      for (int32_t k = 0; k < taps && !s.is_dead; ++k)
        tenon_core_arm_put(to, k * 4 + j, 4, narrow, w[k * g.out_c + i + j]);
    }
    to += (narrow ? (taps + 1) / 2 : taps) * 4;
  }
  return TENON_OK;
}
static size_t any_size(const tenon_call *c) {
  return arm_window_size_of(c, false);
}
static tenon_status any_pack(const tenon_call *c, void *packed) {
  return put_any(c, false, packed);
}
static bool narrow_match(const tenon_call *c) {
  return any_match(c) && tenon_core_arm_is_narrow(c);
}
static size_t narrow_size(const tenon_call *c) {
  return arm_window_size_of(c, true);
}
static tenon_status narrow_pack(const tenon_call *c, void *packed) {
  return put_any(c, true, packed);
}

// The pixel itself is read until it has been written.
static size_t pixel_overlap(const tenon_call *c) {
  return overlap_of(c, 1, false);
}

#define DEPTHWISE_OF(its_types, version, name, feature, how_many, above, \
                     its_match, how, ...)                                \
  CORE_KERNEL(name##_##feature) = {                                      \
      CORE_ARM_FIRST(name, feature, how_many, above),                    \
      .op = "core::depthwise_conv",                                      \
      .types = its_types,                                                \
      .match = its_match,                                                \
      .packs = 1u << 1 | 1u << 2,                                        \
      .pack_version = version,                                           \
      .pack_head = sizeof(tenon_arm_window),                             \
      .pack_size = how##_size,                                           \
      .pack = how##_pack,                                                \
      __VA_ARGS__}
#define DEPTHWISE(...) DEPTHWISE_OF(TYPES_S8, 2, __VA_ARGS__)

// Weights of 4 bits take half of the flash: they come first.
#define DEPTHWISE_ANY(feature)                                              \
  DEPTHWISE(depthwise_conv_any_s8, feature, tenon_core_lines, 0, any_match, \
            any, .pack_name = "tenon_depthwise_any_arm",                    \
            .overlap = pixel_overlap);                                      \
  DEPTHWISE(depthwise_conv_s4, feature, tenon_core_lines, 4, narrow_match,  \
            narrow, .overlap = pixel_overlap)
DEPTHWISE_ANY(dsp);
DEPTHWISE_ANY(mve);

// --- Words -------------------------------------------------------------------

static size_t dsp_size(const tenon_call *c) {
  const int32_t *d = c->in[1].dims;
  return sizeof(tenon_arm_window) +
         (size_t)((d[3] + 3) / 4 * 4) *
             (sizeof(tenon_arm_channel) + 2 * (size_t)(d[1] * d[2]));
}

// Blocks of four channels, the last of them the last four: weights as int16, of
// channels 0, 2, 1, 3. All is doubled that sums are made of.
static tenon_status dsp_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, dsp_size(c));
  *g = arm_window_of(c);
  const int32_t depth = g->c, taps = g->kh * g->kw;
  const int32_t place[4] = {0, 2, 1, 3};
  const int8_t *w = (const int8_t *)c->in[1].data;
  tenon_arm_channel *q = (tenon_arm_channel *)(g + 1);
  int16_t *to = (int16_t *)(q + (depth + 3) / 4 * 4);
  for (int32_t i = 0; i < depth; i += 4, to += taps * 4) {
    if (i > depth - 4) i = depth - 4;
    for (int32_t j = 0; j < 4; ++j, ++q) {
      bool is_dead;
      (void)arm_window_channel_of(c, i + j, false, q, &is_dead);
      tenon_core_arm_round(q, false, g->y_zero);
      q->bias = (int32_t)((uint32_t)q->bias * 2);
      for (int32_t k = 0; k < taps && !is_dead; ++k)
        to[k * 4 + place[j]] = (int16_t)(w[k * depth + i + j] * 2);
    }
  }
  return TENON_OK;
}

DEPTHWISE(depthwise_conv_s8, dsp, tenon_core_lines, 1, match, dsp,
          .overlap = pixel_overlap);

// Three by three in steps of 1, of the same size: lines go where less is left
// of a multiple of four, in strips of at least two.
enum { STRIP = 448 };  // bytes
enum { LINE = 8 };     // shorter ones have too little to gain
static tenon_arm_window three_window(const tenon_call *c) {
  tenon_arm_window g = arm_window_of(c);
  const int32_t over_w = (g.w + 3) / 4 * 4 * g.h;
  const int32_t over_h = (g.h + 3) / 4 * 4 * g.w;
  g.how = over_h < over_w;
  const int32_t n = g.how ? g.h : g.w, lines = g.how ? g.w : g.h;
  g.k = 2 * ((n + 3) / 4 * 4 + 2);
  g.run = STRIP / g.k - 2;
  if (g.run < 2) g.run = 2;
  if (g.run > lines) g.run = lines;
  return g;
}

static bool three_match(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  if (!match(c)) return false;
  const tenon_arm_window g = arm_window_of(c);
  return g.kh == 3 && g.kw == 3 && g.down == 1 && g.right == 1 &&
         a->dilation.data[0] == 1 && a->dilation.data[1] == 1 &&
         g.out_h == g.h && g.out_w == g.w && (g.h >= LINE || g.w >= LINE);
}

static size_t three_size(const tenon_call *c) {
  return sizeof(tenon_arm_window) +
         (size_t)c->in[0].dims[3] * sizeof(tenon_arm_nine);
}
static tenon_status three_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, three_size(c));
  *g = three_window(c);
  tenon_arm_nine *to = (tenon_arm_nine *)(g + 1);
  for (int32_t i = 0; i < g->c; ++i, ++to) {
    const int8_t *w = (const int8_t *)c->in[1].data + i;
    bool is_dead;
    (void)arm_window_channel_of(c, i, false, &to->q, &is_dead);
    tenon_core_arm_round(&to->q, false, g->y_zero);
    to->q.bias = (int32_t)((uint32_t)to->q.bias * 2);
    for (int32_t k = 0; k < 3 && !is_dead; ++k) {
      uint32_t v[3];
      for (int32_t j = 0; j < 3; ++j)
        v[j] =
            (uint32_t)w[(g->how ? j * 3 + k : k * 3 + j) * g->c] * 2 & 0xFFFF;
      to->pairs[k][0] = v[0] | v[1] << 16;
      to->pairs[k][1] = v[1] | v[2] << 16;
    }
  }
  return TENON_OK;
}
static size_t three_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = three_window(c);
  (void)items;
  return (size_t)((g.run + 2) * g.k);
}
static int64_t channel_items(const tenon_call *c) {
  return (int64_t)c->in[0].dims[0] * c->in[0].dims[3];
}

DEPTHWISE(depthwise_conv3_s8, dsp, channel_items, 2, three_match, three,
          .in_place = TENON_IN_PLACE(0, 0), .scratch = three_scratch);

// --- Vectors -----------------------------------------------------------------

// Pixels of a row that are computed from what is ordered at once: where rows
// are long, hence images large and memory scarce, scratch is for `SOME` alone,
// and the kernel looks for room elsewhere (kern/isa/arm/mve/depthwise_mve.h).
enum { LONG = 32, SOME = 1 };

static bool arm_window_mve_match(const tenon_call *c) {
  return c->in[1].dims[1] <= 4 && c->in[1].dims[2] <= 4 && match(c);
}

// Of blocks of 16 channels, and fours in them, the last are the last four.
static size_t mve_size(const tenon_call *c) {
  const int32_t depth = c->in[0].dims[3];
  return sizeof(tenon_arm_window) +
         (size_t)((depth + 3) / 4) * sizeof(tenon_arm_taps);
}
static tenon_arm_window mve_window(const tenon_call *c) {
  tenon_arm_window g = arm_window_of(c);
  g.also = g.out_w < TENON_ARM_PIECE ? g.out_w : TENON_ARM_PIECE;
  g.how = g.w >= LONG && g.out_w > SOME ? SOME : g.also;
  return g;
}
static tenon_status mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, mve_size(c));
  *g = mve_window(c);
  const int8_t *w = (const int8_t *)c->in[1].data;
  tenon_arm_taps *part = (tenon_arm_taps *)(g + 1);
  for (int32_t i = 0; i < g->c; i += 4, ++part) {
    if (i > g->c - 4) i = g->c - 4;
    for (int32_t j = 0; j < 4; ++j) {
      tenon_arm_channel q;
      bool is_dead;
      (void)arm_window_channel_of(c, i + j, true, &q, &is_dead);
      tenon_core_arm_lane(&part->q, j, &q, false);
      for (int32_t k = 0; k < g->kh * g->kw && !is_dead; ++k)
        part->weights[j][k % g->kw * 4 + k / g->kw] = w[k * g->c + i + j];
    }
  }
  return TENON_OK;
}

static size_t mve_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = mve_window(c);
  (void)items;
  const int32_t columns = (g.how - 1) * g.right + (g.kw - 1) * g.dil_x + 1;
  return (size_t)columns * 64 + 16;
}
static size_t mve_overlap(const tenon_call *c) {
  return overlap_of(c, mve_window(c).how, c->in[0].dims[3] <= 16);
}

DEPTHWISE(depthwise_conv_s8, mve, tenon_core_lines, 1, arm_window_mve_match,
          mve, .scratch = mve_scratch, .overlap = mve_overlap);

// The same in place: an item is an image, of which rows are copied.
static bool arm_window_same_match(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  if (!arm_window_mve_match(c)) return false;
  const tenon_arm_window g = arm_window_of(c);
  return g.down == 1 && g.right == 1 && a->dilation.data[0] == 1 &&
         a->dilation.data[1] == 1 && g.out_h == g.h && g.out_w == g.w &&
         g.w < LONG && g.top < 4;
}
static size_t same_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = mve_window(c);
  return mve_scratch(c, items) + (size_t)((g.top + 1) * g.w * g.c);
}

DEPTHWISE(depthwise_conv_same_s8, mve, tenon_core_images, 2,
          arm_window_same_match, mve, .in_place = TENON_IN_PLACE(0, 0),
          .pack_name = "tenon_k_depthwise_conv_s8_mve",
          .scratch = same_scratch);

// --- 16-bit numbers ----------------------------------------------------------

enum { MOST_TAPS = 256 };  // whose sums have 32 bits

extern CORE_KERNEL(depthwise_conv_s16q_ref);

static bool wide_match(const tenon_call *c) {
  const int32_t *w = c->in[1].dims, channels = c->in[0].dims[3];
  return tenon_core_arm_can_pack(c, 3) && channels > 0 &&
         w[3] % channels == 0 && w[1] <= MOST_TAPS && w[2] <= MOST_TAPS &&
         w[1] * w[2] <= MOST_TAPS;
}
static size_t arm_window_wide_size(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return sizeof(tenon_arm_window) + (size_t)w[3] * sizeof(tenon_arm_wide) +
         (size_t)w[1] * (size_t)w[2] * (size_t)w[3] * sizeof(int16_t);
}
static tenon_arm_channel *wide_put(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  *g = arm_window_of(c);
  const int8_t *w = (const int8_t *)c->in[1].data;
  tenon_arm_channel *q = (tenon_arm_channel *)(g + 1);
  int16_t *to = (int16_t *)(q + g->out_c);
  for (int32_t i = 0, n; i < g->out_c; i += n) {
    n = g->out_c - i >= 4 ? 4 : 1;
    for (int32_t k = 0; k < g->kh * g->kw; ++k)
      for (int32_t j = 0; j < n; ++j)
        *to++ = w[k * g->out_c + i + j];
  }
  return q;
}
static tenon_status any_wide_pack(const tenon_call *c, void *packed) {
  tenon_arm_wide *q = (tenon_arm_wide *)(void *)wide_put(c, packed);
  for (int32_t i = 0; i < c->in[1].dims[3]; ++i)
    tenon_core_arm_wide(c, i, false, q + i);
  return TENON_OK;
}
LIKE_FUNCTION(depthwise_conv_s16q, size_t, overlap)

// Plain channels.
static bool wide_plain_match(const tenon_call *c) {
  if (!wide_match(c)) return false;
  for (int32_t i = 0; i < c->in[1].dims[3]; ++i) {
    const tenon_arm_weights w = arm_window_weights_of(c, i, false);
    tenon_arm_channel q;
    if (!tenon_core_arm_narrow_sums(c, &w, &q)) return false;
  }
  return true;
}
static bool wide_single_match(const tenon_call *c) {
  return c->in[1].dims[3] == c->in[0].dims[3] && wide_plain_match(c);
}
static tenon_status arm_window_wide_pack(const tenon_call *c, void *packed) {
  tenon_arm_channel *q = wide_put(c, packed);
  for (int32_t i = 0; i < c->in[1].dims[3]; ++i) {
    const tenon_arm_weights w = arm_window_weights_of(c, i, false);
    (void)tenon_core_arm_narrow_sums(c, &w, q + i);
    tenon_core_arm_round(q + i, true, 0);
  }
  return TENON_OK;
}
// Eight channels: even ones and odd ones as quads, then their weights.
static size_t arm_window_wide_mve_size(const tenon_call *c) {
  const int32_t *w = c->in[1].dims;
  return sizeof(tenon_arm_window) +
         (size_t)(w[3] + 7) / 8 *
             (2 * sizeof(tenon_arm_quad) + 8 * (size_t)(w[1] * w[2]));
}
static tenon_status arm_window_wide_mve_pack(const tenon_call *c,
                                             void *packed) {
  memset(packed, 0, arm_window_wide_mve_size(c));
  tenon_arm_window *g = (tenon_arm_window *)packed;
  *g = arm_window_of(c);
  int8_t *to = (int8_t *)(g + 1);
  for (int32_t i = 0; i < g->c; ++i) {
    const tenon_arm_weights w = arm_window_weights_of(c, i, false);
    tenon_arm_quad *quads = (tenon_arm_quad *)(void *)to;
    int8_t *own = (int8_t *)(quads + 2);
    tenon_arm_channel q;
    (void)tenon_core_arm_narrow_sums(c, &w, &q);
    tenon_core_arm_lane(quads, i % 2 * 4 + i % 8 / 2, &q, true);
    for (int32_t k = 0; k < w.taps; ++k)
      own[8 * k + i % 8] = w.data[(ptrdiff_t)k * w.step];
    if (i % 8 == 7) to = own + 8 * w.taps;
  }
  return TENON_OK;
}
// Eight channels of a pixel are read before they are written.
static size_t wide_mve_overlap(const tenon_call *c) {
  return overlap_of(c, 1, c->in[0].dims[3] <= 8) * sizeof(int16_t);
}

#define WIDE(name, feature, above, its_match, how, its_overlap)             \
  DEPTHWISE_OF("s16q, s8q|s8qc, s64|s64q|s64qc? -> s16q", 3, name, feature, \
               tenon_core_lines, above, its_match, how,                     \
               .overlap = its_overlap)
#define any_wide_size arm_window_wide_size
WIDE(depthwise_conv_any_s16q, dsp, 0, wide_match, any_wide,
     depthwise_conv_s16q_overlap);
WIDE(depthwise_conv_s16q, dsp, 1, wide_plain_match, arm_window_wide,
     depthwise_conv_s16q_overlap);
WIDE(depthwise_conv_s16q, mve, 0, wide_single_match, arm_window_wide_mve,
     wide_mve_overlap);
