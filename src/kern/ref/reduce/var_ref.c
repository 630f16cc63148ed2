// var_ref.c - variances of any float type, in two passes: the mean, then the
// squares of what differs from it, over the count less `correction`, not below
// zero. Both are chains of f64, rounded once at the end.
//
// The mean, which is the result with `mean`, is the running one that PyTorch
// keeps where a chain of f64 has no finite sum: NaN behind an infinity that is
// not the last element.
//
// Items are outputs.
#include <math.h>

#include "kern/loop/reduce.h"

#define VAR_REF(t)                                                        \
  static double var_ref_running_##t(const tenon_call *c,                  \
                                    const tenon_reduce *r, ptrdiff_t i) { \
    double mean = r->count ? 0.0 : (double)NAN, n = 0.0;                  \
    TENON_REDUCE_EACH(*r, i)                                              \
    mean += ((double)tenon_load_##t(c->in[0].data, at) - mean) / ++n;     \
    return mean;                                                          \
  }                                                                       \
  static void var_ref_##t(const tenon_call *c, const tenon_reduce *r,     \
                          ptrdiff_t i) {                                  \
    const tenon_var_attrs *a = (const tenon_var_attrs *)c->attrs;         \
    double mean = 0.0, sum = 0.0, n = (double)r->count - a->correction;   \
    TENON_REDUCE_EACH(*r, i)                                              \
    mean += (double)tenon_load_##t(c->in[0].data, at);                    \
    mean /= (double)r->count;                                             \
    if (mean - mean != 0.0) mean = var_ref_running_##t(c, r, i);          \
    if (a->mean) {                                                        \
      tenon_store_##t(c->out[0].data, i, (tenon_carry_##t)mean);          \
      return;                                                             \
    }                                                                     \
    TENON_REDUCE_EACH(*r, i) {                                            \
      const double d = (double)tenon_load_##t(c->in[0].data, at) - mean;  \
      sum += d * d;                                                       \
    }                                                                     \
    tenon_store_##t(c->out[0].data, i,                                    \
                    (tenon_carry_##t)(sum / (n > 0.0 ? n : 0.0)));        \
  }
TENON_PLAIN_REALS(VAR_REF)

TENON_KERNEL_RANGE(tenon_k_var_ref) {
  const tenon_var_attrs *a = (const tenon_var_attrs *)c->attrs;
  const tenon_reduce r = tenon_reduce_over(&c->in[0], a->dims);
#define VAR_REF_RUN(t) var_ref_##t(c, &r, i)
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    TENON_REAL_SWITCH(c->in[0].dtype, VAR_REF_RUN)
  return TENON_OK;
}
