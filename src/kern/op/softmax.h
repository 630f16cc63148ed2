// kern/op/softmax.h - attributes of core::softmax and core::log_softmax, and
// their rows.
#ifndef TENON_KERN_SOFTMAX_H
#define TENON_KERN_SOFTMAX_H

#include "tenon/tensor.h"

typedef struct tenon_softmax_attrs {
  int64_t axis;  // negative: from the end
  double beta;
} tenon_softmax_attrs;

typedef struct tenon_log_softmax_attrs {
  int64_t axis;
} tenon_log_softmax_attrs;

// Packed for 8 bits: exp(-i * beta * scale) for i from 0 to 255, as integers in
// units of 2^-31; 0 where the reference counts nothing.
typedef struct tenon_softmax_s8 {
  int32_t exps[256];
} tenon_softmax_s8;

// Packed for the logarithm of 8 bits: also -i * scale in units of 2^-26, the
// least distance that counts, and the factor from such units back to distances.
typedef struct tenon_log_softmax_s8 {
  int32_t exps[256], diffs[256];
  int32_t least, back_mult, back_shift;
} tenon_log_softmax_s8;

// Row i of a tensor along an axis: `count` elements, `step` apart.
typedef struct tenon_rows {
  ptrdiff_t count, step;
} tenon_rows;

TENON_INLINE tenon_rows tenon_rows_of(const tenon_tensor *x, int64_t axis) {
  tenon_rows r = {1, 1};
  int32_t at = (int32_t)(axis < 0 ? axis + x->rank : axis);
  if (x->rank) r.count = x->dims[at];
  for (int32_t d = at + 1; d < x->rank; ++d)
    r.step *= x->dims[d];
  return r;
}

TENON_INLINE ptrdiff_t tenon_rows_at(tenon_rows r, ptrdiff_t i) {
  return i / r.step * r.step * r.count + i % r.step;
}

#endif  // TENON_KERN_SOFTMAX_H
