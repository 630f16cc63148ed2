// kern/opt/tiles/scale_s8.h - sums of products to int8, a vector at a time.
//
// The same numbers as kern/num/fixed.h. A 32 x 32 bit product needs 64 bits, so
// even and odd lanes are multiplied apart and put together again; what depends
// on the channel alone is prepared once for all rows. Vectors assume what the
// packing function calls plain (kern/opt/tiles/packed.h); anything else, and
// instruction sets without the product or without a shift per lane, goes
// through fixed.h.
//
// Where TENON_HAS_NEAR, floats are asked first (kern/opt/near.h); and where
// TENON_HAS_FLOOR, not even asked if packing has proven that they are right.
#ifndef TENON_KERN_OPT_SCALE_S8_H
#define TENON_KERN_OPT_SCALE_S8_H

#include "kern/num/fixed.h"
#include "kern/opt/near.h"
#include "kern/opt/tiles/packed.h"
#include "kern/opt/tiles/tiles.h"

// How LiteRT rounds; see kern/num/fixed.h.
#define TENON_ONCE 1
#define TENON_TWICE 0

typedef struct tenon_scale_s8 {
  const int32_t *mult, *shift;
  int32_t zero, lo, hi;
  bool is_plain, is_same;
  const float *lines;  // what packing has proven, or null
  int32_t form;        // of the lines of all channels: TENON_LINE_*
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
  s.is_same = head->is_same != 0;
  s.form = TENON_LINE_NONE;
  s.lines = NULL;
  return s;
}

// `behind`: what follows the weights.
TENON_INLINE void tenon_scale_s8_lines(tenon_scale_s8 *s,
                                       const tenon_packed_s8 *head,
                                       const void *behind) {
  if (head->has_lines && s->is_plain) {
    s->lines = (const float *)behind;
    s->form = head->line_form;
  }
}

// One sum, of channel i.
TENON_FLAT int8_t tenon_scale_s8_one(const int once, const tenon_scale_s8 *s,
                                     int32_t sum, ptrdiff_t i) {
  const int32_t y = once ? tenon_requant_once(sum, s->mult[i], s->shift[i])
                         : tenon_requant_twice(sum, s->mult[i], s->shift[i]);
  return (int8_t)tenon_clamp_s32(tenon_add_s32(y, s->zero), s->lo, s->hi);
}

// The same for a vector of channels from i on: what depends on them alone.
#if defined(TENON_HAS_FLOOR) && defined(TENON_HAS_NARROW4)
#define TENON_HAS_LINE 1
#endif
typedef struct tenon_line_v {
  tenon_vf factor, above, below;
  tenon_vi split;
} tenon_line_v;
typedef struct tenon_scale_v {
  const tenon_scale_s8 *scale;
  ptrdiff_t i, n;  // n: channels from i on, maybe less than lanes
  bool is_fast;
#ifdef TENON_HAS_NEAR
  bool is_near;
  tenon_vf factor, nudge_f;  // of the sum's sign
#endif
#ifdef TENON_HAS_LINE
  bool has_line;  // of every lane
  tenon_line_v line;
#endif
#if TENON_HAS_WIDE_LANES
  tenon_vi mult, odd_mult, zero, lo, hi;
  tenon_vi half, is_shifted, right;             // twice
  tenon_vq nudge, odd_nudge, shift, odd_shift;  // once
#endif
#ifdef TENON_HAS_NARROW4
  tenon_vs lo_bytes, hi_bytes;
#endif
} tenon_scale_v;

#ifdef TENON_HAS_NARROW4
TENON_FLAT tenon_vb tenon_vs_quarter(tenon_vs x, const int i) {
  tenon_vb r;
#if TENON_VL == 8
  const tenon_vq quarters = (tenon_vq)x;
  const uint64_t quarter = quarters[i];
  memcpy(&r, &quarter, sizeof r);
#else
  memcpy(&r, (const char *)&x + i * TENON_VL, sizeof r);
#endif
  return r;
}
#endif

#if TENON_HAS_WIDE_LANES

