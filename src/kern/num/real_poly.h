// kern/num/real_poly.h - the polynomials of real.h, trig.h and pow.h,
// for one number and for vectors alike: each is an expression of its argument,
// whose operations and their order are the same for both.
//
// Coefficients begin with that of the highest power. Those of tanh are Cephes',
// those of log FreeBSD's msun; the others are least maximal errors over their
// interval, rounded to floats one after the other, each with the rest fitted
// anew.
#ifndef TENON_KERN_REAL_POLY_H
#define TENON_KERN_REAL_POLY_H

#define TENON_POLY_1(x, a, b) ((x) * (a) + (b))
#define TENON_POLY_2(x, a, b, c) (TENON_POLY_1(x, a, b) * (x) + (c))
#define TENON_POLY_3(x, a, b, c, d) (TENON_POLY_2(x, a, b, c) * (x) + (d))
#define TENON_POLY_4(x, a, b, c, d, e) (TENON_POLY_3(x, a, b, c, d) * (x) + (e))
#define TENON_POLY_5(x, a, b, c, d, e, f) \
  (TENON_POLY_4(x, a, b, c, d, e) * (x) + (f))
#define TENON_POLY_6(x, a, b, c, d, e, f, g) \
  (TENON_POLY_5(x, a, b, c, d, e, f) * (x) + (g))

// (exp(r) - 1 - r) / r^2 for |r| up to ln 2 / 2.
#define TENON_POLY_EXPM1(r)                                      \
  TENON_POLY_5(r, 1.994425110751763e-4f, 1.3933562440797687e-3f, \
               8.333208039402962e-3f, 4.1666481643915176e-2f,    \
               1.666666716337204e-1f, 0.5f)
// (2^r - 1 - r ln 2) / r^2 for |r| up to 1/2.
#define TENON_POLY_EXP2(r)                                       \
  TENON_POLY_5(r, 1.5319319572881795e-5f, 1.545554696349427e-4f, \
               1.33334135171026e-3f, 9.618079289793968e-3f,      \
               5.550410971045494e-2f, 2.4022650718688965e-1f)

// (log((1 + s) / (1 - s)) - 2 s) / s of z = s^2 and w = z^2, in two halves.
#define TENON_POLY_LOG_ODD(w) ((w) * ((w)*0.24279078841f + 0.40000972152f))
#define TENON_POLY_LOG_EVEN(z, w) ((z) * ((w)*0.28498786688f + 0.66666662693f))

// (tanh(x) - x) / x of z = x^2 for x up to 0.625.
#define TENON_POLY_TANH(z)                                    \
  ((z)*TENON_POLY_4(z, -5.70498872745e-3f, 2.06390887954e-2f, \
                    -5.37397155531e-2f, 1.33314422036e-1f,    \
                    -3.33332819422e-1f))

// (erf(x) - x) / x of z = x^2 for x up to 0.9.
#define TENON_POLY_ERF(z)                                        \
  TENON_POLY_5(z, -6.018091808073223e-4f, 4.998511169105768e-3f, \
               -2.677026018500328e-2f, 1.1281917989253998e-1f,   \
               -3.761250376701355e-1f, 1.2837915122509003e-1f)
// log(1 - erf(x)) for x from 0.9 to 4.
#define TENON_POLY_ERFC(x)                                      \
  TENON_POLY_6(x, 1.9717865518364e-4f, -3.0555836856365204e-3f, \
               2.2277016192674637e-2f, -1.0403725749932e-1f,    \
               -6.370598077774048e-1f, -1.1277495622634888f,    \
               -1.774872507667169e-4f)

// (log(1 + e) - e) / e^2 for e from 0 to 1, by fused multiply-adds: `fma` is
// one, `of` makes a constant what it takes.
#define TENON_POLY_LOG1P(fma, of, e)                             \
  fma(fma(fma(fma(fma(fma(fma(fma(of(-3.290468594059348e-3f), e, \
                                  of(2.0086241886019707e-2f)),   \
                              e, of(-5.745723098516464e-2f)),    \
                          e, of(1.0661128163337708e-1f)),        \
                      e, of(-1.5344880521297455e-1f)),           \
                  e, of(1.9692102074623108e-1f)),                \
              e, of(-2.4958018958568573e-1f)),                   \
          e, of(3.3330464363098145e-1f)),                        \
      e, of(-4.999993145465851e-1f))

// (sin(x) - x) / x^3 and (cos(x) - 1 + x^2 / 2) / x^4 of z = x^2 for x up to
// pi/4.
#define TENON_POLY_SIN(z)                                        \
  TENON_POLY_2(z, -1.9517206237651408e-4f, 8.33218451589346e-3f, \
               -1.6666655242443085e-1f)
#define TENON_POLY_COS(z)                                       \
  TENON_POLY_2(z, 2.443066841806285e-5f, -1.38873013202101e-3f, \
               4.166664555668831e-2f)

// (log((1 + s) / (1 - s)) - 2 s - 2 s^3 / 3) / (2 s^5) of z = s^2: its series.
#define TENON_POLY_POW(z) \
  TENON_POLY_3(z, 0.0909f, 0.11111111f, 0.14285714f, 0.2f)

#endif  // TENON_KERN_REAL_POLY_H
