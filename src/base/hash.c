// base/hash.c - FNV-1a, and chains of words side by side.
//
// A step of FNV-1a waits for the product before it, once per byte. The chains
// of the other wait for one per word and do not wait for each other. A product
// carries bits upwards only, so each step turns the word.
#include "base/hash.h"

#include <string.h>

enum { CHAINS = 8 };
// Written out, so that a compiler keeps the chains in registers.
#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

uint64_t tenon_hash(const void *data, size_t size, uint64_t seed) {
  const unsigned char *p = data;
  uint64_t hash = seed;
  for (size_t i = 0; i < size; ++i) {
    hash ^= p[i];
    hash *= UINT64_C(0x100000001b3);
  }
  return hash;
}

static uint64_t hash_step(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash << 29 | hash >> 35;
}

// As files have them.
static void hash_read_words(uint64_t words[CHAINS], const unsigned char *p) {
  memcpy(words, p, CHAINS * sizeof *words);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  for (int k = 0; k < CHAINS; ++k)
    words[k] = __builtin_bswap64(words[k]);
#endif
}

uint64_t tenon_hash_bulk(const void *data, size_t size, uint64_t seed) {
  const unsigned char *p = data;
  uint64_t chain[CHAINS], words[CHAINS];
  for (int k = 0; k < CHAINS; ++k)
    chain[k] = hash_step(seed, (uint64_t)k);
  size_t left = size;
  for (; left >= sizeof words; left -= sizeof words, p += sizeof words) {
    hash_read_words(words, p);
#define STEP(k) chain[k] = hash_step(chain[k], words[k]);
    EACH_CHAIN(STEP)
  }
  uint64_t hash = hash_step(seed, size);
  for (int k = 0; k < CHAINS; ++k)
    hash = hash_step(hash, chain[k]);
  return tenon_hash(p, left, hash);
}

enum { SAMPLES = 64, SAMPLE = 1024 };

uint64_t tenon_hash_sample(const void *data, size_t size, uint64_t seed) {
  const unsigned char *p = data;
  if (size <= SAMPLES * SAMPLE) return tenon_hash_bulk(data, size, seed);
  uint64_t hash = hash_step(seed, size);
  const size_t apart = (size - SAMPLE) / (SAMPLES - 1);
  for (size_t i = 0; i < SAMPLES; ++i)
    hash = tenon_hash_bulk(p + i * apart, SAMPLE, hash);
  return hash;
}
