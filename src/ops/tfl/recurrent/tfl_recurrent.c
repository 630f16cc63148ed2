// Layers with a state: UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF.
//
// Their states are operands that are written; the results behind the first are
// what they become. A plain LSTM of floats is core::lstm, one of integers
// core::lstm_integer; all others are steps in a loop (tfl_layers.h).
#include "ops/tfl/recurrent/tfl_layers.h"

// ---------------------------------------------------------------------------
// UNIDIRECTIONAL_SEQUENCE_LSTM
// ---------------------------------------------------------------------------

// Operands, in the order of the format.
static tenon_status check_matrix(tenon_infer *c, int i, const char *name,
                                 tenon_dim rows, tenon_dim columns) {
  const tenon_type *t = tenon_infer_in(c, i);
  if (!t) return TENON_OK;
  if (t->rank != 2 || tenon_tfl_differ(t->dims[0], rows) ||
      tenon_tfl_differ(t->dims[1], columns))
    return tenon_infer_fail(c, "operand %d, '%s', must be [%lld, %lld]", i,
                            name, (long long)rows.value,
                            (long long)columns.value);
  return TENON_OK;
}

tenon_status tenon_tfl_lstm_infer(tenon_infer *c) {
  static const char *const w_names[] = {"w_i", "w_f", "w_c", "w_o"};
  static const char *const r_names[] = {"r_i", "r_f", "r_c", "r_o"};
  static const char *const b_names[] = {"b_i", "b_f", "b_c", "b_o"};
  const tenon_tfl_lstm_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *w, *h, *cell;
  TENON_TRY(tenon_tfl_operand(c, LSTM_X, "x", 3, &x));
  TENON_TRY(tenon_tfl_operand(c, LSTM_W + 1, "w_f", 2, &w));
  TENON_TRY(tenon_tfl_operand(c, LSTM_H, "h", 2, &h));
  TENON_TRY(tenon_tfl_operand(c, LSTM_CELL, "cell", 2, &cell));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  const tenon_dim n = w->dims[0], p = h->dims[1];
  const tenon_dim batch = x->dims[a->time_major ? 1 : 0];
  for (int i = 0; i < 4; ++i) {
    TENON_TRY(check_matrix(c, LSTM_W + i, w_names[i], n, x->dims[2]));
    TENON_TRY(check_matrix(c, LSTM_R + i, r_names[i], n, p));
    const tenon_type *bias = tenon_infer_in(c, LSTM_BIAS + i);
    if (bias && (bias->rank != 1 || tenon_tfl_differ(bias->dims[0], n)))
      return tenon_infer_fail(c, "operand %d, '%s', must be [%lld]",
                              LSTM_BIAS + i, b_names[i], (long long)n.value);
  }
  TENON_TRY(check_matrix(c, LSTM_PROJECTION, "projection", p, n));
  TENON_TRY(check_matrix(c, LSTM_H, "h", batch, p));
  TENON_TRY(check_matrix(c, LSTM_CELL, "cell", batch, n));
  tenon_tfl_shape y = {{x->dims[0], x->dims[1], p}, 3};
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  TENON_TRY(tenon_infer_out(c, 1, h));
  return tenon_infer_out(c, 2, cell);
}

// Whether it is more than core::lstm computes.
static bool tfl_rec_is_beyond(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  if (a->fused_activation_function != TFL_ACT_TANH || !(a->cell_clip >= 0) ||
      a->diagonal_recurrent_tensors)
    return true;
  for (int i = 0; i < 4; ++i) {
    bool is_whole = tenon_tfl_in(rw, node, LSTM_W + i) &&
                    tenon_tfl_in(rw, node, LSTM_R + i) &&
                    tenon_tfl_in(rw, node, LSTM_BIAS + i);
    bool has_more = tenon_tfl_in(rw, node, LSTM_NORM + i) ||
                    (i < 3 && tenon_tfl_in(rw, node, LSTM_PEEPHOLE + i));
    if (!is_whole || has_more) return true;
  }
  for (int i = LSTM_X; i <= LSTM_CELL; ++i) {
    const tenon_value *v = tenon_tfl_in(rw, node, i);
    bool is_projection = i == LSTM_PROJECTION || i == LSTM_PROJECTION_BIAS;
    if (v && (is_projection || !tenon_tfl_is_float(tenon_rw_type(rw, v))))
      return true;
  }
  return false;
}

