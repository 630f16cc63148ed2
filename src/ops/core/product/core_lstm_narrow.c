// core_lstm_narrow.c - core::lstm_narrow: scales as factors. LiteRT's formulas,
// including where it computes in float, and what it reads where it leaves its
// tables.
#include "kern/product/lstm_narrow.h"

#include <math.h>
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"

enum { GATES = 3, PARTS = 12 };

static tenon_status lstm_narrow_infer(tenon_infer *c) {
  const tenon_lstm_narrow_attrs *a = tenon_infer_attrs(c);
  if (a->scales.count != PARTS)
    return tenon_infer_fail(c, "%zu scales, expected %d", a->scales.count,
                            PARTS);
  if (a->zeros.count != PARTS)
    return tenon_infer_fail(c, "%zu zeros, expected %d", a->zeros.count, PARTS);
  return tenon_core_shapes(
      c,
      "x[b,k], w_f[n,k], w_g[n,k], w_o[n,k], r_f[n,p], r_g[n,p], r_o[n,p], "
      "b_f[n], b_g[n], b_o[n], n_f[n], n_g[n], n_o[n], projection[p,n], "
      "projection_bias[p], h[b,p], cell[b,n] -> x[b,p], h, cell");
}

CORE_OWN_PACKS(lstm_narrow_size, tenon_lstm_narrow)

static tenon_factor lstm_narrow_factor(float v) {
  tenon_factor f;
  tenon_core_factor((double)v, &f.mult, &f.shift);
  return f;
}

// `at`: the intermediate tensor of the 8 bits, `sum` of the gate.
static tenon_narrow_part part_of(const tenon_call *c, const tenon_tensor *x,
                                 const tenon_tensor *w, int at, int sum) {
  const tenon_lstm_narrow_attrs *a = c->attrs;
  const float scale = (float)a->scales.data[at];
  tenon_narrow_part p;
  memset(&p, 0, sizeof p);
  const float product = w->quant->scale[0] * x->quant->scale[0];
  p.in = lstm_narrow_factor(product / scale);
  p.out = lstm_narrow_factor(scale / (float)a->scales.data[sum]);
  p.zero = (int32_t)a->zeros.data[at];
  return p;
}

static tenon_status lstm_narrow_pack(const tenon_call *c, void *packed) {
  const tenon_lstm_narrow_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[TENON_NARROW_X], *h = &c->in[TENON_NARROW_H];
  tenon_lstm_narrow *l = (tenon_lstm_narrow *)packed;
  memset(l, 0, sizeof *l);
  for (int k = 0; k < GATES; ++k) {
    const int sum = 3 * (k + 1);
    l->x[k] = part_of(c, x, &c->in[TENON_NARROW_W + k], sum + 1, sum);
    l->h[k] = part_of(c, h, &c->in[TENON_NARROW_R + k], sum + 2, sum);
    const tenon_factor f =
        lstm_narrow_factor(c->in[TENON_NARROW_NORM + k].quant->scale[0]);
    l->norm[k] = (float)ldexp((double)f.mult, f.shift - 31);
    l->bias[k] = 0x1p-10f * l->norm[k];
  }
  // For what the state makes in the gate o, LiteRT has the zero point of what x
  // makes in g. As factor it takes entry 11 of a table of 8, behind which the
  // shifts stand: that of the state in f. It is next to nothing.
  l->h[2].zero = (int32_t)a->zeros.data[7];
  l->h[2].out.mult = l->h[0].out.shift;
  const tenon_tensor *w = &c->in[TENON_NARROW_PROJECTION];
  l->projection =
      lstm_narrow_factor((float)((double)w->quant->scale[0] * 0x1p-15 /
                                 (double)h->quant->scale[0]));
  l->x_zero = tenon_core_zero(x);
  l->h_zero = tenon_core_zero(h);
  const float cell = (float)a->cell_clip;
  l->cell_clip = cell > 0 && cell < 1 ? (int32_t)(cell * 32768.0f) : 0;
  const float most = (float)a->proj_clip / c->out[0].quant->scale[0];
  l->proj_clip =
      a->proj_clip > 0 ? (int32_t)(most < 127.0f ? most : 127.0f) : 0;
  return TENON_OK;
}

