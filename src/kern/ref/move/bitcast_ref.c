// bitcast_ref.c - the same bytes as elements of another type. They are copied:
// memory that was written as one type is not read as another.
#include "kern/loop/element.h"
#include "kern/op/cast.h"

TENON_KERNEL(tenon_k_bitcast_ref) {
  return tenon_copy_tensor(&c->in[0], &c->out[0]);
}
