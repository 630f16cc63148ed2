// kern/num/fourier.h - core::rfft2 and the parts of complex numbers.
//
// Transforms are of powers of two, in doubles and in one order, so that each
// machine gets the same bits; a c64 is two floats, the real part first.
// Algorithm: Cooley and Tukey, "An Algorithm for the Machine Calculation of
// Complex Fourier Series", 1965, decimation in time.
#ifndef TENON_KERN_FOURIER_H
#define TENON_KERN_FOURIER_H

#include "kern/num/trig64.h"
#include "tenon/tensor.h"

typedef struct tenon_rfft2_attrs {
  tenon_ints size;  // rows and columns, powers of two
} tenon_rfft2_attrs;

// exp(-2 pi i k / n) for k below n / 2 as pairs. Whole quarters of a turn are
// exact.
TENON_INLINE void tenon_fourier_turns(double *to, ptrdiff_t n) {
  for (ptrdiff_t k = 0; k < n / 2; ++k) {
    const int32_t quarter = (int32_t)(4 * k / n);
    const double rest = (double)(4 * k - quarter * n) / (double)n;
    const double angle = rest * 1.5707963267948966;
    to[2 * k] = tenon_sin_turned(angle, quarter + 1);
    to[2 * k + 1] = -tenon_sin_turned(angle, quarter);
  }
}

TENON_INLINE void tenon_fourier_swap(double *a, double *b) {
  for (int32_t i = 0; i < 2; ++i) {
    const double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// The transform of n complex numbers where they are; `turns` are those of
// n * step.
TENON_INLINE void tenon_fourier(double *x, ptrdiff_t n, const double *turns,
                                ptrdiff_t step) {
  for (ptrdiff_t i = 0, k = 0; i < n; ++i) {  // k: the bits of i, reversed
    ptrdiff_t bit = n >> 1;
    if (i < k) tenon_fourier_swap(x + 2 * i, x + 2 * k);
    for (; bit && (k & bit); bit >>= 1)
      k ^= bit;
    k ^= bit;
  }
  for (ptrdiff_t half = 1; half < n; half *= 2) {
    const ptrdiff_t stride = n / (2 * half) * step;
    for (ptrdiff_t first = 0; first < n; first += 2 * half) {
      for (ptrdiff_t k = 0; k < half; ++k) {
        const double *w = turns + 2 * k * stride;
        double *a = x + 2 * (first + k), *b = a + 2 * half;
        const double re = b[0] * w[0] - b[1] * w[1];
        const double im = b[0] * w[1] + b[1] * w[0];
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
    }
  }
}

// How many doubles a transform of h rows and w columns needs: turns, one line,
// and the half of the columns that says all of them.
TENON_INLINE ptrdiff_t tenon_rfft2_scratch(ptrdiff_t h, ptrdiff_t w) {
  return 3 * (h > w ? h : w) + 2 * h * (w / 2 + 1);
}

#endif  // TENON_KERN_FOURIER_H
