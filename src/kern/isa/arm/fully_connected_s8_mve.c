// fully_connected_s8_mve.c - quantised product, four channels at a time. Bit
// for bit what fully_connected_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/isa/arm/mve_sums.h"
#include "tenon/tensor.h"

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_mve) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_quad *const quads = (const tenon_arm_quad *)(g + 1);
  const tenon_arm_quad *const last = quads + (g->out_c + 3) / 4;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *x = (const int8_t *)c->in[0].data + row * g->c;
    const int8_t *w = (const int8_t *)last;
    int8_t *y = (int8_t *)c->out[0].data + row * g->out_c;
    int32_t n = g->out_c;
    for (const tenon_arm_quad *q = quads; q < last; ++q, y += 4, n -= 4) {
      int32x4_t v = tenon_mve_sums(x, g->k >> 4, &w, q->bias);
      v = tenon_mve_stored(tenon_mve_once(v, q), g);
      vstrbq_p_s32(y, v, vctp32q((uint32_t)n));
    }
  }
  return TENON_OK;
}
