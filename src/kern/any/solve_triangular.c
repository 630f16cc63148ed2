// solve_triangular.c - x with a x = b, by substitution.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const tenon_solve_triangular_attrs *attrs =
      (const tenon_solve_triangular_attrs *)c->attrs;
  const ptrdiff_t n = tenon_factor_rows(&c->in[1]);
  const ptrdiff_t k = tenon_factor_columns(&c->in[1]);
  double *a = (double *)c->scratch, *x = a + n * n;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *from = (const ELEMENT *)c->in[0].data + item * n * n;
    const ELEMENT *b = (const ELEMENT *)c->in[1].data + item * n * k;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * n * k;
    for (ptrdiff_t i = 0; i < n * n; ++i)
      a[i] = (double)from[i];
    for (ptrdiff_t i = 0; i < n * k; ++i)
      x[i] = (double)b[i];
    tenon_factor_substitute(a, x, n, k, attrs->upper, attrs->unit);
    for (ptrdiff_t i = 0; i < n * k; ++i)
      y[i] = (ELEMENT)x[i];
  }
  return TENON_OK;
}
