// softmax_s8_mve.c - quantised softmax of rows without steps, four at a time.
// Bit for bit what softmax_s8_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/num/newton.h"
#include "kern/op/softmax.h"

// The exponentials of four at x, or of fewer.
TENON_MVE int32x4_t softmax_s8_mve_four(const int32_t *exps, int32_t most,
                                        const int8_t *x, mve_pred16_t some) {
  const int32x4_t v = vsubq_s32(vdupq_n_s32(most), vldrbq_z_s32(x, some));
  return vldrwq_gather_shifted_offset_z_s32(exps, vreinterpretq_u32_s32(v),
                                            some);
}

TENON_KERNEL_RANGE(tenon_k_softmax_s8_mve) {
  const int32_t *const exps = ((const tenon_softmax_s8 *)c->packed)->exps;
  const int32_t n =
      (int32_t)tenon_rows_of(&c->in[0],
                             ((const tenon_softmax_attrs *)c->attrs)->axis)
          .count;
  const int8_t *x = (const int8_t *)c->in[0].data + (int32_t)begin * n;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * n;
  for (int32_t row = (int32_t)begin; row < (int32_t)end;
       ++row, x += n, y += n) {
    int32_t most = INT8_MIN, sum = 0, shift;
    for (int32_t i = 0; i < n; i += 16) {
      const mve_pred16_t some = vctp8q((uint32_t)(n - i));
      most = vmaxvq_p_s8((int8_t)most, vldrbq_z_s8(x + i, some), some);
    }
    for (int32_t i = 0; i < n; i += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(n - i));
      const int32x4_t e = softmax_s8_mve_four(exps, most, x + i, some);
      sum = vaddvaq_s32(sum, vrshrq_n_s32(e, 12));  // others are 0
    }
    const int32_t inverse = tenon_reciprocal_s32(sum, 12, &shift);
    const int32x4_t right = vdupq_n_s32(8 - 31 - shift);
    for (int32_t i = 0; i < n; i += 4) {
      const mve_pred16_t some = vctp32q((uint32_t)(n - i));
      int32x4_t v = softmax_s8_mve_four(exps, most, x + i, some);
      v = vrshlq_s32(vqrdmulhq_n_s32(v, inverse), right);
      v = vaddq_n_s32(vminq_s32(v, vdupq_n_s32(UINT8_MAX)), INT8_MIN);
      vstrbq_p_s32(y + i, v, some);
    }
  }
  return TENON_OK;
}
