// nonzero_within_ref.c - the same as nonzero_ref.c where the result has no
// room for all: they are counted first.
#include "kern/loop/nonzero.h"

#define NONZERO_WITHIN_REF(t) count = tenon_nonzero_##t(&c->in[0], to)

TENON_KERNEL(tenon_k_nonzero_within_ref_measure) {
  int64_t *to = NULL, count = 0;
  TENON_PLAIN_SWITCH(c->in[0].dtype, NONZERO_WITHIN_REF)
  c->sizes[0] = count;
  return TENON_OK;
}

TENON_KERNEL(tenon_k_nonzero_within_ref) {
  int64_t *to = (int64_t *)c->out[0].data, count = 0;
  TENON_PLAIN_SWITCH(c->in[0].dtype, NONZERO_WITHIN_REF)
  if (c->sizes) c->sizes[0] = count;
  return TENON_OK;
}
