// eigh.c - eigenvalues of symmetric matrices in ascending order, and their
// vectors as columns. One triangle is read.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const bool is_upper = ((const tenon_eigh_attrs *)c->attrs)->upper;
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]);
  double *a = (double *)c->scratch, *v = a + n * n;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * n * n;
    ELEMENT *w = (ELEMENT *)c->out[0].data + item * n;
    ELEMENT *y = (ELEMENT *)c->out[1].data + item * n * n;
    for (ptrdiff_t i = 0; i < n * n; ++i) {
      const bool is_read = is_upper ? i % n >= i / n : i % n <= i / n;
      a[i] = (double)(is_read ? x[i] : x[i % n * n + i / n]);
    }
    tenon_factor_eigh(a, v, n);
    for (ptrdiff_t j = 0; j < n; ++j) {
      // The smallest that is left; what is taken becomes NaN.
      ptrdiff_t best = -1;
      for (ptrdiff_t i = 0; i < n; ++i) {
        const double value = a[i * n + i];
        if (value == value && (best < 0 || value < a[best * n + best]))
          best = i;
      }
      if (best < 0) return tenon_call_fail(c, "matrix {0} has a NaN", item, 0);
      w[j] = (ELEMENT)a[best * n + best];
      for (ptrdiff_t i = 0; i < n; ++i)
        y[i * n + j] = (ELEMENT)v[best * n + i];
      a[best * n + best] = a[best * n + best] - a[best * n + best];
      a[best * n + best] /= a[best * n + best];
    }
  }
  return TENON_OK;
}
