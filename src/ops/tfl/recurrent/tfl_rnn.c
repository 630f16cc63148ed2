// More layers with states: RNN, LSTM and the sequences of both, in one
// direction or two. All are steps (tfl_layers.h).
#include "ops/tfl/recurrent/tfl_layers.h"

static const int64_t SWAP[] = {1, 0, 2};

// The time in front, and back.
static tenon_value *rnn_by_time(tenon_rewriter *rw, tenon_value *x,
                                bool time_major) {
  return time_major || !x ? x : tenon_tfl_permute(rw, x, SWAP, 3);
}

// ---------------------------------------------------------------------------
// Plain recurrent layers: x, w, r, bias, h from operand `at` on
// ---------------------------------------------------------------------------

static tenon_tfl_layer rnn_plain(tenon_rewriter *rw, const tenon_node *node,
                                 int at, int64_t activation, bool asymmetric) {
  tenon_tfl_layer l = {.activation = activation, .asymmetric = asymmetric};
  l.w[0] = tenon_tfl_in(rw, node, at);
  l.r[0] = tenon_tfl_in(rw, node, at + 1);
  l.bias[0] = tenon_tfl_in(rw, node, at + 2);
  l.h = tenon_tfl_in(rw, node, at + 3);
  return l;
}

tenon_status tenon_tfl_rnn_infer(tenon_infer *c) {
  const tenon_tfl_rnn_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return tenon_tfl_shapes(
      c, NULL, "x[b,k], w[n,k], r?[n,n], bias?[n], h[b,n] -> x[b,n], h");
}

tenon_status tenon_tfl_rnn_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_rnn_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *out[3] = {NULL};
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tfl_shape once = {{tenon_tfl_fixed(1), t->dims[0], t->dims[1]},
                                3};
  TENON_TRY(tenon_tfl_check_numbers(rw, node, 5));
  tenon_tfl_layer l = rnn_plain(rw, node, 1, a->fused_activation_function,
                                a->asymmetric_quantize_inputs);
  l.x = tenon_tfl_reshape(rw, x, &once, NULL);
  TENON_TRY(tenon_tfl_layer_build(rw, &l, &out[0], &out[1], &out[2]));
  out[0] = out[1];
  return rw->api->replace(rw, node, out, 2);
}

tenon_status tenon_tfl_sequence_rnn_infer(tenon_infer *c) {
  const tenon_tfl_sequence_rnn_attrs *a = tenon_infer_attrs(c);
  tenon_shapes s = tenon_tfl_sequence(c, a->time_major);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return tenon_tfl_shapes(
      c, &s, "x[s,t,k], w[n,k], r?[n,n], bias?[n], h[b,n] -> x[s,t,n], h");
}

tenon_status tenon_tfl_sequence_rnn_lower(tenon_rewriter *rw,
                                          const tenon_node *node) {
  const tenon_tfl_sequence_rnn_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *out[3] = {NULL};
  TENON_TRY(tenon_tfl_check_numbers(rw, node, 5));
  tenon_tfl_layer l = rnn_plain(rw, node, 1, a->fused_activation_function,
                                a->asymmetric_quantize_inputs);
  l.x = rnn_by_time(rw, tenon_tfl_in(rw, node, 0), a->time_major);
  TENON_TRY(tenon_tfl_layer_build(rw, &l, &out[0], &out[1], &out[2]));
  out[0] = rnn_by_time(rw, out[0], a->time_major);
  return rw->api->replace(rw, node, out, 2);
}

// ---------------------------------------------------------------------------
// Two directions
// ---------------------------------------------------------------------------

// An operand that goes in beside x, or, without weights of its own, that goes
// into the second direction instead of it.
static void put_inputs(tenon_rewriter *rw, tenon_tfl_layer *fw,
                       tenon_tfl_layer *bw, tenon_value *x, tenon_value *aux,
                       bool has_weights, bool time_major) {
  x = rnn_by_time(rw, x, time_major);
  aux = rnn_by_time(rw, aux, time_major);
  fw->x = x;
  bw->x = aux && !has_weights ? aux : x;
  if (has_weights) fw->aux = bw->aux = aux;
  bw->reverse = true;
}

// x, of a fixed time, as often as it is long. LiteRT goes that often through
// weights of bytes with the time in front; states go on.
static tenon_value *rnn_again(tenon_rewriter *rw, tenon_value *x) {
  if (!x) return NULL;
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_dim n = t->dims[0], b = t->dims[1], k = t->dims[2];
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1), n, b, k}, 4};
  const tenon_tfl_shape all = {{n, n, b, k}, 4};
  const tenon_tfl_shape line = {{tenon_tfl_fixed(n.value * n.value), b, k}, 3};
  x = tenon_tfl_expand(rw, tenon_tfl_reshape(rw, x, &one, NULL), &all);
  return tenon_tfl_reshape(rw, x, &line, NULL);
}

