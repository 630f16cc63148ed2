// Fourier transforms of rows of complex numbers, whose parts lie apart.
#include "kern/num/fourier.h"

// An inverse transform is one of the parts in each other's places.
TENON_KERNEL_RANGE(tenon_k_fourier_f32_ref) {
  const tenon_fourier_attrs *a = (const tenon_fourier_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0];
  const ptrdiff_t n = (ptrdiff_t)x->dims[x->rank - 1];
  const ptrdiff_t kept = a->half ? n / 2 + 1 : n;
  const float *re = (const float *)x->data;
  const float *im = c->n_in > 1 ? (const float *)c->in[1].data : NULL;
  const ptrdiff_t first = a->inverse ? 1 : 0;
  double *turns = (double *)c->scratch, *line = turns + 2 * n;
  tenon_fourier_turns(turns, n, n);
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    float *to_re = (float *)c->out[0].data + item * kept;
    float *to_im = (float *)c->out[1].data + item * kept;
    for (ptrdiff_t k = 0; k < n; ++k) {
      line[2 * k + first] = (double)re[item * n + k];
      line[2 * k + 1 - first] = im ? (double)im[item * n + k] : 0;
    }
    const double *y = tenon_fourier_line(line, line + 2 * n, n, turns);
    for (ptrdiff_t k = 0; k < kept; ++k) {
      to_re[k] = (float)(y[2 * k + first] * a->scale);
      to_im[k] = (float)(y[2 * k + 1 - first] * a->scale);
    }
  }
  return TENON_OK;
}
