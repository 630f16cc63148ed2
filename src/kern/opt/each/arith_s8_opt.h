// kern/opt/each/arith_s8_opt.h - quantised sums, differences and products of
// two operands, four registers at a time.
//
// The steps of kern/op/arith.h with factors that are the same for all elements,
// as long as they are at most 1 and more than 2^-31: then nothing overflows
// before the last shift. Other factors, and operands that step otherwise than
// by one element or none, go through arith.h.
#ifndef TENON_KERN_OPT_ARITH_S8_OPT_H
#define TENON_KERN_OPT_ARITH_S8_OPT_H

#include "kern/op/arith.h"
#include "kern/opt/near.h"
#include "kern/opt/vectors.h"

// tenon_requant_twice by one factor, prepared.
typedef struct tenon_factor_v {
  tenon_vi mult, half, is_shifted;
  int32_t right;
} tenon_factor_v;

TENON_INLINE bool tenon_factor_is_plain(int32_t shift) {
  return shift <= 0 && shift > -31;
}

TENON_FLAT tenon_factor_v tenon_factor_v_of(int32_t mult, int32_t shift) {
  tenon_factor_v f;
  f.right = -shift;
  f.mult = tenon_vi_splat(mult);
  f.half = tenon_vi_splat((int32_t)((UINT32_C(1) << f.right) >> 1));
  f.is_shifted = tenon_vi_splat(f.right > 0 ? -1 : 0);
  return f;
}

TENON_FLAT tenon_vi tenon_factor_v_apply(const tenon_factor_v *f, tenon_vi x) {
  const tenon_vi odd_x = (tenon_vi)((tenon_vq)x >> 32);
  const tenon_vq even = tenon_vi_mul_even(x, f->mult) + (1 << 30);
  const tenon_vq odd = tenon_vi_mul_even(odd_x, f->mult) + (1 << 30);
  const tenon_vi y = tenon_vi_zip((tenon_vi)(even >> 31), (tenon_vi)(odd << 1));
  // Halves away from zero: negative numbers are rounded from just below.
  return (y + f->half + ((y >> 31) & f->is_shifted)) >> f->right;
}

TENON_FLAT tenon_vi tenon_arith_s8_load(const int8_t *p, ptrdiff_t step,
                                        int32_t zero) {
  const tenon_vi x = step ? tenon_vi_widen(p) : tenon_vi_splat(*p);
  return x - tenon_vi_splat(zero);
}

// Sums and differences.
typedef struct tenon_add_v {
  tenon_factor_v a, b, y;
  int32_t a_zero, b_zero, sign;
} tenon_add_v;

TENON_FLAT tenon_vi tenon_add_v_of(const tenon_add_v *v, const int8_t *a,
                                   ptrdiff_t step_a, const int8_t *b,
                                   ptrdiff_t step_b) {
  const tenon_vi x = tenon_factor_v_apply(
      &v->a, tenon_vi_shift(tenon_arith_s8_load(a, step_a, v->a_zero), 20));
  const tenon_vi y = tenon_factor_v_apply(
      &v->b, tenon_vi_shift(tenon_arith_s8_load(b, step_b, v->b_zero), 20));
  return tenon_factor_v_apply(&v->y, v->sign < 0 ? x - y : x + y);
}

#ifdef TENON_HAS_NEAR
// The integers nearest to a sum of two bytes times a factor each and a number,
// in floats. With R the sum of the factors, no number on the way is above
// 256 R + 128, and the five roundings are together at most 2^-24 (768 R + 384).
// What arith.h computes is rounded three times more: each term by at most 1, in
// units of which y's factor makes m of a result, and the last one as near.h
// says, by at most m besides. What is closer to a half than all that is
// computed in integers.
typedef struct tenon_add_near {
  tenon_vf a, b, first;
  float least;  // a distance from an integer that does not decide
} tenon_add_near;

