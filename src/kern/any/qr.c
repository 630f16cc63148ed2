// qr.c - q with orthogonal columns, and the upper triangle r, whose product is
// x.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t m = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]);
  const ptrdiff_t k = tenon_factor_columns(&c->out[0]);
  double *a = (double *)c->scratch, *q = a + m * n, *v = q + m * m;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * m * n;
    ELEMENT *out = (ELEMENT *)c->out[0].data + item * m * k;
    ELEMENT *r = (ELEMENT *)c->out[1].data + item * k * n;
    for (ptrdiff_t i = 0; i < m * n; ++i)
      a[i] = (double)x[i];
    tenon_factor_qr(a, q, v, m, n);
    for (ptrdiff_t i = 0; i < m * k; ++i)
      out[i] = (ELEMENT)q[i / k * m + i % k];
    for (ptrdiff_t i = 0; i < k * n; ++i)
      r[i] = i % n < i / n ? 0 : (ELEMENT)a[i];
  }
  return TENON_OK;
}
