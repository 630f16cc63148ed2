// dynamic_slice_ref.c - a window that begins where an operand says, for
// elements of whole bytes.
#include "kern/op/dynamic.h"

TENON_KERNEL(tenon_k_dynamic_slice_ref) {
  const tenon_dynamic_slice_attrs *a =
      (const tenon_dynamic_slice_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const ptrdiff_t at = tenon_dynamic_begin(x, y->dims, a->axes, &c->in[1]);
  if (tenon_count(y) == 0) return TENON_OK;
  tenon_copy_window((unsigned char *)y->data,
                    (unsigned char *)x->data + at * size, y->dims, x->dims,
                    x->rank, size, true);
  return TENON_OK;
}
