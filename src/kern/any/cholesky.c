// cholesky.c - the triangle whose product with its transpose is x.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_cholesky_attrs *attrs = (const tenon_cholesky_attrs *)c->attrs;
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]);
  double *a = (double *)c->scratch;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * n * n;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * n * n;
    for (ptrdiff_t i = 0; i < n * n; ++i)
      a[i] = (double)(attrs->upper ? x[i % n * n + i / n] : x[i]);
    const int32_t info = tenon_factor_cholesky(a, n);
    if (info && attrs->check)
      return tenon_call_fail(
          c, "matrix {0} is not positive-definite: its minor of order {1}",
          item, info);
    for (ptrdiff_t i = 0; i < n * n; ++i) {
      const ptrdiff_t row = attrs->upper ? i % n : i / n;
      const ptrdiff_t column = attrs->upper ? i / n : i % n;
      y[i] = column > row ? 0 : (ELEMENT)a[row * n + column];
    }
    ((int32_t *)c->out[1].data)[item] = info;
  }
  return TENON_OK;
}
