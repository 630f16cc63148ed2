// number_ref.c - a number as a tensor without dimensions.
#include "kern/op/cast.h"

TENON_KERNEL(tenon_k_number_ref) {
  const tenon_number_attrs *a = (const tenon_number_attrs *)c->attrs;
  const tenon_tensor *y = &c->out[0];
  tenon_number_store(y->data, y->dtype, 0,
                     a->value.kind == TENON_KIND_FLOAT
                         ? tenon_number_of_real(a->value.as.f)
                         : tenon_number_of_signed(a->value.as.i));
  return TENON_OK;
}
