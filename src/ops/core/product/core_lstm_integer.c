// core_lstm_integer.c - core::lstm_integer: scales as factors, and zero points
// as biases. LiteRT's formulas, including where it computes in float.
#include "kern/product/lstm_integer.h"

#include <math.h>
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"
#include "ops/core/element/core_factor.h"

enum { OPERANDS = 24, GATES = 4 };

static const tenon_tensor *given(const tenon_call *c, int i) {
  return i < c->n_in && c->in[i].dtype ? &c->in[i] : NULL;
}

static float lstm_integer_scale_of(const tenon_tensor *t) {
  return t ? t->quant->scale[0] : 1.0f;
}

static const tenon_lstm_integer_attrs *attrs_of(const tenon_call *c) {
  return (const tenon_lstm_integer_attrs *)c->attrs;
}

// ---------------------------------------------------------------------------
// Types
// ---------------------------------------------------------------------------

// What is given only with other operands.
static tenon_status lstm_integer_check_given(tenon_infer *c) {
  const bool has_in = tenon_infer_in(c, TENON_LSTM_W) != NULL;
  const bool has_norm = tenon_infer_in(c, TENON_LSTM_NORM + 1) != NULL;
  if (has_in != (tenon_infer_in(c, TENON_LSTM_R) != NULL))
    return tenon_infer_fail(c, "'w_i' and 'r_i' are given both or neither");
  for (int i = has_in ? 0 : 1; i < GATES; ++i)
    if (has_norm != (tenon_infer_in(c, TENON_LSTM_NORM + i) != NULL))
      return tenon_infer_fail(c, "layer norms are given of all gates or none");
  if (has_in && has_norm && !tenon_infer_in(c, TENON_LSTM_B))
    return tenon_infer_fail(c, "'n_i' is given without 'b_i'");
  return TENON_OK;
}

// Without a projection the output is the cell's.
#define INTEGER_WEIGHTS(p)                                           \
  "w_i?[n,k], w_f[n,k], w_g[n,k], w_o[n,k], r_i?[n," p "], r_f[n," p \
  "], "                                                              \
  "r_g[n," p "], r_o[n," p                                           \
  "], p_i?[n], p_f?[n], p_o?[n], b_i?[n], b_f[n], "                  \
  "b_g[n], b_o[n], projection?[" p ",n], projection_bias?[" p        \
  "], "                                                              \
  "h[b," p "], cell[b,n], n_i?[n], n_f?[n], n_g?[n], n_o?[n] -> "

static tenon_status lstm_integer_infer(tenon_infer *c) {
  static const char *const texts[2][2] = {
      {"x[b,t,k], " INTEGER_WEIGHTS("n") "x[b,t,n], h, cell",
       "x[t,b,k], " INTEGER_WEIGHTS("n") "x[t,b,n], h, cell"},
      {"x[b,t,k], " INTEGER_WEIGHTS("p") "x[b,t,p], h, cell",
       "x[t,b,k], " INTEGER_WEIGHTS("p") "x[t,b,p], h, cell"}};
  const tenon_lstm_integer_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(lstm_integer_check_given(c));
  if (a->scales.count != GATES + 1)
    return tenon_infer_fail(c, "%zu scales, expected %d", a->scales.count,
                            GATES + 1);
  return tenon_core_shapes(
      c,
      texts[tenon_infer_in(c, TENON_LSTM_PROJECTION) != NULL][a->time_major]);
}

// ---------------------------------------------------------------------------
// Packing
// ---------------------------------------------------------------------------

static tenon_factor lstm_integer_factor(double v) {
  tenon_factor f;
  tenon_core_factor(v, &f.mult, &f.shift);
  return f;
}

static int cell_power(const tenon_call *c) {
  return ilogbf(lstm_integer_scale_of(&c->in[TENON_LSTM_CELL]));
}

static tenon_lstm_gate gate_of(const tenon_call *c, int k) {
  static const int peephole[] = {0, 1, -1, 2};
  const float scale = (float)attrs_of(c)->scales.data[k];
  const tenon_tensor *norm = given(c, TENON_LSTM_NORM + k);
  const tenon_tensor *p =
      peephole[k] < 0 ? NULL : given(c, TENON_LSTM_P + peephole[k]);
  const float norm_scale = lstm_integer_scale_of(norm);
  tenon_lstm_gate g;
  memset(&g, 0, sizeof g);
  float v = lstm_integer_scale_of(given(c, TENON_LSTM_W + k));
  v = v * lstm_integer_scale_of(&c->in[TENON_LSTM_X]);
  g.x = lstm_integer_factor((double)(v / scale));
  v = lstm_integer_scale_of(given(c, TENON_LSTM_R + k));
  v = v * lstm_integer_scale_of(&c->in[TENON_LSTM_H]);
  g.h = lstm_integer_factor((double)(v / scale));
  double cell = ldexp(1, cell_power(c)) * (double)lstm_integer_scale_of(p) /
                (double)scale;
  g.cell = lstm_integer_factor((double)(float)cell);
  g.norm = lstm_integer_factor((double)norm_scale);
  g.guard = (int32_t)(10000.0f * norm_scale);
  if (g.guard < 1) g.guard = 1;
  return g;
}

