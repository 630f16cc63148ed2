// core_recurrent.c - core::lstm, core::gru and core::rnn.
#include "kern/product/recurrent.h"

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

CORE_SHAPES(gru_infer,
            "x[t,b,3*n], w[3*n,n], bias?[3*n], h[b,n] -> x[t,b,n], h")
CORE_SHAPES(rnn_infer, "x[t,b,n], w[n,n], bias?[n], h[b,n] -> x[t,b,n], h")
CORE_SHAPES(lstm_infer,
            tenon_infer_in(c, 5)
                ? "x[t,b,4*n], w[4*n,p], bias?[4*n], h[b,p], cell[b,n], "
                  "w_out[p,n] -> x[t,b,p], h, cell"
                : "x[t,b,4*n], w[4*n,n], bias?[4*n], h[b,n], cell[b,n] -> "
                  "x[t,b,n], h, cell")

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
