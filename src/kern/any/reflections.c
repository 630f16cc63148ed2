// reflections.c - Householder's reflections that make x an upper triangle: each
// is a column below the diagonal, whose first element is 1 and not kept, and a
// factor.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t m = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]), k = m < n ? m : n;
  double *a = (double *)c->scratch, *v = a + m * n;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * m * n;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * m * n;
    for (ptrdiff_t i = 0; i < m * n; ++i)
      a[i] = (double)x[i];
    for (ptrdiff_t j = 0; j < k; ++j) {
      const double tau = tenon_factor_reflect(a, v, m, n, j);
      for (ptrdiff_t i = j + 1; tau != 0.0 && i < m; ++i)
        a[i * n + j] = v[i];
      ((ELEMENT *)c->out[1].data)[item * k + j] = (ELEMENT)tau;
    }
    for (ptrdiff_t i = 0; i < m * n; ++i)
      y[i] = (ELEMENT)a[i];
  }
  return TENON_OK;
}
