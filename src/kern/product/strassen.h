// kern/product/strassen.h - products of matrices with fewer multiplications:
// the attributes of core::fully_connected_strassen, and what its kernels share.
//
// One level of V. Strassen's "Gaussian elimination is not optimal", 1969, where
// all weights are differences (his with two columns negated). Rows 2i and 2i+1
// of x are A1 and A2, and have halves along k: A11 and A12, A21 and A22.
// Weights of two channels, of one half of k and the other: of the first channel
// B11 and B21, of the second B12 and B22. Seven sums over half of k
//
//   M1 = (A11 + A22) (B11 - B22)    M5 = (A11 + A12) B22
//   M2 = (A21 + A22) B11            M6 = (A11 - A21) (B11 - B12)
//   M3 = A11 (B12 - B22)            M7 = (A12 - A22) (B21 - B22)
//   M4 = A22 (B21 - B11)
//
// give both channels of both rows:
//
//   M1 + M4 + M5 + M7    M3 + M5
//   M2 + M4              M2 + M3 + M6 - M1
//
// The order, which every kernel keeps: each factor is rounded once, each sum is
// one chain of fused multiply-adds from the first k on, begun at zero; these
// are combined from left to right; bias, scale and shift follow as in
// core::conv. Rows are counted over all dimensions but the last.
//
// What is rounded is in proportion to the larger row of a pair. So rows are
// only paired where the largest magnitude of each is at most
// TENON_STRASSEN_RATIO times that of the other, and both are at most 2^126, so
// that no sum of two values overflows. The results of both rows of another
// pair, as of one with a NaN or an infinity, are direct sums, one chain over k
// from zero each. So are those of the last of an odd number of rows.
//
// Of 64 channels the first 32 are such first ones, each with that 32 behind; of
// 32 that are left the first 16, each with that 16 behind. What is left of
// these is a direct sum, one chain over k.
#ifndef TENON_KERN_STRASSEN_H
#define TENON_KERN_STRASSEN_H

#include <stdbool.h>

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_strassen_attrs {
  tenon_opt_float lo, hi;  // clamp
} tenon_strassen_attrs;

enum {
  TENON_STRASSEN_SUMS = 7,
  TENON_STRASSEN_ROWS = 5,    // of them have sums of rows as a factor
  TENON_STRASSEN_STEP = 32,   // channels that are paired, at least
  TENON_STRASSEN_GROUP = 64,  // channels that are paired among themselves
  TENON_STRASSEN_RATIO = 16   // of rows that are paired, at most
};

typedef struct tenon_strassen {
  ptrdiff_t m, k, n;
  ptrdiff_t pairs;  // of rows, the last of which may lack its second one
  ptrdiff_t half;   // of k
} tenon_strassen;

TENON_INLINE tenon_strassen tenon_strassen_of(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0];
  tenon_strassen g;
  g.n = c->in[1].dims[0];
  g.k = x->dims[x->rank - 1];
  g.m = g.n ? (ptrdiff_t)tenon_count(&c->out[0]) / g.n : 0;
  g.pairs = (g.m + 1) / 2;
  g.half = g.k / 2;
  return g;
}

// Whether two rows are paired, and two channels of weights may be, whose
// largest magnitudes these are, or NaN.
TENON_INLINE bool tenon_strassen_is_near(float p, float q) {
  const float most = 0x1p126f;
  return p <= TENON_STRASSEN_RATIO * q && q <= TENON_STRASSEN_RATIO * p &&
         p <= most && q <= most;
}

// Channels from the first of a pair to the second, of the group from `from` on:
// so many pairs it has.
TENON_INLINE ptrdiff_t tenon_strassen_apart(ptrdiff_t n, ptrdiff_t from) {
  const ptrdiff_t left = n - from;
  return left < TENON_STRASSEN_GROUP
             ? left / TENON_STRASSEN_STEP * (TENON_STRASSEN_STEP / 2)
             : TENON_STRASSEN_GROUP / 2;
}

#endif  // TENON_KERN_STRASSEN_H
