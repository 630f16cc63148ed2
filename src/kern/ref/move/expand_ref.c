// expand_ref.c - dimensions of size one repeated, and new ones in front, for
// elements of whole bytes.
//
// Items are elements of the result.
#include "kern/loop/broadcast.h"
#include "kern/loop/element.h"

TENON_KERNEL_RANGE(tenon_k_expand_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(x);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t rest = i, at = 0, below = 1;
    for (int32_t d = y->rank - 1; d >= 0; rest /= y->dims[d], --d) {
      const ptrdiff_t step = tenon_broadcast_step(x, d, y->rank, &below);
      at += rest % y->dims[d] * step;
    }
    memcpy((unsigned char *)y->data + i * size,
           (const unsigned char *)x->data + at * size, (size_t)size);
  }
  return TENON_OK;
}
