// avg_pool_f32_fpu.c - mean over a window, in floats, four channels at a time.
// Bit for bit what avg_pool_f32_ref.c computes.
#include "kern/isa/arm/fpu/pool_fpu.h"

TENON_FPU_POOL_FOUR(avg_pool_f32_fpu_sums,
                    "vadd.f32 s4, s4, s0\n"
                    "vadd.f32 s5, s5, s1\n"
                    "vadd.f32 s6, s6, s2\n"
                    "vadd.f32 s7, s7, s3\n")

static bool avg_pool_f32_fpu_four(const float *x, const tenon_fpu_taps *taps,
                                  float *y) {
  const float count = (float)(taps->rows * taps->columns);
  float state[6] = {0, 0, 0, 0, 0, 0};
  avg_pool_f32_fpu_sums(x, taps, state);
  for (int32_t k = 0; k < 4; ++k)
    y[k] = state[k] / count;
  return true;
}

static float avg_pool_f32_fpu_one(const float *x, const tenon_fpu_taps *taps) {
  float sum = 0.0f;
  for (int32_t ky = taps->rows; ky > 0; --ky, x += taps->next / 4)
    for (int32_t kx = taps->columns; kx > 0; --kx, x += taps->step / 4)
      sum += *x;
  return sum / (float)(taps->rows * taps->columns);
}

TENON_KERNEL_RANGE(tenon_k_avg_pool_f32_fpu) {
  tenon_fpu_pool(c, begin, end, avg_pool_f32_fpu_four, avg_pool_f32_fpu_one,
                 0.0f);
  return TENON_OK;
}
