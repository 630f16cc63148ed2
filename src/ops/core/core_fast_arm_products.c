// core_fast_arm_products.c - convolutions and fully-connected layers on
// Cortex-M: which calls, and how their weights lie.
#include <string.h>

#include "kern/conv.h"
#include "kern/window.h"
#include "ops/core/core_factor.h"
#include "ops/core/core_fast_arm.h"

#define TYPES_S8 "s8q, s8q|s8qc, s32|s32q|s32qc? -> s8q"

// Weights of channel i of all that lie one channel behind the other.
static tenon_arm_weights weights_of(const tenon_call *c, int32_t i,
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
      folds};
  return w;
}

static bool are_plain(const tenon_call *c, bool is_once) {
  for (int32_t i = 0; i < c->in[1].dims[0]; ++i) {
    const tenon_arm_weights w = weights_of(c, i, is_once, true);
    tenon_arm_channel q;
    bool is_dead;
    if (!tenon_core_arm_channel(c, &w, &q, &is_dead)) return false;
  }
  return true;
}

// --- Convolutions ------------------------------------------------------------

static tenon_arm_window conv_window(const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims, *w = c->in[1].dims;
  tenon_arm_window g = {.h = x[1],
                        .w = x[2],
                        .c = x[3],
                        .out_h = y[1],
                        .out_w = y[2],
                        .out_c = y[3],
                        .kh = w[1],
                        .kw = w[2],
                        .run = w[2] * w[3]};
  g.down = (int32_t)a->stride.data[0], g.right = (int32_t)a->stride.data[1];
  g.top = (int32_t)a->pad.data[0], g.left = (int32_t)a->pad.data[1];
  g.dil_y = (int32_t)a->dilation.data[0];
  g.dil_x = (int32_t)a->dilation.data[1];
  g.x_zero = tenon_core_zero(&c->in[0]);
  g.y_zero = tenon_core_zero(&c->out[0]);
  tenon_core_limits(&c->out[0], a->lo, a->hi, &g.lo, &g.hi);
  return g;
}
static tenon_arm_window conv_dsp_window(const tenon_call *c) {
  tenon_arm_window g = conv_window(c);
  g.k = (g.kh * ((g.run + 3) / 4 * 4) + 7) / 8 * 8;
  return g;
}
static tenon_arm_window conv_mve_window(const tenon_call *c) {
  tenon_arm_window g = conv_window(c);
  g.k = (g.kh * g.run + 15) / 16 * 16;
  return g;
}

static bool conv_match(const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  return a->groups == 1 && tenon_core_arm_can_pack(c, 0) && are_plain(c, false);
}
static bool conv_dsp_match(const tenon_call *c) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  return conv_match(c) && tenon_core_arm_is_whole(c, a->lo, a->hi) &&
         c->in[1].dims[0] % 2 == 0;
}
static bool conv_mve_match(const tenon_call *c) {
  return conv_match(c) && c->in[1].dims[0] % 4 == 0;
}

static size_t conv_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = conv_dsp_window(c);
  return sizeof g + (size_t)g.out_c * (sizeof(tenon_arm_channel) + (size_t)g.k);
}
// Words of two channels in turn, rows of taps rounded up to words.
static tenon_status conv_dsp_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, conv_dsp_size(c));
  *g = conv_dsp_window(c);
  tenon_arm_channel *q = (tenon_arm_channel *)(g + 1);
  int8_t *to = (int8_t *)(q + g->out_c);
  const int32_t row = (g->run + 3) / 4 * 4;
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = weights_of(c, i, false, false);
    bool is_dead;
    (void)tenon_core_arm_channel(c, &w, &q[i], &is_dead);
    tenon_core_arm_round(&q[i], false, g->y_zero);
    for (int32_t j = 0; j < w.taps && !is_dead; ++j) {
      const int32_t k = j / g->run * row + j % g->run;
      to[i / 2 * 2 * g->k + k / 4 * 8 + i % 2 * 4 + k % 4] = w.data[j];
    }
  }
  return TENON_OK;
}
static size_t conv_dsp_scratch(const tenon_call *c, int64_t items) {
  const tenon_arm_window g = conv_dsp_window(c);
  (void)items;
  return (size_t)g.k * 4 + (size_t)g.run + 4;
}

