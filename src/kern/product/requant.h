// kern/product/requant.h - what is packed for an integer operator that sums
// products: zero points, limits, and a real factor per channel or one for all.
//
// Written by tenon_core_pack_requant in ops/core, once, where the model is
// compiled. All members are int32, so the block has no padding and no layout of
// its own.
#ifndef TENON_KERN_REQUANT_H
#define TENON_KERN_REQUANT_H

#include "kern/num/fixed.h"

typedef struct tenon_requant {
  int32_t x_zero, w_zero, y_zero;
  int32_t lo, hi;    // limits of the stored result
  int32_t channels;  // 1, or the number of output channels
  // int32_t mult[channels], shift[channels] follow
} tenon_requant;

// A sum of products of a channel as it is stored, rounded twice.
TENON_INLINE int32_t tenon_requant_stored(const tenon_requant *q, int32_t acc,
                                          ptrdiff_t channel) {
  const int32_t *mult = (const int32_t *)(q + 1);
  ptrdiff_t i = q->channels == 1 ? 0 : channel;
  int32_t y = tenon_requant_twice(acc, mult[i], mult[q->channels + i]);
  return tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

// Each element x of T, of which `sum` is made, as a To (loop/each.h).
#define TENON_REQUANT_KERNEL(name, T, To, sum)                   \
  TENON_EACH_KERNEL(name, T, To, TENON_PACKED(tenon_requant, r), \
                    (To)tenon_requant_stored(r, sum, 0))

TENON_INLINE int8_t tenon_requant_s8_twice(const tenon_requant *q, int32_t acc,
                                           ptrdiff_t channel) {
  return (int8_t)tenon_requant_stored(q, acc, channel);
}

TENON_INLINE int8_t tenon_requant_s8_once(const tenon_requant *q, int32_t acc,
                                          ptrdiff_t channel) {
  const int32_t *mult = (const int32_t *)(q + 1);
  ptrdiff_t i = q->channels == 1 ? 0 : channel;
  int32_t y = tenon_requant_once(acc, mult[i], mult[q->channels + i]);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

// A sum of 64 bits, for results of 16.
TENON_INLINE int16_t tenon_requant_s16_wide(const tenon_requant *q, int64_t acc,
                                            ptrdiff_t channel) {
  const int32_t *mult = (const int32_t *)(q + 1);
  ptrdiff_t i = q->channels == 1 ? 0 : channel;
  int32_t y = tenon_requant_wide(acc, mult[i], mult[q->channels + i]);
  return (int16_t)tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

// The same, but what has more than 32 bits wraps, as LiteRT's reference
// kernels of products of two 16-bit numbers.
TENON_INLINE int16_t tenon_requant_s16_wrapping(const tenon_requant *q,
                                                int64_t acc,
                                                ptrdiff_t channel) {
  const int32_t *factor = (const int32_t *)(q + 1);
  const ptrdiff_t i = q->channels == 1 ? 0 : channel;
  const int32_t right = 15 - factor[q->channels + i];
  const int64_t mult =
      factor[i] < 0x7FFF0000 ? (factor[i] + (1 << 15)) >> 16 : 0x7FFF;
  int32_t y = 0;
  if (right < 1) {
    y = tenon_saturate_s32(acc);
  } else if (right <= 62) {
    int64_t product = tenon_limit_wide(acc) * mult;
    y = (int32_t)(uint32_t)((product + (INT64_C(1) << (right - 1))) >> right);
  }
  return (int16_t)tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

#endif  // TENON_KERN_REQUANT_H
