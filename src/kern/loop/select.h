// kern/loop/select.h - attributes of the operators that read and write elements
// at places given by indices or strides: core::index, gather, index_put,
// scatter, as_strided, strided_update, expand, triangular.
//
// What is written where something stands goes by `mode`; a mean divides by how
// many were put together, with the old element if it is included.
#ifndef TENON_KERN_SELECT_H
#define TENON_KERN_SELECT_H

#include <string.h>

#include "kern/loop/element.h"
#include "kern/loop/plain.h"

typedef enum tenon_scatter_mode {
  TENON_SCATTER_SET,
  TENON_SCATTER_ADD,
  TENON_SCATTER_MUL,
  TENON_SCATTER_MAX,
  TENON_SCATTER_MIN,
  TENON_SCATTER_MEAN
} tenon_scatter_mode;

typedef struct tenon_index_attrs {
  int64_t axis;  // of the first indexed dimension; not negative
  bool wrap;     // negative indices count from the end, else are errors
} tenon_index_attrs;

typedef struct tenon_index_put_attrs {
  int64_t axis;
  int64_t mode;  // tenon_scatter_mode
  bool include_self, wrap;
} tenon_index_put_attrs;

typedef struct tenon_gather_attrs {
  int64_t axis;  // not negative
} tenon_gather_attrs;

typedef struct tenon_scatter_attrs {
  int64_t axis;  // not negative
  int64_t mode;  // tenon_scatter_mode
  bool include_self;
} tenon_scatter_attrs;

typedef struct tenon_expand_attrs {
  tenon_ints shape;
} tenon_expand_attrs;

typedef struct tenon_as_strided_attrs {
  tenon_ints size, stride;
  int64_t offset;
} tenon_as_strided_attrs;

typedef struct tenon_strided_update_attrs {
  tenon_ints stride;
  int64_t offset;
} tenon_strided_update_attrs;

typedef struct tenon_triangular_attrs {
  int64_t diagonal;
  bool upper;
} tenon_triangular_attrs;

typedef struct tenon_triangle_indices_attrs {
  int64_t rows, columns, offset;
  bool upper;
} tenon_triangle_indices_attrs;

typedef struct tenon_check_attrs {
  const char *message;
} tenon_check_attrs;

// Several index tensors of one shape select elements of dimensions axis,
// axis + 1, ...; what is behind those moves as a block.
typedef struct tenon_indexed {
  const tenon_tensor *indices;
  int32_t n_indices;
  ptrdiff_t count, block;          // indices; elements behind them
  ptrdiff_t span;                  // elements of all indexed dimensions
  ptrdiff_t size[TENON_MAX_RANK];  // of the indexed dimensions
} tenon_indexed;

TENON_INLINE tenon_indexed tenon_indexed_of(const tenon_tensor *x,
                                            const tenon_tensor *indices,
                                            int32_t n_indices, int64_t axis) {
  tenon_indexed g;
  g.indices = indices;
  g.n_indices = n_indices;
  g.count = (ptrdiff_t)tenon_count(&indices[0]);
  g.block = g.span = 1;
  for (int32_t d = (int32_t)axis; d < x->rank; ++d) {
    if (d < (int32_t)axis + n_indices)
      g.span *= g.size[d - axis] = x->dims[d];
    else
      g.block *= x->dims[d];
  }
  return g;
}

// Where block i of the indices lies, in blocks; negative indices count from the
// end if `wrap` says so. Fails where one is out of range.
TENON_INLINE tenon_status tenon_indexed_at(const tenon_call *c,
                                           const tenon_indexed *g, bool wrap,
                                           ptrdiff_t i, ptrdiff_t *at) {
  *at = 0;
  for (int32_t k = 0; k < g->n_indices; ++k) {
    int64_t index = tenon_index_load(&g->indices[k], i);
    if (index < (wrap ? -(int64_t)g->size[k] : 0) ||
        index >= (int64_t)g->size[k])
      return tenon_call_fail(c, "index {0} of a dimension of {1}", index,
                             (int64_t)g->size[k]);
    if (index < 0) index += (int64_t)g->size[k];
    *at = *at * g->size[k] + (ptrdiff_t)index;
  }
  return TENON_OK;
}

// Puts element `from` of src at element `to` of y; `is_first`: what stands
// there does not count.
#define TENON_SCATTER_PUT(t)                                               \
  TENON_INLINE void tenon_scatter_put_##t(void *y, ptrdiff_t to,           \
                                          const void *src, ptrdiff_t from, \
                                          int64_t mode, bool is_first) {   \
    const tenon_carry_##t v = tenon_load_##t(src, from);                   \
    tenon_carry_##t old = tenon_load_##t(y, to);                           \
    if (mode == TENON_SCATTER_SET || is_first)                             \
      old = v;                                                             \
    else if (mode == TENON_SCATTER_ADD || mode == TENON_SCATTER_MEAN)      \
      old = tenon_plus_##t(old, v);                                        \
    else if (mode == TENON_SCATTER_MUL)                                    \
      old = tenon_times_##t(old, v);                                       \
    else if (!tenon_is_nan_##t(old) &&                                     \
             (tenon_is_nan_##t(v) ||                                       \
              (mode == TENON_SCATTER_MAX ? v > old : v < old)))            \
      old = v;                                                             \
    tenon_store_##t(y, to, old);                                           \
  }
TENON_PLAIN_ALL(TENON_SCATTER_PUT)

// Element i of y divided by n: integers round down, as PyTorch's mean does.
#define TENON_SCATTER_DIVIDE_REAL(t)                                  \
  TENON_INLINE void tenon_scatter_divide_##t(void *y, ptrdiff_t i,    \
                                             int64_t n) {             \
    tenon_store_##t(y, i, tenon_load_##t(y, i) / (tenon_carry_##t)n); \
  }
#define TENON_SCATTER_DIVIDE_INTEGER(t)                            \
  TENON_INLINE void tenon_scatter_divide_##t(void *y, ptrdiff_t i, \
                                             int64_t n) {          \
    const tenon_carry_##t v = tenon_load_##t(y, i);                \
    tenon_carry_##t q = v / (tenon_carry_##t)n;                    \
    if (q * (tenon_carry_##t)n > v) --q;                           \
    tenon_store_##t(y, i, q);                                      \
  }
TENON_PLAIN_REALS(TENON_SCATTER_DIVIDE_REAL)
TENON_PLAIN_INTEGERS(TENON_SCATTER_DIVIDE_INTEGER)

#endif  // TENON_KERN_SELECT_H
