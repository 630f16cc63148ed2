// permutation.c - where rows stand after exchanges, one after the other, of row
// i with row pivots[i] - 1. Items are lines of exchanges.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t k = c->in[0].dims[c->in[0].rank - 1];
  const ptrdiff_t m = c->out[0].dims[c->out[0].rank - 1];
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *pivots = (const ELEMENT *)c->in[0].data + item * k;
    int64_t *at = (int64_t *)c->out[0].data + item * m;
    for (ptrdiff_t i = 0; i < m; ++i)
      at[i] = i;
    for (ptrdiff_t i = 0; i < k; ++i) {
      const ptrdiff_t other = (ptrdiff_t)pivots[i] - 1;
      if (other < 0 || other >= m || i >= m)
        return tenon_call_fail(c, "pivot {0} is no row", i, 0);
      const int64_t kept = at[i];
      at[i] = at[other];
      at[other] = kept;
    }
  }
  return TENON_OK;
}
