// leaky_relu_s16q_ref.c - LEAKY_RELU of a quantised 16-bit value: a factor
// above zero, and one below.
#include "kern/loop/each.h"
#include "kern/num/fixed.h"
#include "kern/op/activation.h"

static int16_t leaky_relu_s16q_ref_one(const tenon_leaky_s16 *p, int32_t x) {
  int32_t k = x < 0, y = tenon_requant_twice(x, p->mult[k], p->shift[k]);
  if (k && p->is_below) y = -y;
  return (int16_t)tenon_clamp_s32(y, INT16_MIN, INT16_MAX);
}

TENON_EACH_KERNEL(tenon_k_leaky_relu_s16q_ref, int16_t, int16_t,
                  const tenon_leaky_s16 *p = (const tenon_leaky_s16 *)c->packed;
                  , leaky_relu_s16q_ref_one(p, x))
