// svd.c - singular values in descending order, and their vectors: x is u times
// the diagonal of s times vh. The shorter side of x is turned
// (kern/product/factor.h); a value of zero has no direction there, and gets one
// at right angles to the rest.
#include "kern/product/factor.h"

// Row `at` of a, [at + 1, l], at right angles to those above it, of length 1.
static void NAME_complete(double *a, ptrdiff_t at, ptrdiff_t l) {
  for (ptrdiff_t axis = 0; axis < l; ++axis) {
    double length = 0.0;
    for (ptrdiff_t i = 0; i < l; ++i)
      a[at * l + i] = i == axis ? 1.0 : 0.0;
    for (int32_t twice = 0; twice < 2; ++twice) {
      for (ptrdiff_t r = 0; r < at; ++r) {
        double dot = 0.0;
        for (ptrdiff_t i = 0; i < l; ++i)
          dot = fma(a[r * l + i], a[at * l + i], dot);
        for (ptrdiff_t i = 0; i < l; ++i)
          a[at * l + i] = fma(-dot, a[r * l + i], a[at * l + i]);
      }
    }
    for (ptrdiff_t i = 0; i < l; ++i)
      length = fma(a[at * l + i], a[at * l + i], length);
    length = sqrt(length);
    if (length * length * (double)l < 0.5) continue;
    for (ptrdiff_t i = 0; i < l; ++i)
      a[at * l + i] /= length;
    return;
  }
}

// Rows of a in descending order of their lengths, which s has then.
static bool NAME_order(double *a, double *v, double *s, ptrdiff_t k,
                       ptrdiff_t l) {
  for (ptrdiff_t i = 0; i < k; ++i) {
    double sum = 0.0;
    for (ptrdiff_t j = 0; j < l; ++j)
      sum = fma(a[i * l + j], a[i * l + j], sum);
    if (sum != sum) return false;
    s[i] = sqrt(sum);
  }
  for (ptrdiff_t i = 0; i < k; ++i) {
    ptrdiff_t best = i;
    for (ptrdiff_t j = i + 1; j < k; ++j)
      if (s[j] > s[best]) best = j;
    const double kept = s[i];
    s[i] = s[best];
    s[best] = kept;
    for (ptrdiff_t j = 0; j < l && best != i; ++j) {
      const double x = a[i * l + j];
      a[i * l + j] = a[best * l + j];
      a[best * l + j] = x;
    }
    for (ptrdiff_t j = 0; j < k && best != i; ++j) {
      const double x = v[i * k + j];
      v[i * k + j] = v[best * k + j];
      v[best * k + j] = x;
    }
  }
  return true;
}

TENON_KERNEL_RANGE(KERNEL) {
  const ptrdiff_t m = tenon_factor_rows(&c->in[0]);
  const ptrdiff_t n = tenon_factor_columns(&c->in[0]);
  const bool is_wide = m < n;
  const ptrdiff_t k = is_wide ? m : n, l = is_wide ? n : m;
  const ptrdiff_t all_u = tenon_factor_columns(&c->out[0]);
  const ptrdiff_t all_v = tenon_factor_rows(&c->out[2]);
  const ptrdiff_t all = is_wide ? all_v : all_u;
  // The vectors of the longer side are rows of a, those of the other rows of v.
  double *a = (double *)c->scratch, *v = a + l * l, *s = v + k * k;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const ELEMENT *x = (const ELEMENT *)c->in[0].data + item * m * n;
    ELEMENT *u = (ELEMENT *)c->out[0].data + item * m * all_u;
    ELEMENT *w = (ELEMENT *)c->out[1].data + item * k;
    ELEMENT *vh = (ELEMENT *)c->out[2].data + item * all_v * n;
    for (ptrdiff_t i = 0; i < k * l; ++i)
      a[i] = (double)(is_wide ? x[i] : x[i % l * n + i / l]);
    tenon_factor_svd(a, v, k, l);
    if (!NAME_order(a, v, s, k, l))
      return tenon_call_fail(c, "matrix {0} has a NaN", item, 0);
    for (ptrdiff_t i = 0; i < all; ++i) {
      if (i < k) w[i] = (ELEMENT)s[i];
      if (i < k && s[i] > 1e-15 * s[0]) {
        for (ptrdiff_t j = 0; j < l; ++j)
          a[i * l + j] /= s[i];
      } else {
        NAME_complete(a, i, l);
      }
    }
    for (ptrdiff_t i = 0; i < m * all_u; ++i) {
      const ptrdiff_t row = i / all_u, at = i % all_u;
      u[i] = (ELEMENT)(is_wide ? v[at * k + row] : a[at * l + row]);
    }
    for (ptrdiff_t i = 0; i < all_v * n; ++i) {
      const ptrdiff_t at = i / n, column = i % n;
      vh[i] = (ELEMENT)(is_wide ? a[at * l + column] : v[at * k + column]);
    }
  }
  return TENON_OK;
}
