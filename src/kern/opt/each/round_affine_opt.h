// kern/opt/each/round_affine_opt.h - core::round_affine where scale and shift
// have an entry for each channel, the last dimension: rows of channels, a
// register at a time.
#ifndef TENON_KERN_OPT_ROUND_AFFINE_OPT_H
#define TENON_KERN_OPT_ROUND_AFFINE_OPT_H

#include "kern/op/round_affine.h"
#include "kern/opt/each/half_opt.h"
#include "kern/opt/each/silu_f32_opt.h"

// What 16 bits keep of each lane, as the conversions there and back give it.
TENON_FLAT tenon_vf tenon_vf_round_f16(tenon_vf x) {
  uint16_t lanes[TENON_VL];
  tenon_vf_store_f16(lanes, x);
  return tenon_vf_load_f16(lanes);
}
TENON_FLAT tenon_vf tenon_vf_round_bf16(tenon_vf x) {
  const tenon_vu bits = (tenon_vu)x;
  const tenon_vi rounded = (tenon_vi)(bits + 0x7fffu + ((bits >> 16) & 1u));
  const tenon_vi kept =
      tenon_vi_pick(x != x, (tenon_vi)(bits | 0x400000u), rounded);
  return (tenon_vf)((tenon_vu)kept & 0xffff0000u);
}

TENON_FLAT void tenon_round_affine_put_f32(float *y, tenon_vf x, ptrdiff_t n) {
  tenon_vf_store_part(y, x, n);
}
#define TENON_ROUND_AFFINE_PUT(type)                                     \
  TENON_FLAT void tenon_round_affine_put_##type(uint16_t *y, tenon_vf x, \
                                                ptrdiff_t n) {           \
    uint16_t lanes[TENON_VL];                                            \
    if (n >= TENON_VL) {                                                 \
      tenon_vf_store_##type(y, x);                                       \
      return;                                                            \
    }                                                                    \
    tenon_vf_store_##type(lanes, x);                                     \
    memcpy(y, lanes, (size_t)n * sizeof *y);                             \
  }
TENON_ROUND_AFFINE_PUT(f16)
TENON_ROUND_AFFINE_PUT(bf16)

// `count` registers from k on, the last of which has `left` elements. `is_silu`
// is a constant.
#define TENON_ROUND_AFFINE_SOME(through, type)                                \
  TENON_FLAT void tenon_round_affine_##through##_##type##_some(               \
      const bool is_silu, const float *x, const float *scale,                 \
      const float *shift, TENON_ELEMENT_##type *y, const int count,           \
      ptrdiff_t left, tenon_limits_f32 m) {                                   \
    const tenon_vf lo = tenon_vf_splat(m.lo), hi = tenon_vf_splat(m.hi);      \
    tenon_vf v[tenon_vf_silu_chains], u[tenon_vf_silu_chains];                \
    TENON_UNROLL                                                              \
    for (int k = 0; k < count; ++k) {                                         \
      const ptrdiff_t at = k * TENON_VL;                                      \
      const ptrdiff_t n = k == count - 1 ? left : TENON_VL;                   \
      v[k] = tenon_vf_round_##through(tenon_vf_load_part(x + at, n)) *        \
             tenon_vf_load_part(scale + at, n);                               \
      v[k] =                                                                  \
          tenon_vf_round_##through(v[k] + tenon_vf_load_part(shift + at, n)); \
      v[k] = tenon_vf_clamp(v[k], lo, hi);                                    \
    }                                                                         \
    if (is_silu) {                                                            \
      const bool is_far = tenon_vf_silu(v, u, count);                         \
      TENON_UNROLL                                                            \
      for (int k = 0; k < count; ++k) {                                       \
        if (is_far) u[k] = tenon_vf_silu_far(v[k], u[k]);                     \
        v[k] = tenon_vf_round_##through(u[k]);                                \
      }                                                                       \
    }                                                                         \
    TENON_UNROLL                                                              \
    for (int k = 0; k < count; ++k)                                           \
      tenon_round_affine_put_##type(y + k * TENON_VL, v[k],                   \
                                    k == count - 1 ? left : TENON_VL);        \
  }
