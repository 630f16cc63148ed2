// fully_connected_any_s8_mve.c - quantised product of channels that are not
// plain: as fully_connected_s8_mve.c, but for how results are stored.
#include "kern/isa/arm/matrix_mve.h"

// The sums of four channels without their biases.
TENON_ASM void fully_connected_any_s8_mve_sums(TENON_ARG const int8_t *w,
                                               TENON_ARG const int8_t *x,
                                               TENON_ARG int32_t *sums,
                                               TENON_ARG int32_t chunks) {
  __asm__(
      "push {r4-r11, lr}\n"
      "mov r12, r3\n" TENON_MATRIX_MVE_ALL
      "strd r4, r6, [r2]\n"
      "strd r8, r10, [r2, #8]\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_any_s8_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels = (const tenon_arm_channel *)(g + 1);
  const int32_t out_c = g->out_c;
  const int8_t *const weights =
      (const int8_t *)(channels + (out_c + 3) / 4 * 4);
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x = tenon_matrix_mve_row(c, g, row), *w = weights;
    for (int32_t i = 0; i < out_c; i += 4, w += 4 * g->k) {
      int32_t sums[4];
      fully_connected_any_s8_mve_sums(w, x, sums, (g->k >> 4) - 1);
      for (int32_t k = 0; k < 4 && i + k < out_c; ++k) {
        const tenon_arm_channel *q = channels + i + k;
        const int32_t v = tenon_requant_once(tenon_add_s32(sums[k], q->bias),
                                             q->mult, q->shift);
        *y++ =
            (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
      }
    }
  }
  return TENON_OK;
}
