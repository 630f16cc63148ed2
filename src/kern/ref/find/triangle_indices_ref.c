// triangle_indices_ref.c - rows and columns of what is not above, or not below,
// a diagonal of a matrix, row by row.
#include "kern/loop/select.h"

TENON_KERNEL(tenon_k_triangle_indices_ref) {
  const tenon_triangle_indices_attrs *a =
      (const tenon_triangle_indices_attrs *)c->attrs;
  const int64_t n = c->out[0].dims[1];
  int64_t *to = (int64_t *)c->out[0].data, k = 0;
  for (int64_t row = 0; row < a->rows; ++row) {
    for (int64_t column = 0; column < a->columns; ++column) {
      bool is_in =
          a->upper ? column - row >= a->offset : column - row <= a->offset;
      if (!is_in || k >= n) continue;
      to[k] = row;
      to[n + k++] = column;
    }
  }
  return TENON_OK;
}
