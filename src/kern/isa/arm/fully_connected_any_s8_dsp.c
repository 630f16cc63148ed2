// fully_connected_any_s8_dsp.c - quantised product of channels that are not
// plain, or within other limits than those of int8: as
// fully_connected_s8_dsp.c, but for how results are stored.
#include "kern/isa/arm/matrix_dsp.h"

// The sums of four channels, where their biases were.
TENON_ASM void fully_connected_any_s8_dsp_sums(TENON_ARG const int8_t *w,
                                               TENON_ARG int32_t *sums,
                                               TENON_ARG const int8_t *x,
                                               TENON_ARG const int8_t *stop) {
  __asm__(
      "push {r4-r11, lr}\n" TENON_MATRIX_DSP_ENTRY
      "push {r1, r4}\n"
      "mov lr, r1\n"
      "mov r1, r2\n"
      "mov r2, r3\n"
      "ldm lr, {r3, r4, r5, r6}\n" TENON_MATRIX_DSP_ALL("4")
      "ldr lr, [sp]\n"
      "stm lr, {r3, r4, r5, r6}\n"
      "add sp, #8\n"
      "pop {r4-r11, pc}\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_any_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels = (const tenon_arm_channel *)(g + 1);
  const int32_t out_c = g->out_c;
  const int8_t *const weights =
      (const int8_t *)(channels + (out_c + 3) / 4 * 4);
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x = tenon_matrix_dsp_row(c, g, row), *w = weights;
    for (int32_t i = 0; i < out_c; i += 4, w += 4 * g->k) {
      const tenon_arm_channel *q = channels + i;
      int32_t sums[4] = {q[0].bias, q[1].bias, q[2].bias, q[3].bias};
      fully_connected_any_s8_dsp_sums(w, sums, x, x + g->k);
      for (int32_t k = 0; k < 4 && i + k < out_c; ++k) {
        const int32_t v = tenon_requant_once(sums[k], q[k].mult, q[k].shift);
        *y++ =
            (int8_t)tenon_clamp_s32(tenon_add_s32(v, g->y_zero), g->lo, g->hi);
      }
    }
  }
  return TENON_OK;
}
