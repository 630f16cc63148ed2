// LSTM: a step of a layer of long short-term memory, of two kinds, which the
// reader tells apart by kernel_type.
//
// The full one has the operands of UNIDIRECTIONAL_SEQUENCE_LSTM. The basic one
// has all weights in one matrix, and gives what it computes on the way, too.
// Both write their states.
#include <math.h>
#include <string.h>

#include "ops/tfl/recurrent/tfl_layers.h"

// Operands of the basic kind; x is the first of both.
enum { BASIC_H = 1, BASIC_W, BASIC_BIAS, BASIC_CELL, BASIC_ALL };

tenon_status tenon_tfl_cell_infer(tenon_infer *c) {
  const tenon_tfl_cell_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  for (int i = 1; i < 4; ++i)
    if (!tenon_infer_in(c, LSTM_W + i) || !tenon_infer_in(c, LSTM_R + i) ||
        !tenon_infer_in(c, LSTM_BIAS + i))
      return tenon_infer_fail(c, "weights of gate %d are missing", i);
  return tenon_tfl_shapes(
      c, NULL,
      "x[b,k], " TFL_LSTM_WEIGHTS("", "n", "k",
                                  "p") "h[b,p], cell[b,n] -> x[b,p], h, cell");
}

// Of bytes: products of unsigned ones, a cell of 16 bits at 2^-11.
static bool is_basic_of_bytes(const tenon_type *const *t) {
  const tenon_quant *cell = t[BASIC_CELL]->quant;
  return t[LSTM_X]->dtype == TENON_U8 && t[BASIC_H]->dtype == TENON_U8 &&
         t[BASIC_W]->dtype == TENON_U8 && t[BASIC_W]->quant &&
         t[BASIC_W]->quant->channels == 1 &&
         t[BASIC_BIAS]->dtype == TENON_S32 && t[BASIC_BIAS]->quant &&
         t[BASIC_CELL]->dtype == TENON_S16 && cell && cell->channels == 1;
}

tenon_status tenon_tfl_basic_cell_infer(tenon_infer *c) {
  const tenon_type *t[BASIC_ALL];
  bool is_float = true;
  TENON_TRY(tenon_tfl_shapes(
      c, NULL,
      "x[b,k], h[b,n], w[4*n,k+n], bias[4*n], cell[b,n] -> h[b,n], cell[b,n], "
      "x[b,k+n], cell[b,4*n], h, cell"));
  for (int i = 0; i < BASIC_ALL; ++i) {
    t[i] = tenon_infer_in(c, i);
    is_float &= tenon_tfl_is_float(t[i]);
  }
  if (t[BASIC_H]->dims[1].symbol)
    return tenon_infer_fail(c, "the number of units is open");
  if (is_float || is_basic_of_bytes(t)) return TENON_OK;
  return tenon_infer_fail(
      c,
      "operands of the basic kernel are %s, %s, %s, %s and %s, expected all "
      "f32, or u8, u8, u8, s32 and s16 with scales",
      tenon_dtype_name(t[0]->dtype), tenon_dtype_name(t[1]->dtype),
      tenon_dtype_name(t[2]->dtype), tenon_dtype_name(t[3]->dtype),
      tenon_dtype_name(t[4]->dtype));
}

// Of integers: 12 intermediate tensors tell LiteRT's second kernel.
static tenon_status lower_integers(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_cell_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_dim dims[] = {tenon_tfl_fixed(1), y->dims[0], y->dims[1]};
  const tenon_type row = {dims, y->quant, y->dtype, 3, 0};
  tenon_value *x = tenon_tfl_in(rw, node, LSTM_X), *out[3] = {NULL};
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_integers l = {.x = x,
                          .y = y,
                          .cell_clip = a->cell_clip,
                          .proj_clip = a->proj_clip,
                          .scales = a->scales,
                          .zeros = a->zeros,
                          .time_major = true};
  if (a->scales.count == 12 && a->zeros.count == 12) {
    TENON_TRY(tenon_tfl_narrow_build(rw, node, &l, out));
    return rw->api->replace(rw, node, out, 3);
  }
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1), t->dims[0], t->dims[1]}, 3};
  const tenon_tfl_shape given = tenon_tfl_shape_of(y);
  l.x = tenon_tfl_reshape(rw, x, &one, NULL);
  l.y = &row;
  TENON_TRY(tenon_tfl_integers_build(rw, node, &l, out));
  out[0] = tenon_tfl_reshape(rw, out[0], &given, y);
  return rw->api->replace(rw, node, out, 3);
}

tenon_status tenon_tfl_cell_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_cell_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, LSTM_X), *out[3] = {NULL};
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1), t->dims[0], t->dims[1]}, 3};
  const tenon_tfl_shape given = tenon_tfl_shape_of(y);
  tenon_tfl_layer l = {.activation = a->fused_activation_function,
                       .cell_clip = a->cell_clip,
                       .proj_clip = a->proj_clip,
                       .asymmetric = a->asymmetric_quantize_inputs};
  if (t->dtype == TENON_S8) return lower_integers(rw, node);
  TENON_TRY(tenon_tfl_check_numbers(rw, node, LSTM_ALL));
  l.x = tenon_tfl_reshape(rw, x, &one, NULL);
  tenon_tfl_layer_read(rw, node, LSTM_W, LSTM_H, LSTM_NORM, &l);
  TENON_TRY(tenon_tfl_layer_build(rw, &l, &out[0], &out[1], &out[2]));
  out[0] = tenon_tfl_reshape(rw, out[0], &given, NULL);
  return rw->api->replace(rw, node, out, 3);
}

