// kern/isa/arm/fpu/arith_fpu.h - sums, differences and products of floats, four
// neighbours at a time.
#ifndef TENON_KERN_ISA_ARM_ARITH_FPU_H
#define TENON_KERN_ISA_ARM_ARITH_FPU_H

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/op/arith.h"

// A function of `n` neighbours each of a and b.
#define TENON_FPU_ARITH(name, op)                                         \
  TENON_ASM void name(TENON_ARG const float *a, TENON_ARG const float *b, \
                      TENON_ARG float *to, TENON_ARG ptrdiff_t n) {       \
    __asm__(                                                              \
        "subs r3, #4\n"                                                   \
        "blt 2f\n"                                                        \
        "1:\n"                                                            \
        "vldmia r0!, {s0-s3}\n"                                           \
        "vldmia r1!, {s4-s7}\n" op ".f32 s0, s0, s4\n" op                 \
        ".f32 s1, s1, s5\n" op ".f32 s2, s2, s6\n" op                     \
        ".f32 s3, s3, s7\n"                                               \
        "vstmia r2!, {s0-s3}\n"                                           \
        "subs r3, #4\n"                                                   \
        "bge 1b\n"                                                        \
        "2:\n"                                                            \
        "adds r3, #4\n"                                                   \
        "beq 4f\n"                                                        \
        "3:\n"                                                            \
        "vldmia r0!, {s0}\n"                                              \
        "vldmia r1!, {s4}\n" op                                           \
        ".f32 s0, s0, s4\n"                                               \
        "vstmia r2!, {s0}\n"                                              \
        "subs r3, #1\n"                                                   \
        "bne 3b\n"                                                        \
        "4:\n"                                                            \
        "bx lr\n");                                                       \
  }

// The kernel `name`: runs of neighbours by `f`; an operand of which a run has
// one element by `expr` of x and y. Limits are applied to the results.
#define TENON_FPU_ARITH_KERNEL(name, f, expr)                                 \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_arith_attrs *limits = (const tenon_arith_attrs *)c->attrs;    \
    const tenon_broadcast g =                                                 \
        tenon_broadcast_of(&c->in[0], &c->in[1], &c->out[0]);                 \
    const ptrdiff_t step_a = g.a[g.rank - 1], step_b = g.b[g.rank - 1];       \
    float *y = (float *)c->out[0].data;                                       \
    tenon_broadcast_run run = tenon_broadcast_start(&g, (ptrdiff_t)begin);    \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {               \
      ptrdiff_t n = run.count;                                                \
      const float *a = (const float *)c->in[0].data + run.a;                  \
      const float *b = (const float *)c->in[1].data + run.b;                  \
      if (n > (ptrdiff_t)end - i) n = (ptrdiff_t)end - i;                     \
      if (step_a == step_b) {                                                 \
        f(a, b, y + i, n);                                                    \
      } else {                                                                \
        for (ptrdiff_t k = 0; k < n; ++k) {                                   \
          const float x1 = a[k * step_a], x2 = b[k * step_b];                 \
          y[i + k] = expr;                                                    \
        }                                                                     \
      }                                                                       \
      i += n;                                                                 \
      tenon_broadcast_next(&g, &run);                                         \
    }                                                                         \
    if (limits->lo.has || limits->hi.has) {                                   \
      const tenon_limits_f32 m = tenon_limits_f32_of(limits->lo, limits->hi); \
      for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i)           \
        y[i] = tenon_limit_f32(y[i], m);                                      \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_ISA_ARM_ARITH_FPU_H
