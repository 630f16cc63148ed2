// sort_ref.c - values in order along an axis, or the first of them, and where
// each one stood. Equal ones keep their order; NaN is larger than all numbers.
//
// Items are lines along the axis. The scratch area has two orders of a line.
#include "kern/loop/order.h"

// Whether element b of a line goes in front of element a.
#define SORT_REF_FIRST(t)                                                      \
  TENON_INLINE bool sort_ref_first_##t(const void *x, ptrdiff_t a,             \
                                       ptrdiff_t b, bool descending) {         \
    return descending                                                          \
               ? tenon_before_##t(tenon_load_##t(x, a), tenon_load_##t(x, b))  \
               : tenon_before_##t(tenon_load_##t(x, b), tenon_load_##t(x, a)); \
  }
TENON_PLAIN_ALL(SORT_REF_FIRST)

#define SORT_REF(t)                                                          \
  static void sort_ref_##t(const tenon_call *c, const tenon_lines *l,        \
                           ptrdiff_t first, ptrdiff_t begin, ptrdiff_t kept, \
                           bool descending) {                                \
    const void *x = c->in[0].data;                                           \
    int32_t *order = (int32_t *)c->scratch, *spare = order + l->n;           \
    for (ptrdiff_t i = 0; i < l->n; ++i)                                     \
      order[i] = (int32_t)i;                                                 \
    for (ptrdiff_t width = 1; width < l->n; width *= 2) {                    \
      for (ptrdiff_t low = 0; low < l->n; low += 2 * width) {                \
        ptrdiff_t middle = low + width < l->n ? low + width : l->n;          \
        ptrdiff_t high = middle + width < l->n ? middle + width : l->n;      \
        ptrdiff_t left = low, right = middle;                                \
        for (ptrdiff_t to = low; to < high; ++to) {                          \
          bool is_right = right < high &&                                    \
                          (left == middle ||                                 \
                           sort_ref_first_##t(                               \
                               x, first + order[left] * l->step,             \
                               first + order[right] * l->step, descending)); \
          spare[to] = is_right ? order[right++] : order[left++];             \
        }                                                                    \
      }                                                                      \
      memcpy(order, spare, (size_t)l->n * sizeof *order);                    \
    }                                                                        \
    for (ptrdiff_t i = 0; i < kept; ++i) {                                   \
      ptrdiff_t to = begin + i * l->step;                                    \
      tenon_store_##t(c->out[0].data, to,                                    \
                      tenon_load_##t(x, first + order[i] * l->step));        \
      ((int64_t *)c->out[1].data)[to] = order[i];                            \
    }                                                                        \
  }
TENON_PLAIN_ALL(SORT_REF)

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_sort_ref_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_sort_attrs *)c->attrs)->axis);
}

TENON_KERNEL_RANGE(tenon_k_sort_ref) {
  const tenon_sort_attrs *a = (const tenon_sort_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
  const ptrdiff_t kept = tenon_sort_kept(a, l.n);
#define SORT_REF_RUN(t)                                                     \
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)             \
  sort_ref_##t(c, &l, tenon_lines_first(&l, i), tenon_sort_to(&l, kept, i), \
               kept, a->descending)
  TENON_PLAIN_SWITCH(c->in[0].dtype, SORT_REF_RUN)
  return TENON_OK;
}
