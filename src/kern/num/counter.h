// kern/num/counter.h - random bits as a function of a counter:
// core::random_bits.
//
// Philox4x32 of 10 rounds and Threefry2x32 of 20 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011). The state is a key and a
// counter of 64 bits each, for Philox with 64 more, else the key stands there
// again; of the counter 64 bits count.
#ifndef TENON_KERN_COUNTER_H
#define TENON_KERN_COUNTER_H

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_random_bits_attrs {
  tenon_ints size;
  tenon_dtype dtype;
  bool threefry;
} tenon_random_bits_attrs;

TENON_INLINE uint32_t tenon_rotate_u32(uint32_t x, uint32_t n) {
  return x << n | x >> (32 - n);
}

TENON_INLINE void tenon_threefry(uint32_t a, uint32_t b, uint32_t *x) {
  static const uint8_t by[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t key[] = {a, b, a ^ b ^ 0x1BD11BDAu};
  x[0] += a;
  x[1] += b;
  for (uint32_t i = 0; i < 20; ++i) {
    x[0] += x[1];
    x[1] = tenon_rotate_u32(x[1], by[i % 8]) ^ x[0];
    if (i % 4 != 3) continue;
    const uint32_t k = i / 4 + 1;
    x[0] += key[k % 3];
    x[1] += key[(k + 1) % 3] + k;
  }
}

TENON_INLINE void tenon_philox(uint32_t a, uint32_t b, uint32_t *x) {
  for (int i = 0; i < 10; ++i) {
    const uint64_t p = UINT64_C(0xD2511F53) * x[0];
    const uint64_t q = UINT64_C(0xCD9E8D57) * x[2];
    x[0] = (uint32_t)(q >> 32) ^ x[1] ^ a;
    x[1] = (uint32_t)q;
    x[2] = (uint32_t)(p >> 32) ^ x[3] ^ b;
    x[3] = (uint32_t)p;
    a += 0x9E3779B9u;
    b += 0xBB67AE85u;
  }
}

#endif  // TENON_KERN_COUNTER_H