// zero * the sum of each row of w, and the bias.
static void bias_of(int32_t *y, const tenon_tensor *w, const tenon_tensor *bias,
                    int32_t zero, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    const int8_t *row = w ? (const int8_t *)w->data + i * w->dims[1] : NULL;
    int32_t sum = 0;
    for (int32_t k = 0; row && k < w->dims[1]; ++k)
      sum += row[k];
    y[i] = (int32_t)((uint32_t)sum * (uint32_t)zero);
    if (bias) y[i] = tenon_add_s32(y[i], ((const int32_t *)bias->data)[i]);
  }
}

static int32_t clip(double limit, float scale, float most) {
  float v = (float)limit / scale;
  return limit > 0 ? (int32_t)(v < most ? v : most) : 0;
}

static size_t lstm_integer_size(const tenon_call *c) {
  const size_t n = (size_t)c->in[TENON_LSTM_CELL].dims[1];
  const size_t p = (size_t)c->in[TENON_LSTM_H].dims[1];
  return sizeof(tenon_lstm_integer) + (2 * GATES * n + p) * sizeof(int32_t);
}

static tenon_status lstm_integer_pack(const tenon_call *c, void *packed) {
  const tenon_lstm_integer_attrs *a = attrs_of(c);
  const tenon_tensor *h = &c->in[TENON_LSTM_H];
  const tenon_tensor *w = given(c, TENON_LSTM_PROJECTION);
  tenon_lstm_integer *l = (tenon_lstm_integer *)packed;
  int32_t *bias = (int32_t *)(l + 1);
  const float hidden = (float)a->scales.data[GATES];
  memset(l, 0, sizeof *l);
  l->n = c->in[TENON_LSTM_CELL].dims[1];
  l->p = h->dims[1];
  l->cell_power = cell_power(c);
  l->hidden_zero = (int32_t)a->hidden_zero;
  l->h_zero = tenon_core_zero(h);
  l->cell_clip = clip(a->cell_clip,
                      lstm_integer_scale_of(&c->in[TENON_LSTM_CELL]), 32767.0f);
  l->proj_clip = clip(a->proj_clip, lstm_integer_scale_of(&c->out[0]), 127.0f);
  l->hidden = lstm_integer_factor(
      (double)(float)(ldexp(1, -15) / (double)hidden * ldexp(1, -15)));
  float projection = lstm_integer_scale_of(w) * hidden;
  l->projection =
      lstm_integer_factor((double)(projection / lstm_integer_scale_of(h)));
  const bool has_norm = given(c, TENON_LSTM_NORM + 1) != NULL;
  for (int k = 0; k < GATES; ++k) {
    l->gate[k] = gate_of(c, k);
    bias_of(bias + k * l->n, given(c, TENON_LSTM_W + k),
            has_norm ? NULL : given(c, TENON_LSTM_B + k),
            -tenon_core_zero(&c->in[TENON_LSTM_X]), l->n);
    bias_of(bias + (GATES + k) * l->n, given(c, TENON_LSTM_R + k), NULL,
            -l->h_zero, l->n);
  }
  bias_of(bias + 2 * GATES * l->n, w, given(c, TENON_LSTM_PROJECTION_BIAS),
          l->hidden_zero, l->p);
  return TENON_OK;
}

// Weights are looked at when packing; the cell's scale is a power of two for
// which there is a tanh. Peepholes are read as far as the output has elements,
// and norms divide by those of the cell.
static bool lstm_integer_match(const tenon_call *c) {
  const int32_t n = c->in[TENON_LSTM_CELL].dims[1];
  if (n < 1) return false;
  for (int i = 0; i < 3; ++i)
    if (given(c, TENON_LSTM_P + i) && c->in[TENON_LSTM_H].dims[1] > n)
      return false;
  for (int i = 0; i < OPERANDS; ++i) {
    const tenon_tensor *t = given(c, i);
    bool is_state =
        i == TENON_LSTM_X || i == TENON_LSTM_H || i == TENON_LSTM_CELL;
    if (t && !is_state && !t->data) return false;
  }
  int exponent = 0;
  float part =
      frexpf(lstm_integer_scale_of(&c->in[TENON_LSTM_CELL]), &exponent);
  return part == 0.5f && exponent - 1 >= -15 && exponent - 1 <= -9;
}

