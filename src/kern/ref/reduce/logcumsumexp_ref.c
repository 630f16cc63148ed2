// logcumsumexp_ref.c - the logarithm of running sums of powers of e along an
// axis, in f64 and rounded at each store: what is added to the larger of sum
// and element is log(1 + e^-d).
//
// Items are lines along the axis.
#include "kern/loop/order.h"
#include "kern/num/real64.h"

static double logcumsumexp_ref_add(double a, double b) {
  double low, high;
  if (a != a) return a;
  if (b != b) return b;
  low = a < b ? a : b;
  high = a < b ? b : a;
  if (low == high && (low - low) != 0.0) return low;
  return high + tenon_log1p(tenon_exp(low - high));
}

#define LOGCUMSUMEXP_REF(t)                                                   \
  static void logcumsumexp_ref_##t(const tenon_call *c, const tenon_lines *l, \
                                   ptrdiff_t at) {                            \
    double acc = 0.0;                                                         \
    for (ptrdiff_t i = 0; i < l->n; ++i, at += l->step) {                     \
      const double x = (double)tenon_load_##t(c->in[0].data, at);             \
      acc = i == 0 ? x + 0.0 : logcumsumexp_ref_add(acc, x);                  \
      tenon_store_##t(c->out[0].data, at, (tenon_carry_##t)acc);              \
    }                                                                         \
  }
TENON_PLAIN_REALS(LOGCUMSUMEXP_REF)

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_logcumsumexp_ref_items(const tenon_call *c) {
  return tenon_cumulate_items(c);
}

TENON_KERNEL_RANGE(tenon_k_logcumsumexp_ref) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
#define LOGCUMSUMEXP_REF_RUN(t) \
  logcumsumexp_ref_##t(c, &l, tenon_lines_first(&l, i))
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)
    TENON_REAL_SWITCH(c->in[0].dtype, LOGCUMSUMEXP_REF_RUN)
  return TENON_OK;
}
