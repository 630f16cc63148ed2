// Operators that do something in training only.
#include "ops/aten/aten_nn.h"

tenon_status tenon_aten_dropout_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  double p = tenon_aten_float(rw, n, "p");
  if (!tenon_aten_bool(rw, n, "train") || p == 0)
    return tenon_rw_replace(rw, n, x);
  // All of it is dropped out: times zero.
  if (p == 1) return tenon_rw_replace(rw, n, tenon_nn_times(rw, x, 0));
  return tenon_rw_fail(rw, "it draws random numbers in training (train=True)");
}
