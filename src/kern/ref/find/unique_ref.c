// unique_ref.c - the different rows of x (distinct.h). The result has room for
// all.
#include "kern/loop/distinct.h"
#include "kern/loop/order.h"

TENON_KERNEL(tenon_k_unique_ref) {
  const tenon_unique_attrs *a = (const tenon_unique_attrs *)c->attrs;
  tenon_unique(c, a->consecutive, a->first);
  return TENON_OK;
}
