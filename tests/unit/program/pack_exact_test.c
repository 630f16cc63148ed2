// The search: what it proves is what trying all places finds, and what is hard
// for the heuristics reaches the bound.
#include <stdlib.h>

#include "harness/harness.h"
#include "program/pack/pack.h"

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

static bool meet(const tenon_span *a, const tenon_span *b) {
  return a->first <= b->last && b->first <= a->last &&
         a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

// Whether spans from k on can be placed below `size`, by trying every place.
static bool can_place(tenon_span *spans, size_t n, size_t k, uint64_t size) {
  if (k == n) return true;
  tenon_span *s = &spans[k];
  if (s->size > size) return false;
  uint64_t given = s->offset, step = s->align ? s->align : 1;
  for (uint64_t at = 0; at + s->size <= size; at += step) {
    if (s->is_fixed && at != given) continue;
    bool is_free = true;
    s->offset = at;
    for (size_t i = 0; i < k && is_free; ++i)
      is_free = s->size == 0 || spans[i].size == 0 || !meet(&spans[i], s);
    if (is_free && can_place(spans, n, k + 1, size)) {
      s->offset = given;
      return true;
    }
  }
  s->offset = given;
  return false;
}

static void check_against_all(uint32_t number) {
  tenon_span spans[7] = {{0}}, tried[7];
  const tenon_allocator a = tenon_heap();
  uint32_t seed = number * 7919;
  size_t n = 3 + draw(&seed, 5), culprit[2];
  tenon_packing p;
  for (size_t i = 0; i < n; ++i) {
    spans[i].size = 1 + draw(&seed, 4);
    spans[i].align = draw(&seed, 3) ? 0 : (uint64_t)1 << draw(&seed, 3);
    spans[i].first = draw(&seed, 6);
    spans[i].last = spans[i].first + draw(&seed, 6 - spans[i].first);
  }
  if (number % 4 == 0) {
    spans[0].is_fixed = true;
    spans[0].align = 0;
    spans[0].offset = draw(&seed, 6);
  }
  memcpy(tried, spans, sizeof spans);
  CHECK(tenon_pack_with(NULL, spans, n, &a, &p), "number %u", number);
  CHECK(tenon_pack_check(spans, n, &a, culprit), "number %u", number);
  CHECK(p.is_optimal && p.bound == p.size, "number %u", number);
  CHECK(can_place(tried, n, 0, p.size), "number %u: %llu", number,
        (unsigned long long)p.size);
  CHECK(!can_place(tried, n, 0, p.size - 1), "number %u: %llu", number,
        (unsigned long long)p.size);
}

static void proves_what_trying_all_finds(void **state) {
  (void)state;
  for (uint32_t number = 1; number <= 120; ++number)
    check_against_all(number);
}

// Cuts a sheet of time and addresses into pieces without waste, which therefore
// fit the height of the sheet.
static size_t cut(tenon_span *out, size_t n, size_t wanted, uint32_t *seed,
                  uint32_t first, uint32_t last, uint64_t size) {
  if (wanted <= 1 || (first == last && size < 2)) {
    out[n] = (tenon_span){.size = size * 64, .first = first, .last = last};
    return n + 1;
  }
  size_t half = wanted / 2;
  if (first < last && (size < 2 || draw(seed, 2))) {
    uint32_t at = first + draw(seed, last - first);
    n = cut(out, n, half, seed, first, at, size);
    return cut(out, n, wanted - half, seed, at + 1, last, size);
  }
  uint64_t low = 1 + draw(seed, (uint32_t)size - 1);
  n = cut(out, n, half, seed, first, last, low);
  return cut(out, n, wanted - half, seed, first, last, size - low);
}

static void puts_cut_sheets_together(void **state) {
  static tenon_span spans[64];
  const tenon_allocator a = tenon_heap();
  (void)state;
  for (uint32_t number = 1; number <= 12; ++number) {
    uint32_t seed = number;
    tenon_packing p;
    size_t culprit[2];
    size_t n = cut(spans, 0, 16 + number * 2, &seed, 0, 60, 512);
    CHECK(tenon_pack_with(NULL, spans, n, &a, &p), "sheet %u", number);
    CHECK(tenon_pack_check(spans, n, &a, culprit), "sheet %u", number);
    CHECK(p.bound == 512 * 64, "sheet %u", number);
    CHECK(p.size == p.bound && p.is_optimal, "sheet %u: %llu", number,
          (unsigned long long)p.size);
  }
}

static void fill(tenon_span *spans, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; ++i) {
    uint32_t first = draw(&seed, 4000);
    spans[i] = (tenon_span){.size = 16 * (1 + draw(&seed, 1000)),
                            .align = 16,
                            .first = first,
                            .last = first + draw(&seed, 40)};
  }
}

static void ends_when_the_steps_do(void **state) {
  static tenon_span spans[2][300];
  const tenon_allocator a = tenon_heap();
  tenon_packing p[3];
  (void)state;
  tenon_pack_options o = {.struct_size = sizeof o, .effort = 300000};
  for (size_t k = 0; k < 2; ++k) {
    uint32_t seed = 9;
    for (size_t i = 0; i < 300; ++i) {
      uint32_t first = draw(&seed, 60);
      spans[k][i] = (tenon_span){.size = 1 + draw(&seed, 100000),
                                 .first = first,
                                 .last = first + draw(&seed, 30)};
    }
    assert_true(tenon_pack_with(&o, spans[k], 300, &a, &p[k]));
  }
  assert_memory_equal(spans[0], spans[1], sizeof spans[0]);
  assert_memory_equal(&p[0], &p[1], sizeof p[0]);
  assert_true(p[0].steps >= 300000 && p[0].steps < 2000000);
  o.flags = TENON_PACK_QUICK;
  assert_true(tenon_pack_with(&o, spans[1], 300, &a, &p[2]));
  assert_true(p[2].steps == 0 && p[2].size >= p[0].size);
}

