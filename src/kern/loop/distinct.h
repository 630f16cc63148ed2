// distinct.h - the different rows of x in ascending order, or as they first
// occur; for each row which of them it is, and how often each occurs. NaN
// equals nothing.
//
// The scratch area has two orders of the rows.
#ifndef TENON_KERN_DISTINCT_H
#define TENON_KERN_DISTINCT_H

#include "kern/loop/element.h"
#include "kern/loop/order.h"
#include "kern/loop/plain.h"

#define TENON_UNIQUE(t)                                                        \
  /* -1, 0 or 1, as row a stands before b; 2: a NaN is in the way. */          \
  TENON_INLINE int tenon_unique_compare_##t(const void *x, ptrdiff_t m,        \
                                            ptrdiff_t a, ptrdiff_t b) {        \
    bool has_nan = false;                                                      \
    for (ptrdiff_t i = 0; i < m; ++i) {                                        \
      const tenon_carry_##t p = tenon_load_##t(x, a * m + i);                  \
      const tenon_carry_##t q = tenon_load_##t(x, b * m + i);                  \
      if (tenon_before_##t(p, q)) return -1;                                   \
      if (tenon_before_##t(q, p)) return 1;                                    \
      has_nan = has_nan || tenon_is_nan_##t(p);                                \
    }                                                                          \
    return has_nan ? 2 : 0;                                                    \
  }                                                                            \
  TENON_INLINE void tenon_unique_sort_##t(const void *x, ptrdiff_t m,          \
                                          int32_t *order, int32_t *spare,      \
                                          ptrdiff_t n) {                       \
    for (ptrdiff_t width = 1; width < n; width *= 2) {                         \
      for (ptrdiff_t low = 0; low < n; low += 2 * width) {                     \
        ptrdiff_t middle = low + width < n ? low + width : n;                  \
        ptrdiff_t high = middle + width < n ? middle + width : n;              \
        ptrdiff_t left = low, right = middle;                                  \
        for (ptrdiff_t to = low; to < high; ++to) {                            \
          bool is_right =                                                      \
              right < high &&                                                  \
              (left == middle || tenon_unique_compare_##t(x, m, order[left],   \
                                                          order[right]) == 1); \
          spare[to] = is_right ? order[right++] : order[left++];               \
        }                                                                      \
      }                                                                        \
      memcpy(order, spare, (size_t)n * sizeof *order);                         \
    }                                                                          \
  }                                                                            \
  TENON_INLINE int64_t tenon_unique_##t(const tenon_call *c, ptrdiff_t n,      \
                                        ptrdiff_t m, bool consecutive) {       \
    const void *x = c->in[0].data;                                             \
    int32_t *order = (int32_t *)c->scratch;                                    \
    int64_t *inverse = (int64_t *)c->out[1].data;                              \
    int64_t *counts = (int64_t *)c->out[2].data, found = 0;                    \
    for (ptrdiff_t i = 0; i < n; ++i)                                          \
      order[i] = (int32_t)i;                                                   \
    if (!consecutive) tenon_unique_sort_##t(x, m, order, order + n, n);        \
    for (ptrdiff_t i = 0; i < n; ++i) {                                        \
      if (i == 0 ||                                                            \
          tenon_unique_compare_##t(x, m, order[i - 1], order[i]) != 0) {       \
        for (ptrdiff_t k = 0; k < m; ++k)                                      \
          tenon_store_##t(c->out[0].data, (ptrdiff_t)found *m + k,             \
                          tenon_load_##t(x, order[i] * m + k));                \
        counts[found++] = 0;                                                   \
      }                                                                        \
      ++counts[found - 1];                                                     \
      inverse[order[i]] = found - 1;                                           \
    }                                                                          \
    return found;                                                              \
  }                                                                            \
  /* The same, without places to sort in. */                                   \
  TENON_INLINE int64_t tenon_unique_count_##t(const void *x, ptrdiff_t n,      \
                                              ptrdiff_t m, bool consecutive) { \
    int64_t found = 0;                                                         \
    for (ptrdiff_t i = 0; i < n; ++i) {                                        \
      ptrdiff_t k = consecutive && i > 0 ? i - 1 : 0;                          \
      while (k < i && tenon_unique_compare_##t(x, m, k, i) != 0)               \
        ++k;                                                                   \
      found += k == i;                                                         \
    }                                                                          \
    return found;                                                              \
  }
TENON_PLAIN_ALL(TENON_UNIQUE)

// The same groups as they first occur: row k of the result is the k-th row of x
// that equals none before it.
TENON_INLINE void tenon_unique_reorder(const tenon_call *c, ptrdiff_t n,
                                       size_t row_size) {
  const unsigned char *x = (const unsigned char *)c->in[0].data;
  unsigned char *rows = (unsigned char *)c->out[0].data;
  int64_t *inverse = (int64_t *)c->out[1].data;
  int64_t *counts = (int64_t *)c->out[2].data;
  int32_t *place = (int32_t *)c->scratch;  // of each group; -1: not seen
  ptrdiff_t found = 0;
  for (ptrdiff_t k = 0; k < n; ++k)
    place[k] = -1;
  for (ptrdiff_t i = 0; i < n; ++i) {
    const ptrdiff_t group = (ptrdiff_t)inverse[i];
    if (place[group] < 0) {
      memcpy(rows + (size_t)found * row_size, x + (size_t)i * row_size,
             row_size);
      counts[found] = 0;
      place[group] = (int32_t)found++;
    }
    inverse[i] = place[group];
    ++counts[inverse[i]];
  }
}

TENON_INLINE void tenon_unique(const tenon_call *c, bool consecutive,
                               bool first) {
  const ptrdiff_t n = c->in[0].dims[0], m = c->in[0].dims[1];
  int64_t found = 0;
#define TENON_UNIQUE_RUN(t) found = tenon_unique_##t(c, n, m, consecutive)
  TENON_PLAIN_SWITCH(c->in[0].dtype, TENON_UNIQUE_RUN)
  if (first)
    tenon_unique_reorder(c, n, (size_t)(m * tenon_element_size(&c->in[0])));
  if (c->sizes) c->sizes[0] = found;
}

#endif  // TENON_KERN_DISTINCT_H
