// random_integers_ref.c - integers from low to high: the rest of a division, as
// PyTorch's random_ draws them.
#include "kern/num/generator.h"

TENON_KERNEL(tenon_k_random_integers_ref) {
  const tenon_random_integers_attrs *a =
      (const tenon_random_integers_attrs *)c->attrs;
  uint32_t *g = tenon_generator_of(c);
  const uint64_t low = (uint64_t)a->low;
  const uint64_t many = (uint64_t)a->high - low + 1u;  // 0: all of 64 bits
  const bool is_wide =
      a->wide.has ? a->wide.value : many == 0 || many >= UINT64_C(1) << 28;
  int64_t *y = (int64_t *)c->out[0].data;
  if (a->high < a->low && tenon_count(&c->out[0]) > 0)
    return tenon_call_fail(c, "no integer from {0} to {1}", a->low, a->high);
  for (ptrdiff_t i = 0, n = (ptrdiff_t)tenon_count(&c->out[0]); i < n; ++i) {
    const uint64_t v =
        is_wide ? tenon_generator_next64(g) : tenon_generator_next(g);
    y[i] = (int64_t)(many ? low + v % many : v);
  }
  return TENON_OK;
}
