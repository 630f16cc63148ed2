// Magnitudes of complex numbers, rounded once.
#include <math.h>

#include "tenon/tensor.h"

// Squares of floats are exact in doubles, and neither overflow nor vanish
// there.
TENON_KERNEL_RANGE(tenon_k_complex_abs_c64_ref) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i) {
    const double re = (double)x[2 * i], im = (double)x[2 * i + 1];
    const bool is_endless = fabs(re) > 1.7e308 || fabs(im) > 1.7e308;
    y[i] = is_endless ? INFINITY : (float)sqrt(re * re + im * im);
  }
  return TENON_OK;
}
