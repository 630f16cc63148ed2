// fully_connected_s16q_mve.c - product of 16-bit numbers with 8-bit weights,
// plain channels of factors of two words, four at a time. Bit for bit what
// fully_connected_s16q_ref.c computes.
#include "kern/isa/arm/mve/wide_mve.h"

// As tenon_requant_long: the upper words of both products, and what the lower
// word of one gives with the other.
TENON_WIDE_MVE_ROW(fully_connected_s16q_mve_row,
                   "vldrw.32 q2, [r9], #16\n"
                   "vldrw.32 q3, [r9], #16\n"
                   "vmulh.s32 q1, q0, q2\n"
                   "vmul.i32 q2, q0, q3\n"
                   "vmulh.s32 q0, q0, q3\n"
                   "vadd.i32 q3, q2, q1\n"
                   "vshr.s32 q1, q1, #31\n"
                   "vadd.i32 q0, q0, q1\n"
                   "vpt.u32 hi, q2, q3\n"
                   "vaddt.i32 q0, q0, r11\n")

TENON_KERNEL_RANGE(tenon_k_fully_connected_s16q_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const int32_t *const table = (const int32_t *)tenon_arm_rest(g);
  const int8_t *const w = (const int8_t *)(table + (g->out_c + 3) / 4 * 16);
  const int32_t job[] = {g->c, g->out_c, g->lo, g->hi};
  const int16_t *const x = (const int16_t *)c->in[0].data;
  int16_t *const y = (int16_t *)c->out[0].data;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row)
    fully_connected_s16q_mve_row(w, table, x + row * g->c, y + row * g->out_c,
                                 job);
  return TENON_OK;
}
