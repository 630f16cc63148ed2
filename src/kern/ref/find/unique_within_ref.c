// unique_within_ref.c - the same as unique_ref.c where the result has no room
// for all: they are counted first.
#include "kern/loop/distinct.h"
#include "kern/loop/order.h"

TENON_KERNEL(tenon_k_unique_within_ref_measure) {
  const tenon_unique_attrs *a = (const tenon_unique_attrs *)c->attrs;
  const ptrdiff_t n = c->in[0].dims[0], m = c->in[0].dims[1];
  int64_t found = 0;
#define UNIQUE_WITHIN_REF(t) \
  found = tenon_unique_count_##t(c->in[0].data, n, m, a->consecutive)
  TENON_PLAIN_SWITCH(c->in[0].dtype, UNIQUE_WITHIN_REF)
  c->sizes[0] = found;
  return TENON_OK;
}

TENON_KERNEL(tenon_k_unique_within_ref) {
  const tenon_unique_attrs *a = (const tenon_unique_attrs *)c->attrs;
  tenon_unique(c, a->consecutive, a->first);
  return TENON_OK;
}
