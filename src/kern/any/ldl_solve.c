// ldl_solve.c - equations of a symmetric matrix, by its factors.
#include "kern/product/symmetric.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t n = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t m = tenon_factor_columns(&c->in[2]);
  double *a = (double *)c->scratch, *x = a + n * n;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *ld = (const ELEMENT *)c->in[0].data + item * n * n;
    const ELEMENT *b = (const ELEMENT *)c->in[2].data + item * n * m;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * n * m;
    for (ptrdiff_t i = 0; i < n * n; ++i)
      a[i] = (double)ld[i];
    for (ptrdiff_t i = 0; i < n * m; ++i)
      x[i] = (double)b[i];
    if (!tenon_symmetric_solve(a, (const int32_t *)c->in[1].data + item * n, x,
                               n, m))
      return tenon_call_fail(c, "a pivot of matrix {0} is not one of {1} rows",
                             item, n);
    for (ptrdiff_t i = 0; i < n * m; ++i)
      y[i] = (ELEMENT)x[i];
  }
  return TENON_OK;
}
