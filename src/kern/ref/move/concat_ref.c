// concat_ref.c - tensors one after the other along an axis, for elements of
// whole bytes.
//
// Items are the positions before that axis: each copies one run per operand.
#include "kern/loop/element.h"
#include "kern/op/move.h"

// A few bytes go without a call.
#ifdef TENON_WIDE_LOOPS
#define CONCAT_REF_FEW(n) \
  case n:                 \
    memcpy(to, from, n);  \
    break;
#else
#define CONCAT_REF_FEW(n)
#endif

TENON_KERNEL_RANGE(tenon_k_concat_ref) {
  const tenon_concat_attrs *a = (const tenon_concat_attrs *)c->attrs;
  const tenon_tensor *y = &c->out[0];
  const int32_t axis = (int32_t)(a->axis < 0 ? a->axis + y->rank : a->axis);
  ptrdiff_t below = tenon_element_size(y);
  for (int32_t d = axis + 1; d < y->rank; ++d)
    below *= y->dims[d];
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    unsigned char *to = (unsigned char *)y->data + item * y->dims[axis] * below;
    for (int i = 0; i < c->n_in; ++i) {
      ptrdiff_t run = c->in[i].dims[axis] * below;
      if (run == 0) continue;
      const unsigned char *from =
          (const unsigned char *)c->in[i].data + item * run;
      switch (run) {
        CONCAT_REF_FEW(4)
        CONCAT_REF_FEW(8)
        CONCAT_REF_FEW(16)
        default:
          memcpy(to, from, (size_t)run);
      }
      to += run;
    }
  }
  return TENON_OK;
}
