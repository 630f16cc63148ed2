// ldl.c - symmetric matrices as L D L'; above the diagonal are zeros.
#include "kern/product/symmetric.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t n = tenon_factor_rows(&c->in[0]);
  double *a = (double *)c->scratch;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * n * n;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * n * n;
    for (ptrdiff_t i = 0; i < n * n; ++i)
      a[i] = i % n > i / n ? 0.0 : (double)x[i];
    const int32_t info =
        tenon_symmetric_factor(a, n, (int32_t *)c->out[1].data + item * n);
    if (info && ((const tenon_ldl_attrs *)c->attrs)->check)
      return tenon_call_fail(c, "matrix {0} is singular: block {1} is 0", item,
                             info);
    for (ptrdiff_t i = 0; i < n * n; ++i)
      y[i] = (ELEMENT)a[i];
    ((int32_t *)c->out[2].data)[item] = info;
  }
  return TENON_OK;
}
