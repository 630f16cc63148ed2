// kern/isa/arm/dsp/dsp.h - what kernels for the DSP extension share: results
// stored as LiteRT rounds them, bytes widened to pairs of int16.
//
// Assembler and not intrinsics, for one instruction each: emitted C includes no
// header that a compiler may lack, and no compiler takes them apart.
#ifndef TENON_KERN_ISA_ARM_DSP_H
#define TENON_KERN_ISA_ARM_DSP_H

#include <string.h>

#include "kern/isa/arm/arm_packed.h"
#include "kern/num/fixed.h"

#define TENON_ARM static inline __attribute__((always_inline, unused))
// A function that is assembler from its first instruction to its last, so that
// it has every register but sp; arguments come and go as any caller expects. At
// a word, from which addresses in it are counted.
#define TENON_ASM static __attribute__((naked, noinline, unused, aligned(4)))
#define TENON_ARG __attribute__((unused))  // of an argument: in a register

TENON_ARM int32_t tenon_dsp_smmulr(int32_t a, int32_t b) {
  int32_t y;
  __asm__("smmulr %0, %1, %2" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
TENON_ARM int32_t tenon_dsp_smmul(int32_t a, int32_t b) {
  int32_t y;
  __asm__("smmul %0, %1, %2" : "=r"(y) : "r"(a), "r"(b));
  return y;
}
TENON_ARM int32_t tenon_dsp_saturate(int32_t x) {
  int32_t y;
  __asm__("ssat %0, #8, %1" : "=r"(y) : "r"(x));
  return y;
}
// a plus bytes 0 and 2 of x (`odd`: 1 and 3) as two int16.
TENON_ARM uint32_t tenon_dsp_even(uint32_t a, uint32_t x) {
  uint32_t y;
  __asm__("sxtab16 %0, %1, %2" : "=r"(y) : "r"(a), "r"(x));
  return y;
}
TENON_ARM uint32_t tenon_dsp_odd(uint32_t a, uint32_t x) {
  uint32_t y;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(y) : "r"(a), "r"(x));
  return y;
}
TENON_ARM uint32_t tenon_dsp_load(const void *p) {
  uint32_t x;
  memcpy(&x, p, 4);
  return x;
}

// The greater of four pairs of bytes, and the smaller.
TENON_ARM uint32_t tenon_dsp_max(uint32_t a, uint32_t b) {
  uint32_t t;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2"
          : "=&r"(t)
          : "r"(a), "r"(b)
          : "cc");
  return t;
}
TENON_ARM uint32_t tenon_dsp_min(uint32_t a, uint32_t b) {
  uint32_t t;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1"
          : "=&r"(t)
          : "r"(a), "r"(b)
          : "cc");
  return t;
}
// `n` bytes within limits, in place or elsewhere.
TENON_ARM void tenon_dsp_clamp(const int8_t *p, int8_t *to, int32_t n,
                               int32_t lo, int32_t hi) {
  const uint32_t least = (uint32_t)(lo & 0xFF) * 0x1010101u;
  const uint32_t most = (uint32_t)(hi & 0xFF) * 0x1010101u;
  for (; n > 3; n -= 4, p += 4, to += 4) {
    uint32_t x = tenon_dsp_load(p);
    x = tenon_dsp_min(tenon_dsp_max(x, least), most);
    memcpy(to, &x, 4);
  }
  for (; n > 0; --n)
    *to++ = (int8_t)tenon_clamp_s32(*p++, lo, hi);
}

// 16-bit numbers.
TENON_ARM void tenon_dsp_clamp_s16(const int16_t *p, int16_t *to, int32_t n,
                                   int32_t lo, int32_t hi) {
  for (int32_t i = 0; i < n; ++i)
    to[i] = (int16_t)tenon_clamp_s32(p[i], lo, hi);
}

// A sum as it is stored, rounded twice (kern/num/fixed.h): the high half of the
// doubled product, rounded with ties up, then shifted with ties away from zero,
// which for a negative number is one less and ties up. SMMULR of the doubled
// sum is the first. A plain channel and all of int8 are assumed.
TENON_ARM int32_t tenon_dsp_twice(int32_t sum, int32_t mult, int32_t round,
                                  int32_t shift) {
  int32_t v = tenon_dsp_smmulr(sum + sum, mult);
  v += v >> 31;
  return tenon_dsp_saturate((v + round) >> shift);
}
// The same where the factor has been packed doubled, less 2^32, so that SMMLAR
// adds the sum itself: one instruction less, for sums of any 32 bits.
TENON_ARM int32_t tenon_dsp_stored(int32_t sum, const tenon_arm_channel *q) {
  int32_t v;
  __asm__("smmlar %0, %1, %2, %1" : "=r"(v) : "r"(sum), "r"(q->mult));
  v += v >> 31;
  return tenon_dsp_saturate((v + q->round) >> q->shift);
}
// Rounded once, with ties up: what SMMUL drops is not half.
TENON_ARM int32_t tenon_dsp_once(int32_t sum, int32_t mult, int32_t round,
                                 int32_t shift) {
  return tenon_dsp_saturate((tenon_dsp_smmul(sum, mult) + round) >> shift);
}

#endif  // TENON_KERN_ISA_ARM_DSP_H
