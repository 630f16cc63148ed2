#include "base/hash.h"

#include <string.h>

#include "harness/harness.h"

static void hashes_as_published(void **state) {
  // From the reference tables of FNV-1a.
  static const struct {
    const char *text;
    uint64_t hash;
  } rows[] = {
      {"", UINT64_C(0xcbf29ce484222325)},
      {"a", UINT64_C(0xaf63dc4c8601ec8c)},
      {"foobar", UINT64_C(0x85944171f73967e8)},
  };
  (void)state;
  EACH_ROW(i, rows) {
    uint64_t hash =
        tenon_hash(rows[i].text, strlen(rows[i].text), TENON_HASH_SEED);
    CHECK(hash == rows[i].hash, "row %zu", i);
  }
}

// Whole rounds of words, rests of them, and neither: every bit of every byte
// counts, and so does the number of bytes.
static void tells_bytes_apart(void **state) {
  static const size_t sizes[] = {1, 7, 8, 63, 64, 65, 200};
  unsigned char bytes[202] = {0};
  (void)state;
  EACH_ROW(i, sizes) {
    const size_t size = sizes[i];
    const uint64_t hash = tenon_hash_bulk(bytes, size, TENON_HASH_SEED);
    CHECK(hash != tenon_hash_bulk(bytes, size + 1, TENON_HASH_SEED), "size %zu",
          size);
    CHECK(hash != tenon_hash_bulk(bytes, size, 0), "size %zu", size);
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
      CHECK(hash != tenon_hash_bulk(bytes, size, TENON_HASH_SEED),
            "size %zu, bit %zu", size, bit);
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
  }
}

// Exchanged words are other bytes, in one round and in the next.
static void counts_the_order(void **state) {
  unsigned char a[256] = {0}, b[256] = {0};
  (void)state;
  for (size_t at = 8; at < sizeof a; at += 8) {
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    a[0] = b[at] = 1;
    CHECK(tenon_hash_bulk(a, sizeof a, TENON_HASH_SEED) !=
              tenon_hash_bulk(b, sizeof b, TENON_HASH_SEED),
          "word at %zu", at);
  }
}

static void ignores_alignment(void **state) {
  unsigned char bytes[8 + 150];
  (void)state;
  for (size_t at = 0; at < 8; ++at) {
    for (size_t i = 0; i < 150; ++i)
      bytes[at + i] = (unsigned char)(7 * i);
    const uint64_t hash = tenon_hash_bulk(bytes + at, 150, 1);
    memmove(bytes, bytes + at, 150);
    CHECK(hash == tenon_hash_bulk(bytes, 150, 1), "at %zu", at);
  }
}

TEST_GROUP(hash, cmocka_unit_test(hashes_as_published),
           cmocka_unit_test(tells_bytes_apart),
           cmocka_unit_test(counts_the_order),
           cmocka_unit_test(ignores_alignment))
