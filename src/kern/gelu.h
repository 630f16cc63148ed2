// kern/gelu.h - x times the normal distribution at x, in single precision.
//
// As kern/real.h, error 1.9. For t = |x| the distribution's tail is
// exp(-t^2 / 2) w R(w) with w = 1 / (1 + t / 4). What the square, the quotient,
// the last sums of R and the products lose is found and put back, since the
// result has the error of all of them.
#ifndef TENON_KERN_GELU_H
#define TENON_KERN_GELU_H

#include "kern/activation.h"
#include "kern/real.h"

TENON_INLINE float tenon_geluf(float x) {
  float t, th, square, rest, y, y_low, c, d, d_low, w, miss, v, p, q, q_low;
  float r, r_low, a, a_low, b, b_low;
  tenon_exp_parts e;
  t = x < 0.0f ? -x : x;
  t = t > 15.0f ? 15.0f : t;  // where the tail is 0
  th = tenon_cut_f32(t);
  square = th * th;
  rest = (t - th) * (t + th);
  e = tenon_exp_parts_of(-0.5f * square, -0.5f * rest);
  y = e.y + e.tail;
  y_low = e.tail - (y - e.y);
  // What the sum and the quotient miss, the larger term of the sum first.
  c = 0.25f * t;
  d = 1.0f + c;
  d_low = c < 1.0f ? c - (d - 1.0f) : 1.0f - (d - c);
  w = 1.0f / d;
  p = w * d;
  miss = ((1.0f - p) - tenon_product_rest_f32(w, d, p)) - w * d_low;
  v = w - 0.5f;
  p = v * TENON_POLY_GELU(v);
  q = TENON_GELU_SECOND + p;
  q_low = p - (q - TENON_GELU_SECOND);
  p = q * v;
  r = TENON_GELU_FIRST + p;
  r_low = (p - (r - TENON_GELU_FIRST)) + (q_low * v + TENON_GELU_FIRST_REST);
  // t w, times R, times the exponential. The logarithmic derivative of w R(w)
  // is near a line of w.
  a = t * w;
  a_low = tenon_product_rest_f32(t, w, a);
  b = a * r;
  b_low = tenon_product_rest_f32(a, r, b) + a_low * r + a * r_low +
          b * miss * (0.72f + 2.43f * w);
  a = b * y;
  a_low = tenon_product_rest_f32(b, y, a) + (b_low * y + b * y_low);
  if (tenon_bits_of_f32(x) >> 31) return -tenon_scale_f32(a + a_low, e.k);
  return (x - tenon_scale_f32(a, e.k)) - tenon_scale_f32(a_low, e.k);
}

#endif  // TENON_KERN_GELU_H
