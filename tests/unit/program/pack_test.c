// The packer: nothing overlaps, nothing is below the bound, and what a table
// says is found.
#include "program/pack/pack.h"

#include <stdlib.h>

#include "harness/harness.h"

#define SPAN(size, align, first, last, is_fixed, offset) \
  { size, align, first, last, is_fixed, offset, 0, 0 }

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

// By bytes and steps, which shares no thought with tenon_pack_check.
static bool overlaps(const tenon_span *spans, size_t n) {
  static unsigned char owner[64][4096];
  memset(owner, 0, sizeof owner);
  for (size_t i = 0; i < n; ++i)
    for (uint32_t t = spans[i].first; t <= spans[i].last; ++t)
      for (uint64_t at = 0; at < spans[i].size; ++at)
        if (owner[t][spans[i].offset + at]++) return true;
  return false;
}

static void check_random(uint32_t seed) {
  tenon_span spans[40] = {{0}};
  const tenon_allocator a = tenon_heap();
  size_t n = draw(&seed, 41), culprit[2];
  uint64_t size = 0, most = 0, sum = 0;
  bool ok = false;
  for (size_t i = 0; i < n; ++i) {
    spans[i].size = draw(&seed, 4) ? draw(&seed, 90) : 0;
    spans[i].align = draw(&seed, 3) ? (uint64_t)1 << draw(&seed, 5) : 0;
    spans[i].first = draw(&seed, 64);
    spans[i].last = spans[i].first + draw(&seed, 64 - spans[i].first);
    sum += spans[i].size + 16;
  }
  uint64_t bound = tenon_pack_bound(spans, n, &a, &ok);
  CHECK(ok, "seed %u", seed);
  CHECK(tenon_pack(spans, n, &a, &size), "seed %u", seed);
  CHECK(tenon_pack_check(spans, n, &a, culprit), "seed %u", seed);
  CHECK(!overlaps(spans, n), "seed %u", seed);
  CHECK(size >= bound && size <= sum, "seed %u: %llu", seed,
        (unsigned long long)size);
  for (size_t i = 0; i < n; ++i) {
    if (spans[i].offset + spans[i].size > most)
      most = spans[i].offset + spans[i].size;
    CHECK(spans[i].size == 0 || spans[i].align == 0 ||
              spans[i].offset % spans[i].align == 0,
          "seed %u: span %zu", seed, i);
  }
  CHECK(most == size, "seed %u", seed);
}

static void places_random_spans(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 24; ++seed)
    check_random(seed * 7919);
}

static void reaches_the_bound(void **state) {
  static const struct {
    tenon_span spans[5];
    size_t n;
    uint64_t size;
  } rows[] = {
      {{{0}}, 0, 0},
      {{SPAN(10, 0, 0, 0, false, 0)}, 1, 10},
      // One after the other in time.
      {{SPAN(10, 1, 0, 1, false, 0), SPAN(20, 1, 2, 3, false, 0)}, 2, 20},
      // Both ends count.
      {{SPAN(10, 1, 0, 2, false, 0), SPAN(20, 1, 2, 3, false, 0)}, 2, 30},
      // A chain: each meets the next.
      {{SPAN(8, 8, 0, 1, false, 0), SPAN(16, 8, 1, 2, false, 0),
        SPAN(8, 8, 2, 3, false, 0), SPAN(16, 8, 3, 4, false, 0)},
       4,
       24},
      // What was placed by somebody else stays.
      {{SPAN(16, 16, 0, 9, true, 32), SPAN(8, 8, 0, 9, false, 0)}, 2, 48},
      {{SPAN(0, 64, 0, 9, false, 0), SPAN(8, 8, 0, 9, false, 0)}, 2, 8},
  };
  const tenon_allocator a = tenon_heap();
  (void)state;
  EACH_ROW(i, rows) {
    tenon_span spans[5];
    uint64_t size = 99;
    memcpy(spans, rows[i].spans, sizeof spans);
    CHECK(tenon_pack(spans, rows[i].n, &a, &size), "row %zu", i);
    CHECK(size == rows[i].size, "row %zu: %llu", i, (unsigned long long)size);
    if (spans[0].is_fixed) CHECK(spans[0].offset == 32, "row %zu", i);
  }
}