static size_t conv_mve_size(const tenon_call *c) {
  const tenon_arm_window g = conv_mve_window(c);
  return sizeof g + (size_t)g.out_c * (12 + (size_t)g.k);
}
// 16 weights of four channels in turn.
static void put_four(int8_t *to, int32_t k, int32_t i,
                     const tenon_arm_weights *w) {
  for (int32_t j = 0; j < w->taps; ++j)
    to[i / 4 * 4 * k + j / 16 * 64 + i % 4 * 16 + j % 16] = w->data[j];
}
static tenon_status pack_quads(const tenon_call *c, tenon_arm_quad *quads,
                               int32_t channels, int32_t k, bool is_once) {
  int8_t *to = (int8_t *)(quads + (channels + 3) / 4);
  for (int32_t i = 0; i < channels; ++i) {
    const tenon_arm_weights w = weights_of(c, i, is_once, true);
    tenon_arm_channel q;
    bool is_dead;
    (void)tenon_core_arm_channel(c, &w, &q, &is_dead);
    tenon_core_arm_lane(quads, i, &q, is_once);
    if (!is_dead) put_four(to, k, i, &w);
  }
  return TENON_OK;
}
static tenon_status conv_mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, conv_mve_size(c));
  *g = conv_mve_window(c);
  return pack_quads(c, (tenon_arm_quad *)(g + 1), g->out_c, g->k, false);
}
static size_t conv_mve_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)conv_mve_window(c).k;
}

static int64_t row_items(const tenon_call *c) {
  return (int64_t)c->out[0].dims[0] * c->out[0].dims[1];
}

// --- Fully-connected layers --------------------------------------------------

static tenon_arm_window matrix_window(const tenon_call *c, int32_t to) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  tenon_arm_window g = {.c = c->in[1].dims[1], .out_c = c->in[1].dims[0]};
  g.k = (g.c + to - 1) / to * to;
  g.x_zero = tenon_core_zero(&c->in[0]);
  g.y_zero = tenon_core_zero(&c->out[0]);
  tenon_core_limits(&c->out[0], a->lo, a->hi, &g.lo, &g.hi);
  return g;
}
static bool matrix_match(const tenon_call *c) {
  return tenon_core_arm_can_pack(c, 0) && are_plain(c, true);
}
static bool matrix_dsp_match(const tenon_call *c) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  return matrix_match(c) && tenon_core_arm_is_whole(c, a->lo, a->hi) &&
         c->in[1].dims[1] % 4 == 0;
}
static bool matrix_mve_match(const tenon_call *c) {
  return matrix_match(c) && c->in[1].dims[1] % 16 == 0;
}
static int64_t matrix_items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]) / c->in[1].dims[0];
}

static size_t matrix_dsp_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 4);
  return sizeof g + (size_t)((g.out_c + 3) / 4 * 4) *
                        (sizeof(tenon_arm_channel) + (size_t)g.k);
}
// Words of four channels in turn.
static tenon_status matrix_dsp_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, matrix_dsp_size(c));
  *g = matrix_window(c, 4);
  tenon_arm_channel *q = (tenon_arm_channel *)(g + 1);
  int8_t *to = (int8_t *)(q + (g->out_c + 3) / 4 * 4);
  for (int32_t i = 0; i < g->out_c; ++i) {
    const tenon_arm_weights w = weights_of(c, i, true, true);
    bool is_dead;
    (void)tenon_core_arm_channel(c, &w, &q[i], &is_dead);
    tenon_core_arm_round(&q[i], true, g->y_zero);
    for (int32_t k = 0; k < w.taps && !is_dead; ++k)
      to[i / 4 * 4 * g->k + k / 4 * 16 + i % 4 * 4 + k % 4] = w.data[k];
  }
  return TENON_OK;
}
static size_t matrix_mve_size(const tenon_call *c) {
  const tenon_arm_window g = matrix_window(c, 16);
  return sizeof g + (size_t)((g.out_c + 3) / 4) * sizeof(tenon_arm_quad) +
         (size_t)((g.out_c + 3) / 4 * 4) * (size_t)g.k;
}
static tenon_status matrix_mve_pack(const tenon_call *c, void *packed) {
  tenon_arm_window *g = (tenon_arm_window *)packed;
  memset(packed, 0, matrix_mve_size(c));
  *g = matrix_window(c, 16);
  return pack_quads(c, (tenon_arm_quad *)(g + 1), g->out_c, g->k, true);
}

// --- Descriptors -------------------------------------------------------------

#define PRODUCT(name, feature, its_op, how, how_many, ...)            \
  CORE_KERNEL(name##_##feature) = {CORE_ARM(name, feature, how_many), \
                                   .op = its_op,                      \
                                   .types = TYPES_S8,                 \
                                   .match = how##_match,              \
                                   .packs = 1u << 1 | 1u << 2,        \
                                   .pack_version = 1,                 \
                                   .pack_size = how##_size,           \
                                   .pack = how##_pack,                \
                                   __VA_ARGS__}

PRODUCT(conv_s8, dsp, "core::conv", conv_dsp, row_items,
        .scratch = conv_dsp_scratch);
PRODUCT(conv_s8, mve, "core::conv", conv_mve, row_items,
        .scratch = conv_mve_scratch);
PRODUCT(fully_connected_s8, dsp, "core::fully_connected", matrix_dsp,
        matrix_items, .scratch = NULL);
PRODUCT(fully_connected_s8, mve, "core::fully_connected", matrix_mve,
        matrix_items, .scratch = NULL);
