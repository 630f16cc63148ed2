// cast_ref.c - numbers of one plain type as another.
#include "kern/op/cast.h"

TENON_KERNEL_RANGE(tenon_k_cast_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const bool wraps = ((const tenon_cast_attrs *)c->attrs)->wrap &&
                     tenon_cast_is_integer(y->dtype);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    tenon_number n = tenon_number_load(x->data, x->dtype, i);
    if (wraps) n = tenon_number_wrap(n, y->dtype);
    tenon_number_store(y->data, y->dtype, i, n);
  }
  return TENON_OK;
}