static void stops_at_what_is_enough(void **state) {
  static tenon_span spans[200];
  const tenon_allocator a = tenon_heap();
  tenon_pack_options o = {.struct_size = sizeof o};
  tenon_packing p;
  (void)state;
  fill(spans, 200, 3);
  o.flags = TENON_PACK_QUICK;
  assert_true(tenon_pack_with(&o, spans, 200, &a, &p));
  o.flags = 0;
  o.capacity = p.size;
  assert_true(tenon_pack_with(&o, spans, 200, &a, &p));
  assert_true(p.size <= o.capacity && p.steps == 0);
}

static void takes_a_hundred_thousand(void **state) {
  const tenon_allocator a = tenon_heap();
  const size_t n = 100000;
  tenon_span *spans = (tenon_span *)calloc(n, sizeof *spans);
  size_t culprit[2];
  tenon_packing p;
  (void)state;
  assert_non_null(spans);
  fill(spans, n, 7);
  assert_true(tenon_pack_with(NULL, spans, n, &a, &p));
  assert_true(tenon_pack_check(spans, n, &a, culprit));
  assert_true(p.size >= p.bound && p.size < p.bound + p.bound / 4);
  free(spans);
}

// Lifetimes of residual and dense networks: a value that lives through a block,
// and smaller ones from step to step within it.
static size_t make_network(tenon_span *spans, size_t most, uint32_t number) {
  uint32_t seed = number * 7919 + 5, step = 0;
  size_t n = 0;
  while (n + 12 < most) {
    uint32_t depth = 2 + draw(&seed, 4);
    uint64_t size = 64 * (1 + draw(&seed, 200));
    bool is_dense = draw(&seed, 2) != 0;
    spans[n++] =
        (tenon_span){.size = size, .first = step, .last = step + depth};
    for (uint32_t k = 1; k < depth; ++k) {
      uint32_t last = is_dense ? step + depth : step + k + 1;
      spans[n++] = (tenon_span){
          .size = size / 4 << draw(&seed, 4), .first = step + k, .last = last};
      if (draw(&seed, 3) == 0)
        spans[n++] = (tenon_span){.size = 16 * (1 + draw(&seed, 40)),
                                  .first = step + k,
                                  .last = step + k};
    }
    step += depth;
  }
  return n;
}

static void comes_close_to_the_bound_of_networks(void **state) {
  enum { MOST = 1000 };
  static const size_t sizes[] = {50, 100, 200, 500, MOST};
  static tenon_span spans[MOST];
  const tenon_allocator a = tenon_heap();
  double above = 0;
  (void)state;
  for (uint32_t number = 0; number < 40; ++number) {
    tenon_packing p;
    size_t culprit[2];
    size_t n = make_network(spans, sizes[number % COUNT(sizes)], number);
    CHECK(tenon_pack_with(NULL, spans, n, &a, &p), "number %u", number);
    CHECK(tenon_pack_check(spans, n, &a, culprit), "number %u", number);
    CHECK(p.size >= p.bound, "number %u", number);
    above += (double)(p.size - p.bound) / (double)p.bound / 40;
  }
  CHECK(above < 0.005, "%f on average", above);
}

// Heuristics alone, where nothing is like a network: thirty buffers at once of
// any size. Greedy orders end 6.6 % above the bound, the skyline 1.1 %.
static void comes_close_with_lifetimes_at_random(void **state) {
  enum { N = 1000, TRIES = 6 };
  static tenon_span spans[N];
  const tenon_allocator a = tenon_heap();
  const tenon_pack_options o = {.struct_size = sizeof o,
                                .flags = TENON_PACK_QUICK};
  double above = 0;
  (void)state;
  for (uint32_t number = 0; number < TRIES; ++number) {
    tenon_packing p;
    size_t culprit[2];
    uint32_t seed = number + 1;
    for (size_t i = 0; i < N; ++i) {
      uint32_t first = draw(&seed, N);
      spans[i] = (tenon_span){.size = 16 * (1 + draw(&seed, 4000)),
                              .align = 16,
                              .first = first,
                              .last = first + draw(&seed, 60)};
    }
    CHECK(tenon_pack_with(&o, spans, N, &a, &p), "number %u", number);
    CHECK(tenon_pack_check(spans, N, &a, culprit), "number %u", number);
    above += (double)(p.size - p.bound) / (double)p.bound / TRIES;
  }
  CHECK(above < 0.02, "%f on average", above);
}

TEST_GROUP(pack_exact, cmocka_unit_test(proves_what_trying_all_finds),
           cmocka_unit_test(puts_cut_sheets_together),
           cmocka_unit_test(ends_when_the_steps_do),
           cmocka_unit_test(stops_at_what_is_enough),
           cmocka_unit_test(takes_a_hundred_thousand),
           cmocka_unit_test(comes_close_with_lifetimes_at_random),
           cmocka_unit_test(comes_close_to_the_bound_of_networks))