#ifdef TENON_HAS_NEAR
// Results are below 2^30, so that they can be made integers: sums are where
// they are rounded twice (kern/opt/tiles/packed.h), else factors are at most a
// half.
TENON_FLAT void tenon_scale_factor(const int once, tenon_vi shift,
                                   tenon_scale_v *v) {
  const tenon_vi right = -shift & 31;
  const tenon_vi exponent = tenon_vi_shift(shift + (127 - 31), 23);
  v->factor = tenon_vf_of_vi(v->mult) * (tenon_vf)exponent;
  v->nudge_f = (tenon_vf){0};
  if (!once)
    v->nudge_f =
        (tenon_vf)(tenon_vi_shift(126 - right, 23) & (tenon_vi)(right > 0));
}
TENON_FLAT void tenon_scale_near(const int once, tenon_vi shift,
                                 tenon_scale_v *v) {
  v->is_near =
      v->is_fast && !(once && tenon_vi_any((shift > -1) & (v->mult != 0)));
  tenon_scale_factor(once, shift, v);
}

// What floats need of a vector, from channel i on, or of every one where all
// channels have the same factor. Lanes of `large` are negative where factors
// are too large.
TENON_FLAT tenon_scale_v tenon_scale_v_near_of(const int once, const int same,
                                               const tenon_scale_s8 *s,
                                               ptrdiff_t i, tenon_vi *large) {
  const tenon_vi shift =
      same ? tenon_vi_splat(*s->shift) : tenon_vi_load(s->shift + i);
  tenon_scale_v v;
  v.mult = same ? tenon_vi_splat(*s->mult) : tenon_vi_load(s->mult + i);
  v.zero = tenon_vi_splat(s->zero);
  tenon_scale_factor(once, shift, &v);
  if (once) *large |= ~shift & (v.mult | (tenon_vi) - (tenon_vu)v.mult);
  return v;
}

TENON_FLAT tenon_vi tenon_scale_v_near(const int once, const tenon_scale_v *v,
                                       tenon_vi sum, tenon_vf *most) {
  return tenon_near(once, sum, v->factor, v->nudge_f, most) + v->zero;
}
#endif

#ifdef TENON_HAS_LINE
// `step`: from one array to the next. False where a lane has none.
TENON_FLAT bool tenon_line_v_of(const float *lines, ptrdiff_t step,
                                tenon_line_v *v) {
  v->factor = tenon_vf_load(lines);
  v->above = tenon_vf_load(lines + step);
  v->below = tenon_vf_load(lines + 2 * step);
  v->split = (tenon_vi)tenon_vf_load(lines + 3 * step);
  return !tenon_vi_any((tenon_vi)v->factor == 0);
}
// With the zero point; not yet limited.
TENON_FLAT tenon_vi tenon_line_v_apply(const tenon_line_v *v, tenon_vi sum) {
  const tenon_vf first = (tenon_vf)tenon_vi_pick(
      sum < v->split, (tenon_vi)v->below, (tenon_vi)v->above);
  return tenon_vi_floor_fma(tenon_vf_of_vi(sum), v->factor, first);
}
#endif

// What integers need.
TENON_FLAT void tenon_scale_exact(const int once, tenon_vi shift,
                                  tenon_scale_v *v) {
  const tenon_vq first = (tenon_vq){0} + 1;
  v->odd_mult = (tenon_vi)((tenon_vq)v->mult >> 32);
  if (once) {
    // There is no arithmetic shift of 64 bits, so the product is made positive
    // by 2^63, of which 2^(63 - shift) remain.
    const tenon_vq all = (tenon_vq)(31 - shift), bias = first << 63;
    v->shift = all & 0xffffffffu;
    v->odd_shift = all >> 32;
    v->nudge = (first << (v->shift - 1)) + bias;
    v->odd_nudge = (first << (v->odd_shift - 1)) + bias;
    const tenon_vu rest = (tenon_vu)tenon_vi_zip(
        (tenon_vi)(bias >> v->shift), (tenon_vi)((bias >> v->odd_shift) << 32));
    v->zero = (tenon_vi)((tenon_vu)v->zero - rest);
  } else {
    v->right = -shift & 31;  // what is not plain does not matter
    const tenon_vu right = (tenon_vu)v->right, one = (tenon_vu){0} + 1;
    v->half = (tenon_vi)((one << right >> 1) + ((tenon_vu)v->zero << right));
    v->is_shifted = v->right > 0;
  }
}

