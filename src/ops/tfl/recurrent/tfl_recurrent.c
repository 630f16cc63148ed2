// Layers with a state: UNIDIRECTIONAL_SEQUENCE_LSTM and SVDF.
//
// Their states are operands that are written; the results behind the first are
// what they become. A plain LSTM of floats is core::lstm, one of integers
// core::lstm_integer; all others are steps in a loop (tfl_layers.h).
#include "ops/tfl/recurrent/tfl_layers.h"

// ---------------------------------------------------------------------------
// UNIDIRECTIONAL_SEQUENCE_LSTM
// ---------------------------------------------------------------------------

tenon_shapes tenon_tfl_sequence(tenon_infer *c, bool time_major) {
  tenon_shapes s = {.n_names = 0};
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x && x->rank == 3) tenon_shapes_set(&s, "b", x->dims[time_major]);
  return s;
}

tenon_status tenon_tfl_lstm_infer(tenon_infer *c) {
  const tenon_tfl_lstm_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = tenon_tfl_sequence(c, a->time_major);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return tenon_tfl_shapes(
      c, &s,
      "x[s,t,k], " TFL_LSTM_WEIGHTS(
          "", "n", "k", "p") "h[b,p], cell[b,n] -> x[s,t,p], h, cell");
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
  const tenon_type *w = tenon_infer_in(c, 1), *t = tenon_infer_in(c, 2);
  tenon_shapes s = {.n_names = 0};
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  tenon_shapes_set(&s, "rank", tenon_tfl_fixed(a->rank));
  if (w && t && w->rank == 2 && t->rank == 2 &&
      (w->dims[0].symbol || t->dims[1].symbol || t->dims[1].value < 1 ||
       a->rank < 1 || w->dims[0].value % a->rank))
    return tenon_infer_fail(c, "%lld filters of rank %lld over %lld steps",
                            (long long)w->dims[0].value, (long long)a->rank,
                            (long long)t->dims[1].value);
  return tenon_tfl_shapes(c, &s,
                          "x[b,k], w[f,k], w_time[f,t], bias?[f/rank], "
                          "state[b,f*t] -> x[b,f/rank], state");
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
  const tenon_type *t = tenon_tfl_type(rw, node, 2);
  tenon_tfl_shape all = {{x->dims[0], t->dims[0], t->dims[1]}, 3}, one = all;
  one.dims[2] = tenon_tfl_fixed(1);
  tenon_value *new =
      tenon_rw_op(rw, "core::fully_connected", features, 3, how.list);
  new = tenon_tfl_reshape(rw, new, &one, NULL);
  if (t->dims[1].value == 1) return new;
  tenon_value *old =
      tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, 4), &all, NULL);
  old = tenon_tfl_part(rw, old, 2, tenon_tfl_fixed(1),
                       tenon_tfl_fixed(t->dims[1].value - 1), 1);
  tenon_value *parts[] = {old, new};
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
                         tenon_dtype_name(state));
  const tenon_type *types[] = {rw->api->result(rw, node, 0),
                               tenon_rw_type(rw, in[4])};
  tenon_rw_build(rw, "core::svdf_integer", in, 5,
                 TENON_ARGS(tenon_arg_int("rank", a->rank)), out, 2, types);
  return rw->api->replace(rw, node, out, 2);
}

tenon_status tenon_tfl_svdf_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_svdf_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
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
  tenon_tfl_shape flat = tenon_tfl_shape_of(tenon_tfl_type(rw, node, 4));
  tenon_value *out[] = {z, tenon_tfl_reshape(rw, state, &flat, NULL)};
  return rw->api->replace(rw, node, out, 2);
}
