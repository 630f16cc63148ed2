// matmul_s16q_ref.c - products of matrices of 16-bit numbers, as LiteRT's
// reference BATCH_MATMUL: sums in 64 bits, with 15 bits of the factor.
#include "kern/matmul.h"
#include "kern/requant.h"

// As tenon_requant_wide, but what has more than 32 bits wraps.
static int16_t matmul_s16q_ref_stored(const tenon_requant *r, int64_t sum) {
  const int32_t *factor = (const int32_t *)(r + 1);
  const int32_t right = 15 - factor[1];
  const int64_t mult =
      factor[0] < 0x7FFF0000 ? (factor[0] + (1 << 15)) >> 16 : 0x7FFF;
  int32_t y = 0;
  if (right < 1) {
    y = tenon_saturate_s32(sum);
  } else if (right <= 62) {
    int64_t product = tenon_limit_wide(sum) * mult;
    y = (int32_t)(uint32_t)((product + (INT64_C(1) << (right - 1))) >> right);
  }
  return (int16_t)tenon_clamp_s32(tenon_add_s32(y, r->y_zero), r->lo, r->hi);
}

TENON_MATMUL_STORED(tenon_k_matmul_s16q_ref, int16_t, int64_t,
                    matmul_s16q_ref_stored(r, sum))
