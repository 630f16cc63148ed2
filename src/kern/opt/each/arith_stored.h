// kern/opt/each/arith_stored.h - quantised sums, differences and products of
// two operands in integers.
//
// The steps of kern/op/arith.h with factors that are the same for all elements,
// as long as they are at most 1 and more than 2^-31: then nothing overflows
// before the last shift. Other factors, and operands that step otherwise than
// by one element or none, go through arith.h.
#ifndef TENON_KERN_OPT_ARITH_STORED_H
#define TENON_KERN_OPT_ARITH_STORED_H

#include "kern/op/arith.h"
#include "kern/opt/words.h"

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

// Sums and differences.
typedef struct tenon_add_v {
  tenon_factor_v a, b, y;
  int32_t a_zero, b_zero, sign;
} tenon_add_v;

TENON_FLAT tenon_add_v tenon_add_v_make(const tenon_add_s8 *p, int32_t left,
                                        int32_t sign, bool *is_plain) {
  tenon_add_v v;
  *is_plain = p->left == left && tenon_factor_is_plain(p->a_shift) &&
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

// Products.
typedef struct tenon_mul_v {
  tenon_factor_v y;
  int32_t a_zero, b_zero;
} tenon_mul_v;

// What both end with.
typedef struct tenon_arith_end {
  int32_t zero, lo, hi;
} tenon_arith_end;

TENON_FLAT tenon_vi tenon_arith_end_of(const tenon_arith_end *e, tenon_vi y) {
  const tenon_vi lo = tenon_vi_splat(e->lo), hi = tenon_vi_splat(e->hi);
  y += tenon_vi_splat(e->zero);
  y = tenon_vi_pick(y < lo, lo, y);
  return tenon_vi_pick(y > hi, hi, y);
}

// Defines tenon_add_<type>_of and tenon_mul_<type>_of, a register of results of
// elements T, which `load` reads; sums have `left` more bits.
#define TENON_ARITH_STORED_OF(type, T, load, left)                            \
  TENON_FLAT tenon_vi tenon_add_##type##_of(const tenon_add_v *v, const T *a, \
                                            ptrdiff_t step_a, const T *b,     \
                                            ptrdiff_t step_b) {               \
    const tenon_vi x = tenon_factor_v_apply(                                  \
        &v->a, tenon_vi_shift(load(a, step_a, v->a_zero), left));             \
    const tenon_vi y = tenon_factor_v_apply(                                  \
        &v->b, tenon_vi_shift(load(b, step_b, v->b_zero), left));             \
    return tenon_factor_v_apply(&v->y, v->sign < 0 ? x - y : x + y);          \
  }                                                                           \
  TENON_FLAT tenon_vi tenon_mul_##type##_of(const tenon_mul_v *v, const T *a, \
                                            ptrdiff_t step_a, const T *b,     \
                                            ptrdiff_t step_b) {               \
    return tenon_factor_v_apply(                                              \
        &v->y, load(a, step_a, v->a_zero) * load(b, step_b, v->b_zero));      \
  }

