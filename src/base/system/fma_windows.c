// base/system/fma_windows.c - fused multiply-adds that round once.
//
// Those of mingw-w64 (up to version 10 at least) add in the next wider type and
// round again, so that reference kernels would differ from the instruction in
// some bits. Here the wider sum is rounded to odd where it is inexact, after
// which a second rounding cannot go wrong (Boldo and Melquiond, "Emulation of
// FMA and correctly rounded sums: proved algorithms using rounding to odd",
// 2008). The product is exact in the wider type in both.
#include <math.h>
#include <string.h>

float fmaf(float x, float y, float z) {
  const double product = (double)x * (double)y, c = (double)z;
  double sum = product + c;
  if (!isfinite(sum)) return (float)sum;
  // What the sum lacks (Knuth's two-sum).
  const double part = sum - product;
  const double rest = (product - (sum - part)) + (c - part);
  unsigned long long bits;
  memcpy(&bits, &sum, sizeof bits);
  if (rest != 0 && !(bits & 1)) {
    // The neighbour towards the exact sum is odd.
    const int is_away = (rest > 0) == (sum > 0);
    bits = is_away ? bits + 1 : bits - 1;
    memcpy(&sum, &bits, sizeof bits);
  }
  return (float)sum;
}

double fma(double x, double y, double z) {
  const __float128 product = (__float128)x * y, c = z;
  __float128 sum = product + c;
  if (!isfinite(x) || !isfinite(y) || !isfinite(z)) return x * y + z;
  const __float128 part = sum - product;
  const __float128 rest = (product - (sum - part)) + (c - part);
  unsigned __int128 bits;
  memcpy(&bits, &sum, sizeof bits);
  if (rest != 0 && !(bits & 1)) {
    const int is_away = (rest > 0) == (sum > 0);
    bits = is_away ? bits + 1 : bits - 1;
    memcpy(&sum, &bits, sizeof bits);
  }
  return (double)sum;
}
