// bincount_ref.c - how often each number from zero occurs, or the sum of the
// weights that stand where it does.
#include "kern/loop/order.h"
#include "kern/op/cast.h"

TENON_KERNEL(tenon_k_bincount_ref_measure) {
  const tenon_bincount_attrs *a = (const tenon_bincount_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  const ptrdiff_t n = (ptrdiff_t)tenon_count(x);
  int64_t most = a->minlength;
  for (ptrdiff_t i = 0; i < n; ++i) {
    int64_t v = (int64_t)tenon_number_load(x->data, x->dtype, i).bits;
    if (v < 0 || v >= INT32_MAX)
      return tenon_call_fail(c, "{0} is counted, at most {1} can be", v,
                             INT32_MAX - 1);
    if (v >= most) most = v + 1;
  }
  c->sizes[0] = most;
  return TENON_OK;
}

TENON_KERNEL(tenon_k_bincount_ref) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0], *w = &c->in[1];
  const ptrdiff_t n = (ptrdiff_t)tenon_count(x);
  const tenon_bincount_attrs *a = (const tenon_bincount_attrs *)c->attrs;
  int64_t most = a->minlength;
  if (tenon_count(y))
    memset(y->data, 0,
           tenon_count(y) * (size_t)(y->dtype == TENON_F32 ? 4 : 8));
  for (ptrdiff_t i = 0; i < n; ++i) {
    int64_t v = (int64_t)tenon_number_load(x->data, x->dtype, i).bits;
    if (v < 0 || v >= y->dims[0])
      return tenon_call_fail(c, "{0} is counted in {1} bins", v, y->dims[0]);
    if (v >= most) most = v + 1;
    if (w->dtype == TENON_F32)
      ((float *)y->data)[v] += ((const float *)w->data)[i];
    else if (w->dtype == TENON_F64)
      ((double *)y->data)[v] += ((const double *)w->data)[i];
    else
      ((int64_t *)y->data)[v] += 1;
  }
  if (c->sizes) c->sizes[0] = most;
  return TENON_OK;
}
