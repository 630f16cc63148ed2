// kern/num/fingerprint.h - a hash of 64 bits of a seed and an element's bytes:
// core::lsh_projection.
//
// Fingerprint64 of FarmHash (Pike, 2014), of keys of at least 4 bytes: a float,
// little endian, and behind it what x stores of one of its rows. Of strings a
// row is a part of what LiteRT keeps of all of them: their count, where each
// begins and where the last ends, s32, and their bytes.
#ifndef TENON_KERN_FINGERPRINT_H
#define TENON_KERN_FINGERPRINT_H

#include <string.h>

#include "tenon/attr.h"
#include "tenon/tensor.h"

typedef struct tenon_lsh_projection_attrs {
  bool sparse;
} tenon_lsh_projection_attrs;

typedef struct tenon_lsh_key {
  const tenon_tensor *x;
  uint32_t seed;
  uint64_t row;   // where its bytes begin among those of x
  uint64_t size;  // of the key, with the seed
} tenon_lsh_key;

TENON_INLINE uint64_t tenon_lsh_bytes(const tenon_tensor *x) {
  const uint64_t n = tenon_count(x);
  if (x->dtype != TENON_STR)
    return n * (uint64_t)tenon_element_bits(x->dtype) / 8;
  const tenon_string *s = (const tenon_string *)x->data;
  uint64_t bytes = (n + 2) * 4;
  for (uint64_t i = 0; i < n; ++i)
    bytes += s[i].size;
  return bytes;
}

TENON_INLINE uint8_t tenon_lsh_byte_of_strings(const tenon_tensor *x,
                                               uint64_t at) {
  const tenon_string *s = (const tenon_string *)x->data;
  const uint64_t n = tenon_count(x), word = at / 4;
  uint64_t begin = (n + 2) * 4;
  if (at < begin) {
    for (uint64_t i = 0; i + 1 < word; ++i)
      begin += s[i].size;
    return (uint8_t)((word == 0 ? n : begin) >> 8 * (at % 4));
  }
  at -= begin;
  while (at >= s->size)
    at -= s++->size;
  return (uint8_t)s->at.data[at];
}

TENON_INLINE uint64_t tenon_lsh_fetch(const tenon_lsh_key *k, uint64_t at,
                                      uint32_t bytes) {
  uint64_t word = 0;
  for (uint32_t i = 0; i < bytes; ++i, ++at) {
    const uint64_t from = k->row + at - 4;
    const uint8_t b = at < 4 ? (uint8_t)(k->seed >> 8 * at)
                      : k->x->dtype == TENON_STR
                          ? tenon_lsh_byte_of_strings(k->x, from)
                          : ((const uint8_t *)k->x->data)[from];
    word |= (uint64_t)b << 8 * i;
  }
  return word;
}

TENON_INLINE uint64_t tenon_lsh_word(const tenon_lsh_key *k, uint64_t at) {
  return tenon_lsh_fetch(k, at, 8);
}
TENON_INLINE uint64_t tenon_lsh_turn(uint64_t x, int by) {
  return x >> by | x << (64 - by);
}
TENON_INLINE uint64_t tenon_lsh_fold(uint64_t x) {
  return x ^ x >> 47;
}

// Three primes.
#define TENON_LSH_A UINT64_C(0xc3a5c85c97cb3127)
#define TENON_LSH_B UINT64_C(0xb492b66fbe98f273)
#define TENON_LSH_C UINT64_C(0x9ae16a3b2f90404f)

TENON_INLINE uint64_t tenon_lsh_mix(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = tenon_lsh_fold((u ^ v) * factor);
  return tenon_lsh_fold((v ^ a) * factor) * factor;
}

// 32 bytes into a pair.
TENON_INLINE void tenon_lsh_weak(const tenon_lsh_key *k, uint64_t at,
                                 uint64_t a, uint64_t b, uint64_t *pair) {
  const uint64_t last = tenon_lsh_word(k, at + 24);
  a += tenon_lsh_word(k, at);
  b = tenon_lsh_turn(a + b + last, 21);
  const uint64_t first = a;
  a += tenon_lsh_word(k, at + 8) + tenon_lsh_word(k, at + 16);
  pair[0] = a + last;
  pair[1] = first + b + tenon_lsh_turn(a, 44);
}

