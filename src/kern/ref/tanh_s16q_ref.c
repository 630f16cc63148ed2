// tanh_s16q_ref.c - tanh of 16-bit numbers, as LiteRT's reference TANH: twice
// the logistic function of twice the number, less 1.
#include "kern/each.h"
#include "kern/lookup.h"

static int16_t tanh_s16q_ref_one(const tenon_sigmoid_s16 *t, int32_t x) {
  int32_t at = tenon_sigmoid_place(t, x);
  int32_t y = tenon_sigmoid_at(t, at < 0 ? -at : at, 8, 0xFFFF << 8);
  y = at >= 0 ? y - (1 << 23) + (1 << 7) : (1 << 23) - y + (1 << 7) - 1;
  return (int16_t)(y >> 8);
}

TENON_EACH_KERNEL(tenon_k_tanh_s16q_ref, int16_t, int16_t,
                  const tenon_sigmoid_s16 *t = (const tenon_sigmoid_s16 *)
                                                   c->packed;
                  , tanh_s16q_ref_one(t, x))
