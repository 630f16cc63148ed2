// fully_connected_s16q_ref.c - product of 16-bit numbers with 8-bit weights,
// scaled as doubles.
#include "kern/product/connected.h"

static int16_t fully_connected_s16q_ref_stored(const tenon_requant *q,
                                               int64_t sum, ptrdiff_t channel) {
  const int32_t *mult = (const int32_t *)(q + 1);
  const ptrdiff_t i = q->channels == 1 ? 0 : channel;
  const int32_t y = tenon_requant_double(sum, mult[i], mult[q->channels + i]);
  return (int16_t)tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

TENON_FULLY_CONNECTED_STORED(tenon_k_fully_connected_s16q_ref, int8_t,
                             fully_connected_s16q_ref_stored(r, acc, oc))