// The four gates one below the other.
static tenon_value *gates(tenon_rewriter *rw, const tenon_node *node,
                          int first) {
  tenon_value *in[4];
  for (int i = 0; i < 4; ++i)
    in[i] = tenon_tfl_in(rw, node, first + i);
  return tenon_tfl_join(rw, in, 4, 0, NULL);
}

// Of integers: LiteRT's where it has the layer, TFLite Micro's elsewhere.
static tenon_status tfl_rec_lower_integers(tenon_rewriter *rw,
                                           const tenon_node *node) {
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_tfl_integers l = {.x = tenon_tfl_in(rw, node, LSTM_X),
                                .y = rw->api->result(rw, node, 0),
                                .cell_clip = a->cell_clip,
                                .proj_clip = a->proj_clip,
                                .scales = a->scales,
                                .zeros = a->zeros,
                                .time_major = a->time_major};
  tenon_value *out[3] = {NULL};
  const bool has_litert =
      tenon_rw_type(rw, l.x)->dtype == TENON_S8 && a->scales.count == 5;
  if (a->diagonal_recurrent_tensors)
    return tenon_rw_fail(rw, "diagonal weights are not supported");
  if (!has_litert && tenon_tfl_is_tflm_lstm(rw, node))
    return tenon_tfl_as_tflm_lstm(rw, node);
  if (tenon_rw_type(rw, l.x)->dtype != TENON_S8)
    return tenon_rw_fail(rw,
                         "16 bits with peepholes, layer norms, a projection, "
                         "coupled gates or another activation than TANH are "
                         "not supported");
  TENON_TRY(tenon_tfl_integers_build(rw, node, &l, out));
  return rw->api->replace(rw, node, out, 3);
}

// With anything that core::lstm has not.
static tenon_status lower_steps(tenon_rewriter *rw, const tenon_node *node) {
  static const int64_t swap[] = {1, 0, 2};
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, LSTM_X), *out[3] = {NULL};
  tenon_tfl_layer l = {.activation = a->fused_activation_function,
                       .cell_clip = a->cell_clip,
                       .proj_clip = a->proj_clip,
                       .asymmetric = a->asymmetric_quantize_inputs};
  TENON_TRY(tenon_tfl_check_numbers(rw, node, LSTM_ALL));
  l.x = a->time_major ? x : tenon_tfl_permute(rw, x, swap, 3);
  tenon_tfl_layer_read(rw, node, LSTM_W, LSTM_H, LSTM_NORM, &l);
  TENON_TRY(tenon_tfl_layer_build(rw, &l, &out[0], &out[1], &out[2]));
  if (!a->time_major) out[0] = tenon_tfl_permute(rw, out[0], swap, 3);
  return rw->api->replace(rw, node, out, 3);
}

tenon_status tenon_tfl_lstm_lower(tenon_rewriter *rw, const tenon_node *node) {
  static const int64_t swap[] = {1, 0, 2};
  const tenon_tfl_lstm_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, LSTM_X), *out[3] = {NULL};
  if (tenon_rw_type(rw, x)->dtype == TENON_S8 ||
      tenon_rw_type(rw, x)->dtype == TENON_S16)
    return tfl_rec_lower_integers(rw, node);
  if (tfl_rec_is_beyond(rw, node)) return lower_steps(rw, node);
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
  tenon_rw_build(rw, "core::lstm", in, 6, args.list, out, 3, NULL);
  if (!a->time_major) out[0] = tenon_tfl_permute(rw, out[0], swap, 3);
  return rw->api->replace(rw, node, out, 3);
}