// Stored numbers less this, s32.
static tenon_value *cell_less(tenon_rewriter *rw, tenon_value *x,
                              int32_t zero) {
  x = tenon_tfl_cast(rw, tenon_tfl_stored(rw, x, NULL), TENON_S32);
  return tenon_tfl_by(rw, "core::sub", x, zero);
}

// x / 2^n, halves upwards.
static tenon_value *halved(tenon_rewriter *rw, tenon_value *x, int n) {
  if (n == 0) return x;
  return tenon_aten_formula(rw, "x #half #whole: floor_div(x + half, whole)", x,
                            ldexp(1, n - 1), ldexp(1, n));
}

// Sums by a factor of 31 bits, rounded twice, and halves upwards both times:
// LiteRT has its fast products for this operator alone.
static tenon_value *scaled_upwards(tenon_rewriter *rw, tenon_value *sums,
                                   double factor) {
  int shift = 0;
  double mult = round(frexp(factor, &shift) * 0x1p31);
  if (shift < -31) mult = shift = 0;
  if (shift > 0) mult = ldexp(mult, shift < 30 ? shift : 30);
  sums =
      tenon_tfl_by(rw, "core::mul", tenon_tfl_cast(rw, sums, TENON_S64), mult);
  return halved(rw, halved(rw, sums, 31), shift < 0 ? -shift : 0);
}

// LiteRT takes inputs and outputs to be at 2^-7 with a zero point of 128, and
// only the scale of the bias for those of products.
static tenon_status lower_basic_bytes(tenon_rewriter *rw,
                                      const tenon_node *node) {
  static const int64_t turned[] = {1, 0};
  tenon_value *in[] = {
      tenon_tfl_stored(rw, tenon_tfl_in(rw, node, LSTM_X), NULL),
      tenon_tfl_stored(rw, tenon_tfl_in(rw, node, BASIC_H), NULL)};
  tenon_value *w = tenon_tfl_in(rw, node, BASIC_W);
  tenon_value *bias = tenon_tfl_in(rw, node, BASIC_BIAS);
  tenon_value *cell = tenon_tfl_in(rw, node, BASIC_CELL), *out[6];
  const tenon_quant *qw = tenon_rw_type(rw, w)->quant;
  const float scale = tenon_rw_type(rw, bias)->quant->scale[0];
  const float power = tenon_rw_type(rw, cell)->quant->scale[0];
  if (fabsf(power * 0x1p11f - 1) > 1e-3f)
    return tenon_rw_fail(rw,
                         "a cell at a scale of %g instead of 2^-11 is not "
                         "supported, of which LiteRT has no kernel",
                         (double)power);
  tenon_value *joined = tenon_tfl_join(rw, in, 2, 1, NULL);
  w = tenon_tfl_permute(rw, cell_less(rw, w, qw->zero ? qw->zero[0] : 0),
                        turned, 2);
  tenon_value *sums =
      tenon_rw_op2(rw, "core::matmul", cell_less(rw, joined, 128), w);
  sums = tenon_rw_op2(rw, "core::add", sums, tenon_tfl_stored(rw, bias, NULL));
  sums = scaled_upwards(rw, sums, 4096 * (double)scale);
  sums = tenon_rw_op(
      rw, "core::clamp", &sums, 1,
      TENON_ARGS(tenon_arg_float("lo", -32768), tenon_arg_float("hi", 32767)));
  sums = tenon_tfl_cast(rw, sums, TENON_S16);
  tenon_value *step[] = {sums, tenon_tfl_stored(rw, cell, NULL)}, *made[2];
  tenon_rw_build(rw, "core::lstm_gates", step, 2, NULL, made, 2, NULL);
  tenon_value *h = tenon_tfl_cast(rw, made[0], TENON_S32);
  h = tenon_tfl_by(rw, "core::add", h, 128);
  h = tenon_tfl_cast(rw, h, TENON_U8);
  tenon_value *plain[] = {h, made[1], joined, sums, h, made[1]};
  for (int i = 0; i < 6; ++i)
    out[i] =
        tenon_tfl_stored(rw, plain[i], rw->api->result(rw, node, i)->quant);
  return rw->api->replace(rw, node, out, 6);
}

// Gates of the basic kind are i, g, f, o.
tenon_status tenon_tfl_basic_cell_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  static const char *const functions[] = {"core::logistic", "core::tanh",
                                          "core::logistic", "core::logistic"};
  const tenon_type *y = rw->api->result(rw, node, 0);
  if (y->dtype == TENON_U8) return lower_basic_bytes(rw, node);
  tenon_value *in[] = {tenon_tfl_in(rw, node, LSTM_X),
                       tenon_tfl_in(rw, node, BASIC_H)};
  tenon_value *joined = tenon_tfl_join(rw, in, 2, 1, NULL), *gate[4];
  tenon_value *dense[] = {joined, tenon_tfl_in(rw, node, BASIC_W),
                          tenon_tfl_in(rw, node, BASIC_BIAS)};
  tenon_value *sums = tenon_rw_op(rw, "core::fully_connected", dense, 3, NULL);
  const tenon_dim n = y->dims[1];
  for (int i = 0; i < 4; ++i) {
    gate[i] = tenon_tfl_part(rw, sums, 1, tenon_tfl_fixed(i * n.value), n, 1);
    gate[i] = tenon_rw_op1(rw, functions[i], gate[i]);
  }
  tenon_value *cell;
  tenon_value *h = tenon_aten_formula(
      rw, "i g f o c &cell: cell = i * g + f * c; o * tanh(cell)", gate[0],
      gate[1], gate[2], gate[3], tenon_tfl_in(rw, node, BASIC_CELL), &cell);
  // What comes out is what the states become.
  tenon_value *out[] = {h, cell, joined, sums, h, cell};
  return rw->api->replace(rw, node, out, 6);
}