// `rows` rows of n channels one behind the other.
#define TENON_ROUND_AFFINE_LOOP(through, type, name, is_silu, some)          \
  TENON_APART void tenon_##name##_##through##_##type(                        \
      const float *x, const float *scale, const float *shift,                \
      TENON_ELEMENT_##type *y, ptrdiff_t n, ptrdiff_t rows,                  \
      tenon_limits_f32 m) {                                                  \
    enum { SOME = some };                                                    \
    for (; rows > 0; --rows, x += n, y += n) {                               \
      ptrdiff_t k = 0;                                                       \
      for (; k + SOME * TENON_VL <= n; k += SOME * TENON_VL)                 \
        tenon_round_affine_##through##_##type##_some(                        \
            is_silu, x + k, scale + k, shift + k, y + k, SOME, TENON_VL, m); \
      for (; SOME > 1 && k + TENON_VL <= n; k += TENON_VL)                   \
        tenon_round_affine_##through##_##type##_some(                        \
            is_silu, x + k, scale + k, shift + k, y + k, 1, TENON_VL, m);    \
      if (k < n)                                                             \
        tenon_round_affine_##through##_##type##_some(                        \
            is_silu, x + k, scale + k, shift + k, y + k, 1, n - k, m);       \
    }                                                                        \
  }
#define TENON_ROUND_AFFINE_ROWS(through, type)                    \
  TENON_ROUND_AFFINE_SOME(through, type)                          \
  TENON_ROUND_AFFINE_LOOP(through, type, round_affine, false, 1)  \
  TENON_ROUND_AFFINE_LOOP(through, type, round_affine_silu, true, \
                          TENON_VB == 64 ? 4 : 2)
TENON_ROUND_AFFINE_ROWS(f16, f16)
TENON_ROUND_AFFINE_ROWS(f16, f32)
TENON_ROUND_AFFINE_ROWS(bf16, bf16)
TENON_ROUND_AFFINE_ROWS(bf16, f32)

// Elements begin .. end, of which the first and the last row may be parts.
#define TENON_ROUND_AFFINE_RUN(through, type)                          \
  TENON_FLAT tenon_status tenon_round_affine_##through##_##type##_run( \
      const tenon_call *c, int64_t begin, int64_t end) {               \
    const tenon_round_affine_attrs *a =                                \
        (const tenon_round_affine_attrs *)c->attrs;                    \
    const tenon_limits_f32 m = tenon_round_affine_limits(a);           \
    const ptrdiff_t n = c->out[0].dims[c->out[0].rank - 1];            \
    const float *x = (const float *)c->in[0].data;                     \
    const float *scale = (const float *)c->in[1].data;                 \
    const float *shift = (const float *)c->in[2].data;                 \
    TENON_ELEMENT_##type *y = (TENON_ELEMENT_##type *)c->out[0].data;  \
    ptrdiff_t i = (ptrdiff_t)begin;                                    \
    while (i < (ptrdiff_t)end) {                                       \
      const ptrdiff_t left = (ptrdiff_t)end - i, at = i % n;           \
      const ptrdiff_t rows = at == 0 && left >= n ? left / n : 1;      \
      const ptrdiff_t part = left < n - at ? left : n - at;            \
      (a->silu ? tenon_round_affine_silu_##through##_##type            \
               : tenon_round_affine_##through##_##type)(               \
          x + i, scale + at, shift + at, y + i, part, rows, m);        \
      i += rows * part;                                                \
    }                                                                  \
    return TENON_OK;                                                   \
  }
TENON_ROUND_AFFINE_RUN(f16, f16)
TENON_ROUND_AFFINE_RUN(f16, f32)
TENON_ROUND_AFFINE_RUN(bf16, bf16)
TENON_ROUND_AFFINE_RUN(bf16, f32)

TENON_FLAT tenon_status tenon_round_affine_f32_run(const tenon_call *c,
                                                   int64_t begin, int64_t end) {
  return ((const tenon_round_affine_attrs *)c->attrs)->through == TENON_F16
             ? tenon_round_affine_f16_f32_run(c, begin, end)
             : tenon_round_affine_bf16_f32_run(c, begin, end);
}

#endif  // TENON_KERN_OPT_ROUND_AFFINE_OPT_H
