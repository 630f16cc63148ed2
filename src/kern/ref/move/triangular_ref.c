// triangular_ref.c - matrices with zeros below or above a diagonal, for
// elements of whole bytes.
//
// Items are rows of the matrices.
#include "kern/loop/select.h"

TENON_KERNEL_RANGE(tenon_k_triangular_ref) {
  const tenon_triangular_attrs *a = (const tenon_triangular_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  const ptrdiff_t size = tenon_element_size(x);
  const ptrdiff_t rows = x->dims[x->rank - 2], width = x->dims[x->rank - 1];
  const unsigned char *from = (const unsigned char *)x->data;
  unsigned char *to = (unsigned char *)c->out[0].data;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    // Elements below `cut` are on one side, the others on the other.
    int64_t cut = row % rows + a->diagonal + (a->upper ? 0 : 1);
    ptrdiff_t at = (ptrdiff_t)(cut < 0 ? 0 : cut > width ? width : cut) * size;
    ptrdiff_t line = row * width * size;
    ptrdiff_t kept = a->upper ? at : 0, zero = a->upper ? 0 : at;
    ptrdiff_t n_kept = a->upper ? width * size - at : at;
    ptrdiff_t n_zero = width * size - n_kept;
    if (to != from && n_kept)
      memcpy(to + line + kept, from + line + kept, (size_t)n_kept);
    if (n_zero) memset(to + line + zero, 0, (size_t)n_zero);
  }
  return TENON_OK;
}
