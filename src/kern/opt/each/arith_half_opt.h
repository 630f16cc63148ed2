// kern/opt/each/arith_half_opt.h - core::add, sub, mul, div, minimum and
// maximum of 16-bit floats, a register of floats at a time: each is computed as
// of floats of 32 bits and rounded once, as the reference kernel has it.
#ifndef TENON_KERN_OPT_ARITH_HALF_OPT_H
#define TENON_KERN_OPT_ARITH_HALF_OPT_H

#include "kern/opt/each/arith_f32_opt.h"
#include "kern/opt/each/half_opt.h"

// `each`: n elements of operands that are `sa` and `sb` apart, constants after
// inlining where they are 0 or 1. Others are brought side by side first, and so
// is what is left of a register.
#define TENON_ARITH_HALF(type)                                                 \
  TENON_FLAT void tenon_arith_##type##_each(                                   \
      const int op, const tenon_arith_f32 *k, const uint16_t *a,               \
      const ptrdiff_t sa, const uint16_t *b, const ptrdiff_t sb, uint16_t *y,  \
      ptrdiff_t n) {                                                           \
    uint16_t p[TENON_VL], q[TENON_VL];                                         \
    ptrdiff_t i = 0;                                                           \
    if (sa * sa == sa && sb * sb == sb && sa + sb > 0) {                       \
      for (ptrdiff_t j = 0; j < TENON_VL; ++j)                                 \
        p[j] = sa ? b[0] : a[0];                                               \
      const tenon_vf one = tenon_vf_load_##type(p);                            \
      for (; i + TENON_VL <= n; i += TENON_VL)                                 \
        tenon_vf_store_##type(                                                 \
            y + i,                                                             \
            tenon_arith_f32_of(op, k, sa ? tenon_vf_load_##type(a + i) : one,  \
                               sb ? tenon_vf_load_##type(b + i) : one));       \
    }                                                                          \
    for (; i < n; i += TENON_VL) {                                             \
      const ptrdiff_t rest = n - i < TENON_VL ? n - i : TENON_VL;              \
      for (ptrdiff_t j = 0; j < TENON_VL; ++j) {                               \
        p[j] = j < rest ? a[(i + j) * sa] : 0;                                 \
        q[j] = j < rest ? b[(i + j) * sb] : 0;                                 \
      }                                                                        \
      tenon_vf_store_##type(p,                                                 \
                            tenon_arith_f32_of(op, k, tenon_vf_load_##type(p), \
                                               tenon_vf_load_##type(q)));      \
      memcpy(y + i, p, (size_t)rest * sizeof *y);                              \
    }                                                                          \
  }                                                                            \
  TENON_FLAT tenon_status tenon_arith_##type##_run(                            \
      const int op, const tenon_call *c, int64_t begin, int64_t end) {         \
    const tenon_broadcast g =                                                  \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);                  \
    const tenon_arith_f32 k = tenon_arith_f32_start(op, c, &g);                \
    if (begin >= end) return TENON_OK;                                         \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);     \
    for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {      \
      const uint16_t *a = (const uint16_t *)c->in[0].data + run.a;             \
      const uint16_t *b = (const uint16_t *)c->in[1].data + run.b;             \
      uint16_t *y = (uint16_t *)c->out[0].data + i;                            \
      n = run.count < (ptrdiff_t)end - i ? run.count : (ptrdiff_t)end - i;     \
      if (k.step_a == 1 && k.step_b == 1)                                      \
        tenon_arith_##type##_each(op, &k, a, 1, b, 1, y, n);                   \
      else if (k.step_a == 1 && k.step_b == 0)                                 \
        tenon_arith_##type##_each(op, &k, a, 1, b, 0, y, n);                   \
      else if (k.step_a == 0 && k.step_b == 1)                                 \
        tenon_arith_##type##_each(op, &k, a, 0, b, 1, y, n);                   \
      else                                                                     \
        tenon_arith_##type##_each(op, &k, a, k.step_a, b, k.step_b, y, n);     \
      tenon_broadcast_next(&g, &run);                                          \
    }                                                                          \
    return TENON_OK;                                                           \
  }
TENON_ARITH_HALF(f16)
TENON_ARITH_HALF(bf16)

#endif  // TENON_KERN_OPT_ARITH_HALF_OPT_H
