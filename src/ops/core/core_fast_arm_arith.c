// core_fast_arm_arith.c - quantised sums, differences and products on Cortex-M:
// which calls, and their factors.
#include "kern/arith.h"

#include <stddef.h>
#include <string.h>

#include "ops/core/core_arith.h"
#include "ops/core/core_fast_arm.h"

// All sizes are known, and none is zero.
static bool arm_arith_are_known(const tenon_call *c) {
  for (int i = 0; i < c->out[0].rank; ++i)
    if (c->out[0].dims[i] < 1) return false;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < c->in[k].rank; ++i)
      if (c->in[k].dims[i] < 1) return false;
  return true;
}
// Operands and result have one shape.
static bool are_alike(const tenon_call *c) {
  for (int k = 0; k < 2; ++k)
    if (tenon_count(&c->in[k]) != tenon_count(&c->out[0])) return false;
  return arm_arith_are_known(c);
}
static bool arm_arith_is_whole(const tenon_arm_sum *s) {
  return s->lo == INT8_MIN && s->hi == INT8_MAX;
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
  if (!arm_arith_is_plain(s->mult, s->shift) ||
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
                              .hi = p.hi};
  *s = made;
  if (!arm_arith_is_plain(p.mult, p.shift)) return false;
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
static size_t any_sum_size(const tenon_call *c) {
  (void)c;
  return sizeof(tenon_arm_sum);
}

// Those with `any` repeat operands, and have limits.
#define ARITH(name, any_name, feature, its_op, make)                   \
  static bool name##_##feature##_match(const tenon_call *c) {          \
    tenon_arm_sum s;                                                   \
    return are_alike(c) && make && arm_arith_is_whole(&s);             \
  }                                                                    \
  static bool any_name##_##feature##_match(const tenon_call *c) {      \
    tenon_arm_sum s;                                                   \
    return arm_arith_are_known(c) && make;                             \
  }                                                                    \
  static tenon_status name##_##feature##_pack(const tenon_call *c,     \
                                              void *packed) {          \
    tenon_arm_sum s;                                                   \
    (void)make;                                                        \
    memcpy(packed, &s, sum_size(c));                                   \
    return TENON_OK;                                                   \
  }                                                                    \
  static tenon_status any_name##_##feature##_pack(const tenon_call *c, \
                                                  void *packed) {      \
    tenon_arm_sum s;                                                   \
    (void)make;                                                        \
    memcpy(packed, &s, sizeof s);                                      \
    return TENON_OK;                                                   \
  }                                                                    \
  ARITH_KERNEL(name, feature, its_op, sum_size, 1);                    \
  ARITH_KERNEL(any_name, feature, its_op, any_sum_size, 0)
#define ARITH_KERNEL(name, feature, its_op, how_large, above)  \
  CORE_KERNEL(name##_##feature) = {                            \
      CORE_ARM_FIRST(name, feature, tenon_core_items, above),  \
      .op = its_op,                                            \
      .types = "s8q, s8q -> s8q",                              \
      .match = name##_##feature##_match,                       \
      .in_place = TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1), \
      .pack_version = 1,                                       \
      .pack_size = how_large,                                  \
      .pack = name##_##feature##_pack}

ARITH(add_s8, add_any_s8, dsp, "core::add", sum_of(c, 1, false, &s));
ARITH(add_s8, add_any_s8, mve, "core::add", sum_of(c, 1, true, &s));
ARITH(sub_s8, sub_any_s8, dsp, "core::sub", sum_of(c, -1, false, &s));
ARITH(sub_s8, sub_any_s8, mve, "core::sub", sum_of(c, -1, true, &s));
ARITH(mul_s8, mul_any_s8, dsp, "core::mul", product_of(c, false, &s));
ARITH(mul_s8, mul_any_s8, mve, "core::mul", product_of(c, true, &s));