// Defines `name`, which computes n elements; `vector` of a plan V is what
// `scalar` is of x and y and the packed form P. `first`: how many it is done
// with to begin with; `store` has four registers of them.
#define TENON_ARITH_STORED_SOME(name, T, V, P, vector, scalar, first, store)  \
  static __attribute__((unused)) void name(                                   \
      const V *v, const P *p, const tenon_arith_end *e, const T *a,           \
      ptrdiff_t step_a, const T *b, ptrdiff_t step_b, T *to, ptrdiff_t n) {   \
    ptrdiff_t i = first;                                                      \
    for (; v && i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {                   \
      tenon_vi r[4];                                                          \
      TENON_UNROLL                                                            \
      for (int k = 0; k < 4; ++k) {                                           \
        const ptrdiff_t at = i + k * TENON_VL;                                \
        r[k] = tenon_arith_end_of(                                            \
            e, vector(v, a + at * step_a, step_a, b + at * step_b, step_b));  \
      }                                                                       \
      store(to + i, r);                                                       \
    }                                                                         \
    for (; v && i + TENON_VL <= n; i += TENON_VL)                             \
      tenon_stored_store(                                                     \
          (int)sizeof(T), (char *)(to + i),                                   \
          tenon_arith_end_of(                                                 \
              e, vector(v, a + i * step_a, step_a, b + i * step_b, step_b))); \
    for (; i < n; ++i) {                                                      \
      const int32_t x = a[i * step_a], y = b[i * step_b];                     \
      to[i] = (T)(scalar);                                                    \
    }                                                                         \
  }
// Calls `some` for each run of neighbours in the result.
#define TENON_ARITH_STORED_EACH(T, c, begin, end, some, v, p, e)             \
  do {                                                                       \
    const tenon_broadcast g =                                                \
        tenon_broadcast_of(&(c)->in[0], &(c)->in[1], &(c)->out[0]);          \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];      \
    const bool is_dense = step_a <= 1 && step_b <= 1;                        \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)(begin)); \
    for (ptrdiff_t i = (ptrdiff_t)(begin); i < (ptrdiff_t)(end);) {          \
      ptrdiff_t n = run.count;                                               \
      if (n > (ptrdiff_t)(end)-i) n = (ptrdiff_t)(end)-i;                    \
      some(is_dense ? (v) : NULL, p, e, (const T *)(c)->in[0].data + run.a,  \
           step_a, (const T *)(c)->in[1].data + run.b, step_b,               \
           (T *)(c)->out[0].data + i, n);                                    \
      i += n;                                                                \
      tenon_broadcast_next(&g, &run);                                        \
    }                                                                        \
  } while (0)

// Defines tenon_add_<type>_run and so on of elements T, for which there are
// tenon_add_<type>_some and so on; sums have `left` more bits.
#define TENON_ARITH_STORED_RUNS(type, T, left)                               \
  TENON_INLINE tenon_status tenon_add_##type##_run(                          \
      const tenon_call *c, int64_t begin, int64_t end) {                     \
    const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;                 \
    const tenon_arith_end e = {p->y_zero, p->lo, p->hi};                     \
    bool is_plain;                                                           \
    const tenon_add_v v = tenon_add_v_make(p, left, 1, &is_plain);           \
    const tenon_add_v *plan = is_plain ? &v : NULL;                          \
    TENON_ARITH_STORED_EACH(T, c, begin, end, tenon_add_##type##_some, plan, \
                            p, &e);                                          \
    return TENON_OK;                                                         \
  }                                                                          \
  TENON_INLINE tenon_status tenon_sub_##type##_run(                          \
      const tenon_call *c, int64_t begin, int64_t end) {                     \
    const tenon_add_s8 *p = (const tenon_add_s8 *)c->packed;                 \
    const tenon_arith_end e = {p->y_zero, p->lo, p->hi};                     \
    bool is_plain;                                                           \
    const tenon_add_v v = tenon_add_v_make(p, left, -1, &is_plain);          \
    const tenon_add_v *plan = is_plain ? &v : NULL;                          \
    TENON_ARITH_STORED_EACH(T, c, begin, end, tenon_sub_##type##_some, plan, \
                            p, &e);                                          \
    return TENON_OK;                                                         \
  }                                                                          \
  TENON_INLINE tenon_status tenon_mul_##type##_run(                          \
      const tenon_call *c, int64_t begin, int64_t end) {                     \
    const tenon_mul_s8 *p = (const tenon_mul_s8 *)c->packed;                 \
    const tenon_arith_end e = {p->y_zero, p->lo, p->hi};                     \
    const tenon_mul_v *plan = NULL;                                          \
    tenon_mul_v v;                                                           \
    if (tenon_factor_is_plain(p->shift)) {                                   \
      v.y = tenon_factor_v_of(p->mult, p->shift);                            \
      v.a_zero = p->a_zero;                                                  \
      v.b_zero = p->b_zero;                                                  \
      plan = &v;                                                             \
    }                                                                        \
    TENON_ARITH_STORED_EACH(T, c, begin, end, tenon_mul_##type##_some, plan, \
                            p, &e);                                          \
    return TENON_OK;                                                         \
  }

#endif  // TENON_KERN_OPT_ARITH_STORED_H