// A layer that gives something.
static bool lstm_narrow_match(const tenon_call *c) {
  const tenon_lstm_narrow_attrs *a = c->attrs;
  if (c->in[TENON_NARROW_CELL].dims[1] < 1 || c->in[TENON_NARROW_H].dims[1] < 1)
    return false;
  for (size_t i = 3; i < a->scales.count; ++i)
    if (!isnormal(a->scales.data[i]) || a->scales.data[i] < 0 ||
        a->zeros.data[i] < -128 || a->zeros.data[i] > 127)
      return false;
  return c->in[TENON_NARROW_CELL].quant->scale[0] == 0x1p-15f;
}

static size_t lstm_narrow_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[TENON_NARROW_CELL].dims[1] * GATES * sizeof(int16_t);
}

static int64_t lstm_narrow_items(const tenon_call *c) {
  return c->in[TENON_NARROW_H].dims[0];
}

static int64_t lstm_narrow_macs(const tenon_call *c) {
  const int32_t *x = c->in[TENON_NARROW_X].dims;
  const int64_t n = c->in[TENON_NARROW_CELL].dims[1];
  const int64_t p = c->in[TENON_NARROW_H].dims[1];
  return x[0] * (GATES * n * (x[1] + p) + n * p);
}

CORE_KERNEL_RANGE(
    lstm_narrow_ref, lstm_narrow_items,
    "s8q, s8q, s8q, s8q, s8q, s8q, s8q, s32|s32q, s32|s32q, s32|s32q, "
    "s16q, s16q, s16q, s8q, s32|s32q, s8q, s16q -> s8q, s8q, s16q",
    .match = lstm_narrow_match, .pack_size = lstm_narrow_size,
    .pack = lstm_narrow_pack, .scratch = lstm_narrow_scratch);

CORE_OPERATOR(
    lstm_narrow, lstm_narrow_infer, (CORE_K(lstm_narrow_ref)),
    "(Tensor x, Tensor w_f, Tensor w_g, Tensor w_o, Tensor r_f, Tensor r_g, "
    "Tensor r_o, Tensor b_f, Tensor b_g, Tensor b_o, Tensor n_f, Tensor n_g, "
    "Tensor n_o, Tensor projection, Tensor projection_bias, Tensor h, Tensor "
    "cell, *, float cell_clip=0.0, float proj_clip=0.0, float[] scales=[], "
    "int[] zeros=[]) -> (Tensor y, Tensor last, Tensor last_cell)",
    "A step of LSTM in integers, whose sums are stored in 8 bits.\n"
    "x is [b, k], h [b, p], the cell [b, n] of 16 bits at 2^-15. `scales` and "
    "`zeros` are of the sum, of what x and of what h make of it, for each of "
    "the gates i, f, g, o; the gate i is 1 - f. Norms n are of layers.\n"
    "module {\n"
    "  %x = input s8[2,3]{0.05:3}\n"
    "  %w = const s8[4,3]{0.01:0} {7, -90, 45, 12, 0, -33, 127, -127, 5, 64, "
    "-18, 2}\n"
    "  %r = const s8[4,2]{0.02:0} {-5, 80, 31, -64, 9, 0, 3, 127}\n"
    "  %b = const s32[4] {300, -200, 0, 1000}\n"
    "  %n = const s16[4]{0.0001:0} {9000, 12000, 7000, 11000}\n"
    "  %p = const s8[2,4]{0.01:0} {22, -41, 6, -127, 15, 77, -2, 50}\n"
    "  %pb = const s32[2] {40, -70}\n"
    "  %h = input s8[2,2]{0.02:-4}\n"
    "  %cell = input s16[2,4]{3.0517578125e-05:0}\n"
    "  %y, %h2, %cell2 = core::lstm_narrow(%x, %w, %w, %w, %r, %r, %r, %b, %b, "
    "%b, %n, %n, %n, %p, %pb, %h, %cell) [scales=[0.0, 0.0, 0.0, 0.0003, 0.02, "
    "0.02, 0.0003, 0.02, 0.02, 0.0003, 0.02, 0.02], zeros=[0, 0, 0, 0, 3, -5, "
    "0, 7, 1, 0, -2, 4]] : s8[2,2]{0.02:-4}, s8[2,2]{0.02:-4}, "
    "s16[2,4]{3.0517578125e-05:0}\n"
    "  return %y, %h2, %cell2\n"
    "}\n",
    CORE_MEMBERS(tenon_lstm_narrow_attrs, cell_clip, proj_clip, scales, zeros),
    .macs = lstm_narrow_macs);
