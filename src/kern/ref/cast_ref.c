// cast_ref.c - numbers of one plain type as another.
#include "kern/cast.h"

TENON_KERNEL_RANGE(tenon_k_cast_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    tenon_number_store(y->data, y->dtype, i,
                       tenon_number_load(x->data, x->dtype, i));
  return TENON_OK;
}