// What comes out of the last time that x was gone through: of the first
// direction the end, of the other one the beginning.
static tenon_value *rnn_last_of(tenon_rewriter *rw, tenon_value *y,
                                int64_t time, bool is_end) {
  const int64_t from = is_end ? time * (time - 1) : 0;
  return tenon_tfl_part(rw, y, 0, tenon_tfl_fixed(from), tenon_tfl_fixed(time),
                        1);
}

// States of a layer are h and the cell, in this order. `times` x was gone
// through.
static tenon_status replace_both(tenon_rewriter *rw, const tenon_node *node,
                                 const tenon_tfl_layer *fw,
                                 const tenon_tfl_layer *bw, bool time_major,
                                 bool merges, int64_t times) {
  tenon_value *y[2], *h[2], *cell[2], *out[6];
  int n = 0;
  TENON_TRY(tenon_tfl_layer_build(rw, fw, &y[0], &h[0], &cell[0]));
  TENON_TRY(tenon_tfl_layer_build(rw, bw, &y[1], &h[1], &cell[1]));
  for (int i = 0; i < 2 && times > 1; ++i)
    y[i] = rnn_last_of(rw, y[i], times, i == 0);
  if (merges)
    out[n++] = rnn_by_time(rw, tenon_tfl_join(rw, y, 2, 2, NULL), time_major);
  for (int i = 0; i < 2 && !merges; ++i)
    out[n++] = rnn_by_time(rw, y[i], time_major);
  for (int i = 0; i < 2; ++i) {
    out[n++] = h[i];
    if (fw->cell) out[n++] = cell[i];
  }
  return rw->api->replace(rw, node, out, n);
}

// Layers of both directions: what goes into the second one is operand `aux`
// where that has no weights of its own. `texts`: with what comes out of both as
// two, and as one.
static tenon_status both_infer(tenon_infer *c, int aux, int weights,
                               bool time_major, bool merges,
                               const char *const *texts) {
  tenon_shapes s = tenon_tfl_sequence(c, time_major);
  const tenon_type *other = tenon_infer_in(c, aux);
  const tenon_type *in =
      other && !tenon_infer_in(c, weights) ? other : tenon_infer_in(c, 0);
  if (in && in->rank == 3) tenon_shapes_set(&s, "j", in->dims[2]);
  TENON_TRY(c->api->results(c, 0, merges ? 1 : 2));
  return tenon_tfl_shapes(c, &s, texts[merges]);
}

// Operands: x; w, r, bias, h of both; the auxiliary one and its weights.
enum { RNN_FW = 1, RNN_BW = 5, RNN_AUX = 9, RNN_AUX_FW, RNN_AUX_BW, RNN_ALL };

#define BOTH_RNN                                                         \
  "x[s,t,k], fw_w[n,k], fw_r?[n,n], fw_bias?[n], fw_h[b,n], bw_w[m,j], " \
  "bw_r?[m,m], bw_bias?[m], bw_h[b,m], aux?[_,_,a], fw_aux_w?[n,a], "    \
  "bw_aux_w?[m,a] -> "
tenon_status tenon_tfl_both_rnn_infer(tenon_infer *c) {
  static const char *const texts[] = {BOTH_RNN "x[s,t,n], x[s,t,m], fw_h, bw_h",
                                      BOTH_RNN "x[s,t,n+m], fw_h, bw_h"};
  const tenon_tfl_both_rnn_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return both_infer(c, RNN_AUX, RNN_AUX_FW, a->time_major, a->merge_outputs,
                    texts);
}