static void says_the_same_each_time(void **state) {
  tenon_span spans[2][60] = {{{0}}};
  const tenon_allocator a = tenon_heap();
  (void)state;
  for (int k = 0; k < 2; ++k) {
    uint32_t seed = 5;
    uint64_t size = 0;
    for (size_t i = 0; i < 60; ++i) {
      spans[k][i].size = draw(&seed, 1000);
      spans[k][i].first = draw(&seed, 30);
      spans[k][i].last = spans[k][i].first + draw(&seed, 9);
    }
    assert_true(tenon_pack(spans[k], 60, &a, &size));
  }
  for (size_t i = 0; i < 60; ++i)
    assert_int_equal(spans[0][i].offset, spans[1][i].offset);
}

static void names_the_culprits(void **state) {
  tenon_span spans[] = {SPAN(8, 4, 0, 1, false, 0), SPAN(8, 4, 2, 3, false, 4),
                        SPAN(8, 4, 1, 2, false, 8)};
  const tenon_allocator a = tenon_heap();
  size_t culprit[2] = {9, 9};
  (void)state;
  assert_false(tenon_pack_check(spans, 3, &a, culprit));
  assert_int_equal(culprit[0], 1);
  assert_int_equal(culprit[1], 2);
  spans[1].offset = 0;
  assert_true(tenon_pack_check(spans, 3, &a, culprit));
  spans[2].offset = 10;
  assert_false(tenon_pack_check(spans, 3, &a, culprit));
  assert_int_equal(culprit[0], 2);
  assert_int_equal(culprit[1], 2);
}

static bool packs(const tenon_allocator *allocator, void *self) {
  tenon_span spans[] = {SPAN(8, 4, 0, 1, false, 0), SPAN(8, 4, 1, 3, false, 0)};
  uint64_t size = 0;
  (void)self;
  return tenon_pack(spans, 2, allocator, &size);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(packs, NULL);
}

// In the middle of a run: what the packer makes is right, and what is made up
// is judged as a look at every byte judges it.
static void checks_without_memory_of_its_own(void **state) {
  size_t n_wrong = 0, n_right = 0, culprit[2];
  (void)state;
  for (uint32_t number = 1; number <= 400; ++number) {
    tenon_span spans[12] = {{0}};
    uint32_t seed = number * 7919;
    uint64_t size = 0;
    size_t n = 1 + draw(&seed, 12);
    void *work = malloc(tenon_pack_work(n));
    for (size_t i = 0; i < n; ++i) {
      spans[i].size = draw(&seed, 60);
      spans[i].align = (uint64_t)1 << draw(&seed, 3);
      spans[i].first = draw(&seed, 64);
      spans[i].last = spans[i].first + draw(&seed, 64 - spans[i].first) / 4;
      spans[i].offset = draw(&seed, 30) * 16;
    }
    bool is_right = tenon_pack_check_again(spans, n, work, culprit);
    CHECK(is_right == !overlaps(spans, n), "number %u", number);
    CHECK(is_right || culprit[0] != culprit[1], "number %u", number);
    n_wrong += !is_right;
    n_right += is_right;
    tenon_pack_again(spans, n, work, &size);
    CHECK(tenon_pack_check_again(spans, n, work, culprit), "number %u", number);
    CHECK(!overlaps(spans, n), "number %u", number);
    spans[0].size = 8;
    spans[0].align = 8;
    spans[0].offset = 4;
    CHECK(!tenon_pack_check_again(spans, n, work, culprit), "number %u",
          number);
    free(work);
  }
  CHECK(n_wrong > 50 && n_right > 50, "%zu, %zu", n_wrong, n_right);
}

TEST_GROUP(pack, cmocka_unit_test(checks_without_memory_of_its_own),
           cmocka_unit_test(places_random_spans),
           cmocka_unit_test(reaches_the_bound),
           cmocka_unit_test(says_the_same_each_time),
           cmocka_unit_test(names_the_culprits),
           cmocka_unit_test(survives_lack_of_memory))
