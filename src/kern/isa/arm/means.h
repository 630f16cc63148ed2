// kern/isa/arm/means.h - means of quantised elements over neighbouring
// dimensions, rows of neighbours or of columns; and what a mean over a window
// needs.
#ifndef TENON_KERN_ISA_ARM_MEANS_H
#define TENON_KERN_ISA_ARM_MEANS_H

#include "kern/isa/arm/arm_packed.h"
#include "kern/num/fixed.h"
#include "tenon/tensor.h"

// 2^30 / n as a factor, up to 255: a sum of so many bytes, times four, has as
// the upper half of the product, rounded with ties up, the mean with ties away
// from zero. The factor is above the quotient by less than what parts a mean
// from the next tie, and so takes a tie below zero down.
static inline __attribute__((always_inline, unused)) int32_t tenon_arm_over(
    int32_t n) {
  return n > 0 ? (1 << 30) / n + 1 : 0;
}

// Of `n` neighbours, one at least.
typedef int32_t tenon_arm_row_sum(const int8_t *x, int32_t n);
// Means of m->c columns of m->n.
typedef void tenon_arm_columns(const tenon_arm_mean *m, const int8_t *x,
                               int8_t *y);

static inline __attribute__((always_inline, unused)) int8_t tenon_arm_mean_of(
    const tenon_arm_mean *m, int32_t sum) {
  const int32_t v = tenon_requant_twice(sum - m->less, m->mult, m->shift);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(v, m->zero), m->lo, m->hi);
}

static inline __attribute__((always_inline, unused)) void tenon_arm_means(
    const tenon_call *c, int64_t begin, int64_t end, tenon_arm_row_sum *row_sum,
    tenon_arm_columns *columns) {
  const tenon_arm_mean *m = (const tenon_arm_mean *)c->packed;
  const int32_t size = m->n * m->c;
  const int8_t *x = (const int8_t *)c->in[0].data + (int32_t)begin * size;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * m->c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    if (m->c == 1)
      *y = tenon_arm_mean_of(m, row_sum(x, m->n));
    else
      columns(m, x, y);
    x += size;
    y += m->c;
  }
}

#endif  // TENON_KERN_ISA_ARM_MEANS_H