tenon_status tenon_tfl_both_rnn_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  const tenon_tfl_both_rnn_attrs *a = tenon_rw_attrs(rw, node);
  const int64_t f = a->fused_activation_function;
  TENON_TRY(tenon_tfl_check_numbers(rw, node, RNN_ALL));
  tenon_value *aux = tenon_tfl_in(rw, node, RNN_AUX);
  // LiteRT leaves it out.
  if (!tenon_tfl_in(rw, node, RNN_AUX_FW) && !a->time_major) aux = NULL;
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  const bool is_again = tenon_tfl_type(rw, node, RNN_FW)->quant &&
                        a->time_major && !tenon_tfl_is(x->dims[0], 1);
  if (is_again && (x->dims[0].symbol || x->dims[1].symbol || x->dims[2].symbol))
    return tenon_rw_fail(rw,
                         "weights of bytes with the time in front, which "
                         "LiteRT goes through as often as it is long, are not "
                         "supported for open sizes");
  tenon_tfl_layer fw =
      rnn_plain(rw, node, RNN_FW, f, a->asymmetric_quantize_inputs);
  tenon_tfl_layer bw =
      rnn_plain(rw, node, RNN_BW, f, a->asymmetric_quantize_inputs);
  fw.aux_w[0] = tenon_tfl_in(rw, node, RNN_AUX_FW);
  bw.aux_w[0] = tenon_tfl_in(rw, node, RNN_AUX_BW);
  put_inputs(rw, &fw, &bw, tenon_tfl_in(rw, node, 0), aux, fw.aux_w[0] != NULL,
             a->time_major);
  if (!is_again)
    return replace_both(rw, node, &fw, &bw, a->time_major, a->merge_outputs, 1);
  tenon_value *own = bw.x == fw.x ? NULL : rnn_again(rw, bw.x);
  fw.x = rnn_again(rw, fw.x);
  bw.x = own ? own : fw.x;
  fw.aux = bw.aux = rnn_again(rw, fw.aux);
  return replace_both(rw, node, &fw, &bw, a->time_major, a->merge_outputs,
                      x->dims[0].value);
}

// ---------------------------------------------------------------------------
// BIDIRECTIONAL_SEQUENCE_LSTM
// ---------------------------------------------------------------------------

// Operands of a direction from here on, as those of one direction but for the
// states, which all stand behind both.
enum {
  LSTM_FW = 1,
  LSTM_BW = 18,
  LSTM_STATES = 35,  // h and cell of both
  LSTM_AUX = 39,
  LSTM_AUX_FW = 40,
  LSTM_AUX_BW = 44,
  BOTH_LSTM_ALL = 48
};

#define BOTH_LSTM \
  "x[s,t,k], " TFL_LSTM_WEIGHTS("fw_", "n", "k", "p")                        \
  TFL_LSTM_WEIGHTS("bw_", "m", "j", "q")                                     \
  "fw_h[b,p], fw_cell[b,n], bw_h[b,q], bw_cell[b,m], aux?[_,_,a], "          \
  "fw_aux_w_i?[n,a], fw_aux_w_f?[n,a], fw_aux_w_c?[n,a], fw_aux_w_o?[n,a], " \
  "bw_aux_w_i?[m,a], bw_aux_w_f?[m,a], bw_aux_w_c?[m,a], bw_aux_w_o?[m,a] -> "
tenon_status tenon_tfl_both_lstm_infer(tenon_infer *c) {
  static const char *const texts[] = {
      BOTH_LSTM "x[s,t,p], x[s,t,q], fw_h, fw_cell, bw_h, bw_cell",
      BOTH_LSTM "x[s,t,p+q], fw_h, fw_cell, bw_h, bw_cell"};
  const tenon_tfl_both_lstm_attrs *a = tenon_infer_attrs(c);
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  return both_infer(c, LSTM_AUX, LSTM_AUX_FW + 1, a->time_major,
                    a->merge_outputs, texts);
}

static tenon_tfl_layer lstm(tenon_rewriter *rw, const tenon_node *node, int at,
                            int state, int aux_w) {
  const tenon_tfl_both_lstm_attrs *a = tenon_rw_attrs(rw, node);
  tenon_tfl_layer l = {.activation = a->fused_activation_function,
                       .cell_clip = a->cell_clip,
                       .proj_clip = a->proj_clip,
                       .asymmetric = a->asymmetric_quantize_inputs};
  tenon_tfl_layer_read(rw, node, at, state, -1, &l);
  for (int k = 0; k < 4; ++k)
    l.aux_w[k] = tenon_tfl_in(rw, node, aux_w + k);
  return l;
}

tenon_status tenon_tfl_both_lstm_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  const tenon_tfl_both_lstm_attrs *a = tenon_rw_attrs(rw, node);
  TENON_TRY(tenon_tfl_check_numbers(rw, node, BOTH_LSTM_ALL));
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  if (a->merge_outputs && !a->time_major && !tenon_tfl_is(x->dims[0], 1))
    return tenon_rw_fail(rw,
                         "several batches with merged outputs, of which LiteRT "
                         "mistakes the states, are not supported");
  tenon_tfl_layer fw = lstm(rw, node, LSTM_FW, LSTM_STATES, LSTM_AUX_FW);
  tenon_tfl_layer bw = lstm(rw, node, LSTM_BW, LSTM_STATES + 2, LSTM_AUX_BW);
  put_inputs(rw, &fw, &bw, tenon_tfl_in(rw, node, 0),
             tenon_tfl_in(rw, node, LSTM_AUX), fw.aux_w[1] != NULL,
             a->time_major);
  return replace_both(rw, node, &fw, &bw, a->time_major, a->merge_outputs, 1);
}
