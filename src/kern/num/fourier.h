// kern/num/fourier.h - core::rfft2, core::fourier, core::fourier_real and the
// parts of complex numbers.
//
// Transforms are in doubles and in one order, so that each machine gets the
// same bits; a c64 is two floats, the real part first. Algorithm: Cooley and
// Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series",
// 1965: decimation in time where sizes are powers of two; for any size its
// factors one after the other, each sorting what it makes (Stockham), where a
// factor p takes p * p products.
#ifndef TENON_KERN_FOURIER_H
#define TENON_KERN_FOURIER_H

#include "kern/num/trig64.h"
#include "tenon/tensor.h"

typedef struct tenon_rfft2_attrs {
  tenon_ints size;  // rows and columns, powers of two
} tenon_rfft2_attrs;

typedef struct tenon_fourier_attrs {
  double scale;
  bool inverse;
  bool half;  // the first n / 2 + 1 of n columns are wanted
} tenon_fourier_attrs;

typedef struct tenon_fourier_real_attrs {
  double scale;
  int64_t size;  // columns of the result
} tenon_fourier_real_attrs;

enum { TENON_FOURIER_MOST = 1 << 24 };  // columns

// exp(-2 pi i k / n) for k below `count` as pairs. Whole quarters of a turn are
// exact.
TENON_INLINE void tenon_fourier_turns(double *to, ptrdiff_t n,
                                      ptrdiff_t count) {
  for (ptrdiff_t k = 0; k < count; ++k) {
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

// How many doubles a transform of any size needs: turns, and two lines.
TENON_INLINE ptrdiff_t tenon_fourier_scratch(ptrdiff_t n) {
  return 6 * n;
}

// The smallest factor to go on with; 4 before 2.
TENON_INLINE ptrdiff_t tenon_fourier_factor(ptrdiff_t n) {
  ptrdiff_t p = 3;
  if (n % 4 == 0) return 4;
  if (n % 2 == 0) return 2;
  while (p * p <= n && n % p != 0)
    p += 2;
  return p * p <= n ? p : n;
}

TENON_INLINE void tenon_fourier_turn(double *to, double re, double im,
                                     const double *w) {
  to[0] = re * w[0] - im * w[1];
  to[1] = re * w[1] + im * w[0];
}

// One factor of 4: `l` is the product of those before it. Lines of l numbers
// lie one behind the other.
TENON_INLINE void tenon_fourier_fours(const double *x, double *y, ptrdiff_t n,
                                      ptrdiff_t l, const double *turns) {
  const ptrdiff_t m = n / (4 * l);
  for (ptrdiff_t j = 0; j < m; ++j) {
    const double *w = turns + 2 * j * l, *w2 = turns + 4 * j * l;
    const double *w3 = turns + 6 * j * l;
    const double *a = x + 2 * l * j, *b = a + 2 * l * m, *c = b + 2 * l * m;
    const double *d = c + 2 * l * m;
    double *to = y + 8 * l * j;
    for (ptrdiff_t k = 0; k < 2 * l; k += 2) {
      const double ar = a[k] + c[k], ai = a[k + 1] + c[k + 1];
      const double br = a[k] - c[k], bi = a[k + 1] - c[k + 1];
      const double cr = b[k] + d[k], ci = b[k + 1] + d[k + 1];
      const double dr = b[k + 1] - d[k + 1], di = d[k] - b[k];
      to[k] = ar + cr;
      to[k + 1] = ai + ci;
      tenon_fourier_turn(to + 2 * l + k, br + dr, bi + di, w);
      tenon_fourier_turn(to + 4 * l + k, ar - cr, ai - ci, w2);
      tenon_fourier_turn(to + 6 * l + k, br - dr, bi - di, w3);
    }
  }
}

// The same for any factor.
TENON_INLINE void tenon_fourier_any(const double *x, double *y, ptrdiff_t n,
                                    ptrdiff_t l, ptrdiff_t p,
                                    const double *turns) {
  const ptrdiff_t m = n / (p * l);
  for (ptrdiff_t j = 0; j < m; ++j) {
    for (ptrdiff_t q = 0; q < p; ++q) {
      double *to = y + 2 * l * (p * j + q);
      for (ptrdiff_t k = 0; k < 2 * l; k += 2) {
        const double *from = x + 2 * l * j + k;
        double re = from[0], im = from[1];
        ptrdiff_t at = 0;  // q * r, less whole turns
        for (ptrdiff_t r = 1; r < p; ++r) {
          double v[2];
          from += 2 * l * m;
          at = at + q < p ? at + q : at + q - p;
          tenon_fourier_turn(v, from[0], from[1], turns + 2 * at * (n / p));
          re += v[0];
          im += v[1];
        }
        tenon_fourier_turn(to + k, re, im, turns + 2 * j * q * l);
      }
    }
  }
}

// The transform of n complex numbers in x, which is written over, as is y, by
// n turns; returns the one that has the result.
TENON_INLINE double *tenon_fourier_line(double *x, double *y, ptrdiff_t n,
                                        const double *turns) {
  for (ptrdiff_t l = 1; l < n;) {
    const ptrdiff_t p = tenon_fourier_factor(n / l);
    double *made = y;
    if (p == 4)
      tenon_fourier_fours(x, y, n, l, turns);
    else
      tenon_fourier_any(x, y, n, l, p, turns);
    y = x;
    x = made;
    l *= p;
  }
  return x;
}

#endif  // TENON_KERN_FOURIER_H
