// kern/opt/each/arith_s8_opt.h - quantised sums, differences and products of
// two operands, four registers at a time.
//
// Where floats decide (kern/opt/near.h) they are asked, else what
// arith_stored.h has. Of sums, packing may have proven that floats are right
// (sum_s8.h).
#ifndef TENON_KERN_OPT_ARITH_S8_OPT_H
#define TENON_KERN_OPT_ARITH_S8_OPT_H

#include "kern/opt/each/arith_stored.h"
#include "kern/opt/each/sum_s8.h"
#include "kern/opt/near.h"

TENON_FLAT tenon_vi tenon_arith_s8_load(const int8_t *p, ptrdiff_t step,
                                        int32_t zero) {
  const tenon_vi x = step ? tenon_vi_widen(p) : tenon_vi_splat(*p);
  return x - tenon_vi_splat(zero);
}

TENON_ARITH_STORED_OF(s8, int8_t, tenon_arith_s8_load, 20)

TENON_FLAT tenon_vf tenon_arith_s8_float(const int8_t *p, ptrdiff_t step) {
  return tenon_vf_of_vi(step ? tenon_vi_widen(p) : tenon_vi_splat(*p));
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

TENON_FLAT tenon_add_near tenon_add_near_of(const tenon_sum_s8 *s,
                                            int32_t sign) {
  const tenon_add_s8 *p = &s->exact;
  if (s->is_proven)
    return (tenon_add_near){tenon_vf_splat(s->a), tenon_vf_splat(s->b),
                            tenon_vf_splat(s->first), 0};
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

// As many fours of vectors as there are; returns what comes next. `proven`, a
// constant: without asking how close floats are.
TENON_FLAT ptrdiff_t tenon_add_s8_near(const int proven, const tenon_add_v *v,
                                       const tenon_sum_s8 *s, const int8_t *a,
                                       const ptrdiff_t step_a, const int8_t *b,
                                       const ptrdiff_t step_b, int8_t *to,
                                       ptrdiff_t n) {
  const tenon_add_s8 *p = &s->exact;
  const tenon_add_near near = tenon_add_near_of(s, v->sign);
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
      if (!proven) most = tenon_vf_further(most, sum, y[k]);
    }
    if (!proven && tenon_vf_any_above(most, near.least)) {
      TENON_UNROLL
      for (int k = 0; k < 4; ++k) {
        const ptrdiff_t at = i + k * TENON_VL;
        y[k] = tenon_add_s8_of(v, a + at * step_a, step_a, b + at * step_b,
                               step_b) +
               zero;
      }
    }
    const tenon_vs r = (tenon_vs)tenon_vi_narrow4(y[0], y[1], y[2], y[3]);
    tenon_vi_store(to + i, (tenon_vi)tenon_vs_limit(r, lo, hi));
  }
  return i;
}

// The integers are the first of what is packed.
TENON_APART ptrdiff_t tenon_add_s8_first(const tenon_add_v *v,
                                         const tenon_add_s8 *p, const int8_t *a,
                                         ptrdiff_t step_a, const int8_t *b,
                                         ptrdiff_t step_b, int8_t *to,
                                         ptrdiff_t n) {
  const tenon_sum_s8 *s = (const tenon_sum_s8 *)(const void *)p;
  if (!v || n < 4 * TENON_VL) return 0;
  if (s->is_proven && step_a && step_b)
    return tenon_add_s8_near(1, v, s, a, 1, b, 1, to, n);
  if (s->is_proven)
    return tenon_add_s8_near(1, v, s, a, step_a, b, step_b, to, n);
  if (step_a && step_b) return tenon_add_s8_near(0, v, s, a, 1, b, 1, to, n);
  return tenon_add_s8_near(0, v, s, a, step_a, b, step_b, to, n);
}
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

#ifdef TENON_HAS_NEAR
#define TENON_ADD_S8_FIRST tenon_add_s8_first(v, p, a, step_a, b, step_b, to, n)
#define TENON_MUL_S8_FIRST tenon_mul_s8_near(v, p, a, step_a, b, step_b, to, n)
#else
#define TENON_ADD_S8_FIRST 0
#define TENON_MUL_S8_FIRST 0
#endif
TENON_ARITH_STORED_SOME(tenon_add_s8_some, int8_t, tenon_add_v, tenon_add_s8,
                        tenon_add_s8_of, tenon_add_stored(p, x, y, 1),
                        TENON_ADD_S8_FIRST, tenon_arith_s8_store)
TENON_ARITH_STORED_SOME(tenon_sub_s8_some, int8_t, tenon_add_v, tenon_add_s8,
                        tenon_add_s8_of, tenon_add_stored(p, x, y, -1),
                        TENON_ADD_S8_FIRST, tenon_arith_s8_store)
TENON_ARITH_STORED_SOME(tenon_mul_s8_some, int8_t, tenon_mul_v, tenon_mul_s8,
                        tenon_mul_s8_of, tenon_mul_stored(p, x, y),
                        TENON_MUL_S8_FIRST, tenon_arith_s8_store)

TENON_ARITH_STORED_RUNS(s8, int8_t, 20)

// Sums of as many elements on both sides, of which floats are proven: nothing
// has to be prepared.
TENON_INLINE tenon_status tenon_sum_s8_run(const tenon_call *c, int64_t begin,
                                           int64_t end) {
#ifdef TENON_HAS_NEAR
  const tenon_sum_s8 *s = (const tenon_sum_s8 *)c->packed;
  const uint64_t all = tenon_count(&c->out[0]);
  if (s->is_proven && tenon_count(&c->in[0]) == all &&
      tenon_count(&c->in[1]) == all && end - begin >= 4 * TENON_VL) {
    const int8_t *a = (const int8_t *)c->in[0].data;
    const int8_t *b = (const int8_t *)c->in[1].data;
    int8_t *y = (int8_t *)c->out[0].data;
    const tenon_add_v none = {.sign = 1};
    begin += tenon_add_s8_near(1, &none, s, a + begin, 1, b + begin, 1,
                               y + begin, (ptrdiff_t)(end - begin));
    if (begin == end) return TENON_OK;
  }
#endif
  return tenon_add_s8_run(c, begin, end);
}

#endif  // TENON_KERN_OPT_ARITH_S8_OPT_H
