// Operators that look at the same elements in another order.
#include "ops/aten/aten_op.h"

tenon_status tenon_aten_permute_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_ints dims = tenon_aten_ints(rw, n, "dims");
  int rank = tenon_aten_type(rw, x)->rank, at = 0;
  int64_t order[TENON_MAX_RANK];
  if (dims.count != (size_t)rank)
    return tenon_rw_fail(rw, "%d dimensions in an order of %zu", rank,
                         dims.count);
  for (int i = 0; i < rank; ++i) {
    TENON_TRY(tenon_aten_axis(rw, dims.data[i], rank, &at));
    order[i] = at;
  }
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, x, order, rank));
}
