// lsh_projection_ref.c - bits that say on which side of random planes x lies: a
// sum of what its rows hash to with a seed, by their weights, is above zero.
//
// Items are elements of the result.
#include "kern/num/fingerprint.h"

static int32_t lsh_projection_ref_bit(const tenon_call *c, uint64_t bytes,
                                      int64_t hash) {
  const float *weight = c->n_in > 2 ? (const float *)c->in[2].data : NULL;
  const int32_t rows = c->in[1].dims[0];
  tenon_lsh_key key = {&c->in[1], 0, 0, bytes + 4};
  double score = 0;
  memcpy(&key.seed, (const float *)c->in[0].data + hash, sizeof key.seed);
  for (int32_t i = 0; i < rows; ++i, key.row += bytes) {
    const double value = (double)(int64_t)tenon_lsh_fingerprint(&key);
    score += weight ? (double)weight[i] * value : value;
  }
  return score > 0;
}

TENON_KERNEL_RANGE(tenon_k_lsh_projection_ref) {
  const tenon_lsh_projection_attrs *a =
      (const tenon_lsh_projection_attrs *)c->attrs;
  const int32_t bits = c->in[0].dims[1];
  const uint64_t bytes =
      tenon_lsh_bytes(&c->in[1]) / (uint64_t)c->in[1].dims[0];
  int32_t *to = (int32_t *)c->out[0].data;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    if (!a->sparse) {
      to[i] = lsh_projection_ref_bit(c, bytes, i);
      continue;
    }
    uint32_t word = 0;
    for (int32_t k = 0; k < bits; ++k)
      word =
          word << 1 | (uint32_t)lsh_projection_ref_bit(c, bytes, i * bits + k);
    to[i] = (int32_t)(word + ((uint32_t)((uint64_t)i << bits)));
  }
  return TENON_OK;
}