// ---------------------------------------------------------------------------
// SVDF
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_svdf_infer(tenon_infer *c) {
  const tenon_tfl_svdf_attrs *a = tenon_infer_attrs(c);
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
  return tenon_rw_op(rw, "core::sum", &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", &last, 1)));
}

// What is remembered, [batch, filters, steps], a step on: without the oldest,
// and with what the filters make of x.
static tenon_value *remembered(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_svdf_attrs *a = tenon_rw_attrs(rw, node);
  tenon_tfl_args how = {0};
  tenon_value *features[] = {tenon_tfl_in(rw, node, 0),
                             tenon_tfl_in(rw, node, 1), NULL};
  if (tenon_rw_type(rw, features[1])->quant)
    tenon_tfl_arg(&how,
                  tenon_arg_bool("asymmetric", a->asymmetric_quantize_inputs));
  const tenon_type *x = tenon_rw_type(rw, features[0]);
  const tenon_type *t = tenon_rw_type(rw, tenon_tfl_in(rw, node, 2));
  tenon_tfl_shape all = {{x->dims[0], t->dims[0], t->dims[1]}, 3}, one = all;
  tenon_dim begin[3] = {{0, 0}, {0, 0}, {1, 0}}, size[3];
  const int64_t step[] = {1, 1, 1};
  one.dims[2] = tenon_tfl_fixed(1);
  tenon_value *new =
      tenon_rw_op(rw, "core::fully_connected", features, 3, how.list);
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

// RELU is left to the limits of 8 bits: LiteRT serves it alone, with a state of
// 16 bits, TFLite Micro has states of 8 bits and no activation, too.
static tenon_status svdf_integers(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_svdf_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[5], *out[2] = {NULL};
  for (int i = 0; i < 5; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  if (a->fused_activation_function != TFL_ACT_RELU &&
      a->fused_activation_function != TFL_ACT_NONE)
    return tenon_rw_fail(rw,
                         "a fused activation of integers other than RELU is "
                         "not supported");
  const tenon_dtype state = tenon_rw_type(rw, in[4])->dtype;
  if ((state != TENON_S16 && state != TENON_S8) ||
      tenon_rw_type(rw, in[2])->dtype != state)
    return tenon_rw_fail(rw, "a state of %s is not supported",
                         tenon_tfl_dtype_name(state));
  const tenon_type *types[] = {rw->api->result(rw, node, 0),
                               tenon_rw_type(rw, in[4])};
  tenon_rw_build(rw, "core::svdf_integer", in, 5,
                 TENON_ARGS(tenon_arg_int("rank", a->rank)), out, 2, types);
  return rw->api->replace(rw, node, out, 2);
}

tenon_status tenon_tfl_svdf_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_svdf_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *bias = tenon_tfl_in(rw, node, 3);
  if (x->dtype == TENON_S8) return svdf_integers(rw, node);
  TENON_TRY(tenon_tfl_check_numbers(rw, node, 5));
  tenon_tfl_args limits = {0};
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &limits));
  tenon_value *state = remembered(rw, node);
  tenon_value *z = tenon_rw_op2(
      rw, "core::mul", state, tenon_tfl_numbers(rw, tenon_tfl_in(rw, node, 2)));
  z = sum_last(rw, z);
  tenon_tfl_shape ranks = {{y->dims[0], y->dims[1], tenon_tfl_fixed(a->rank)},
                           3};
  z = sum_last(rw, tenon_tfl_reshape(rw, z, &ranks, NULL));
  if (bias) z = tenon_rw_op2(rw, "core::add", z, bias);
  if (limits.n) z = tenon_rw_op(rw, "core::clamp", &z, 1, limits.list);
  tenon_tfl_shape flat =
      tenon_tfl_shape_of(tenon_rw_type(rw, tenon_tfl_in(rw, node, 4)));
  tenon_value *out[] = {z, tenon_tfl_reshape(rw, state, &flat, NULL)};
  return rw->api->replace(rw, node, out, 2);
}
