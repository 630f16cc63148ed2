// searchsorted_ref.c - where each value would stand in a sorted line: a line of
// its own for every line of values, or one for all.
//
// Items are values.
#include "kern/loop/order.h"

#define SEARCHSORTED_REF(t)                                              \
  static int64_t searchsorted_ref_##t(const void *line, ptrdiff_t first, \
                                      ptrdiff_t n, const void *values,   \
                                      ptrdiff_t i, bool right) {         \
    const tenon_carry_##t v = tenon_load_##t(values, i);                 \
    ptrdiff_t low = 0, high = n;                                         \
    while (low < high) {                                                 \
      ptrdiff_t middle = low + (high - low) / 2;                         \
      const tenon_carry_##t x = tenon_load_##t(line, first + middle);    \
      if (right ? x > v : x >= v)                                        \
        high = middle;                                                   \
      else                                                               \
        low = middle + 1;                                                \
    }                                                                    \
    return (int64_t)low;                                                 \
  }
TENON_PLAIN_ALL(SEARCHSORTED_REF)

TENON_KERNEL_RANGE(tenon_k_searchsorted_ref) {
  const tenon_searchsorted_attrs *a =
      (const tenon_searchsorted_attrs *)c->attrs;
  const tenon_tensor *line = &c->in[0], *values = &c->in[1];
  const ptrdiff_t n = line->dims[line->rank - 1];
  const ptrdiff_t run = values->rank ? values->dims[values->rank - 1] : 1;
  int64_t *to = (int64_t *)c->out[0].data;
#define SEARCHSORTED_REF_RUN(t)                                              \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)              \
  to[i] = searchsorted_ref_##t(line->data, line->rank > 1 ? i / run * n : 0, \
                               n, values->data, i, a->right)
  TENON_PLAIN_SWITCH(line->dtype, SEARCHSORTED_REF_RUN)
  return TENON_OK;
}
