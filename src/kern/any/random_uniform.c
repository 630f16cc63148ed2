// random_uniform.c - even numbers from low to high, without high, as PyTorch's
// uniform_ draws them: a number that is rounded up to high becomes low.
#include "kern/num/generator.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_random_uniform_attrs *a =
      (const tenon_random_uniform_attrs *)c->attrs;
  uint32_t *g = tenon_generator_of(c);
  (void)begin;  // one item: numbers come one after the other
  (void)end;
  const NUMBER low = (NUMBER)a->low, high = (NUMBER)a->high;
  const NUMBER most = LOAD(STORE(high));
  ELEMENT *y = (ELEMENT *)c->out[0].data;
  for (ptrdiff_t i = 0, n = (ptrdiff_t)tenon_count(&c->out[0]); i < n; ++i) {
    const ELEMENT v = STORE(fmaF(tenon_generator_WIDE(g), high - low, low));
    y[i] = LOAD(v) == most ? STORE(low) : v;
  }
  return TENON_OK;
}
