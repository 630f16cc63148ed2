// kern/opt/rows/reduce_s8.h - what outputs are made from that reduce bytes over
// any dimensions, and registers of which several are folded together: each time
// half as many lanes are left to an output.
#ifndef TENON_KERN_OPT_REDUCE_S8_H
#define TENON_KERN_OPT_REDUCE_S8_H

#include "kern/loop/reduce.h"
#include "kern/loop/sum.h"
#include "kern/opt/vectors.h"

typedef int8_t tenon_b16 __attribute__((vector_size(16)));
typedef int16_t tenon_w8 __attribute__((vector_size(16)));
typedef int32_t tenon_i4 __attribute__((vector_size(16)));
typedef int8_t tenon_b16_at
    __attribute__((vector_size(16), aligned(1), may_alias));
typedef int8_t tenon_bytes_at
    __attribute__((vector_size(TENON_VB), aligned(1), may_alias));
typedef int16_t tenon_words __attribute__((vector_size(TENON_VB)));

// What an output is made from: `outer` runs, `apart` of one another, behind
// each of `blocks` places.
typedef struct tenon_reduce_s8 {
  tenon_reduce r;
  ptrdiff_t run, step, outer, apart, blocks;
} tenon_reduce_s8;

TENON_INLINE tenon_reduce_s8 tenon_reduce_s8_of(const tenon_call *c) {
  tenon_reduce_s8 s;
  s.r = tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  tenon_sum_join(&s.r);
  tenon_reduce_join(&s.r);
  const int32_t n = s.r.n_summed;
  s.run = tenon_reduce_run(&s.r);
  s.step = tenon_reduce_step(&s.r);
  s.outer = n > 1 ? s.r.summed[n - 2] : 1;
  s.apart = n > 1 ? s.r.summed_step[n - 2] : 1;
  s.blocks = s.r.count / (s.run * s.outer);
  return s;
}
// Where block b begins, behind the first element of an output.
TENON_INLINE ptrdiff_t tenon_reduce_s8_at(const tenon_reduce_s8 *s,
                                          ptrdiff_t b) {
  return s->blocks == 1 ? 0
                        : tenon_reduce_at(s->r.summed, s->r.summed_step,
                                          s->r.n_summed, b * s->run * s->outer);
}
TENON_INLINE ptrdiff_t tenon_reduce_s8_first(const tenon_reduce_s8 *s,
                                             ptrdiff_t i) {
  return tenon_reduce_at(s->r.kept, s->r.kept_step, s->r.n_kept, i);
}
// Outputs from i on, up to `end`, that lie beside each other; 0: each is made
// from bytes side by side.
TENON_INLINE ptrdiff_t tenon_reduce_s8_beside(const tenon_reduce_s8 *s,
                                              ptrdiff_t i, ptrdiff_t end) {
  if (s->step == 1 || s->r.n_kept == 0) return 0;
  const ptrdiff_t columns = s->r.kept[s->r.n_kept - 1];
  const ptrdiff_t left = columns - i % columns;
  return left < end - i ? left : end - i;
}

// Statements for each run, which begins at p.
#define TENON_REDUCE_S8_RUNS(s, x, p)                       \
  for (ptrdiff_t b_ = 0; b_ < (s)->blocks; ++b_)            \
    for (const int8_t *p = (x) + tenon_reduce_s8_at(s, b_), \
                      *end_ = p + (s)->outer * (s)->apart;  \
         p != end_; p += (s)->apart)

#if TENON_HAS_BUILTIN(__builtin_shufflevector)
#define TENON_HAS_FOLD 1
TENON_FLAT tenon_b16 tenon_fold_low(tenon_b16 a, tenon_b16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                 6, 22, 7, 23);
}
TENON_FLAT tenon_b16 tenon_fold_high(tenon_b16 a, tenon_b16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                 29, 14, 30, 15, 31);
}
TENON_FLAT tenon_i4 tenon_fold_sums(tenon_i4 a, tenon_i4 b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5) +
         __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
#endif

#endif  // TENON_KERN_OPT_REDUCE_S8_H