// `exactly`, a constant: without asking floats.
TENON_FLAT tenon_scale_v tenon_scale_v_make(const int once, const int exactly,
                                            const tenon_scale_s8 *s,
                                            ptrdiff_t i, ptrdiff_t n) {
  const tenon_vi shift = tenon_vi_load(s->shift + i);
  tenon_scale_v v;
  v.scale = s;
  v.i = i;
  v.n = n;
  v.is_fast = s->is_plain;
  v.mult = tenon_vi_load(s->mult + i);
  v.zero = tenon_vi_splat(s->zero);
  v.lo = tenon_vi_splat(s->lo);
  v.hi = tenon_vi_splat(s->hi);
#ifdef TENON_HAS_NARROW4
  v.lo_bytes = tenon_vs_splat(s->lo);
  v.hi_bytes = tenon_vs_splat(s->hi);
#endif
#ifdef TENON_HAS_LINE
  v.has_line = false;
  if (!once && !exactly && s->lines && s->form != TENON_LINE_STRAIGHT &&
      n >= TENON_VL)
    v.has_line = tenon_line_v_of(s->lines + i, s->shift - s->mult, &v.line);
#endif
#ifdef TENON_HAS_NEAR
  v.is_near = false;
  if (!exactly) {
    tenon_scale_near(once, shift, &v);
    if (v.is_near) return v;
  }
#else
  (void)exactly;
#endif
  tenon_scale_exact(once, shift, &v);
  return v;
}
TENON_FLAT tenon_scale_v tenon_scale_v_of(const int once,
                                          const tenon_scale_s8 *s, ptrdiff_t i,
                                          ptrdiff_t n) {
  return tenon_scale_v_make(once, 0, s, i, n);
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

// The bytes of a vector to the channels that there are.
TENON_FLAT void tenon_scale_v_row(const tenon_scale_v *v, tenon_vb y,
                                  int8_t *c) {
  if (v->n >= TENON_VL) {
    *(tenon_vb_at *)c = y;
  } else {
    int8_t lanes[TENON_VL];
    if (TENON_VL > 8 && v->n == 8) {  // no way through memory
      memcpy(c, &y, 8);
      return;
    }
    memcpy(lanes, &y, sizeof lanes);
    if (TENON_VL > 4) {
      tenon_copy_some(c, lanes, v->n);
      return;
    }
    for (ptrdiff_t i = 0; i < v->n; ++i)
      c[i] = lanes[i];
  }
}

#ifdef TENON_HAS_NARROW4
// Bytes of four vectors. Saturated ones are limited as well as the numbers they
// were.
TENON_FLAT tenon_vs tenon_scale_v_bytes(const int count, const tenon_scale_v *v,
                                        const tenon_vi y[4]) {
  return tenon_vs_limit(
      (tenon_vs)tenon_vi_narrow4(y[0], y[count > 1 ? 1 : 0],
                                 y[count > 2 ? 2 : 0], y[count > 3 ? 3 : 0]),
      v->lo_bytes, v->hi_bytes);
}
#endif

TENON_FLAT void tenon_scale_v_store(const tenon_scale_v *v, tenon_vi y,
                                    int8_t *c) {
#ifdef TENON_HAS_LIMIT
  y = tenon_vi_limit(y, v->lo, v->hi);
#else
  y = tenon_vi_pick(y < v->lo, v->lo, y);
  y = tenon_vi_pick(y > v->hi, v->hi, y);
#endif
  tenon_scale_v_row(v, __builtin_convertvector(y, tenon_vb), c);
}

// `count`, up to four, of them to a row each.
TENON_FLAT void tenon_scale_v_store4(const int count, const tenon_scale_v *v,
                                     const tenon_vi y[4], int8_t *c,
                                     ptrdiff_t ldc) {
#ifdef TENON_HAS_NARROW4
  const tenon_vs r = tenon_scale_v_bytes(count, v, y);
  if (count == 4 && ldc == TENON_VL && v->n >= TENON_VL) {  // side by side
    tenon_vi_store(c, (tenon_vi)r);
    return;
  }
  TENON_UNROLL
  for (int i = 0; i < count; ++i)
    tenon_scale_v_row(v, tenon_vs_quarter(r, i), c + i * ldc);
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
    const tenon_scale_v v = once ? tenon_scale_v_make(1, 1, s, i, n)
                                 : tenon_scale_v_make(0, 1, s, i, n);
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
#ifdef TENON_HAS_LINE
  if (!once && v->has_line) {
    tenon_vi y[4];
    TENON_UNROLL
    for (int i = 0; i < count; ++i)
      y[i] = tenon_line_v_apply(&v->line, sum[i]);
    tenon_scale_v_store4(count, v, y, c, ldc);
    return;
  }
#endif
#ifdef TENON_HAS_NEAR
  if (v->is_near) {
    tenon_vf most = {0};
    tenon_vi y[4];
    TENON_UNROLL
    for (int i = 0; i < count; ++i)
      y[i] = tenon_scale_v_near(once, v, sum[i], &most);
    if (!tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF)) {
      tenon_scale_v_store4(count, v, y, c, ldc);
      return;
    }
  } else
#endif
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
