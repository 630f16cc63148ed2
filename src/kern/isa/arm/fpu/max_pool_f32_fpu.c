// max_pool_f32_fpu.c - maximum over a window, in floats, four channels at a
// time. Bit for bit what max_pool_f32_ref.c computes.
#include "kern/isa/arm/fpu/pool_fpu.h"

// s8 becomes NaN where a tap is one, or infinite: then a comparison is not
// enough.
#define MAX_POOL_F32_FPU_TAP(x, most) \
  "vfma.f32 s8, " x                   \
  ", s9\n"                            \
  "vcmp.f32 " x ", " most             \
  "\n"                                \
  "vmrs APSR_nzcv, FPSCR\n"           \
  "it gt\n"                           \
  "vmovgt.f32 " most ", " x "\n"
TENON_FPU_POOL_FOUR(max_pool_f32_fpu_most,
                    MAX_POOL_F32_FPU_TAP("s0", "s4")
                        MAX_POOL_F32_FPU_TAP("s1", "s5")
                            MAX_POOL_F32_FPU_TAP("s2", "s6")
                                MAX_POOL_F32_FPU_TAP("s3", "s7"))

static bool max_pool_f32_fpu_four(const float *x, const tenon_fpu_taps *taps,
                                  float *y) {
  const float lowest = tenon_f32_of_bits(0xff800000u);
  float state[6] = {lowest, lowest, lowest, lowest, 0, 0};
  max_pool_f32_fpu_most(x, taps, state);
  for (int32_t k = 0; k < 4; ++k)
    y[k] = state[k];
  return state[4] == 0.0f;
}

// A NaN wins and stays.
static float max_pool_f32_fpu_one(const float *x, const tenon_fpu_taps *taps) {
  float y = tenon_f32_of_bits(0xff800000u);
  for (int32_t ky = taps->rows; ky > 0; --ky, x += taps->next / 4)
    for (int32_t kx = taps->columns; kx > 0; --kx, x += taps->step / 4) {
      const float most = *x > y ? *x : y;
      y = *x != *x ? *x : most;
    }
  return y;
}

TENON_KERNEL_RANGE(tenon_k_max_pool_f32_fpu) {
  tenon_fpu_pool(c, begin, end, max_pool_f32_fpu_four, max_pool_f32_fpu_one,
                 tenon_f32_of_bits(0xff800000u));
  return TENON_OK;
}
