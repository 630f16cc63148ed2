// prod_ref.c - products of any plain type, begun at one; integers wrap.
//
// One chain per output in the operand's order. 16-bit floats round at every
// step, as PyTorch does, whose order they have too: 64 elements side by side or
// more go in 64 chains, which are joined at the end of the run. What has no
// part in a chain of 64 follows by itself.
//
// Items are outputs.
#include "kern/loop/sum.h"

#define PROD_REF(t)  \
  TENON_REDUCE_TYPE( \
      prod_ref, t, t, tenon_carry_##t, 1, acc = tenon_times_##t(acc, x);, acc)
PROD_REF(f32)
PROD_REF(f64)
TENON_PLAIN_INTEGERS(PROD_REF)

enum { PROD_REF_LANES = 16, PROD_REF_CHAINS = 64 };

#define PROD_REF_HALF(t)                                                       \
  static float prod_ref_step_##t(float a, float b) {                           \
    uint16_t y;                                                                \
    tenon_store_##t(&y, 0, a *b);                                              \
    return tenon_load_##t(&y, 0);                                              \
  }                                                                            \
  /* The product of the first n elements, a multiple of the chains. */         \
  static float prod_ref_chains_##t(const void *x, ptrdiff_t at, ptrdiff_t n) { \
    float acc[PROD_REF_CHAINS];                                                \
    for (ptrdiff_t j = 0; j < PROD_REF_CHAINS; ++j)                            \
      acc[j] = tenon_load_##t(x, at + j);                                      \
    for (ptrdiff_t k = PROD_REF_CHAINS; k < n; k += PROD_REF_CHAINS)           \
      for (ptrdiff_t j = 0; j < PROD_REF_CHAINS; ++j)                          \
        acc[j] = prod_ref_step_##t(acc[j], tenon_load_##t(x, at + k + j));     \
    for (ptrdiff_t j = 0; j < PROD_REF_LANES; ++j) {                           \
      const float low = prod_ref_step_##t(acc[j], acc[j + PROD_REF_LANES]);    \
      const float high = prod_ref_step_##t(acc[j + 2 * PROD_REF_LANES],        \
                                           acc[j + 3 * PROD_REF_LANES]);       \
      acc[j] = prod_ref_step_##t(low, high);                                   \
      if (j > 0) acc[0] = prod_ref_step_##t(acc[0], acc[j]);                   \
    }                                                                          \
    return acc[0];                                                             \
  }                                                                            \
  static void prod_ref_##t(const tenon_call *c, ptrdiff_t begin,               \
                           ptrdiff_t end) {                                    \
    tenon_reduce r =                                                           \
        tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);      \
    tenon_sum_join(&r);                                                        \
    const ptrdiff_t run = tenon_reduce_run(&r), step = tenon_reduce_step(&r);  \
    for (ptrdiff_t i = begin; i < end; ++i) {                                  \
      float acc = 1.0f;                                                        \
      const ptrdiff_t from =                                                   \
          tenon_reduce_at(r.kept, r.kept_step, r.n_kept, i);                   \
      for (ptrdiff_t k = 0; k < r.count; k += run) {                           \
        const ptrdiff_t at =                                                   \
            from + tenon_reduce_at(r.summed, r.summed_step, r.n_summed, k);    \
        ptrdiff_t j = step == 1 ? run / PROD_REF_CHAINS * PROD_REF_CHAINS : 0; \
        if (j)                                                                 \
          acc = prod_ref_step_##t(acc,                                         \
                                  prod_ref_chains_##t(c->in[0].data, at, j));  \
        for (; j < run; ++j)                                                   \
          acc = prod_ref_step_##t(                                             \
              acc, tenon_load_##t(c->in[0].data, at + j * step));              \
      }                                                                        \
      tenon_store_##t(c->out[0].data, i, acc);                                 \
    }                                                                          \
  }
PROD_REF_HALF(f16)
PROD_REF_HALF(bf16)

TENON_KERNEL_RANGE(tenon_k_prod_ref) {
#define PROD_REF_RUN(t) prod_ref_##t(c, (ptrdiff_t)begin, (ptrdiff_t)end)
  TENON_PLAIN_SWITCH(c->in[0].dtype, PROD_REF_RUN)
  return TENON_OK;
}
