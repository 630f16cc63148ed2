// kern/num/exp_table.h - powers of two in steps of a sixteenth, and what an
// exponential function of single precision multiplies them by.
//
// x log2(e) is rounded to sixteenths by adding TENON_EXP_MAGIC, 1.5 * 2^19,
// which leaves them in the low bits of the sum: four choose an entry, those
// above are an exponent. What is left of x is r, |r| <= ln 2 / 32, so that
// three powers are enough. Entries are bits of floats less what the four add to
// an exponent: 2^(j / 16) (1 + c), and POLY_EXP_TABLE(r) is exp(r) / (1 + c), c
// = 0.02546: below 1, where floats are twice as dense, and c is where all
// entries and the last constant are nearly floats.
#ifndef TENON_KERN_EXP_TABLE_H
#define TENON_KERN_EXP_TABLE_H

#include "kern/num/real_poly.h"

#define TENON_LN2 0.693147182f
#define TENON_LN2_REST 1.90465432e-09f  // what LN2 is too large by
#define TENON_EXP_MAGIC 786432.0f
#define TENON_EXP_MAGIC_BITS 0x49400000
#define TENON_EXP_TABLE TENON_EXP_TABLE_LESS(0u)
// The same divided by 2^octaves.
#define TENON_EXP_TABLE_LESS(octaves)                                     \
  {                                                                       \
    0x3f83425au - ((octaves) << 23), 0x3f81120eu - ((octaves) << 23),     \
        0x3f7f23a0u - ((octaves) << 23), 0x3f7d79fau - ((octaves) << 23), \
        0x3f7c1828u - ((octaves) << 23), 0x3f7b0158u - ((octaves) << 23), \
        0x3f7a38dcu - ((octaves) << 23), 0x3f79c22cu - ((octaves) << 23), \
        0x3f79a0e7u - ((octaves) << 23), 0x3f79d8d5u - ((octaves) << 23), \
        0x3f7a6de9u - ((octaves) << 23), 0x3f7b6443u - ((octaves) << 23), \
        0x3f7cc032u - ((octaves) << 23), 0x3f7e8634u - ((octaves) << 23), \
        0x3f80bafcu - ((octaves) << 23), 0x3f836372u - ((octaves) << 23)  \
  }

#define TENON_POLY_EXP_TABLE(r)                                      \
  TENON_POLY_3(r, TENON_EXP_CUBE, TENON_EXP_SQUARE, TENON_EXP_SLOPE, \
               TENON_EXP_SLOPE)
#define TENON_EXP_CUBE 0.162534028f
#define TENON_EXP_SQUARE 0.487603992f
#define TENON_EXP_SLOPE 0.975169837f
// That less 1, which is below 0, by fused multiply-adds: `fma` is one, `of`
// makes a constant what it takes.
#define TENON_POLY_EXPM1_TABLE(fma, of, r)                     \
  fma(fma(fma(of(TENON_EXP_CUBE), r, of(TENON_EXP_SQUARE)), r, \
          of(TENON_EXP_SLOPE)),                                \
      r, of(TENON_EXP_SLOPE - 1.0f))
// The same 0.48 * 2^-24 larger.
#define TENON_POLY_EXPM1_TABLE_UP(fma, of, r)                  \
  fma(fma(fma(of(TENON_EXP_CUBE), r, of(TENON_EXP_SQUARE)), r, \
          of(TENON_EXP_SLOPE)),                                \
      r, of(-0.0248301346f))
// The same of r / 2.
#define TENON_POLY_EXPM1_TABLE_HALF(fma, of, r)                              \
  fma(fma(fma(of(0.125f * TENON_EXP_CUBE), r, of(0.25f * TENON_EXP_SQUARE)), \
          r, of(0.5f * TENON_EXP_SLOPE)),                                    \
      r, of(TENON_EXP_SLOPE - 1.0f))

// The same for silu, where 94 octaves are added to the sum: those of its
// arguments whose sixteenths are then from 0 to TENON_SILU_STEPS, a power of
// two, are told by the bits above.
#define TENON_SILU_MAGIC (TENON_EXP_MAGIC + 94.0f)
#define TENON_SILU_STEPS 2048u
#define TENON_SILU_TABLE TENON_EXP_TABLE_LESS(94u)

#endif  // TENON_KERN_EXP_TABLE_H
