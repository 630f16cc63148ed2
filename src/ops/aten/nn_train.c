// Operators that do something in training only.
#include "ops/aten/aten_op.h"

tenon_status tenon_aten_dropout_lower(tenon_rewriter *rw, const tenon_node *n) {
  bool drops =
      tenon_aten_bool(rw, n, "train") && tenon_aten_float(rw, n, "p") != 0;
  if (drops)
    return tenon_rw_fail(rw,
                         "it draws random numbers in training (train=True)");
  return tenon_rw_replace(rw, n, tenon_aten_in(rw, n, 0));
}
