// random_bits_ref.c - random bits as XLA's generators and LiteRT draw them:
// words of one counter after the other, the low one of 64 bits first.
#include "kern/num/counter.h"

TENON_KERNEL(tenon_k_random_bits_ref) {
  const tenon_random_bits_attrs *a = (const tenon_random_bits_attrs *)c->attrs;
  const uint64_t *state = (const uint64_t *)c->in[0].data;
  uint64_t *after = (uint64_t *)c->out[1].data;
  const int32_t parts = c->in[0].dims[0];
  const uint64_t key = state[0], more = parts > 2 ? state[2] : key;
  const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
  const bool is_wide =
      c->out[0].dtype == TENON_S64 || c->out[0].dtype == TENON_U64;
  const size_t n = tenon_count(&c->out[0]) * (is_wide ? 2 : 1);
  const size_t words = a->threefry ? 2 : 4;
  uint64_t count = state[1];
  uint32_t x[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < n; ++i) {
    if (i % words == 0) {
      x[0] = (uint32_t)count;
      x[1] = (uint32_t)(count >> 32);
      x[2] = (uint32_t)more;
      x[3] = (uint32_t)(more >> 32);
      if (a->threefry)
        tenon_threefry(low, high, x);
      else
        tenon_philox(low, high, x);
      ++count;
    }
    const uint32_t word = x[i % words];
    uint64_t *wide = (uint64_t *)c->out[0].data;
    if (!is_wide)
      ((uint32_t *)c->out[0].data)[i] = word;
    else if (i % 2 == 0)
      wide[i / 2] = word;
    else
      wide[i / 2] |= (uint64_t)word << 32;
  }
  if (parts > 2) after[2] = more;
  after[0] = key;
  after[1] = count;
  return TENON_OK;
}
