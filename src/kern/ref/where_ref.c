// where_ref.c - elements of a or b, as a condition says; all three are
// broadcast.
#include "kern/broadcast.h"
#include "kern/element.h"

TENON_KERNEL_RANGE(tenon_k_where_ref) {
  const tenon_tensor *y = &c->out[0];
  const size_t size = (size_t)tenon_element_size(y);
  ptrdiff_t steps[3][TENON_MAX_RANK];
  for (int32_t i = 0; i < 3; ++i) {
    ptrdiff_t below = 1;
    for (int32_t d = y->rank - 1; d >= 0; --d)
      steps[i][d] = tenon_broadcast_step(&c->in[i], d, y->rank, &below);
  }
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    ptrdiff_t at[3] = {0, 0, 0}, rest = i;
    for (int32_t d = y->rank - 1; d >= 0; rest /= y->dims[d], --d) {
      const ptrdiff_t index = rest % y->dims[d];
      for (int32_t k = 0; k < 3; ++k)
        at[k] += index * steps[k][d];
    }
    const int32_t from = ((const uint8_t *)c->in[0].data)[at[0]] ? 1 : 2;
    memmove((char *)y->data + (size_t)i * size,
            (const char *)c->in[from].data + (size_t)at[from] * size, size);
  }
  return TENON_OK;
}
