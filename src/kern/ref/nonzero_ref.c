// nonzero_ref.c - the indices of elements that are not zero, a row for each, in
// the operand's order.
#include "kern/plain.h"

#define NONZERO_REF(t)                                                 \
  static int64_t nonzero_ref_##t(const tenon_tensor *x, int64_t *to) { \
    const ptrdiff_t count = (ptrdiff_t)tenon_count(x);                 \
    int64_t n = 0;                                                     \
    for (ptrdiff_t i = 0; i < count; ++i) {                            \
      if (tenon_load_##t(x->data, i) == 0) continue;                   \
      ++n;                                                             \
      if (!to) continue;                                               \
      ptrdiff_t rest = i;                                              \
      for (int32_t d = x->rank - 1; d >= 0; rest /= x->dims[d], --d)   \
        to[d] = (int64_t)(rest % x->dims[d]);                          \
      to += x->rank;                                                   \
    }                                                                  \
    return n;                                                          \
  }
TENON_PLAIN_ALL(NONZERO_REF)

TENON_KERNEL(tenon_k_nonzero_ref) {
  int64_t *to = (int64_t *)c->out[0].data;
#define NONZERO_REF_RUN(t) c->sizes[0] = nonzero_ref_##t(&c->in[0], to)
  TENON_PLAIN_SWITCH(c->in[0].dtype, NONZERO_REF_RUN)
  return TENON_OK;
}
