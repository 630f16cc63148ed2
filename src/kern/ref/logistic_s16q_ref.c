// logistic_s16q_ref.c - 1 / (1 + exp(-x)) of 16-bit numbers, as LiteRT's
// reference LOGISTIC.
#include "kern/each.h"
#include "kern/lookup.h"

static int16_t logistic_s16q_ref_one(const tenon_sigmoid_s16 *t, int32_t x) {
  int32_t at = tenon_sigmoid_place(t, x);
  int32_t y = tenon_sigmoid_at(t, at < 0 ? -at : at, 9, 0x7FFF << 10);
  y = at >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
  return (int16_t)(y >> 10);
}

TENON_EACH_KERNEL(tenon_k_logistic_s16q_ref, int16_t, int16_t,
                  const tenon_sigmoid_s16 *t = (const tenon_sigmoid_s16 *)
                                                   c->packed;
                  , logistic_s16q_ref_one(t, x))
