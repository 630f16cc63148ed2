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
LOGCUMSUMEXP_REF(f32)
LOGCUMSUMEXP_REF(f64)
LOGCUMSUMEXP_REF(f16)
LOGCUMSUMEXP_REF(bf16)

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_logcumsumexp_ref_items(const tenon_call *c) {
  return tenon_lines_count(&c->in[0],
                           ((const tenon_cumulate_attrs *)c->attrs)->axis);
}

TENON_KERNEL_RANGE(tenon_k_logcumsumexp_ref) {
  const tenon_cumulate_attrs *a = (const tenon_cumulate_attrs *)c->attrs;
  const tenon_lines l = tenon_lines_of(&c->in[0], a->axis);
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
    const ptrdiff_t at = tenon_lines_first(&l, i);
    if (c->in[0].dtype == TENON_F64)
      logcumsumexp_ref_f64(c, &l, at);
    else if (c->in[0].dtype == TENON_F16)
      logcumsumexp_ref_f16(c, &l, at);
    else if (c->in[0].dtype == TENON_BF16)
      logcumsumexp_ref_bf16(c, &l, at);
    else
      logcumsumexp_ref_f32(c, &l, at);
  }
  return TENON_OK;
}
