// Operators on one operand that keep its type.
#include "ops/aten/aten_op.h"

tenon_status tenon_aten_unary_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  return tenon_rw_replace(
      rw, n, tenon_aten_one(rw, (const char *)rw->api->user(rw), x));
}
