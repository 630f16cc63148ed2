// reflected.c - the product of Householder's reflections, as many of its
// columns as the result has. Factors that are missing are zero.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t m = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]);
  const ptrdiff_t columns = tenon_factor_columns(&c->out[0]);
  const ptrdiff_t k = c->in[1].dims[c->in[1].rank - 1];
  double *q = (double *)c->scratch, *v = q + m * columns;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * m * n;
    const ELEMENT *factors = (const ELEMENT *)c->in[1].data + item * k;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * m * columns;
    for (ptrdiff_t i = 0; i < m * columns; ++i)
      q[i] = i / columns == i % columns ? 1.0 : 0.0;
    for (ptrdiff_t r = k - 1; r >= 0; --r) {
      for (ptrdiff_t i = r; i < m; ++i)
        v[i] = i == r ? 1.0 : (double)x[i * n + r];
      for (ptrdiff_t j = 0; j < columns; ++j)
        tenon_factor_turn_column(q + j, v, (double)factors[r], m, columns, r);
    }
    for (ptrdiff_t i = 0; i < m * columns; ++i)
      y[i] = (ELEMENT)q[i];
  }
  return TENON_OK;
}
