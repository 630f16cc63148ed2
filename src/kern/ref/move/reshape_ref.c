// reshape_ref.c - the same elements in the same order under other dimensions.
#include "kern/loop/element.h"
#include "kern/op/move.h"

TENON_KERNEL(tenon_k_reshape_ref) {
  return tenon_copy_tensor(&c->in[0], &c->out[0]);
}
