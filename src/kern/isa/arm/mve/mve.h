// kern/isa/arm/mve/mve.h - what kernels for MVE share: four sums at once as
// LiteRT rounds them.
#ifndef TENON_KERN_ISA_ARM_MVE_H
#define TENON_KERN_ISA_ARM_MVE_H

#include <arm_mve.h>
#include <string.h>

#include "kern/isa/arm/arm_packed.h"
#include "kern/num/fixed.h"

#define TENON_MVE static inline __attribute__((always_inline, unused))
#ifndef TENON_ASM  // as in dsp.h
#define TENON_ASM static __attribute__((naked, noinline, unused, aligned(4)))
#define TENON_ARG __attribute__((unused))
#endif

// The zero point added, within limits.
TENON_MVE int32x4_t tenon_mve_stored(int32x4_t v, const tenon_arm_window *g) {
  v = vaddq_n_s32(v, g->y_zero);
  return vminq_s32(vmaxq_s32(v, vdupq_n_s32(g->lo)), vdupq_n_s32(g->hi));
}

// `n` bytes within limits, in place or elsewhere, or 16-bit numbers.
#define TENON_MVE_CLAMP(name, T, type, bits, set)                             \
  TENON_MVE void name(const T *p, T *to, int32_t n, int32_t lo, int32_t hi) { \
    if (n < 1) return;                                                        \
    __asm__ volatile("dlstp." bits                                            \
                     " lr, %[n]\n"                                            \
                     "1:\n"                                                   \
                     "vldr" type "." bits                                     \
                     " q0, [%[p]], #16\n"                                     \
                     "vmax.s" bits                                            \
                     " q0, q0, %q[lo]\n"                                      \
                     "vmin.s" bits                                            \
                     " q0, q0, %q[hi]\n"                                      \
                     "vstr" type "." bits                                     \
                     " q0, [%[to]], #16\n"                                    \
                     "letp lr, 1b"                                            \
                     : [p] "+l"(p), [to] "+l"(to)                             \
                     : [n] "r"(n), [lo] "w"(set((T)lo)), [hi] "w"(set((T)hi)) \
                     : "lr", "q0", "memory");                                 \
  }
TENON_MVE_CLAMP(tenon_mve_clamp, int8_t, "b", "8", vdupq_n_s8)
TENON_MVE_CLAMP(tenon_mve_clamp_s16, int16_t, "h", "16", vdupq_n_s16)

// Rounded twice (kern/num/fixed.h): VQRDMULH is the first, and VRSHL, which
// takes ties up, the second of a number that is one less if it is negative. Of
// plain channels: there is a shift.
TENON_MVE int32x4_t tenon_mve_twice(int32x4_t v, const tenon_arm_quad *q) {
  v = vqrdmulhq_s32(v, vldrwq_s32(q->mult));
  v = vaddq_s32(v, vshrq_n_s32(v, 31));
  return vrshlq_s32(v, vldrwq_s32(q->shift));
}
// Rounded once; q->shift is what is left behind the upper half.
TENON_MVE int32x4_t tenon_mve_once(int32x4_t v, const tenon_arm_quad *q) {
  v = vmulhq_s32(v, vldrwq_s32(q->mult));
  return vrshlq_s32(v, vldrwq_s32(q->shift));
}

#endif  // TENON_KERN_ISA_ARM_MVE_H
