// kern/reduce.h - attributes of core::mean and core::sum, and the walk over
// what an output sums.
#ifndef TENON_KERN_REDUCE_H
#define TENON_KERN_REDUCE_H

#include "tenon/tensor.h"

typedef struct tenon_reduce_attrs {
  tenon_ints dims;  // negative: from the end; each once
  bool keepdim;
} tenon_reduce_attrs;

// Dimensions of the operand, those that stay and those that are summed over,
// outermost first.
typedef struct tenon_reduce {
  int32_t n_kept, n_summed;
  ptrdiff_t kept[TENON_MAX_RANK], kept_step[TENON_MAX_RANK];
  ptrdiff_t summed[TENON_MAX_RANK], summed_step[TENON_MAX_RANK];
  ptrdiff_t count;  // elements per output
} tenon_reduce;

TENON_INLINE bool tenon_reduce_has(const tenon_reduce_attrs *a, int32_t d,
                                   int32_t rank) {
  for (size_t i = 0; i < a->dims.count; ++i) {
    if (a->dims.data[i] == d || a->dims.data[i] == d - rank) return true;
  }
  return false;
}

TENON_INLINE tenon_reduce tenon_reduce_of(const tenon_tensor *x,
                                          const tenon_reduce_attrs *a) {
  tenon_reduce r;
  ptrdiff_t step = 1;
  r.n_kept = r.n_summed = 0;
  r.count = 1;
  for (int32_t d = 0; d < x->rank; ++d)
    step *= x->dims[d];
  for (int32_t d = 0; d < x->rank; ++d) {
    if (x->dims[d]) step /= x->dims[d];
    if (tenon_reduce_has(a, d, x->rank)) {
      r.summed[r.n_summed] = x->dims[d];
      r.summed_step[r.n_summed++] = step;
      r.count *= x->dims[d];
    } else {
      r.kept[r.n_kept] = x->dims[d];
      r.kept_step[r.n_kept++] = step;
    }
  }
  return r;
}

TENON_INLINE ptrdiff_t tenon_reduce_at(const ptrdiff_t *dims,
                                       const ptrdiff_t *steps, int32_t n,
                                       ptrdiff_t i) {
  ptrdiff_t at = 0;
  for (int32_t d = n - 1; d >= 0; i /= dims[d], --d)
    at += i % dims[d] * steps[d];
  return at;
}

// The sum for output i: one chain, in the operand's order, begun at zero.
TENON_INLINE float tenon_reduce_sum_f32(const tenon_reduce *r, const float *x,
                                        ptrdiff_t i) {
  const float *from = x + tenon_reduce_at(r->kept, r->kept_step, r->n_kept, i);
  int32_t last = r->n_summed - 1;
  float sum = 0.0f;
  if (r->n_summed == 0) return *from;
  for (ptrdiff_t k = 0; k < r->count; k += r->summed[last]) {
    const float *run =
        from + tenon_reduce_at(r->summed, r->summed_step, r->n_summed, k);
    for (ptrdiff_t j = 0; j < r->summed[last]; ++j)
      sum += run[j * r->summed_step[last]];
  }
  return sum;
}

#endif  // TENON_KERN_REDUCE_H
