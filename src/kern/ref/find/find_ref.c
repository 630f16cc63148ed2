// find_ref.c - where among the keys each element is: the first of several, -1
// where it is none of them.
//
// Items are elements. Keys that were known before the run come with their
// order; others are looked through one by one.
#include "kern/op/find.h"

static int64_t find_ref_ordered(const tenon_tensor *x, ptrdiff_t i,
                                const tenon_tensor *keys, const int32_t *order,
                                ptrdiff_t n) {
  ptrdiff_t low = 0, high = n;
  while (low < high) {
    const ptrdiff_t middle = low + (high - low) / 2;
    if (tenon_find_order(x, i, keys, order[middle]) <= 0)
      high = middle;
    else
      low = middle + 1;
  }
  return low < n && tenon_find_order(x, i, keys, order[low]) == 0 ? order[low]
                                                                  : -1;
}

static int64_t find_ref_each(const tenon_tensor *x, ptrdiff_t i,
                             const tenon_tensor *keys, ptrdiff_t n) {
  for (ptrdiff_t k = 0; k < n; ++k)
    if (tenon_find_order(x, i, keys, k) == 0) return (int64_t)k;
  return -1;
}

TENON_KERNEL_RANGE(tenon_k_find_ref) {
  const tenon_tensor *x = &c->in[0], *keys = &c->in[1];
  const int32_t *order = (const int32_t *)c->packed;
  const ptrdiff_t n = keys->dims[0];
  int64_t *to = (int64_t *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    to[i] = order ? find_ref_ordered(x, i, keys, order, n)
                  : find_ref_each(x, i, keys, n);
  return TENON_OK;
}
