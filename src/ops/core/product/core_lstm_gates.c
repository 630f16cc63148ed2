// core_lstm_gates.c - core::lstm_gates.
#include "ops/core/core_rule.h"

static tenon_status lstm_gates_infer(tenon_infer *c) {
  const tenon_type *cell = tenon_infer_in(c, 1);
  TENON_TRY(tenon_core_check_rank(c, 0, 2));
  TENON_TRY(tenon_core_check_rank(c, 1, 2));
  const tenon_dim n =
      c->api->dim(c, TENON_DIM_MUL, cell->dims[1], tenon_core_dim(4));
  TENON_TRY(tenon_core_check_sizes(c, 0, 2, cell->dims[0], n));
  const tenon_type h = {cell->dims, NULL, TENON_S8, 2, 0};
  TENON_TRY(tenon_infer_out(c, 0, &h));
  return tenon_infer_out(c, 1, cell);
}

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
