// Inverse Fourier transforms to real rows, of the columns that say all.
#include "kern/num/fourier.h"

// The others are these with their imaginary parts negated, which the first has
// not, nor the last of an even size.
TENON_KERNEL_RANGE(tenon_k_fourier_real_f32_ref) {
  const tenon_fourier_real_attrs *a =
      (const tenon_fourier_real_attrs *)c->attrs;
  const ptrdiff_t n = (ptrdiff_t)a->size, given = n / 2 + 1;
  double *turns = (double *)c->scratch, *line = turns + 2 * n;
  tenon_fourier_turns(turns, n, n);
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const float *re = (const float *)c->in[0].data + item * given;
    const float *im = (const float *)c->in[1].data + item * given;
    float *to = (float *)c->out[0].data + item * n;
    for (ptrdiff_t k = 0; k < n; ++k) {  // parts in each other's places
      const ptrdiff_t from = k < given ? k : n - k;
      const double part = from == 0 || 2 * from == n ? 0 : (double)im[from];
      line[2 * k] = k < given ? part : -part;
      line[2 * k + 1] = (double)re[from];
    }
    const double *y = tenon_fourier_line(line, line + 2 * n, n, turns);
    for (ptrdiff_t k = 0; k < n; ++k)
      to[k] = (float)(y[2 * k + 1] * a->scale);
  }
  return TENON_OK;
}
