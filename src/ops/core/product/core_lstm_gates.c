// core_lstm_gates.c - core::lstm_gates.
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

CORE_SHAPES(lstm_gates_infer, "sums[b,4*n], cell[b,n] -> s8[b,n], cell")

static int64_t lstm_gates_items(const tenon_call *c) {
  return c->in[1].dims[0];
}

CORE_KERNEL_RANGE(lstm_gates_ref, lstm_gates_items, "s16, s16 -> s8, s16");
CORE_OPERATOR(
    lstm_gates, lstm_gates_infer, (CORE_K(lstm_gates_ref)),
    "(Tensor sums, Tensor cell) -> (Tensor h, Tensor next)",
    "A step of LSTM behind its products, as LiteRT's of unsigned bytes.\n"
    "sums is [b, 4 n], gates i, g, f, o at a scale of 2^-12, the cell [b, n] "
    "at 2^-11, and h at 2^-7.");
