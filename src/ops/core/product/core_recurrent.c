// core_recurrent.c - core::lstm, core::gru and core::rnn.
#include "kern/product/recurrent.h"

#include "ops/core/core_rule.h"

static tenon_status check_rank(tenon_infer *c, int i, int rank) {
  const tenon_type *t = tenon_infer_in(c, i);
  if (t && t->rank != rank)
    return tenon_infer_fail(c, "operand %d has rank %d, expected %d", i,
                            t->rank, rank);
  return TENON_OK;
}

static tenon_status recurrent_check_size(tenon_infer *c, int i, int d,
                                         tenon_dim size) {
  const tenon_type *t = tenon_infer_in(c, i);
  if (t && !tenon_core_equal(c, t->dims[d], size))
    return tenon_infer_fail(c, "operand %d has %lld in dimension %d, not %lld",
                            i, (long long)t->dims[d].value, d,
                            (long long)size.value);
  return TENON_OK;
}

// Of x [t, b, gates * n], w [gates * n, p], bias [gates * n], h [b, p].
static tenon_status check_layer(tenon_infer *c, int64_t gates, tenon_dim n) {
  const tenon_type *x = tenon_infer_in(c, 0), *h = tenon_infer_in(c, 3);
  tenon_dim rows = c->api->dim(c, TENON_DIM_MUL, n, tenon_core_dim(gates));
  TENON_TRY(recurrent_check_size(c, 0, 2, rows));
  TENON_TRY(recurrent_check_size(c, 1, 0, rows));
  TENON_TRY(recurrent_check_size(c, 2, 0, rows));
  TENON_TRY(recurrent_check_size(c, 1, 1, h->dims[1]));
  return recurrent_check_size(c, 3, 0, x->dims[1]);
}

static tenon_status check_ranks(tenon_infer *c) {
  TENON_TRY(check_rank(c, 0, 3));
  TENON_TRY(check_rank(c, 1, 2));
  TENON_TRY(check_rank(c, 2, 1));
  return check_rank(c, 3, 2);
}

// All outputs [t, b, p], and the last state.
static tenon_status recurrent_give(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *h = tenon_infer_in(c, 3);
  const tenon_dim dims[] = {x->dims[0], h->dims[0], h->dims[1]};
  TENON_TRY(tenon_core_result(c, dims, 3, x, false));
  return tenon_infer_out(c, 1, h);
}

static tenon_status plain_infer(tenon_infer *c, int64_t gates) {
  TENON_TRY(check_ranks(c));
  TENON_TRY(check_layer(c, gates, tenon_infer_in(c, 3)->dims[1]));
  return recurrent_give(c);
}
static tenon_status gru_infer(tenon_infer *c) {
  return plain_infer(c, 3);
}
static tenon_status rnn_infer(tenon_infer *c) {
  return plain_infer(c, 1);
}

static tenon_status lstm_infer(tenon_infer *c) {
  const tenon_type *cell = tenon_infer_in(c, 4), *w_out = tenon_infer_in(c, 5);
  TENON_TRY(check_ranks(c));
  TENON_TRY(check_rank(c, 4, 2));
  TENON_TRY(check_rank(c, 5, 2));
  TENON_TRY(check_layer(c, 4, cell->dims[1]));
  TENON_TRY(recurrent_check_size(c, 4, 0, tenon_infer_in(c, 3)->dims[0]));
  TENON_TRY(recurrent_check_size(c, 5, 0, tenon_infer_in(c, 3)->dims[1]));
  TENON_TRY(recurrent_check_size(c, 5, 1, cell->dims[1]));
  if (!w_out) TENON_TRY(recurrent_check_size(c, 3, 1, cell->dims[1]));
  TENON_TRY(recurrent_give(c));
  return tenon_infer_out(c, 2, cell);
}

static int64_t recurrent_batch_items(const tenon_call *c) {
  return c->in[0].dims[1];
}
// The gates, and the output before it is projected.
static size_t recurrent_lstm_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return 5 * (size_t)c->in[4].dims[1] * sizeof(float);
}
static size_t plain_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->in[1].dims[0] * sizeof(float);
}
static int64_t recurrent_macs(const tenon_call *c) {
  int64_t step = (int64_t)c->in[1].dims[0] * c->in[1].dims[1];
  if (c->n_in > 5 && c->in[5].dtype)
    step += (int64_t)c->in[5].dims[0] * c->in[5].dims[1];
  return step * c->in[0].dims[0] * c->in[0].dims[1];
}

CORE_KERNEL_RANGE(lstm_f32_ref, recurrent_batch_items,
                  "f32, f32, f32?, f32, f32, f32? -> f32, f32, f32",
                  .scratch = recurrent_lstm_scratch);
CORE_KERNEL_RANGE(gru_f32_ref, recurrent_batch_items,
                  "f32, f32, f32?, f32 -> f32, f32", .scratch = plain_scratch);
CORE_KERNEL_RANGE(rnn_f32_ref, recurrent_batch_items,
                  "f32, f32, f32?, f32 -> f32, f32", .scratch = plain_scratch);

CORE_OPERATOR(lstm, lstm_infer, (CORE_K(lstm_f32_ref)),
              "(Tensor x, Tensor w, Tensor? bias, Tensor h, Tensor cell, "
              "Tensor? w_out=None, *, bool reverse=False, float? "
              "cell_clip=None) -> (Tensor y, Tensor last, Tensor last_cell)",
              "A layer of LSTM in one direction.\n"
              "x is [t, b, 4 n], the part of the gates i, f, g, o that the "
              "state does not change; w is [4 n, p], h is [b, p], cell is [b, "
              "n]; w_out [p, n] makes the state of the output, else p is n. "
              "`cell_clip` limits the cell, either side of 0.",
              CORE_MEMBERS(tenon_lstm_attrs, reverse, cell_clip),
              .macs = recurrent_macs);

CORE_OPERATOR(gru, gru_infer, (CORE_K(gru_f32_ref)),
              "(Tensor x, Tensor w, Tensor? bias, Tensor h, *, bool "
              "reverse=False) -> (Tensor y, Tensor last)",
              "A layer of GRU in one direction.\n"
              "x is [t, b, 3 n], the part of the gates r, z, n that the state "
              "does not change; w is [3 n, n], h is [b, n].",
              CORE_MEMBERS(tenon_recurrent_attrs, reverse),
              .macs = recurrent_macs);

CORE_OPERATOR(rnn, rnn_infer, (CORE_K(rnn_f32_ref)),
              "(Tensor x, Tensor w, Tensor? bias, Tensor h, *, bool "
              "reverse=False, bool relu=False) -> (Tensor y, Tensor last)",
              "A layer of a plain recurrent network in one direction: tanh, or "
              "relu, of x + w h + bias.\n"
              "x is [t, b, n], w is [n, n], h is [b, n].",
              CORE_MEMBERS(tenon_rnn_attrs, reverse, relu),
              .macs = recurrent_macs);