TENON_INLINE uint64_t tenon_lsh_short(const tenon_lsh_key *k) {
  const uint64_t n = k->size, factor = TENON_LSH_C + 2 * n;
  if (n < 8)
    return tenon_lsh_mix(n + (tenon_lsh_fetch(k, 0, 4) << 3),
                         tenon_lsh_fetch(k, n - 4, 4), factor);
  if (n <= 16) {
    const uint64_t a = tenon_lsh_word(k, 0) + TENON_LSH_C;
    const uint64_t b = tenon_lsh_word(k, n - 8);
    return tenon_lsh_mix(tenon_lsh_turn(b, 37) * factor + a,
                         (tenon_lsh_turn(a, 25) + b) * factor, factor);
  }
  const uint64_t a =
      tenon_lsh_word(k, 0) * (n > 32 ? TENON_LSH_C : TENON_LSH_B);
  const uint64_t b = tenon_lsh_word(k, 8);
  const uint64_t c = tenon_lsh_word(k, n - 8) * factor;
  const uint64_t d = tenon_lsh_word(k, n - 16) * TENON_LSH_C;
  const uint64_t y = tenon_lsh_turn(a + b, 43) + tenon_lsh_turn(c, 30) + d;
  const uint64_t z = a + tenon_lsh_turn(b + TENON_LSH_C, 18) + c;
  if (n <= 32) return tenon_lsh_mix(y, z, factor);
  const uint64_t e = tenon_lsh_word(k, 16) * factor, f = tenon_lsh_word(k, 24);
  const uint64_t g = (y + tenon_lsh_word(k, n - 32)) * factor;
  const uint64_t h =
      (tenon_lsh_mix(y, z, factor) + tenon_lsh_word(k, n - 24)) * factor;
  return tenon_lsh_mix(tenon_lsh_turn(e + f, 43) + tenon_lsh_turn(g, 30) + h,
                       e + tenon_lsh_turn(f + a, 18) + g, factor);
}

// Of 64 bytes; x and z change places.
TENON_INLINE void tenon_lsh_block(const tenon_lsh_key *k, uint64_t at,
                                  uint64_t factor, uint64_t times, uint64_t *s,
                                  uint64_t *v, uint64_t *w) {
  uint64_t x = s[0] + s[1] + v[0] + tenon_lsh_word(k, at + 8);
  uint64_t y = s[1] + v[1] + tenon_lsh_word(k, at + 48);
  x = tenon_lsh_turn(x, 37) * factor ^ w[1] * times;
  y = tenon_lsh_turn(y, 42) * factor + v[0] * times +
      tenon_lsh_word(k, at + 40);
  const uint64_t z = tenon_lsh_turn(s[2] + w[0], 33) * factor;
  tenon_lsh_weak(k, at, v[1] * factor, x + w[0], v);
  tenon_lsh_weak(k, at + 32, z + w[1], y + tenon_lsh_word(k, at + 16), w);
  s[0] = z;
  s[1] = y;
  s[2] = x;
}

TENON_INLINE uint64_t tenon_lsh_fingerprint(const tenon_lsh_key *k) {
  const uint64_t n = k->size, last = (n - 1) / 64 * 64, seed = 81;
  uint64_t v[2] = {0, 0}, w[2] = {0, 0}, s[3];
  if (n <= 64) return tenon_lsh_short(k);
  s[0] = seed * TENON_LSH_C + tenon_lsh_word(k, 0);
  s[1] = seed * TENON_LSH_B + 113;
  s[2] = tenon_lsh_fold(s[1] * TENON_LSH_C + 113) * TENON_LSH_C;
  for (uint64_t at = 0; at < last; at += 64)
    tenon_lsh_block(k, at, TENON_LSH_B, 1, s, v, w);
  const uint64_t factor = TENON_LSH_B + ((s[2] & 0xff) << 1);
  w[0] += (n - 1) & 63;
  v[0] += w[0];
  w[0] += v[0];
  tenon_lsh_block(k, n - 64, factor, 9, s, v, w);
  return tenon_lsh_mix(tenon_lsh_mix(v[0], w[0], factor) +
                           tenon_lsh_fold(s[1]) * TENON_LSH_A + s[2],
                       tenon_lsh_mix(v[1], w[1], factor) + s[0], factor);
}

#endif  // TENON_KERN_FINGERPRINT_H
