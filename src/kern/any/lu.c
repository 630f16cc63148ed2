// lu.c - factors of matrices: below the diagonal those of the lower one, whose
// diagonal is ones, and where the rows came from.
#include "kern/product/factor.h"

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t m = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]), k = m < n ? m : n;
  double *a = (double *)c->scratch;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * m * n;
    ELEMENT *y = (ELEMENT *)c->out[0].data + item * m * n;
    for (ptrdiff_t i = 0; i < m * n; ++i)
      a[i] = (double)x[i];
    const int32_t info =
        tenon_factor_lu(a, m, n, (int32_t *)c->out[1].data + item * k,
                        (int64_t *)c->out[2].data + item * m);
    if (info && ((const tenon_lu_attrs *)c->attrs)->check)
      return tenon_call_fail(c, "matrix {0} is singular: pivot {1} is 0", item,
                             info);
    for (ptrdiff_t i = 0; i < m * n; ++i)
      y[i] = (ELEMENT)a[i];
    ((int32_t *)c->out[3].data)[item] = info;
  }
  return TENON_OK;
}
