// core_fast_arm_arith.c - quantised sums, differences and products on Cortex-M:
// which calls, and their factors.
#include "kern/op/arith.h"

#include <stddef.h>
#include <string.h>

#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_arm.h"

// Operands and result have one shape.
static bool are_alike(const tenon_call *c) {
  for (int k = 0; k < 2; ++k)
    if (tenon_count(&c->in[k]) != tenon_count(&c->out[0])) return false;
  return true;
}
static bool arm_arith_is_whole(const tenon_arm_sum *s) {
  return s->lo == INT8_MIN && s->hi == INT8_MAX;
}
// Sums of 16-bit numbers have room for no zero points, and none has one.
static bool arm_arith_has_room(const tenon_call *c) {
  return c->out[0].dtype == TENON_S8 ||
         (tenon_core_zero(&c->in[0]) == 0 && tenon_core_zero(&c->in[1]) == 0 &&
          tenon_core_zero(&c->out[0]) == 0);
}

static bool arm_arith_is_plain(int32_t mult, int32_t shift) {
  return mult >= 1 << 30 && shift <= -1 && shift >= -31;
}

// `sign` of the second operand.
static bool sum_of(const tenon_call *c, int32_t sign, bool is_mve,
                   tenon_arm_sum *s) {
  tenon_add_s8 p;
  (void)tenon_core_add_pack(c, &p);
  const bool is_first = p.a_mult == 1 << 30 && p.a_shift == 0;
  const int32_t zero = is_first ? p.b_zero : p.a_zero;
  const int32_t half_zero = is_first ? p.a_zero : p.b_zero;
  s->half = is_first ? 0 : 1;
  s->left = p.left;
  s->mult = is_first ? p.b_mult : p.a_mult;
  s->shift = is_first ? p.b_shift : p.a_shift;
  s->y_mult = p.y_mult;
  s->y_shift = p.y_shift;
  s->zero = p.y_zero;
  s->lo = p.lo;
  s->hi = p.hi;
  s->alike = are_alike(c);
  const bool are_equal = s->mult == 1 << 30 && s->shift == 0;
  if (are_equal) {  // so that there is a shift: twice as much, and one to the
                    // right
    s->shift = -1;
    if (is_mve) s->left += 1;
  }
  s->less = -zero * (1 << s->left);
  // Words add it to what the operand is then added to or taken off.
  s->half_less =
      (sign < 0 && !is_mve ? half_zero : -half_zero) * (1 << (p.left - 1));
  if (!arm_arith_has_room(c) || !arm_arith_is_plain(s->mult, s->shift) ||
      !arm_arith_is_plain(s->y_mult, s->y_shift))
    return false;
  if (!is_mve) {
    s->mult = are_equal ? 0 : (int32_t)((uint32_t)s->mult * 2);
    s->shift = -s->shift;
    s->y_mult = (int32_t)((uint32_t)s->y_mult * 2);
    s->y_shift = -s->y_shift;
  }
  return true;
}

static bool product_of(const tenon_call *c, bool is_mve, tenon_arm_sum *s) {
  tenon_mul_s8 p;
  (void)tenon_core_mul_pack(c, &p);
  const tenon_arm_sum made = {.less = -p.a_zero,
                              .half_less = -p.b_zero,
                              .y_mult = p.mult,
                              .y_shift = p.shift,
                              .zero = p.y_zero,
                              .lo = p.lo,
                              .hi = p.hi,
                              .alike = are_alike(c)};
  *s = made;
  if (!arm_arith_has_room(c) || !arm_arith_is_plain(p.mult, p.shift))
    return false;
  if (!is_mve) {
    s->y_mult = (int32_t)((uint32_t)p.mult * 2);
    s->y_shift = -p.shift;
  }
  return true;
}

static size_t sum_size(const tenon_call *c) {
  (void)c;
  return offsetof(tenon_arm_sum, lo);
}
CORE_OWN_PACKS(any_sum_size, tenon_arm_sum)

// Those that repeat operands and have limits, and those that do not.
#define ARITH(name, feature, its_op, its_type, fits, how_large, above, make) \
  static bool name##_##feature##_match(const tenon_call *c) {                \
    tenon_arm_sum s;                                                         \
    return tenon_core_arm_are_known(c) && make && (fits);                    \
  }                                                                          \
  static tenon_status name##_##feature##_pack(const tenon_call *c,           \
                                              void *packed) {                \
    tenon_arm_sum s;                                                         \
    (void)make;                                                              \
    memcpy(packed, &s, how_large(c));                                        \
    return TENON_OK;                                                         \
  }                                                                          \
  CORE_KERNEL(name##_##feature) = {                                          \
      CORE_ARM_FIRST(name, feature, tenon_core_items, above),                \
      .op = "core::" #its_op,                                                \
      .types = its_type ", " its_type " -> " its_type,                       \
      .match = name##_##feature##_match,                                     \
      .in_place = TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1),               \
      .pack_version = 2,                                                     \
      .pack_size = how_large,                                                \
      .pack = name##_##feature##_pack}
#define ARITH_OF(op, feature, make)                                          \
  ARITH(op##_s8, feature, op, "s8q", are_alike(c) && arm_arith_is_whole(&s), \
        sum_size, 1, make);                                                  \
  ARITH(op##_any_s8, feature, op, "s8q", true, any_sum_size, 0, make);       \
  ARITH(op##_s16q, feature, op, "s16q", true, any_sum_size, 0, make)

ARITH_OF(add, dsp, sum_of(c, 1, false, &s));
ARITH_OF(add, mve, sum_of(c, 1, true, &s));
ARITH_OF(sub, dsp, sum_of(c, -1, false, &s));
ARITH_OF(sub, mve, sum_of(c, -1, true, &s));
ARITH_OF(mul, dsp, product_of(c, false, &s));
ARITH_OF(mul, mve, product_of(c, true, &s));
