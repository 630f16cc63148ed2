// fully_connected_any_s16q_dsp.c - product of 16-bit numbers with 8-bit
// weights, four channels at a time. Bit for bit what fully_connected_s16q_ref.c
// computes.
#include "kern/isa/arm/dsp/wide_any_dsp.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_any_s16q_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *x = (const int16_t *)c->in[0].data + row * g->c;
    if (g->c != g->k) {  // nothing is read behind the last one
      int16_t *to = (int16_t *)c->scratch;
      for (int32_t i = 0; i < g->k; ++i)
        to[i] = i < g->c ? x[i] : 0;
      x = to;
    }
    tenon_wide_any_dsp_row(g, x, (int16_t *)c->out[0].data + row * g->out_c,
                           tenon_requant_double);
  }
  return TENON_OK;
}
