// kern/op/bags.h - core::embedding_bag: rows of a table, summed, averaged or
// their largest, for each bag.
//
// Bag i has the indices from offsets[i] to offsets[i + 1], the last one all
// that are left. Items are bags.
#ifndef TENON_KERN_BAGS_H
#define TENON_KERN_BAGS_H

#include "kern/loop/wide.h"

typedef struct tenon_embedding_bag_attrs {
  int64_t mode;     // 0 sum, 1 mean, 2 max
  int64_t padding;  // an index that counts nothing; -1: none
} tenon_embedding_bag_attrs;

#define TENON_BAGS_KERNEL(name, T)                                            \
  static void name##_add(T *y, const T *row, ptrdiff_t n, int64_t mode,       \
                         bool is_first, T factor) {                           \
    if (mode == 2) {                                                          \
      TENON_INDEPENDENT                                                       \
      for (ptrdiff_t j = 0; j < n; ++j)                                       \
        y[j] = is_first || row[j] > y[j] || row[j] != row[j] ? row[j] : y[j]; \
    } else {                                                                  \
      TENON_INDEPENDENT                                                       \
      for (ptrdiff_t j = 0; j < n; ++j)                                       \
        y[j] += row[j] * factor;                                              \
    }                                                                         \
  }                                                                           \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_embedding_bag_attrs *a =                                      \
        (const tenon_embedding_bag_attrs *)c->attrs;                          \
    const int64_t *index = (const int64_t *)c->in[1].data;                    \
    const int64_t *offset = (const int64_t *)c->in[2].data;                   \
    const T *factor = (const T *)c->in[3].data;                               \
    const ptrdiff_t n = c->in[0].dims[1];                                     \
    const int64_t count = c->in[1].dims[0], rows = c->in[0].dims[0];          \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {           \
      T *y = (T *)c->out[0].data + i * n;                                     \
      const int64_t to = i + 1 < c->in[2].dims[0] ? offset[i + 1] : count;    \
      ptrdiff_t used = 0;                                                     \
      if (i == 0 && offset[i] != 0)                                           \
        return tenon_call_fail(c, "offset {0} of the first bag, not 0",       \
                               offset[i], 0);                                 \
      if (offset[i] < 0 || to > count)                                        \
        return tenon_call_fail(c, "offset {0}, with {1} indices", offset[i],  \
                               count);                                        \
      for (ptrdiff_t j = 0; j < n; ++j)                                       \
        y[j] = 0;                                                             \
      for (int64_t k = offset[i]; k < to; ++k) {                              \
        if (index[k] < 0 || index[k] >= rows)                                 \
          return tenon_call_fail(c, "index {0} of {1} rows", index[k], rows); \
        if (index[k] == a->padding) continue;                                 \
        name##_add(y, (const T *)c->in[0].data + index[k] * n, n, a->mode,    \
                   used == 0, factor ? factor[k] : 1);                        \
        ++used;                                                               \
      }                                                                       \
      for (ptrdiff_t j = 0; j < n && a->mode == 1 && used; ++j)               \
        y[j] /= (T)used;                                                      \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_BAGS_H
