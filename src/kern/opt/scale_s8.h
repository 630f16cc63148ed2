// kern/opt/scale_s8.h - sums of products to int8, a vector at a time.
//
// The same numbers as kern/fixed.h. A 32 x 32 bit product needs 64 bits, so
// even and odd lanes are multiplied apart and put together again; what depends
// on the channel alone is prepared once for all rows. Vectors assume what the
// packing function calls plain (kern/opt/packed.h); anything else, and
// instruction sets without the product or without a shift per lane, goes
// through fixed.h.
#ifndef TENON_KERN_OPT_SCALE_S8_H
#define TENON_KERN_OPT_SCALE_S8_H

#include "kern/fixed.h"
#include "kern/opt/packed.h"
#include "kern/opt/tiles.h"

// How LiteRT rounds; see kern/fixed.h.
#define TENON_ONCE 1
#define TENON_TWICE 0

typedef struct tenon_scale_s8 {
  const int32_t *mult, *shift;
  int32_t zero, lo, hi;
  bool is_plain;
} tenon_scale_s8;

TENON_INLINE tenon_scale_s8 tenon_scale_s8_of(const tenon_packed_s8 *head,
                                              ptrdiff_t np) {
  tenon_scale_s8 s;
  s.mult = (const int32_t *)(head + 1) + np;
  s.shift = s.mult + np;
  s.zero = head->y_zero;
  s.lo = head->lo;
  s.hi = head->hi;
  s.is_plain = head->is_plain != 0;
  return s;
}

// One sum, of channel i.
TENON_FLAT int8_t tenon_scale_s8_one(const int once, const tenon_scale_s8 *s,
                                     int32_t sum, ptrdiff_t i) {
  const int32_t y = once ? tenon_requant_once(sum, s->mult[i], s->shift[i])
                         : tenon_requant_twice(sum, s->mult[i], s->shift[i]);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(y, s->zero), s->lo, s->hi);
}

// The same for a vector of channels from i on: what depends on them alone.
typedef struct tenon_scale_v {
  const tenon_scale_s8 *scale;
  ptrdiff_t i, n;  // n: channels from i on, maybe less than lanes
  bool is_fast;
#if TENON_HAS_WIDE_LANES
  tenon_vi mult, odd_mult, zero, lo, hi;
  tenon_vi half, is_shifted, right;             // twice
  tenon_vq nudge, odd_nudge, shift, odd_shift;  // once
#endif
} tenon_scale_v;

#if TENON_HAS_WIDE_LANES

TENON_FLAT tenon_scale_v tenon_scale_v_of(const int once,
                                          const tenon_scale_s8 *s, ptrdiff_t i,
                                          ptrdiff_t n) {
  const tenon_vi shift = tenon_vi_load(s->shift + i);
  const tenon_vq first = (tenon_vq){0} + 1;
  tenon_scale_v v;
  v.scale = s;
  v.i = i;
  v.n = n;
  v.is_fast = s->is_plain && n >= TENON_VL;
  v.mult = tenon_vi_load(s->mult + i);
  v.odd_mult = (tenon_vi)((tenon_vq)v.mult >> 32);
  v.zero = tenon_vi_splat(s->zero);
  v.lo = tenon_vi_splat(s->lo);
  v.hi = tenon_vi_splat(s->hi);
  if (once) {
    // There is no arithmetic shift of 64 bits, so the product is made positive
    // by 2^63, of which 2^(63 - shift) remain.
    const tenon_vq all = (tenon_vq)(31 - shift), bias = first << 63;
    v.shift = all & 0xffffffffu;
    v.odd_shift = all >> 32;
    v.nudge = (first << (v.shift - 1)) + bias;
    v.odd_nudge = (first << (v.odd_shift - 1)) + bias;
    const tenon_vu rest = (tenon_vu)tenon_vi_zip(
        (tenon_vi)(bias >> v.shift), (tenon_vi)((bias >> v.odd_shift) << 32));
    v.zero = (tenon_vi)((tenon_vu)v.zero - rest);
  } else {
    v.right = -shift & 31;  // what is not plain does not matter
    const tenon_vu right = (tenon_vu)v.right, one = (tenon_vu){0} + 1;
    v.half = (tenon_vi)((one << right >> 1) + ((tenon_vu)v.zero << right));
    v.is_shifted = v.right > 0;
  }
  return v;
}

// Not yet limited.
TENON_FLAT tenon_vi tenon_scale_v_apply(const int once, const tenon_scale_v *v,
                                        tenon_vi x) {
  const tenon_vi odd_x = (tenon_vi)((tenon_vq)x >> 32);
  tenon_vq even = tenon_vi_mul_even(x, v->mult);
  tenon_vq odd = tenon_vi_mul_even(odd_x, v->odd_mult);
  tenon_vi y;
  if (once) {
    even = (even + v->nudge) >> v->shift;
    odd = (odd + v->odd_nudge) >> v->odd_shift;
    y = tenon_vi_zip((tenon_vi)even, (tenon_vi)(odd << 32));
  } else {
    even = (even + (1 << 30)) >> 31;
    odd = (odd + (1 << 30)) << 1;
    y = tenon_vi_zip((tenon_vi)even, (tenon_vi)odd);
    // Halves away from zero: negative numbers are rounded from just below. The
    // zero point is added on the way.
    return (y + v->half + ((y >> 31) & v->is_shifted)) >> v->right;
  }
  return tenon_vi_add(y, v->zero);
}