TENON_FLAT tenon_add_near tenon_add_near_of(const tenon_add_s8 *p,
                                            int32_t sign) {
  const double m = p->y_mult * (double)tenon_near_power(p->y_shift - 31);
  const double one = m * (double)tenon_near_power(p->left);
  const double a = one * p->a_mult * (double)tenon_near_power(p->a_shift - 31);
  const double b = one * p->b_mult * (double)tenon_near_power(p->b_shift - 31);
  tenon_add_near n;
  n.a = tenon_vf_splat((float)a);
  n.b = tenon_vf_splat((float)(sign * b));
  n.first =
      tenon_vf_splat((float)(p->y_zero - a * p->a_zero - sign * b * p->b_zero));
  n.least = 0.5f - (float)(800 * (a + b) + 400) / (1 << 24) - 4 * (float)m;
  return n;
}

TENON_FLAT tenon_vf tenon_arith_s8_float(const int8_t *p, ptrdiff_t step) {
  return tenon_vf_of_vi(step ? tenon_vi_widen(p) : tenon_vi_splat(*p));
}

// As many fours of vectors as there are; returns what comes next.
TENON_FLAT ptrdiff_t tenon_add_s8_near(const tenon_add_v *v,
                                       const tenon_add_s8 *p, const int8_t *a,
                                       const ptrdiff_t step_a, const int8_t *b,
                                       const ptrdiff_t step_b, int8_t *to,
                                       ptrdiff_t n) {
  const tenon_add_near near = tenon_add_near_of(p, v->sign);
  const tenon_vi zero = tenon_vi_splat(p->y_zero);
  const tenon_vs lo = tenon_vs_splat(p->lo), hi = tenon_vs_splat(p->hi);
  ptrdiff_t i = 0;
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    tenon_vi y[4];
    tenon_vf most = {0};
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const ptrdiff_t at = i + k * TENON_VL;
      const tenon_vf x = tenon_arith_s8_float(a + at * step_a, step_a);
      const tenon_vf z = tenon_arith_s8_float(b + at * step_b, step_b);
      const tenon_vf sum =
          tenon_vf_fma(z, near.b, tenon_vf_fma(x, near.a, near.first));
      y[k] = tenon_vi_nearest(sum);
      most = tenon_vf_further(most, sum, y[k]);
    }
    if (tenon_vf_any_above(most, near.least)) {
      TENON_UNROLL
      for (int k = 0; k < 4; ++k) {
        const ptrdiff_t at = i + k * TENON_VL;
        y[k] = tenon_add_v_of(v, a + at * step_a, step_a, b + at * step_b,
                              step_b) +
               zero;
      }
    }
    const tenon_vs r = (tenon_vs)tenon_vi_narrow4(y[0], y[1], y[2], y[3]);
    tenon_vi_store(to + i, (tenon_vi)tenon_vs_limit(r, lo, hi));
  }
  return i;
}

TENON_APART ptrdiff_t tenon_add_s8_first(const tenon_add_v *v,
                                         const tenon_add_s8 *p, const int8_t *a,
                                         ptrdiff_t step_a, const int8_t *b,
                                         ptrdiff_t step_b, int8_t *to,
                                         ptrdiff_t n) {
  if (!v || n < 4 * TENON_VL) return 0;
  if (step_a && step_b) return tenon_add_s8_near(v, p, a, 1, b, 1, to, n);
  return tenon_add_s8_near(v, p, a, step_a, b, step_b, to, n);
}
#endif

// Products.
typedef struct tenon_mul_v {
  tenon_factor_v y;
  int32_t a_zero, b_zero;
} tenon_mul_v;

TENON_FLAT tenon_vi tenon_mul_v_of(const tenon_mul_v *v, const int8_t *a,
                                   ptrdiff_t step_a, const int8_t *b,
                                   ptrdiff_t step_b) {
  return tenon_factor_v_apply(&v->y,
                              tenon_arith_s8_load(a, step_a, v->a_zero) *
                                  tenon_arith_s8_load(b, step_b, v->b_zero));
}

