// kern/loop/plain.h - one body for every plain element type.
//
// Each type t (f32 f64 f16 bf16 s8 .. u64, and
// truth for bool) has tenon_carry_t, in which its
// kernels compute, tenon_load_t and tenon_store_t between memory and that, and
// tenon_plus_t, tenon_times_t, tenon_is_nan_t. 16-bit floats are carried as f32
// and round once, at the store; integers are carried in 64 bits and wrap.
#ifndef TENON_KERN_PLAIN_H
#define TENON_KERN_PLAIN_H

#include "kern/num/half.h"
#include "tenon/tensor.h"

#define TENON_PLAIN_MEMORY(t, Store, Carry)                             \
  typedef Carry tenon_carry_##t;                                        \
  TENON_INLINE Carry tenon_load_##t(const void *data, ptrdiff_t i) {    \
    return (Carry)((const Store *)data)[i];                             \
  }                                                                     \
  TENON_INLINE void tenon_store_##t(void *data, ptrdiff_t i, Carry v) { \
    ((Store *)data)[i] = (Store)v;                                      \
  }
#define TENON_PLAIN_HALF(t)                                             \
  typedef float tenon_carry_##t;                                        \
  TENON_INLINE float tenon_load_##t(const void *data, ptrdiff_t i) {    \
    return tenon_f32_of_##t(((const uint16_t *)data)[i]);               \
  }                                                                     \
  TENON_INLINE void tenon_store_##t(void *data, ptrdiff_t i, float v) { \
    ((uint16_t *)data)[i] = tenon_##t##_of_f32(v);                      \
  }
#define TENON_PLAIN_REAL(t)                                         \
  TENON_INLINE tenon_carry_##t tenon_plus_##t(tenon_carry_##t a,    \
                                              tenon_carry_##t b) {  \
    return a + b;                                                   \
  }                                                                 \
  TENON_INLINE tenon_carry_##t tenon_times_##t(tenon_carry_##t a,   \
                                               tenon_carry_##t b) { \
    return a * b;                                                   \
  }                                                                 \
  TENON_INLINE bool tenon_is_nan_##t(tenon_carry_##t v) {           \
    return v != v;                                                  \
  }
#define TENON_PLAIN_INTEGER(t)                                      \
  TENON_INLINE tenon_carry_##t tenon_plus_##t(tenon_carry_##t a,    \
                                              tenon_carry_##t b) {  \
    return (tenon_carry_##t)((uint64_t)a + (uint64_t)b);            \
  }                                                                 \
  TENON_INLINE tenon_carry_##t tenon_times_##t(tenon_carry_##t a,   \
                                               tenon_carry_##t b) { \
    return (tenon_carry_##t)((uint64_t)a * (uint64_t)b);            \
  }                                                                 \
  TENON_INLINE bool tenon_is_nan_##t(tenon_carry_##t v) {           \
    (void)v;                                                        \
    return false;                                                   \
  }

TENON_PLAIN_MEMORY(f32, float, float)
TENON_PLAIN_MEMORY(f64, double, double)
TENON_PLAIN_HALF(f16)
TENON_PLAIN_HALF(bf16)
TENON_PLAIN_MEMORY(s8, int8_t, int64_t)
TENON_PLAIN_MEMORY(s16, int16_t, int64_t)
TENON_PLAIN_MEMORY(s32, int32_t, int64_t)
TENON_PLAIN_MEMORY(s64, int64_t, int64_t)
TENON_PLAIN_MEMORY(u8, uint8_t, uint64_t)
TENON_PLAIN_MEMORY(u16, uint16_t, uint64_t)
TENON_PLAIN_MEMORY(u32, uint32_t, uint64_t)
TENON_PLAIN_MEMORY(u64, uint64_t, uint64_t)

// Stored as 0 or 1 whatever was carried.
typedef uint64_t tenon_carry_truth;
TENON_INLINE uint64_t tenon_load_truth(const void *data, ptrdiff_t i) {
  return ((const uint8_t *)data)[i] != 0;
}
TENON_INLINE void tenon_store_truth(void *data, ptrdiff_t i, uint64_t v) {
  ((uint8_t *)data)[i] = v != 0;
}

// X(t) for each of them.
#define TENON_PLAIN_REALS(X) X(f32) X(f64) X(f16) X(bf16)
#define TENON_PLAIN_INTEGERS(X) \
  X(s8) X(s16) X(s32) X(s64) X(u8) X(u16) X(u32) X(u64) X(truth)
#define TENON_PLAIN_ALL(X) TENON_PLAIN_REALS(X) TENON_PLAIN_INTEGERS(X)

TENON_PLAIN_REALS(TENON_PLAIN_REAL)
TENON_PLAIN_INTEGERS(TENON_PLAIN_INTEGER)

// Statements DO(t) for the type that `dtype` is, of all or of floats.
#define TENON_PLAIN_CASE(dtype, DO, t) \
  case dtype:                          \
    DO(t);                             \
    break;
#define TENON_REAL_CASES(DO)           \
  TENON_PLAIN_CASE(TENON_F64, DO, f64) \
  TENON_PLAIN_CASE(TENON_F16, DO, f16) \
  TENON_PLAIN_CASE(TENON_BF16, DO, bf16)
#define TENON_REAL_SWITCH(dtype, DO) \
  switch (dtype) {                   \
    TENON_REAL_CASES(DO)             \
    default:                         \
      DO(f32);                       \
      break;                         \
  }
#define TENON_PLAIN_SWITCH(dtype, DO)    \
  switch (dtype) {                       \
    TENON_PLAIN_CASE(TENON_F32, DO, f32) \
    TENON_REAL_CASES(DO)                 \
    TENON_PLAIN_CASE(TENON_S8, DO, s8)   \
    TENON_PLAIN_CASE(TENON_S16, DO, s16) \
    TENON_PLAIN_CASE(TENON_S32, DO, s32) \
    TENON_PLAIN_CASE(TENON_S64, DO, s64) \
    TENON_PLAIN_CASE(TENON_U8, DO, u8)   \
    TENON_PLAIN_CASE(TENON_U16, DO, u16) \
    TENON_PLAIN_CASE(TENON_U32, DO, u32) \
    TENON_PLAIN_CASE(TENON_U64, DO, u64) \
    default:                             \
      DO(truth);                         \
      break;                             \
  }

// An index of either width.
TENON_INLINE int64_t tenon_index_load(const tenon_tensor *t, ptrdiff_t i) {
  if (t->dtype == TENON_S64) return ((const int64_t *)t->data)[i];
  return ((const int32_t *)t->data)[i];
}

#endif  // TENON_KERN_PLAIN_H