TENON_FLAT void tenon_scale_v_store(const tenon_scale_v *v, tenon_vi y,
                                    int8_t *c) {
#ifdef TENON_HAS_LIMIT
  y = tenon_vi_limit(y, v->lo, v->hi);
#else
  y = tenon_vi_pick(y < v->lo, v->lo, y);
  y = tenon_vi_pick(y > v->hi, v->hi, y);
#endif
  *(tenon_vb_at *)c = __builtin_convertvector(y, tenon_vb);
}

// `count`, up to four, of them to a row each.
TENON_FLAT void tenon_scale_v_store4(const int count, const tenon_scale_v *v,
                                     const tenon_vi y[4], int8_t *c,
                                     ptrdiff_t ldc) {
#ifdef TENON_HAS_NARROW4
  // Saturated bytes are limited as well as the numbers they were.
  const tenon_vs lo = (tenon_vs)((tenon_vu)(v->lo & 0xff) * 0x01010101);
  const tenon_vs hi = (tenon_vs)((tenon_vu)(v->hi & 0xff) * 0x01010101);
  tenon_vs r = (tenon_vs)tenon_vi_narrow4(
      y[0], y[count > 1 ? 1 : 0], y[count > 2 ? 2 : 0], y[count > 3 ? 3 : 0]);
  r = (tenon_vs)tenon_vi_pick((tenon_vi)(r < lo), (tenon_vi)lo, (tenon_vi)r);
  r = (tenon_vs)tenon_vi_pick((tenon_vi)(r > hi), (tenon_vi)hi, (tenon_vi)r);
  const tenon_vq quarters = (tenon_vq)r;
  TENON_UNROLL
  for (int i = 0; i < count; ++i) {
    const uint64_t quarter = quarters[i];
    memcpy(c + i * ldc, &quarter, 8);
  }
#else
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    tenon_scale_v_store(v, y[i], c + i * ldc);
#endif
}

// Sums of vectors that lack channels or are not plain: `rows` of them, `lds`
// apart. Not inlined, and from memory, so that what is fast keeps its
// registers.
TENON_APART void tenon_scale_slow(const int once, const tenon_scale_s8 *s,
                                  ptrdiff_t i, ptrdiff_t n, const int32_t *sums,
                                  ptrdiff_t lds, ptrdiff_t rows, int8_t *c,
                                  ptrdiff_t ldc) {
  if (n > TENON_VL) n = TENON_VL;
  if (s->is_plain) {
    const tenon_scale_v v =
        once ? tenon_scale_v_of(1, s, i, n) : tenon_scale_v_of(0, s, i, n);
    for (; rows > 0; --rows, sums += lds, c += ldc) {
      int8_t lanes[TENON_VL];
      const tenon_vi sum = tenon_vi_load(sums);
      tenon_scale_v_store(&v,
                          once ? tenon_scale_v_apply(1, &v, sum)
                               : tenon_scale_v_apply(0, &v, sum),
                          lanes);
      tenon_copy_bytes(c, lanes, n);
    }
    return;
  }
  for (; rows > 0; --rows, sums += lds, c += ldc)
    for (ptrdiff_t j = 0; j < n; ++j)
      c[j] = tenon_scale_s8_one(once, s, sums[j], i + j);
}

#else

TENON_FLAT tenon_scale_v tenon_scale_v_of(const int once,
                                          const tenon_scale_s8 *s, ptrdiff_t i,
                                          ptrdiff_t n) {
  const tenon_scale_v v = {s, i, n, false};
  (void)once;
  return v;
}

TENON_APART void tenon_scale_slow(const int once, const tenon_scale_s8 *s,
                                  ptrdiff_t i, ptrdiff_t n, const int32_t *sums,
                                  ptrdiff_t lds, ptrdiff_t rows, int8_t *c,
                                  ptrdiff_t ldc) {
  if (n > TENON_VL) n = TENON_VL;
  for (; rows > 0; --rows, sums += lds, c += ldc)
    for (ptrdiff_t j = 0; j < n; ++j)
      c[j] = tenon_scale_s8_one(once, s, sums[j], i + j);
}

#endif

// Up to four vectors of sums to a row of output each.
TENON_FLAT void tenon_scale_v_put(const int once, const int count,
                                  const tenon_scale_v *v, const tenon_vi *sum,
                                  int8_t *c, ptrdiff_t ldc) {
#if TENON_HAS_WIDE_LANES
  if (v->is_fast) {
    tenon_vi y[4];
    TENON_UNROLL
    for (int i = 0; i < count; ++i)
      y[i] = tenon_scale_v_apply(once, v, sum[i]);
    tenon_scale_v_store4(count, v, y, c, ldc);
    return;
  }
#endif
  int32_t sums[4 * TENON_VL];
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    tenon_vi_store(sums + i * TENON_VL, sum[i]);
  tenon_scale_slow(once, v->scale, v->i, v->n, sums, TENON_VL, count, c, ldc);
}

#endif  // TENON_KERN_OPT_SCALE_S8_H