#ifdef TENON_HAS_NEAR
TENON_APART ptrdiff_t tenon_mul_s8_near(const tenon_mul_v *v,
                                        const tenon_mul_s8 *p, const int8_t *a,
                                        ptrdiff_t step_a, const int8_t *b,
                                        ptrdiff_t step_b, int8_t *to,
                                        ptrdiff_t n) {
  const tenon_vi zero = tenon_vi_splat(p->y_zero);
  const tenon_vs lo = tenon_vs_splat(p->lo), hi = tenon_vs_splat(p->hi);
  const tenon_vf factor =
      tenon_vf_splat((float)p->mult * tenon_near_power(p->shift - 31));
  const tenon_vf nudge =
      p->shift ? tenon_vf_splat(tenon_near_power(p->shift - 1)) : (tenon_vf){0};
  ptrdiff_t i = 0;
  for (; v && i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    tenon_vi product[4], y[4];
    tenon_vf most = {0};
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const ptrdiff_t at = i + k * TENON_VL;
      product[k] = tenon_arith_s8_load(a + at * step_a, step_a, v->a_zero) *
                   tenon_arith_s8_load(b + at * step_b, step_b, v->b_zero);
      y[k] = tenon_near(0, product[k], factor, nudge, &most) + zero;
    }
    if (tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF)) {
      TENON_UNROLL
      for (int k = 0; k < 4; ++k)
        y[k] = tenon_factor_v_apply(&v->y, product[k]) + zero;
    }
    const tenon_vs r = (tenon_vs)tenon_vi_narrow4(y[0], y[1], y[2], y[3]);
    tenon_vi_store(to + i, (tenon_vi)tenon_vs_limit(r, lo, hi));
  }
  return i;
}
#endif

// What both end with.
typedef struct tenon_arith_end {
  int32_t zero, lo, hi;
} tenon_arith_end;

TENON_FLAT tenon_vi tenon_arith_s8_end(const tenon_arith_end *e, tenon_vi y) {
  const tenon_vi lo = tenon_vi_splat(e->lo), hi = tenon_vi_splat(e->hi);
  y += tenon_vi_splat(e->zero);
  y = tenon_vi_pick(y < lo, lo, y);
  return tenon_vi_pick(y > hi, hi, y);
}

// Four registers of numbers that have been limited.
TENON_FLAT void tenon_arith_s8_store(int8_t *to, const tenon_vi y[4]) {
#ifdef TENON_HAS_NARROW4
  tenon_vi_store(to, tenon_vi_narrow4(y[0], y[1], y[2], y[3]));
#else
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    *(tenon_vb_at *)(to + i * TENON_VL) =
        __builtin_convertvector(y[i], tenon_vb);
#endif
}

