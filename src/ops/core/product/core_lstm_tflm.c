// core_lstm_tflm.c - core::lstm_tflm: scales as factors, by TFLite Micro's
// formulas.
#include "kern/product/lstm_tflm.h"

#include <math.h>
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_lookup.h"

enum { OPERANDS = 15, GATES = 4 };

#define TFLM_WEIGHTS                                                       \
  "w_i[n,k], w_f[n,k], w_g[n,k], w_o[n,k], r_i[n,n], r_f[n,n], r_g[n,n], " \
  "r_o[n,n], b_i[n], b_f[n], b_g[n], b_o[n], h[b,n], cell[b,n] -> "
CORE_SHAPES(lstm_tflm_infer,
            ((const tenon_lstm_tflm_attrs *)tenon_infer_attrs(c))->time_major
                ? "x[t,b,k], " TFLM_WEIGHTS "x[t,b,n], h, cell"
                : "x[b,t,k], " TFLM_WEIGHTS "x[b,t,n], h, cell")

CORE_OWN_PACKS(lstm_tflm_size, tenon_lstm_tflm)

static tenon_factor lstm_tflm_factor(double v) {
  tenon_factor f;
  tenon_core_factor(v, &f.mult, &f.shift);
  return f;
}

// What products of x and w have, at a gate's scale of 2^-12.
static tenon_factor of_products(const tenon_tensor *x, const tenon_tensor *w) {
  return lstm_tflm_factor(tenon_core_scale(x) * tenon_core_scale(w) / 0x1p-12);
}

static tenon_status lstm_tflm_pack(const tenon_call *c, void *packed) {
  const tenon_lstm_tflm_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[TENON_TFLM_X], *h = &c->in[TENON_TFLM_H];
  const double scale = tenon_core_scale(&c->in[TENON_TFLM_CELL]);
  const int power = 12 + ilogb(scale);
  tenon_lstm_tflm *l = (tenon_lstm_tflm *)packed;
  memset(l, 0, sizeof *l);
  for (int k = 0; k < GATES; ++k) {
    l->x[k] = of_products(x, &c->in[TENON_TFLM_W + k]);
    l->h[k] = of_products(h, &c->in[TENON_TFLM_R + k]);
  }
  l->kept = lstm_tflm_factor(0x1p-15 * scale / scale);
  l->fresh = lstm_tflm_factor(0x1p-30 / scale);
  l->open = lstm_tflm_factor(0x1p-30 / tenon_core_scale(h));
  l->x_zero = tenon_core_zero(x);
  l->h_zero = tenon_core_zero(h);
  // LiteRT's options have floats.
  const double clip = (double)(float)a->cell_clip / scale;
  l->cell_clip = (int32_t)(clip < 32767.0 ? clip : 32767.0);
  tenon_core_sigmoid_entries(&l->gate);
  tenon_core_sigmoid_entries(&l->cell);
  l->gate.mult = 3;
  l->cell.mult = power > 0 ? 3 << power : 3;
  l->cell.shift = power < 0 ? -power : 0;
  return TENON_OK;
}

// The cell has units; its scale is a power of two within the table of tanh; of
// 16 bits nothing has a zero point. A clip that rounds to nothing would hold
// the cell at 0.
static bool lstm_tflm_match(const tenon_call *c) {
  const tenon_lstm_tflm_attrs *a = c->attrs;
  int exponent = 0;
  const double scale = tenon_core_scale(&c->in[TENON_TFLM_CELL]);
  const double part = frexp(scale, &exponent);
  if (c->in[TENON_TFLM_CELL].dims[1] < 1) return false;
  if (a->cell_clip > 0 && a->cell_clip < scale) return false;
  for (int i = TENON_TFLM_W; i < TENON_TFLM_B; ++i)
    if (tenon_core_zero(&c->in[i])) return false;
  if (c->in[TENON_TFLM_X].dtype == TENON_S16 &&
      (tenon_core_zero(&c->in[TENON_TFLM_X]) ||
       tenon_core_zero(&c->in[TENON_TFLM_H])))
    return false;
  return part == 0.5 && exponent - 1 >= -15 && exponent - 1 <= 0;
}

static size_t lstm_tflm_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[TENON_TFLM_CELL].dims[1] * GATES * sizeof(int16_t);
}

static int64_t lstm_tflm_items(const tenon_call *c) {
  return c->in[TENON_TFLM_H].dims[0];
}

static int64_t lstm_tflm_macs(const tenon_call *c) {
  const int32_t *x = c->in[TENON_TFLM_X].dims;
  const int64_t n = c->in[TENON_TFLM_CELL].dims[1];
  return GATES * n * (x[2] + n) * x[0] * x[1];
}

#define WEIGHTS "s8q, s8q, s8q, s8q, s8q, s8q, s8q, s8q, "
#define LSTM_TFLM(t, x, b)                                                 \
  CORE_KERNEL_RANGE(lstm_tflm_##t##_ref, lstm_tflm_items,                  \
                    x ", " WEIGHTS b ", " b ", " b ", " b ", " x           \
                      ", s16q -> " x ", " x ", s16q",                      \
                    .match = lstm_tflm_match, .pack_size = lstm_tflm_size, \
                    .pack = lstm_tflm_pack, .scratch = lstm_tflm_scratch)
LSTM_TFLM(s8, "s8q", "s32|s32q");
LSTM_TFLM(s16, "s16q", "s64|s64q");

CORE_OPERATOR(
    lstm_tflm, lstm_tflm_infer,
    (CORE_K(lstm_tflm_s8_ref), CORE_K(lstm_tflm_s16_ref)),
    "(Tensor x, Tensor w_i, Tensor w_f, Tensor w_g, Tensor w_o, Tensor r_i, "
    "Tensor r_f, Tensor r_g, Tensor r_o, Tensor b_i, Tensor b_f, Tensor b_g, "
    "Tensor b_o, Tensor h, Tensor cell, *, float cell_clip=0.0, bool "
    "time_major=False) -> (Tensor y, Tensor last, Tensor last_cell)",
    "A layer of LSTM in integers, in the arithmetic of TFLite Micro.\n"
    "x is [b, t, k], or [t, b, k] where it is `time_major`; h and the cell are "
    "[b, n], the cell of 16 bits at a power of two. Gates are i, f, g, o at a "
    "scale of 2^-12.",
    CORE_MEMBERS(tenon_lstm_tflm_attrs, cell_clip, time_major),
    .macs = lstm_tflm_macs);