static size_t lstm_integer_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[TENON_LSTM_CELL].dims[1] *
         (GATES * sizeof(int16_t) + sizeof(int8_t));
}

static int64_t lstm_integer_items(const tenon_call *c) {
  return c->in[TENON_LSTM_H].dims[0];
}

static int64_t lstm_integer_macs(const tenon_call *c) {
  const int32_t *x = c->in[TENON_LSTM_X].dims;
  int64_t n = c->in[TENON_LSTM_CELL].dims[1], p = c->in[TENON_LSTM_H].dims[1];
  int64_t step = (given(c, TENON_LSTM_W) ? 4 : 3) * n * (x[2] + p);
  if (given(c, TENON_LSTM_PROJECTION)) step += n * p;
  return step * x[0] * x[1];
}

CORE_KERNEL_RANGE(
    lstm_integer_ref, lstm_integer_items,
    "s8q, s8q?, s8q, s8q, s8q, s8q?, s8q, s8q, s8q, s16q?, s16q?, "
    "s16q?, s32|s32q?, s32|s32q, s32|s32q, s32|s32q, s8q?, "
    "s32|s32q?, s8q, s16q, s16q?, s16q?, s16q?, s16q? -> s8q, s8q, "
    "s16q",
    .match = lstm_integer_match, .pack_size = lstm_integer_size,
    .pack = lstm_integer_pack, .scratch = lstm_integer_scratch);

CORE_OPERATOR(
    lstm_integer, lstm_integer_infer, (CORE_K(lstm_integer_ref)),
    "(Tensor x, Tensor? w_i, Tensor w_f, Tensor w_g, Tensor w_o, Tensor? r_i, "
    "Tensor r_f, Tensor r_g, Tensor r_o, Tensor? p_i, Tensor? p_f, Tensor? "
    "p_o, Tensor? b_i, Tensor b_f, Tensor b_g, Tensor b_o, Tensor? projection, "
    "Tensor? projection_bias, Tensor h, Tensor cell, Tensor? n_i=None, Tensor? "
    "n_f=None, Tensor? n_g=None, Tensor? n_o=None, *, float cell_clip=0.0, "
    "float proj_clip=0.0, float[] scales=[], int hidden_zero=0, bool "
    "time_major=False, bool reverse=False) -> (Tensor y, Tensor last, Tensor "
    "last_cell)",
    "A layer of LSTM in one direction, in integers.\n"
    "x is [b, t, k], or [t, b, k] where it is `time_major`; h is [b, p], the "
    "cell [b, n] of 16 bits at a power of two. `scales` are those of the gates "
    "i, f, g, o and of what leaves the cell, whose zero point is "
    "`hidden_zero`. Without w_i the gate i is 1 - f. Peepholes p, layer norms "
    "n and the projection may be absent.\n"
    "module {\n"
    "  %x = input s8[1,2,3]{0.05:3}\n"
    "  %w = const s8[4,3]{0.01:0} {7, -90, 45, 12, 0, -33, 127, -127, 5, 64, "
    "-18, 2}\n"
    "  %r = const s8[4,4]{0.02:0} {-5, 80, 31, -64, 9, 0, 3, 127, 22, -41, 6, "
    "-127, 15, 77, -2, 50}\n"
    "  %b = const s32[4] {300, -200, 0, 1000}\n"
    "  %h = input s8[1,4]{0.0078125:0}\n"
    "  %cell = input s16[1,4]{0.00048828125:0}\n"
    "  %y, %h2, %cell2 = core::lstm_integer(%x, %w, %w, %w, %w, %r, %r, %r, "
    "%r, none, none, none, %b, %b, %b, %b, none, none, %h, %cell) "
    "[scales=[0.000244140625, 0.000244140625, 0.000244140625, 0.000244140625, "
    "0.0078125]] : s8[1,2,4]{0.0078125:0}, s8[1,4]{0.0078125:0}, "
    "s16[1,4]{0.00048828125:0}\n"
    "  return %y, %h2, %cell2\n"
    "}\n",
    CORE_MEMBERS(tenon_lstm_integer_attrs, cell_clip, proj_clip, scales,
                 hidden_zero, time_major, reverse),
    .macs = lstm_integer_macs);
