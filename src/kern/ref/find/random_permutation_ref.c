// random_permutation_ref.c - 0 to n - 1 in any order, as PyTorch's randperm
// exchanges them.
#include "kern/num/generator.h"

TENON_KERNEL(tenon_k_random_permutation_ref) {
  uint32_t *g = tenon_generator_of(c);
  int64_t *y = (int64_t *)c->out[0].data;
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->out[0]);
  for (ptrdiff_t i = 0; i < n; ++i)
    y[i] = i;
  for (ptrdiff_t i = 0; i + 1 < n; ++i) {
    const ptrdiff_t other =
        i + (ptrdiff_t)(tenon_generator_next(g) % (uint32_t)(n - i));
    const int64_t kept = y[i];
    y[i] = y[other];
    y[other] = kept;
  }
  return TENON_OK;
}
