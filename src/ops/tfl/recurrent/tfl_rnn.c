// More layers with states: RNN, LSTM and the sequences of both, in one
// direction or two. All are steps (tfl_layers.h).
#include <stdio.h>

#include "ops/tfl/recurrent/tfl_layers.h"

static const int64_t SWAP[] = {1, 0, 2};

// What a matrix or a list of the layer must be; absent ones are not asked.
static tenon_status rnn_check(tenon_infer *c, int i, const char *name, int rank,
                              tenon_dim a, tenon_dim b) {
  const tenon_type *t = tenon_infer_in(c, i);
  if (!t) return TENON_OK;
  if (t->rank == rank && !tenon_tfl_differ(t->dims[0], a) &&
      (rank < 2 || !tenon_tfl_differ(t->dims[1], b)))
    return TENON_OK;
  if (rank < 2)
    return tenon_infer_fail(c, "operand %d, '%s', must be [%lld]", i, name,
                            (long long)a.value);
  return tenon_infer_fail(c, "operand %d, '%s', must be [%lld, %lld]", i, name,
                          (long long)a.value, (long long)b.value);
}

static tenon_status rnn_need(tenon_infer *c, int i, const char *name, int rank,
                             const tenon_type **out) {
  return tenon_tfl_operand(c, i, name, rank, out);
}

// The time in front, and back.
static tenon_value *rnn_by_time(tenon_rewriter *rw, tenon_value *x,
                                bool time_major) {
  return time_major || !x ? x : tenon_tfl_permute(rw, x, SWAP, 3);
}

// ---------------------------------------------------------------------------
// Plain recurrent layers: x, w, r, bias, h from operand `at` on
// ---------------------------------------------------------------------------

static tenon_status check_plain(tenon_infer *c, int at, tenon_dim batch,
                                tenon_dim depth, tenon_dim *n) {
  const tenon_type *w, *h;
  TENON_TRY(rnn_need(c, at, "w", 2, &w));
  TENON_TRY(rnn_need(c, at + 3, "h", 2, &h));
  *n = w->dims[0];
  TENON_TRY(rnn_check(c, at, "w", 2, *n, depth));
  TENON_TRY(rnn_check(c, at + 1, "r", 2, *n, *n));
  TENON_TRY(rnn_check(c, at + 2, "bias", 1, *n, *n));
  return rnn_check(c, at + 3, "h", 2, batch, *n);
}

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
  const tenon_type *x;
  tenon_dim n;
  TENON_TRY(rnn_need(c, 0, "x", 2, &x));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  TENON_TRY(check_plain(c, 1, x->dims[0], x->dims[1], &n));
  tenon_tfl_shape y = {{x->dims[0], n}, 2};
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  return tenon_infer_out(c, 1, tenon_infer_in(c, 4));
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
  const tenon_type *x;
  tenon_dim n;
  TENON_TRY(rnn_need(c, 0, "x", 3, &x));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  TENON_TRY(check_plain(c, 1, x->dims[a->time_major ? 1 : 0], x->dims[2], &n));
  tenon_tfl_shape y = {{x->dims[0], x->dims[1], n}, 3};
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  return tenon_infer_out(c, 1, tenon_infer_in(c, 4));
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

// Results: what comes out of both, as one or two; then `n` states.
static tenon_status type_both(tenon_infer *c, const tenon_type *x, tenon_dim fw,
                              tenon_dim bw, bool merges, const int *states,
                              int n) {
  tenon_dim last = fw;
  if (merges) last = c->api->dim(c, TENON_DIM_ADD, fw, bw);
  tenon_tfl_shape y = {{x->dims[0], x->dims[1], last}, 3};
  TENON_TRY(c->api->results(c, 0, merges ? 1 : 2));
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  y.dims[2] = bw;
  if (!merges) TENON_TRY(tenon_tfl_result(c, 1, &y, x->dtype, x));
  for (int i = 0; i < n; ++i)
    TENON_TRY(
        tenon_infer_out(c, (merges ? 1 : 2) + i, tenon_infer_in(c, states[i])));
  return TENON_OK;
}

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
  static const int64_t step[] = {1, 1, 1};
  const tenon_type *t = tenon_rw_type(rw, y);
  const tenon_dim size[] = {tenon_tfl_fixed(time), t->dims[1], t->dims[2]};
  tenon_dim begin[3] = {{0, 0}};
  if (is_end) begin[0] = tenon_tfl_fixed(time * (time - 1));
  return tenon_tfl_slice(rw, y, begin, size, step, t);
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

// What layers of both directions begin with: x, and operand `at`, if there.
static tenon_status take_both(tenon_infer *c, int at, int64_t activation,
                              const tenon_type **x, const tenon_type **aux) {
  *aux = tenon_infer_in(c, at);
  TENON_TRY(rnn_need(c, 0, "x", 3, x));
  TENON_TRY(tenon_tfl_check_activation(c, activation));
  if (*aux && (*aux)->rank != 3)
    return tenon_infer_fail(c, "operand %d, 'aux', has rank %d, expected 3", at,
                            (*aux)->rank);
  return TENON_OK;
}

