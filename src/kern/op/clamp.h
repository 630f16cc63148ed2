// kern/op/clamp.h - limits `lo` and `hi` of a result: attributes of
// core::clamp, and part of those of many operators.
//
// They are real numbers and either may be absent; where `lo` is above `hi`, all
// becomes `hi`. Kernels on floats and plain integers turn them into limits of
// their type here; for quantised results `pack` has done it.
#ifndef TENON_KERN_CLAMP_H
#define TENON_KERN_CLAMP_H

#include "kern/num/half.h"
#include "tenon/attr.h"

typedef struct tenon_clamp_attrs {
  tenon_opt_float lo, hi;
} tenon_clamp_attrs;

// `m`, of this type, computed from the attributes `a` of the call `c`.
#define TENON_CLAMP_LIMITS_AS(type, limits)                         \
  const tenon_clamp_attrs *a = (const tenon_clamp_attrs *)c->attrs; \
  const type m = limits;

typedef struct tenon_limits_f32 {
  float lo, hi;
} tenon_limits_f32;

TENON_INLINE tenon_limits_f32 tenon_limits_f32_of(tenon_opt_float lo,
                                                  tenon_opt_float hi) {
  tenon_limits_f32 m;
  m.lo = lo.has ? (float)lo.value : tenon_f32_of_bits(0xff800000u);
  m.hi = hi.has ? (float)hi.value : tenon_f32_of_bits(0x7f800000u);
  if (m.lo > m.hi) m.lo = m.hi;
  return m;
}

// NaN stays NaN. One choice after the other, which compilers turn into minimum
// and maximum of vectors.
TENON_INLINE float tenon_limit_f32(float x, tenon_limits_f32 m) {
  x = x < m.lo ? m.lo : x;
  return x > m.hi ? m.hi : x;
}

typedef struct tenon_limits_f64 {
  double lo, hi;
} tenon_limits_f64;

TENON_INLINE tenon_limits_f64 tenon_limits_f64_of(tenon_opt_float lo,
                                                  tenon_opt_float hi) {
  const double infinity = (double)tenon_f32_of_bits(0x7f800000u);
  tenon_limits_f64 m;
  m.lo = lo.has ? lo.value : -infinity;
  m.hi = hi.has ? hi.value : infinity;
  if (m.lo > m.hi) m.lo = m.hi;
  return m;
}

TENON_INLINE double tenon_limit_f64(double x, tenon_limits_f64 m) {
  x = x < m.lo ? m.lo : x;
  return x > m.hi ? m.hi : x;
}

typedef struct tenon_limits_s64 {
  int64_t lo, hi;
} tenon_limits_s64;

// 2^63 is the first double beyond the type.
TENON_INLINE int64_t tenon_s64_of_f64(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0) return INT64_MAX;
  if (x < -9223372036854775808.0) return INT64_MIN;
  return (int64_t)x;
}

TENON_INLINE tenon_limits_s64 tenon_limits_s64_of(tenon_opt_float lo,
                                                  tenon_opt_float hi,
                                                  int64_t type_lo,
                                                  int64_t type_hi) {
  tenon_limits_s64 m;
  m.lo = lo.has ? tenon_s64_of_f64(lo.value) : type_lo;
  m.hi = hi.has ? tenon_s64_of_f64(hi.value) : type_hi;
  if (m.lo < type_lo) m.lo = type_lo;
  if (m.hi > type_hi) m.hi = type_hi;
  if (m.lo > m.hi) m.lo = m.hi;
  return m;
}

TENON_INLINE int64_t tenon_limit_s64(int64_t x, tenon_limits_s64 m) {
  return x < m.lo ? m.lo : x > m.hi ? m.hi : x;
}

typedef struct tenon_limits_u64 {
  uint64_t lo, hi;
} tenon_limits_u64;

// 2^64 is the first double beyond the type.
TENON_INLINE uint64_t tenon_u64_of_f64(double x) {
  if (!(x > 0.0)) return 0;
  return x >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)x;
}

TENON_INLINE tenon_limits_u64 tenon_limits_u64_of(tenon_opt_float lo,
                                                  tenon_opt_float hi,
                                                  uint64_t type_lo,
                                                  uint64_t type_hi) {
  tenon_limits_u64 m;
  m.lo = lo.has ? tenon_u64_of_f64(lo.value) : type_lo;
  m.hi = hi.has ? tenon_u64_of_f64(hi.value) : type_hi;
  if (m.hi > type_hi) m.hi = type_hi;
  if (m.lo > m.hi) m.lo = m.hi;
  return m;
}

TENON_INLINE uint64_t tenon_limit_u64(uint64_t x, tenon_limits_u64 m) {
  return x < m.lo ? m.lo : x > m.hi ? m.hi : x;
}

#endif  // TENON_KERN_CLAMP_H
