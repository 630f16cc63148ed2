// kern/opt/each/sum_s8.h - the packed form of quantised sums and differences of
// bytes: integers, and floats or fewer integers that give the same.
#ifndef TENON_KERN_OPT_SUM_S8_H
#define TENON_KERN_OPT_SUM_S8_H

#include "kern/op/arith.h"

typedef struct tenon_sum_s8 {
  tenon_add_s8 exact;
  // Not 0: the integer nearest to fma(y, b, fma(x, a, first)) in floats,
  // limited, is the result for every pair of bytes.
  int32_t is_proven;
  float a, b, first;
} tenon_sum_s8;

// The same for products of bytes and of words (sum_s8_dot_opt.h): factors of 24
// bits, of which words have the upper 16.
typedef struct tenon_sum_s8_dot {
  tenon_sum_s8 sum;
  // Not 0: x * a + y * b + first, shifted to the right by so many bits and
  // limited, is the result for every pair of bytes, and fits 32 bits; a and b
  // fit 24.
  int32_t shift;
  int32_t a, b, first;
} tenon_sum_s8_dot;

#endif  // TENON_KERN_OPT_SUM_S8_H