// Operands: x; w, r, bias, h of both; the auxiliary one and its weights.
enum { RNN_FW = 1, RNN_BW = 5, RNN_AUX = 9, RNN_AUX_FW, RNN_AUX_BW, RNN_ALL };

tenon_status tenon_tfl_both_rnn_infer(tenon_infer *c) {
  static const int states[] = {RNN_FW + 3, RNN_BW + 3};
  const tenon_tfl_both_rnn_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *aux;
  tenon_dim fw, bw;
  TENON_TRY(take_both(c, RNN_AUX, a->fused_activation_function, &x, &aux));
  const tenon_dim batch = x->dims[a->time_major ? 1 : 0];
  bool is_other = aux && !tenon_infer_in(c, RNN_AUX_FW);
  TENON_TRY(check_plain(c, RNN_FW, batch, x->dims[2], &fw));
  TENON_TRY(check_plain(c, RNN_BW, batch, (is_other ? aux : x)->dims[2], &bw));
  if (aux) {
    TENON_TRY(rnn_check(c, RNN_AUX_FW, "fw_aux_w", 2, fw, aux->dims[2]));
    TENON_TRY(rnn_check(c, RNN_AUX_BW, "bw_aux_w", 2, bw, aux->dims[2]));
  }
  return type_both(c, x, fw, bw, a->merge_outputs, states, 2);
}

tenon_status tenon_tfl_both_rnn_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  const tenon_tfl_both_rnn_attrs *a = tenon_rw_attrs(rw, node);
  const int64_t f = a->fused_activation_function;
  TENON_TRY(tenon_tfl_check_numbers(rw, node, RNN_ALL));
  tenon_value *aux = tenon_tfl_in(rw, node, RNN_AUX);
  // LiteRT leaves it out.
  if (!tenon_tfl_in(rw, node, RNN_AUX_FW) && !a->time_major) aux = NULL;
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  const bool is_again =
      tenon_rw_type(rw, tenon_tfl_in(rw, node, RNN_FW))->quant &&
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

// Names of operands as the schema has them: "fw_w_i".
typedef struct named {
  char text[24];
} named;

static named rnn_name(const char *side, const char *what, const char *gate) {
  named n;
  snprintf(n.text, sizeof n.text, "%s_%s%s", side, what, gate);
  return n;
}

static tenon_status check_lstm(tenon_infer *c, const char *side, int at,
                               int state, int aux_w, tenon_dim batch,
                               tenon_dim depth, const tenon_type *aux,
                               tenon_dim *p) {
  static const char *const gates[] = {"_i", "_f", "_c", "_o"};
  static const char *const holes[] = {"_i", "_f", "_o"};
  const tenon_type *w, *h, *cell;
#define NAME(what, gate) rnn_name(side, what, gate).text
  TENON_TRY(rnn_need(c, at + 1, NAME("w", "_f"), 2, &w));
  TENON_TRY(rnn_need(c, state, NAME("h", ""), 2, &h));
  TENON_TRY(rnn_need(c, state + 1, NAME("cell", ""), 2, &cell));
  const tenon_dim n = w->dims[0];
  *p = h->dims[1];
  for (int i = 0; i < 4; ++i) {
    TENON_TRY(rnn_check(c, at + i, NAME("w", gates[i]), 2, n, depth));
    TENON_TRY(rnn_check(c, at + 4 + i, NAME("r", gates[i]), 2, n, *p));
    TENON_TRY(rnn_check(c, at + 11 + i, NAME("b", gates[i]), 1, n, n));
    if (i < 3)
      TENON_TRY(rnn_check(c, at + 8 + i, NAME("p", holes[i]), 1, n, n));
    if (aux)
      TENON_TRY(
          rnn_check(c, aux_w + i, NAME("aux_w", gates[i]), 2, n, aux->dims[2]));
  }
  TENON_TRY(rnn_check(c, at + 15, NAME("projection", ""), 2, *p, n));
  TENON_TRY(rnn_check(c, at + 16, NAME("projection_bias", ""), 1, *p, *p));
  TENON_TRY(rnn_check(c, state, NAME("h", ""), 2, batch, *p));
  return rnn_check(c, state + 1, NAME("cell", ""), 2, batch, n);
#undef NAME
}

tenon_status tenon_tfl_both_lstm_infer(tenon_infer *c) {
  static const int states[] = {LSTM_STATES, LSTM_STATES + 1, LSTM_STATES + 2,
                               LSTM_STATES + 3};
  const tenon_tfl_both_lstm_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *aux;
  tenon_dim fw, bw;
  TENON_TRY(take_both(c, LSTM_AUX, a->fused_activation_function, &x, &aux));
  const tenon_dim batch = x->dims[a->time_major ? 1 : 0];
  bool is_other = aux && !tenon_infer_in(c, LSTM_AUX_FW + 1);
  TENON_TRY(check_lstm(c, "fw", LSTM_FW, LSTM_STATES, LSTM_AUX_FW, batch,
                       x->dims[2], aux, &fw));
  TENON_TRY(check_lstm(c, "bw", LSTM_BW, LSTM_STATES + 2, LSTM_AUX_BW, batch,
                       (is_other ? aux : x)->dims[2], aux, &bw));
  return type_both(c, x, fw, bw, a->merge_outputs, states, 4);
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
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
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
