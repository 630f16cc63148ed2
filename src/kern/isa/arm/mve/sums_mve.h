// kern/isa/arm/mve/sums_mve.h - sums of bytes, eight neighbours at a time.
#ifndef TENON_KERN_ISA_ARM_SUMS_MVE_H
#define TENON_KERN_ISA_ARM_SUMS_MVE_H

#include "kern/isa/arm/mve/mve.h"

// Of eight channels, `lanes` of which there are: rows of taps, none of which
// has more than 255, as so many bytes fit into int16.
static __attribute__((unused)) void tenon_mve_sums(const int8_t *p,
                                                   int32_t line, int32_t rows,
                                                   int32_t columns,
                                                   int32_t step, int32_t lanes,
                                                   int32_t *sums) {
  int16x8_t sum = vdupq_n_s16(0);
  int16_t part[8];
  int32_t room = 255;
  memset(sums, 0, 8 * sizeof *sums);
  for (; rows > 0; --rows, p += line) {
    const int8_t *tap = p;
    if (room < columns) {
      vst1q_s16(part, sum);
      for (int32_t k = 0; k < 8; ++k)
        sums[k] += part[k];
      sum = vdupq_n_s16(0);
      room = 255;
    }
    room -= columns;
    if (columns > 0)
      __asm__ volatile(
          "vctp.16 %[lanes]\n"
          "dls lr, %[n]\n"
          "1:\n"
          "vpst\n"
          "vldrbt.s16 q0, [%[p]]\n"
          "add %[p], %[step]\n"
          "vadd.i16 %q[sum], %q[sum], q0\n"
          "le lr, 1b"
          : [p] "+l"(tap), [sum] "+w"(sum)
          : [step] "r"(step), [n] "r"(columns), [lanes] "r"(lanes)
          : "lr", "q0", "memory");
  }
  vst1q_s16(part, sum);
  for (int32_t k = 0; k < 8; ++k)
    sums[k] += part[k];
}

#endif  // TENON_KERN_ISA_ARM_SUMS_MVE_H
