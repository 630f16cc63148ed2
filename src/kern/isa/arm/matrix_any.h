// kern/isa/arm/matrix_any.h - how sums of four channels of a row are stored
// where channels are not plain, or limits are not those of int8.
#ifndef TENON_KERN_ISA_ARM_MATRIX_ANY_H
#define TENON_KERN_ISA_ARM_MATRIX_ANY_H

#include "kern/isa/arm/arm_packed.h"
#include "kern/num/fixed.h"
#include "tenon/tensor.h"

// A row of whole words or chunks: itself, or a copy.
typedef const int8_t *tenon_matrix_any_row(const tenon_call *c,
                                           const tenon_arm_window *g,
                                           int32_t row);
// Sums of four channels, from zero.
typedef void tenon_matrix_any_sums(const int8_t *w, const int8_t *x,
                                   int32_t *sums, int32_t k);

// `four`: bytes of the weights of four channels for each of a row; sums are
// 2^up times those of the weights.
static inline __attribute__((always_inline, unused)) tenon_status
tenon_matrix_any(const tenon_call *c, int64_t begin, int64_t end, int32_t four,
                 int32_t up, tenon_matrix_any_row *row_of,
                 tenon_matrix_any_sums *products) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels =
      (const tenon_arm_channel *)tenon_arm_rest(g);
  const int32_t out_c = g->out_c;
  const int8_t *const weights =
      (const int8_t *)(channels + (out_c + 3) / 4 * 4);
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x = row_of(c, g, row), *w = weights;
    for (int32_t i = 0; i < out_c; i += 4, w += four * g->k) {
      int32_t sums[4];
      products(w, x, sums, g->k);
      for (int32_t k = 0; k < 4 && i + k < out_c; ++k) {
        const tenon_arm_channel *q = channels + i + k;
        const int32_t v = tenon_requant_once(
            tenon_add_s32(sums[k] >> up, q->bias), q->mult, q->shift);
        *y++ =
            (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
      }
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_ISA_ARM_MATRIX_ANY_H
