// Layers with a state: UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF, on floats.
//
// Their states are operands that are written; the results behind the first are
// what they become. What a plain LSTM has not (peepholes, projection, layer
// norms, coupled gates) is refused.
#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// UNIDIRECTIONAL_SEQUENCE_LSTM
// ---------------------------------------------------------------------------

// Operands, in the order of the format.
enum {
  LSTM_X = 0,
  LSTM_W = 1,         // of x: input, forget, cell, output
  LSTM_R = 5,         // of the state
  LSTM_PEEPHOLE = 9,  // 3
  LSTM_BIAS = 12,
  LSTM_PROJECTION = 16,
  LSTM_PROJECTION_BIAS = 17,
  LSTM_H = 18,
  LSTM_CELL = 19,
  LSTM_NORM = 20  // 4
};

static tenon_status check_matrix(tenon_infer *c, int i, const char *name,
                                 tenon_dim rows, tenon_dim columns) {
  const tenon_type *t = tenon_infer_in(c, i);
  if (!t) return TENON_OK;
  if (t->rank != 2 || tenon_tfl_differ(t->dims[0], rows) ||
      tenon_tfl_differ(t->dims[1], columns))
    return tenon_infer_fail(c, "operand %d, '%s', is no [%lld, %lld]", i, name,
                            (long long)rows.value, (long long)columns.value);
  return TENON_OK;
}

tenon_status tenon_tfl_lstm_infer(tenon_infer *c) {
  const tenon_tfl_lstm_attrs *a =
      (const tenon_tfl_lstm_attrs *)tenon_infer_attrs(c);
  const tenon_type *x, *w, *h, *cell;
  TENON_TRY(tenon_tfl_operand(c, LSTM_X, "x", 3, &x));
  TENON_TRY(tenon_tfl_operand(c, LSTM_W + 1, "w_f", 2, &w));
  TENON_TRY(tenon_tfl_operand(c, LSTM_H, "h", 2, &h));
  TENON_TRY(tenon_tfl_operand(c, LSTM_CELL, "cell", 2, &cell));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  const tenon_dim n = w->dims[0], p = h->dims[1];
  const tenon_dim batch = x->dims[a->time_major ? 1 : 0];
  for (int i = 0; i < 4; ++i) {
    TENON_TRY(check_matrix(c, LSTM_W + i, "w", n, x->dims[2]));
    TENON_TRY(check_matrix(c, LSTM_R + i, "r", n, p));
    const tenon_type *bias = tenon_infer_in(c, LSTM_BIAS + i);
    if (bias && (bias->rank != 1 || tenon_tfl_differ(bias->dims[0], n)))
      return tenon_infer_fail(c, "bias %d is no list of %lld numbers", i,
                              (long long)n.value);
  }
  TENON_TRY(check_matrix(c, LSTM_PROJECTION, "projection", p, n));
  TENON_TRY(check_matrix(c, LSTM_H, "h", batch, p));
  TENON_TRY(check_matrix(c, LSTM_CELL, "cell", batch, n));
  tenon_tfl_shape y = {{x->dims[0], x->dims[1], p}, 3};
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  TENON_TRY(tenon_infer_out(c, 1, h));
  return tenon_infer_out(c, 2, cell);
}

// What this lowering cannot say, or null.
static const char *beyond(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lstm_attrs *a =
      (const tenon_tfl_lstm_attrs *)tenon_rw_attrs(rw, node);
  if (a->fused_activation_function != TFL_ACT_TANH)
    return "an activation other than TANH";
  if (!(a->cell_clip >= 0)) return "a negative cell_clip";
  if (a->diagonal_recurrent_tensors) return "diagonal weights";
  for (int i = 0; i < 4; ++i) {
    if (!tenon_tfl_in(rw, node, LSTM_W + i) ||
        !tenon_tfl_in(rw, node, LSTM_R + i))
      return "coupled gates";
    if (!tenon_tfl_in(rw, node, LSTM_BIAS + i)) return "a missing bias";
    if (tenon_tfl_in(rw, node, LSTM_NORM + i)) return "layer norms";
    if (i < 3 && tenon_tfl_in(rw, node, LSTM_PEEPHOLE + i)) return "peepholes";
  }
  if (tenon_tfl_in(rw, node, LSTM_PROJECTION) ||
      tenon_tfl_in(rw, node, LSTM_PROJECTION_BIAS))
    return "a projection";
  return NULL;
}

// The four gates one below the other.
static tenon_value *gates(tenon_rewriter *rw, const tenon_node *node,
                          int first) {
  tenon_value *in[4];
  for (int i = 0; i < 4; ++i)
    in[i] = tenon_tfl_in(rw, node, first + i);
  return tenon_tfl_join(rw, in, 4, 0, NULL);
}

