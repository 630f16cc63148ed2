// fully_connected_strassen_f32_ref.c - products of matrices of floats with
// fewer multiplications, in the order of kern/product/strassen.h. An item is a
// pair of rows.
#include "kern/product/strassen.h"

#include <math.h>

#include "kern/op/clamp.h"
#include "kern/product/conv.h"

// What two rows are multiplied by, half a row each.
enum {
  STRASSEN_A11,
  STRASSEN_A22,
  STRASSEN_BOTH,    // A11 + A22
  STRASSEN_SECOND,  // A21 + A22
  STRASSEN_FIRST,   // A11 + A12
  STRASSEN_LEFT,    // A11 - A21
  STRASSEN_RIGHT,   // A12 - A22
  STRASSEN_FACTORS
};

static void fully_connected_strassen_f32_ref_rows(const tenon_strassen *g,
                                                  const float *p,
                                                  const float *q, float *to) {
  const ptrdiff_t half = g->half;
  for (ptrdiff_t k = 0; k < half; ++k) {
    const float a11 = p[k], a12 = p[half + k];
    const float a21 = q[k], a22 = q[half + k];
    to[STRASSEN_A11 * half + k] = a11;
    to[STRASSEN_A22 * half + k] = a22;
    to[STRASSEN_BOTH * half + k] = a11 + a22;
    to[STRASSEN_SECOND * half + k] = a21 + a22;
    to[STRASSEN_FIRST * half + k] = a11 + a12;
    to[STRASSEN_LEFT * half + k] = a11 - a21;
    to[STRASSEN_RIGHT * half + k] = a12 - a22;
  }
}

// The largest magnitude, or NaN where one is.
static float fully_connected_strassen_f32_ref_most(const float *x,
                                                   ptrdiff_t n) {
  float most = 0.0f;
  for (ptrdiff_t i = 0; i < n; ++i) {
    const float size = fabsf(x[i]);
    if (size > most || isnan(size)) most = size;
  }
  return most;
}

// Two channels of both rows: the first row's, then the second's.
static void fully_connected_strassen_f32_ref_sums(const tenon_strassen *g,
                                                  const float *a,
                                                  const float *w1,
                                                  const float *w2, float *y) {
  const ptrdiff_t half = g->half;
  float m[TENON_STRASSEN_SUMS] = {0};
  for (ptrdiff_t k = 0; k < half; ++k) {
    const float b11 = w1[k], b21 = w1[half + k];
    const float b12 = w2[k], b22 = w2[half + k];
    m[0] = fmaf(a[STRASSEN_BOTH * half + k], b11 - b22, m[0]);
    m[1] = fmaf(a[STRASSEN_SECOND * half + k], b11, m[1]);
    m[2] = fmaf(a[STRASSEN_A11 * half + k], b12 - b22, m[2]);
    m[3] = fmaf(a[STRASSEN_A22 * half + k], b21 - b11, m[3]);
    m[4] = fmaf(a[STRASSEN_FIRST * half + k], b22, m[4]);
    m[5] = fmaf(a[STRASSEN_LEFT * half + k], b11 - b12, m[5]);
    m[6] = fmaf(a[STRASSEN_RIGHT * half + k], b21 - b22, m[6]);
  }
  y[0] = m[0] + m[3] + m[4] + m[6];
  y[1] = m[2] + m[4];
  y[2] = m[1] + m[3];
  y[3] = m[1] + m[2] + m[5] - m[0];
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_strassen_f32_ref) {
  const tenon_strassen_attrs *attrs = (const tenon_strassen_attrs *)c->attrs;
  const tenon_limits_f32 limits = tenon_limits_f32_of(attrs->lo, attrs->hi);
  const tenon_strassen g = tenon_strassen_of(c);
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const float *w = (const float *)c->in[1].data;
  float *a = (float *)c->scratch;
  for (ptrdiff_t item = (ptrdiff_t)begin; item < (ptrdiff_t)end; ++item) {
    const float *x = (const float *)c->in[0].data + 2 * item * g.k;
    float *y = (float *)c->out[0].data + 2 * item * g.n;
    const ptrdiff_t rows = 2 * item + 1 < g.m ? 2 : 1;
    const bool is_paired =
        rows > 1 && tenon_strassen_is_near(
                        fully_connected_strassen_f32_ref_most(x, g.k),
                        fully_connected_strassen_f32_ref_most(x + g.k, g.k));
    if (is_paired) fully_connected_strassen_f32_ref_rows(&g, x, x + g.k, a);
    for (ptrdiff_t oc = 0; oc < g.n; ++oc) {
      const ptrdiff_t at = oc % TENON_STRASSEN_GROUP;
      const ptrdiff_t apart = tenon_strassen_apart(g.n, oc - at);
      float sums[4];
      if (is_paired && at < apart) {
        fully_connected_strassen_f32_ref_sums(&g, a, w + oc * g.k,
                                              w + (oc + apart) * g.k, sums);
        for (ptrdiff_t i = 0; i < 4; ++i) {
          const ptrdiff_t j = oc + i % 2 * apart;
          y[i / 2 * g.n + j] =
              tenon_limit_f32(tenon_conv_finish_f32(&tail, sums[i], j), limits);
        }
      } else if (!is_paired || at >= 2 * apart) {
        for (ptrdiff_t i = 0; i < rows; ++i) {
          float sum = 0.0f;
          for (ptrdiff_t k = 0; k < g.k; ++k)
            sum = fmaf(x[i * g.k + k], w[oc * g.k + k], sum);
          y[i * g.n + oc] =
              tenon_limit_f32(tenon_conv_finish_f32(&tail, sum, oc), limits);
        }
      }
    }
  }
  return TENON_OK;
}
