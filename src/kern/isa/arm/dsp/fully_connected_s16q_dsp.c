// fully_connected_s16q_dsp.c - product of 16-bit numbers with 8-bit weights,
// plain channels of factors of two words, four at a time. Bit for bit what
// fully_connected_s16q_ref.c computes.
#include "kern/isa/arm/dsp/wide_dsp.h"

// All channels of a row.
TENON_ARM void fully_connected_s16q_dsp_row(const tenon_arm_window *g,
                                            const int16_t *x, int16_t *y) {
  const tenon_arm_long *q = (const tenon_arm_long *)tenon_arm_rest(g);
  const int8_t *w = (const int8_t *)(q + (g->out_c + 3) / 4 * 4);
  for (int32_t i = 0; i < g->out_c; w += 4 * g->k) {
    int32_t sums[4] = {q[0].bias, q[1].bias, q[2].bias, q[3].bias};
    tenon_wide_dsp_row(w, x, x + g->k, sums);
    for (int32_t n = 0; n < 4 && i < g->out_c; ++n, ++i, ++q) {
      const int32_t v = tenon_requant_long(sums[n], q->high, q->low, q->shift);
      y[i] = (int16_t)tenon_clamp_s32(v, g->lo, g->hi);
    }
  }
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_s16q_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row)
    fully_connected_s16q_dsp_row(
        g, tenon_wide_dsp_whole(g, c->in[0].data, row, c->scratch),
        (int16_t *)c->out[0].data + row * g->out_c);
  return TENON_OK;
}