// Defines `name`, which computes n elements; `vector` of a plan V is what
// `scalar` is of x and y and the packed form P. `first`: how many it is done
// with to begin with.
#define TENON_ARITH_S8_RUN(name, V, P, vector, scalar, first)                \
  static __attribute__((unused)) void name(                                  \
      const V *v, const P *p, const tenon_arith_end *e, const int8_t *a,     \
      ptrdiff_t step_a, const int8_t *b, ptrdiff_t step_b, int8_t *to,       \
      ptrdiff_t n) {                                                         \
    ptrdiff_t i = first;                                                     \
    for (; v && i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {                  \
      tenon_vi r[4];                                                         \
      TENON_UNROLL                                                           \
      for (int k = 0; k < 4; ++k) {                                          \
        const ptrdiff_t at = i + k * TENON_VL;                               \
        r[k] = tenon_arith_s8_end(                                           \
            e, vector(v, a + at * step_a, step_a, b + at * step_b, step_b)); \
      }                                                                      \
      tenon_arith_s8_store(to + i, r);                                       \
    }                                                                        \
    for (; i < n; ++i) {                                                     \
      const int32_t x = a[i * step_a], y = b[i * step_b];                    \
      to[i] = (int8_t)(scalar);                                              \
    }                                                                        \
  }
#ifdef TENON_HAS_NEAR
#define TENON_ADD_S8_FIRST tenon_add_s8_first(v, p, a, step_a, b, step_b, to, n)
#define TENON_MUL_S8_FIRST tenon_mul_s8_near(v, p, a, step_a, b, step_b, to, n)
#else
#define TENON_ADD_S8_FIRST 0
#define TENON_MUL_S8_FIRST 0
#endif
TENON_ARITH_S8_RUN(tenon_add_s8_some, tenon_add_v, tenon_add_s8, tenon_add_v_of,
                   tenon_add_stored(p, x, y, 1), TENON_ADD_S8_FIRST)
TENON_ARITH_S8_RUN(tenon_sub_s8_some, tenon_add_v, tenon_add_s8, tenon_add_v_of,
                   tenon_add_stored(p, x, y, -1), TENON_ADD_S8_FIRST)
TENON_ARITH_S8_RUN(tenon_mul_s8_some, tenon_mul_v, tenon_mul_s8, tenon_mul_v_of,
                   tenon_mul_stored(p, x, y), TENON_MUL_S8_FIRST)

// Calls `some` for each run of neighbours in the result.
#define TENON_ARITH_S8_EACH(c, begin, end, some, v, p, e)                    \
  do {                                                                       \
    const tenon_broadcast g =                                                \
        tenon_broadcast_of(&(c)->in[0], &(c)->in[1], &(c)->out[0]);          \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];      \
    const bool is_dense = step_a <= 1 && step_b <= 1;                        \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)(begin)); \
    for (ptrdiff_t i = (ptrdiff_t)(begin); i < (ptrdiff_t)(end);) {          \
      ptrdiff_t n = run.count;                                               \
      if (n > (ptrdiff_t)(end)-i) n = (ptrdiff_t)(end)-i;                    \
      some(is_dense ? (v) : NULL, p, e,                                      \
           (const int8_t *)(c)->in[0].data + run.a, step_a,                  \
           (const int8_t *)(c)->in[1].data + run.b, step_b,                  \
           (int8_t *)(c)->out[0].data + i, n);                               \
      i += n;                                                                \
      tenon_broadcast_next(&g, &run);                                        \
    }                                                                        \
  } while (0)

TENON_FLAT tenon_add_v tenon_add_v_make(const tenon_add_s8 *p, int32_t sign,
                                        bool *is_plain) {
  tenon_add_v v;
  *is_plain = p->left == 20 && tenon_factor_is_plain(p->a_shift) &&
              tenon_factor_is_plain(p->b_shift) &&
              tenon_factor_is_plain(p->y_shift);
  memset(&v, 0, sizeof v);
  if (!*is_plain) return v;
  v.a = tenon_factor_v_of(p->a_mult, p->a_shift);
  v.b = tenon_factor_v_of(p->b_mult, p->b_shift);
  v.y = tenon_factor_v_of(p->y_mult, p->y_shift);
  v.a_zero = p->a_zero;
  v.b_zero = p->b_zero;
  v.sign = sign;
  return v;
}

TENON_INLINE tenon_status tenon_add_s8_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;
  const tenon_arith_end e = {p->y_zero, p->lo, p->hi};
  bool is_plain;
  const tenon_add_v v = tenon_add_v_make(p, 1, &is_plain);
  const tenon_add_v *plan = is_plain ? &v : NULL;
  TENON_ARITH_S8_EACH(c, begin, end, tenon_add_s8_some, plan, p, &e);
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_sub_s8_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;
  const tenon_arith_end e = {p->y_zero, p->lo, p->hi};
  bool is_plain;
  const tenon_add_v v = tenon_add_v_make(p, -1, &is_plain);
  const tenon_add_v *plan = is_plain ? &v : NULL;
  TENON_ARITH_S8_EACH(c, begin, end, tenon_sub_s8_some, plan, p, &e);
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_mul_s8_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
  const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;
  const tenon_arith_end e = {p->y_zero, p->lo, p->hi};
  const tenon_mul_v *plan = NULL;
  tenon_mul_v v;
  if (tenon_factor_is_plain(p->shift)) {
    v.y = tenon_factor_v_of(p->mult, p->shift);
    v.a_zero = p->a_zero;
    v.b_zero = p->b_zero;
    plan = &v;
  }
  TENON_ARITH_S8_EACH(c, begin, end, tenon_mul_s8_some, plan, p, &e);
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_ARITH_S8_OPT_H
