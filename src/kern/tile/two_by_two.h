// kern/tile/two_by_two.h - two rows of int8 with two of weights: four loads for
// four products.
//
// A turn of the loop is all that a small processor has registers for: with more
// in it, or around it, compilers keep sums in memory. So it is neither unrolled
// nor inlined, and is the same at every level of optimisation.
#ifndef TENON_KERN_TILE_TWO_BY_TWO_H
#define TENON_KERN_TILE_TWO_BY_TWO_H

#include "kern/product/requant.h"
#include "kern/tile/apart.h"

// Adds products of `run` bytes, at least one, to the sums of pixel 0 with
// channels 0 and 1, then of pixel 1.
TENON_APART void tenon_two_by_two(const int8_t *p0, const int8_t *p1,
                                  const int8_t *w0, const int8_t *w1,
                                  ptrdiff_t run, uint32_t *sums) {
  const int8_t *const end = p0 + run;
  uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
  do {
    const int32_t x0 = *p0++, x1 = *p1++, v0 = *w0++, v1 = *w1++;
    a += (uint32_t)(x0 * v0);
    b += (uint32_t)(x0 * v1);
    d += (uint32_t)(x1 * v0);
    e += (uint32_t)(x1 * v1);
  } while (p0 != end);
  sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
}

// The same less a zero point.
TENON_APART void tenon_two_by_two_less(const int8_t *p0, const int8_t *p1,
                                       const int8_t *w0, const int8_t *w1,
                                       ptrdiff_t run, uint32_t *sums,
                                       int32_t zero) {
  const int8_t *const end = p0 + run;
  uint32_t a = sums[0], b = sums[1], d = sums[2], e = sums[3];
  do {
    const int32_t x0 = *p0++ - zero, x1 = *p1++ - zero;
    const int32_t v0 = *w0++, v1 = *w1++;
    a += (uint32_t)(x0 * v0);
    b += (uint32_t)(x0 * v1);
    d += (uint32_t)(x1 * v0);
    e += (uint32_t)(x1 * v1);
  } while (p0 != end);
  sums[0] = a, sums[1] = b, sums[2] = d, sums[3] = e;
}

#endif  // TENON_KERN_TILE_TWO_BY_TWO_H
