// dynamic_update_ref.c - a tensor with a window replaced, where an operand
// says, for elements of whole bytes. In place nothing but the window moves.
#include "kern/op/dynamic.h"

TENON_KERNEL(tenon_k_dynamic_update_ref) {
  const tenon_dynamic_update_attrs *a =
      (const tenon_dynamic_update_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *update = &c->in[1], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  const ptrdiff_t at = tenon_dynamic_begin(x, update->dims, a->axes, &c->in[2]);
  if (tenon_count(y) == 0) return TENON_OK;
  if (y->data != x->data) memcpy(y->data, x->data, tenon_tensor_size(x));
  if (tenon_count(update) == 0) return TENON_OK;
  tenon_copy_window((unsigned char *)update->data,
                    (unsigned char *)y->data + at * size, update->dims, x->dims,
                    x->rank, size, false);
  return TENON_OK;
}
