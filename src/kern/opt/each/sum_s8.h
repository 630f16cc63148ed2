// kern/opt/each/sum_s8.h - the packed form of quantised sums and differences of
// bytes: integers, and floats that give the same.
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

#endif  // TENON_KERN_OPT_SUM_S8_H
