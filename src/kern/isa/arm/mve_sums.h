// kern/isa/arm/mve_sums.h - products of 16 bytes at a time, added up.
#ifndef TENON_KERN_ISA_ARM_MVE_SUMS_H
#define TENON_KERN_ISA_ARM_MVE_SUMS_H

#include "kern/isa/arm/mve.h"

// Four biases and the sums of four channels, whose weights lie 16 of each in
// turn at *weights, over n16 * 16 bytes.
TENON_MVE int32x4_t tenon_mve_sums(const int8_t *x, int32_t n16,
                                   const int8_t **weights,
                                   const int32_t *bias) {
  int32_t a = bias[0], b = bias[1], d = bias[2], e = bias[3];
  const int8_t *w = *weights;
  int32x4_t v;
  __asm__ volatile(
      "dls lr, %[n]\n"
      "1:\n"
      "vldrb.8 q0, [%[x]], #16\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladava.s8 %[a], q0, q1\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladava.s8 %[b], q0, q1\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladava.s8 %[d], q0, q1\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladava.s8 %[e], q0, q1\n"
      "le lr, 1b"
      : [a] "+Te"(a), [b] "+Te"(b), [d] "+Te"(d), [e] "+Te"(e), [x] "+r"(x),
        [w] "+r"(w)
      : [n] "r"(n16)
      : "lr", "q0", "q1", "memory");
  __asm__(
      "vmov %q[v][2], %q[v][0], %[a], %[d]\n"
      "vmov %q[v][3], %q[v][1], %[b], %[e]"
      : [v] "=&w"(v)
      : [a] "r"(a), [b] "r"(b), [d] "r"(d), [e] "r"(e));
  *weights = w;
  return v;
}

#endif  // TENON_KERN_ISA_ARM_MVE_SUMS_H
