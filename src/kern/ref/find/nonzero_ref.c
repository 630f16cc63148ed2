// nonzero_ref.c - the indices of elements that are not zero, a row for each, in
// the operand's order. The result has room for all.
#include "kern/loop/nonzero.h"

TENON_KERNEL(tenon_k_nonzero_ref) {
  int64_t *to = (int64_t *)c->out[0].data;
#define NONZERO_REF_RUN(t) c->sizes[0] = tenon_nonzero_##t(&c->in[0], to)
  TENON_PLAIN_SWITCH(c->in[0].dtype, NONZERO_REF_RUN)
  return TENON_OK;
}
