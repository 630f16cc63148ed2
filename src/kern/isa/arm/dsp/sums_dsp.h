// kern/isa/arm/dsp/sums_dsp.h - sums of bytes, four neighbours at a time.
#ifndef TENON_KERN_ISA_ARM_SUMS_DSP_H
#define TENON_KERN_ISA_ARM_SUMS_DSP_H

#include "kern/isa/arm/dsp/dsp.h"

// What has been added up as int16: bytes 0 and 2 of a word, 1 and 3.
TENON_ARM void tenon_dsp_take(int32_t *sums, uint32_t even, uint32_t odd) {
  sums[0] += (int16_t)even;
  sums[1] += (int16_t)odd;
  sums[2] += (int32_t)even >> 16;
  sums[3] += (int32_t)odd >> 16;
}

// Over rows of taps, none of which has more than 255: so many bytes fit into
// int16.
static __attribute__((unused)) void tenon_dsp_sums(const int8_t *p,
                                                   int32_t line, int32_t rows,
                                                   int32_t columns,
                                                   int32_t step,
                                                   int32_t *sums) {
  uint32_t even = 0, odd = 0;
  int32_t room = 255;
  sums[0] = sums[1] = sums[2] = sums[3] = 0;
  for (; rows > 0; --rows, p += line) {
    const int8_t *tap = p;
    int32_t left = columns;
    if (room < left) {
      tenon_dsp_take(sums, even, odd);
      even = odd = 0;
      room = 255;
    }
    room -= left;
    for (; left > 1; left -= 2, tap += 2 * step) {
      const uint32_t x = tenon_dsp_load(tap), y = tenon_dsp_load(tap + step);
      even = tenon_dsp_even(tenon_dsp_even(even, x), y);
      odd = tenon_dsp_odd(tenon_dsp_odd(odd, x), y);
    }
    if (left) {
      const uint32_t x = tenon_dsp_load(tap);
      even = tenon_dsp_even(even, x);
      odd = tenon_dsp_odd(odd, x);
    }
  }
  tenon_dsp_take(sums, even, odd);
}

#endif  // TENON_KERN_ISA_ARM_SUMS_DSP_H
