// kern/num/generator.h - the random numbers that PyTorch draws on a CPU, as a
// state: MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998), and the normal
// number that Box and Muller's method has left over.
//
// Words of the state, u32[628]:
//   0..623    the generator's; word 0 is the seed until the first number is
//             drawn, of which all others are made
//   624       0: nothing has been drawn. Else one more than how many of the
//             words have been used up
//   625       1: a normal number waits in words 626 (low) and 627
// So zeros are torch.manual_seed(0), and a seed with zeros behind it is that
// seed. Of a seed PyTorch uses 32 bits.
#ifndef TENON_KERN_GENERATOR_H
#define TENON_KERN_GENERATOR_H

#include <math.h>
#include <string.h>

#include "kern/num/trig64.h"
#include "tenon/attr.h"
#include "tenon/tensor.h"

enum {
  TENON_GENERATOR_WORDS = 628,
  TENON_GENERATOR_SIZE = 624,
  TENON_GENERATOR_SHIFT = 397,
  TENON_GENERATOR_USED = 624,  // places in the state
  TENON_GENERATOR_HAS_NORMAL = 625,
  TENON_GENERATOR_NORMAL = 626
};

typedef struct tenon_random_uniform_attrs {
  tenon_ints size;
  tenon_dtype dtype;
  double low, high;
} tenon_random_uniform_attrs;

typedef struct tenon_random_normal_attrs {
  tenon_ints size;
  tenon_dtype dtype;
  double mean, std;
  bool single;  // one at a time, however many there are
} tenon_random_normal_attrs;

// From low to high, both included. `wide`: whether a number takes 64 bits of
// the generator; not said: where there are 2^28 or more to choose from.
typedef struct tenon_random_integers_attrs {
  tenon_ints size;
  int64_t low, high;
  tenon_opt_bool wide;
} tenon_random_integers_attrs;

typedef struct tenon_random_permutation_attrs {
  int64_t n;
} tenon_random_permutation_attrs;

// The state that a call leaves, result 1, as it found it.
TENON_INLINE uint32_t *tenon_generator_of(const tenon_call *c) {
  uint32_t *g = (uint32_t *)c->out[1].data;
  if (c->out[1].data != c->in[0].data)
    memcpy(g, c->in[0].data, TENON_GENERATOR_WORDS * sizeof *g);
  return g;
}

TENON_INLINE void tenon_generator_refill(uint32_t *g) {
  const uint32_t n = TENON_GENERATOR_SIZE;
  if (g[TENON_GENERATOR_USED] == 0) {
    for (uint32_t i = 1; i < n; ++i)
      g[i] = UINT32_C(1812433253) * (g[i - 1] ^ g[i - 1] >> 30) + i;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t next = g[i + 1 < n ? i + 1 : 0];
    const uint32_t y = (g[i] & UINT32_C(0x80000000)) | (next & 0x7fffffffu);
    const uint32_t far = i + TENON_GENERATOR_SHIFT;
    g[i] = g[far < n ? far : far - n] ^ y >> 1 ^
           (next & 1u ? UINT32_C(0x9908b0df) : 0u);
  }
  g[TENON_GENERATOR_USED] = 1;
}

// The next 32 bits. Whatever somebody has put into the state, it stays inside.
TENON_INLINE uint32_t tenon_generator_next(uint32_t *g) {
  const uint32_t used = g[TENON_GENERATOR_USED];
  if (used == 0 || used > TENON_GENERATOR_SIZE) tenon_generator_refill(g);
  uint32_t y = g[g[TENON_GENERATOR_USED]++ - 1];
  y ^= y >> 11;
  y ^= y << 7 & UINT32_C(0x9d2c5680);
  y ^= y << 15 & UINT32_C(0xefc60000);
  return y ^ y >> 18;
}

TENON_INLINE uint64_t tenon_generator_next64(uint32_t *g) {
  const uint64_t high = tenon_generator_next(g);
  return high << 32 | tenon_generator_next(g);
}

// In [0, 1), with as many bits as the type has: 24, of 16-bit floats too, or
// 53.
TENON_INLINE float tenon_generator_f32(uint32_t *g) {
  return (float)(tenon_generator_next(g) & 0xffffffu) * 0x1p-24f;
}
TENON_INLINE double tenon_generator_f64(uint32_t *g) {
  return (double)(tenon_generator_next64(g) & UINT64_C(0x1fffffffffffff)) *
         0x1p-53;
}

// Two normal numbers of two even ones (Box and Muller); `log_of` is the
// logarithm of one of them, or of what it lacks to 1.
TENON_INLINE double tenon_generator_polar(double log_of, double turn,
                                          double *other) {
  const double radius = sqrt(-2.0 * log_of);
  const double angle = 2.0 * 3.14159265358979323846 * turn;
  *other = radius * tenon_sin(angle);
  return radius * tenon_cos(angle);
}

// One at a time, as PyTorch fills tensors of less than 16 elements.
TENON_INLINE double tenon_generator_normal(uint32_t *g) {
  double first, second;
  uint64_t bits;
  if (g[TENON_GENERATOR_HAS_NORMAL]) {
    bits = (uint64_t)g[TENON_GENERATOR_NORMAL + 1] << 32 |
           g[TENON_GENERATOR_NORMAL];
    g[TENON_GENERATOR_HAS_NORMAL] = 0;
    return tenon_f64_of_bits(bits);
  }
  const double turn = tenon_generator_f64(g);
  first = tenon_generator_polar(tenon_log1p(-tenon_generator_f64(g)), turn,
                                &second);
  bits = tenon_bits_of_f64(second);
  g[TENON_GENERATOR_HAS_NORMAL] = 1;
  g[TENON_GENERATOR_NORMAL] = (uint32_t)bits;
  g[TENON_GENERATOR_NORMAL + 1] = (uint32_t)(bits >> 32);
  return first;
}

#endif  // TENON_KERN_GENERATOR_H
