// kern/opt/tiles/scale_s16.h - sums of products to 16 bits, a vector at a time.
//
// What kern/num/fixed.h computes of sums in 64 bits, in doubles: of sums below
// 2^38 a product with a factor of 15 bits is exact, and the other factor is a
// double there, too. A number below 2^31 is rounded by adding 2^52 + 2^51,
// which leaves its integer in the lower word; halves, which that takes to even
// ones, are moved on: up, or away from zero.
#ifndef TENON_KERN_OPT_SCALE_S16_H
#define TENON_KERN_OPT_SCALE_S16_H

#include "kern/opt/words.h"

#define TENON_UP 0
#define TENON_AWAY 1

typedef double tenon_vd __attribute__((vector_size(TENON_VB)));
typedef int64_t tenon_vl __attribute__((vector_size(TENON_VB)));

#define TENON_LOW_WORDS UINT64_C(0xffffffff)

// Doubles for even and for odd lanes.
typedef struct tenon_vd2 {
  tenon_vd even, odd;
} tenon_vd2;

// Of packed bits: those of the lower and of the higher words.
TENON_FLAT tenon_vd2 tenon_vd2_of_words(tenon_vi low, tenon_vi high) {
  const tenon_vq l = (tenon_vq)low, h = (tenon_vq)high;
  tenon_vd2 d;
  d.even = (tenon_vd)((l & TENON_LOW_WORDS) | h << 32);
  d.odd = (tenon_vd)(l >> 32 | (h & ~TENON_LOW_WORDS));
  return d;
}

// An integer as the end of a double that begins with 2^52.
TENON_FLAT tenon_vd2 tenon_vd2_of_vi(tenon_vi x) {
  const tenon_vq bits = (tenon_vq)(x ^ INT32_MIN);
  const tenon_vd first = (tenon_vd){0} + (4503599627370496.0 + 2147483648.0);
  tenon_vd2 d;
  d.even =
      (tenon_vd)((bits & TENON_LOW_WORDS) | UINT64_C(0x43300000) << 32) - first;
  d.odd = (tenon_vd)(bits >> 32 | UINT64_C(0x43300000) << 32) - first;
  return d;
}

// The integer nearest to sum * factor, in the lower words.
TENON_FLAT tenon_vq tenon_s16_nearest(const int away, tenon_vd sum,
                                      tenon_vd factor) {
  const tenon_vd first = (tenon_vd){0} + 6755399441055744.0;
  const tenon_vd half = (tenon_vd){0} + 0.5;
  const tenon_vd z = sum * factor, moved = z + first;
  const tenon_vd rest = z - (moved - first);
  if (!away) return (tenon_vq)moved - (tenon_vq)(tenon_vl)(rest == half);
  const tenon_vl sign = (tenon_vl)z & INT64_MIN;
  const tenon_vl is_tie = (tenon_vl)(rest == (tenon_vd)((tenon_vl)half | sign));
  const tenon_vl step = (tenon_vl)(z < 0) | 1;
  return (tenon_vq)moved + (tenon_vq)(is_tie & step);
}

// What results are limited to; the zero point of 16-bit numbers is 0.
typedef struct tenon_limits_s16 {
  tenon_vi lo, hi;
} tenon_limits_s16;

// n: channels from the first lane on, maybe less than lanes.
TENON_FLAT void tenon_s16_put(const int away, const tenon_vd2 *factor,
                              const tenon_limits_s16 *limits, tenon_vd2 sum,
                              ptrdiff_t n, int16_t *to) {
  const tenon_vq even = tenon_s16_nearest(away, sum.even, factor->even);
  const tenon_vq odd = tenon_s16_nearest(away, sum.odd, factor->odd);
  tenon_vi y = (tenon_vi)((even & TENON_LOW_WORDS) | odd << 32);
#ifdef TENON_HAS_LIMIT
  y = tenon_vi_limit(y, limits->lo, limits->hi);
#else
  y = tenon_vi_pick(y < limits->lo, limits->lo, y);
  y = tenon_vi_pick(y > limits->hi, limits->hi, y);
#endif
  const tenon_vw words = __builtin_convertvector(y, tenon_vw);
  if (n >= TENON_VL) {
    *(tenon_vw_at *)to = words;
    return;
  }
  if (TENON_VL > 8 && n == 8) {  // no way through memory
    memcpy(to, &words, 16);
    return;
  }
  int16_t lanes[TENON_VL];
  const int16_t *from = lanes;
  memcpy(lanes, &words, sizeof lanes);
  for (; n >= 4; n -= 4, from += 4, to += 4)
    memcpy(to, from, 8);
  for (; n > 0; --n)
    *to++ = *from++;
}

#endif  // TENON_KERN_OPT_SCALE_S16_H
