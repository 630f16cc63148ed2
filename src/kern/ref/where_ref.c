// where_ref.c - elements of a or b, as a condition says; all three are
// broadcast. Runs along the last dimension are walked by steps.
#include "kern/broadcast.h"
#include "kern/element.h"

TENON_KERNEL_RANGE(tenon_k_where_ref) {
  const tenon_tensor *y = &c->out[0];
  const ptrdiff_t size = tenon_element_size(y);
  const int32_t last = y->rank - 1;
  ptrdiff_t steps[3][TENON_MAX_RANK] = {{0}};
  for (int32_t i = 0; i < 3; ++i) {
    ptrdiff_t below = 1;
    for (int32_t d = last; d >= 0; --d)
      steps[i][d] = tenon_broadcast_step(&c->in[i], d, y->rank, &below);
  }
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    ptrdiff_t at[3] = {0, 0, 0}, rest = i, n = 1;
    if (last >= 0) n = y->dims[last] - i % y->dims[last];
    if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;
    for (int32_t d = last; d >= 0; rest /= y->dims[d], --d) {
      for (int32_t k = 0; k < 3; ++k)
        at[k] += rest % y->dims[d] * steps[k][d];
    }
    for (; n > 0; --n, ++i) {
      const int32_t from = ((const uint8_t *)c->in[0].data)[at[0]] ? 1 : 2;
      memmove((char *)y->data + i * size,
              (const char *)c->in[from].data + at[from] * size, (size_t)size);
      for (int32_t k = 0; last >= 0 && k < 3; ++k)
        at[k] += steps[k][last];
    }
  }
  return TENON_OK;
}
