// Operators that do something in training only.
#include "ops/aten/aten_op.h"

tenon_status tenon_aten_dropout_lower(tenon_rewriter *rw, const tenon_node *n) {
  double p = tenon_aten_float(rw, n, "p");
  if (tenon_aten_bool(rw, n, "train") && p != 0)
    return tenon_rw_fail(rw,
                         "it draws random numbers in training (train=True)");
  return tenon_rw_replace(rw, n, tenon_aten_in(rw, n, 0));
}
