// kern/loop/lookup.h - functions of quantised 16-bit numbers by tables, with
// straight lines between the entries; packed by ops/core/element/core_lookup.c.
#ifndef TENON_KERN_LOOKUP_H
#define TENON_KERN_LOOKUP_H

#include "kern/loop/each.h"
#include "kern/num/fixed.h"
#include "tenon/tensor.h"

// Entry i belongs to the number 128 * (i - 256).
typedef struct tenon_lookup_s16 {
  int16_t entry[513];
} tenon_lookup_s16;

TENON_INLINE int16_t tenon_lookup_at(const tenon_lookup_s16 *t, int32_t x) {
  const int16_t *e = t->entry + 256 + (x >> 7);
  // As LiteRT's, a difference of more than 16 bits wraps.
  const int32_t step = (int16_t)(uint16_t)(e[1] - e[0]);
  return (int16_t)(uint16_t)(e[0] + ((step * (x & 127) + 64) >> 7));
}

#define TENON_LOOKUP_KERNEL(name)                                      \
  TENON_EACH_KERNEL(                                                   \
      name, int16_t, int16_t,                                          \
      const tenon_lookup_s16 *t = (const tenon_lookup_s16 *)c->packed; \
      , tenon_lookup_at(t, x))

// The logistic function at i / 24, in units of 2^-16, and the factor of a
// number to such places.
typedef struct tenon_sigmoid_s16 {
  uint16_t entry[256];
  int32_t mult, shift;
} tenon_sigmoid_s16;

// A number in units of a 24th with `bits` bits behind the point.
TENON_INLINE int32_t tenon_sigmoid_place(const tenon_sigmoid_s16 *t,
                                         int32_t x) {
  int32_t half = t->shift > 0 ? 1 << (t->shift - 1) : 0;
  return (x * t->mult + half) >> t->shift;
}

// The function at a place that is not negative, with as many bits more.
TENON_INLINE int32_t tenon_sigmoid_at(const tenon_sigmoid_s16 *t, int32_t place,
                                      int32_t bits, int32_t most) {
  int32_t i = place >> bits, rest = place & ((1 << bits) - 1);
  if (i >= 255) return most;
  return (int32_t)((uint32_t)t->entry[i] << bits) +
         rest * (t->entry[i + 1] - t->entry[i]);
}

// The logistic function of such a number, and twice that of its double, less 1;
// without integer bits.
TENON_INLINE int16_t tenon_sigmoid_logistic(const tenon_sigmoid_s16 *t,
                                            int32_t x) {
  int32_t at = tenon_sigmoid_place(t, x);
  int32_t y = tenon_sigmoid_at(t, at < 0 ? -at : at, 9, 0x7FFF << 10);
  y = at >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
  return (int16_t)(y >> 10);
}

TENON_INLINE int16_t tenon_sigmoid_tanh(const tenon_sigmoid_s16 *t, int32_t x) {
  int32_t at = tenon_sigmoid_place(t, x);
  int32_t y = tenon_sigmoid_at(t, at < 0 ? -at : at, 8, 0xFFFF << 8);
  y = at >= 0 ? y - (1 << 23) + (1 << 7) : (1 << 23) - y + (1 << 7) - 1;
  return (int16_t)(y >> 8);
}

// Packed for the softmax of 16 bits.
typedef struct tenon_softmax_s16 {
  tenon_lookup_s16 exp, inverse;  // e to the x from -10 on; 1 / (1 + x) to 1
  int32_t mult, shift;            // of distances
} tenon_softmax_s16;

#endif  // TENON_KERN_LOOKUP_H
