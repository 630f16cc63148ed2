// repeat_interleave_ref.c - every index as often as the element there says.
#include "kern/loop/plain.h"

TENON_KERNEL(tenon_k_repeat_interleave_ref_measure) {
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  int64_t sum = 0;
  for (ptrdiff_t i = 0; i < n; ++i) {
    int64_t times = tenon_index_load(&c->in[0], i);
    if (times < 0 || times > INT32_MAX - sum)
      return tenon_call_fail(c, "{0} repetitions after {1}", times, sum);
    sum += times;
  }
  c->sizes[0] = sum;
  return TENON_OK;
}

TENON_KERNEL(tenon_k_repeat_interleave_ref) {
  const ptrdiff_t n = (ptrdiff_t)tenon_count(&c->in[0]);
  int64_t *to = (int64_t *)c->out[0].data;
  const int64_t most = c->out[0].dims[0];
  int64_t k = 0;
  for (ptrdiff_t i = 0; i < n; ++i) {
    int64_t times = tenon_index_load(&c->in[0], i);
    if (times < 0 || times > most - k)
      return tenon_call_fail(c, "{0} repetitions after {1}", times, k);
    for (; times > 0; --times)
      to[k++] = (int64_t)i;
  }
  if (c->sizes) c->sizes[0] = k;
  return TENON_OK;
}