tenon_status tenon_tfl_lstm_lower(tenon_rewriter *rw, const tenon_node *node) {
  static const int64_t swap[] = {1, 0, 2};
  const tenon_tfl_lstm_attrs *a =
      (const tenon_tfl_lstm_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, LSTM_X), *out[3] = {NULL};
  const char *what = beyond(rw, node);
  if (what) return tenon_rw_fail(rw, "%s is not supported", what);
  for (int i = LSTM_X; i <= LSTM_CELL; ++i) {
    tenon_value *v = tenon_tfl_in(rw, node, i);
    if (v && !tenon_tfl_is_float(tenon_rw_type(rw, v)))
      return tenon_rw_fail(rw, "operand %d is %s, which is not supported", i,
                           tenon_tfl_dtype_name(tenon_rw_type(rw, v)->dtype));
  }
  if (!a->time_major) x = tenon_tfl_permute(rw, x, swap, 3);
  tenon_value *dense[] = {x, gates(rw, node, LSTM_W),
                          gates(rw, node, LSTM_BIAS)};
  x = tenon_rw_op(rw, "core::fully_connected", dense, 3, NULL);
  tenon_value *in[] = {x,
                       gates(rw, node, LSTM_R),
                       NULL,
                       tenon_tfl_in(rw, node, LSTM_H),
                       tenon_tfl_in(rw, node, LSTM_CELL),
                       NULL};
  tenon_tfl_args args = {0};
  if (a->cell_clip > 0)
    tenon_tfl_arg(&args, tenon_arg_float("cell_clip", a->cell_clip));
  tenon_build b = {.struct_size = sizeof(tenon_build), .n_in = 6, .n_out = 3};
  b.op = "core::lstm";
  b.in = in;
  b.out = out;
  b.args = args.list;
  (void)rw->api->build(rw, &b);
  if (!a->time_major) out[0] = tenon_tfl_permute(rw, out[0], swap, 3);
  return rw->api->replace(rw, node, out, 3);
}

// ---------------------------------------------------------------------------
// SVDF
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_svdf_infer(tenon_infer *c) {
  const tenon_tfl_svdf_attrs *a =
      (const tenon_tfl_svdf_attrs *)tenon_infer_attrs(c);
  const tenon_type *x, *w, *t, *bias, *state;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 2, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 2, &w));
  TENON_TRY(tenon_tfl_operand(c, 2, "w_time", 2, &t));
  TENON_TRY(tenon_tfl_operand(c, 4, "state", 2, &state));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  tenon_dim filters = w->dims[0], steps = t->dims[1];
  if (filters.symbol || steps.symbol || steps.value < 1 || a->rank < 1 ||
      filters.value % a->rank)
    return tenon_infer_fail(c, "%lld filters of rank %lld over %lld steps",
                            (long long)filters.value, (long long)a->rank,
                            (long long)steps.value);
  TENON_TRY(check_matrix(c, 1, "w", filters, x->dims[1]));
  TENON_TRY(check_matrix(c, 2, "w_time", filters, steps));
  TENON_TRY(check_matrix(c, 4, "state", x->dims[0],
                         tenon_tfl_fixed(filters.value * steps.value)));
  bias = tenon_infer_in(c, 3);
  tenon_tfl_shape y = {{x->dims[0], tenon_tfl_fixed(filters.value / a->rank)},
                       2};
  if (bias && (bias->rank != 1 || tenon_tfl_differ(bias->dims[0], y.dims[1])))
    return tenon_infer_fail(c, "'bias' is no list of %lld numbers",
                            (long long)y.dims[1].value);
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  return tenon_infer_out(c, 1, state);
}

static tenon_value *sum_last(tenon_rewriter *rw, tenon_value *x) {
  const int64_t last = -1;
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("dims", &last, 1));
  return tenon_tfl_make(rw, "core::sum", &x, 1, &args, NULL);
}

// What is remembered, [batch, filters, steps], a step on: without the oldest,
// and with what the filters make of x.
static tenon_value *remembered(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *features[] = {tenon_tfl_in(rw, node, 0),
                             tenon_tfl_in(rw, node, 1), NULL};
  const tenon_type *x = tenon_rw_type(rw, features[0]);
  const tenon_type *t = tenon_rw_type(rw, tenon_tfl_in(rw, node, 2));
  tenon_tfl_shape all = {{x->dims[0], t->dims[0], t->dims[1]}, 3}, one = all;
  tenon_dim begin[3] = {{0, 0}, {0, 0}, {1, 0}}, size[3];
  const int64_t step[] = {1, 1, 1};
  one.dims[2] = tenon_tfl_fixed(1);
  tenon_value *new =
      tenon_rw_op(rw, "core::fully_connected", features, 3, NULL);
  new = tenon_tfl_reshape(rw, new, &one, NULL);
  if (t->dims[1].value == 1) return new;
  tenon_value *old =
      tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, 4), &all, NULL);
  for (int i = 0; i < 3; ++i)
    size[i] = all.dims[i];
  size[2] = tenon_tfl_fixed(t->dims[1].value - 1);
  tenon_value *parts[] = {tenon_tfl_slice(rw, old, begin, size, step, x), new};
  return tenon_tfl_join(rw, parts, 2, 2, NULL);
}

tenon_status tenon_tfl_svdf_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_svdf_attrs *a =
      (const tenon_tfl_svdf_attrs *)tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *bias = tenon_tfl_in(rw, node, 3);
  if (!tenon_tfl_is_float(x) ||
      !tenon_tfl_is_float(tenon_rw_type(rw, tenon_tfl_in(rw, node, 1))))
    return tenon_rw_fail(rw,
                         "weights or inputs other than f32 are not "
                         "supported");
  tenon_tfl_args limits = {0};
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &limits));
  tenon_value *state = remembered(rw, node);
  tenon_value *z =
      tenon_rw_op2(rw, "core::mul", state, tenon_tfl_in(rw, node, 2));
  z = sum_last(rw, z);
  tenon_tfl_shape ranks = {{y->dims[0], y->dims[1], tenon_tfl_fixed(a->rank)},
                           3};
  z = sum_last(rw, tenon_tfl_reshape(rw, z, &ranks, NULL));
  if (bias) z = tenon_rw_op2(rw, "core::add", z, bias);
  if (limits.n) z = tenon_tfl_make(rw, "core::clamp", &z, 1, &limits, NULL);
  tenon_tfl_shape flat =
      tenon_tfl_shape_of(tenon_rw_type(rw, tenon_tfl_in(rw, node, 4)));
  tenon_value *out[] = {z, tenon_tfl_reshape(rw, state, &flat, NULL)};
  return rw->api->replace(rw, node, out, 2);
}
