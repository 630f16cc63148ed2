// Groups: their spans keep their distances, share bytes with each other and
// with nobody else, and what a group does not use is free for others.
#include "harness/harness.h"
#include "program/pack/pack.h"
#include "program/pack/pack_work.h"

static uint32_t draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

// By bytes and steps. An owner is a group or, above these, a span.
static bool overlaps(const tenon_span *spans, size_t n) {
  static uint32_t owner[32][8192];
  memset(owner, 0, sizeof owner);
  for (size_t i = 0; i < n; ++i) {
    uint32_t self = spans[i].group ? spans[i].group : 1000 + (uint32_t)i;
    for (uint32_t t = spans[i].first; t <= spans[i].last; ++t)
      for (uint64_t at = 0; at < spans[i].size; ++at) {
        uint32_t *o = &owner[t][spans[i].offset + at];
        if (*o && *o != self) return true;
        *o = self;
      }
  }
  return false;
}

static void check_random(uint32_t number) {
  tenon_span spans[30] = {{0}};
  const tenon_allocator a = tenon_heap();
  uint32_t seed = number * 104729;
  size_t n = 1 + draw(&seed, 30), culprit[2];
  uint64_t place_of[5] = {0};
  bool is_met[5] = {false};
  const char *why = NULL;
  tenon_packing p;
  for (size_t i = 0; i < n; ++i) {
    spans[i].size = draw(&seed, 5) ? draw(&seed, 90) : 0;
    spans[i].group = draw(&seed, 5);
    // Of one remainder in a group, so that places of groups have phases.
    spans[i].inner = spans[i].group ? 8 * draw(&seed, 12) + spans[i].group : 0;
    spans[i].align = draw(&seed, 3) ? (uint64_t)1 << draw(&seed, 4) : 0;
    spans[i].first = draw(&seed, 32);
    spans[i].last = spans[i].first + draw(&seed, 32 - spans[i].first);
  }
  assert_true(tenon_pack_valid(spans, n, &a, culprit, &why));
  tenon_pack_options o = {.struct_size = sizeof o, .effort = 1000000};
  CHECK(tenon_pack_with(&o, spans, n, &a, &p), "number %u", number);
  CHECK(tenon_pack_check(spans, n, &a, culprit), "number %u: %zu %zu", number,
        culprit[0], culprit[1]);
  CHECK(!overlaps(spans, n), "number %u", number);
  CHECK(p.size >= p.bound, "number %u", number);
  for (size_t i = 0; i < n; ++i) {
    const tenon_span *s = &spans[i];
    CHECK(s->size == 0 || s->offset + s->size <= p.size, "number %u", number);
    if (s->size && s->align) CHECK(s->offset % s->align == 0, "%u", number);
    if (s->group == 0) continue;
    if (is_met[s->group])
      CHECK(s->offset - s->inner == place_of[s->group], "number %u", number);
    is_met[s->group] = true;
    place_of[s->group] = s->offset - s->inner;
  }
}

static void keeps_groups_together(void **state) {
  (void)state;
  for (uint32_t number = 1; number <= 60; ++number)
    check_random(number);
}

// What lives and its alignment are multiples of 8; where it begins is not.
static void bounds_a_group_by_its_phase(void **state) {
  tenon_span spans[] = {
      {.size = 200, .first = 0, .last = 4, .group = 1},
      {.size = 96, .inner = 3, .align = 8, .first = 1, .last = 3, .group = 1},
  };
  const tenon_allocator a = tenon_heap();
  tenon_packing p;
  (void)state;
  assert_true(tenon_pack_with(NULL, spans, 2, &a, &p));
  assert_int_equal(p.size, 205);
  assert_in_range(p.bound, 200, 205);
}

static void uses_what_a_group_leaves(void **state) {
  // A buffer that is not live in the middle, and another that then is.
  tenon_span gap[] = {
      {.size = 64, .first = 0, .last = 1, .group = 1},
      {.size = 64, .first = 4, .last = 5, .group = 1},
      {.size = 64, .first = 2, .last = 3},
  };
  // Two halves that are written one after the other.
  tenon_span halves[] = {
      {.size = 32, .first = 0, .last = 4, .group = 7},
      {.size = 32, .inner = 32, .first = 2, .last = 4, .group = 7},
      {.size = 32, .first = 0, .last = 1},
  };
  // A view shares.
  tenon_span view[] = {
      {.size = 64, .first = 0, .last = 4, .group = 7},
      {.size = 16, .inner = 16, .first = 2, .last = 9, .group = 7},
      {.size = 48, .first = 5, .last = 9},
  };
  static const struct { uint64_t size; } wanted[] = {{64}, {64}, {80}};
  tenon_span *const rows[] = {gap, halves, view};
  const tenon_allocator a = tenon_heap();
  (void)state;
  EACH_ROW(i, rows) {
    tenon_packing p;
    size_t culprit[2];
    assert_true(tenon_pack_with(NULL, rows[i], 3, &a, &p));
    assert_true(tenon_pack_check(rows[i], 3, &a, culprit));
    CHECK(p.size == wanted[i].size, "row %zu: %llu", i,
          (unsigned long long)p.size);
  }
}

static void moves_with_the_fixed_one(void **state) {
  tenon_span spans[] = {
      {.size = 16, .first = 0, .last = 1, .group = 3},
      {.size = 16,
       .inner = 32,
       .offset = 96,
       .is_fixed = true,
       .first = 2,
       .last = 3,
       .group = 3},
      {.size = 70, .first = 0, .last = 3},
  };
  const tenon_allocator a = tenon_heap();
  size_t culprit[2];
  tenon_packing p;
  (void)state;
  assert_true(tenon_pack_with(NULL, spans, 3, &a, &p));
  assert_true(tenon_pack_check(spans, 3, &a, culprit));
  assert_int_equal(spans[0].offset, 64);
  assert_int_equal(spans[1].offset, 96);
  assert_true(spans[2].offset == 112 || spans[2].offset == 80);
}

static void refuses_what_makes_no_sense(void **state) {
  static const struct {
    tenon_span spans[2];
    const char *why;
  } rows[] = {
      {{{.size = 1, .align = 3}, {0}}, "power of two"},
      {{{.size = 1, .first = 2, .last = 1}, {0}}, "before it begins"},
      {{{.size = UINT64_MAX}, {0}}, "62 bits"},
      {{{.size = (uint64_t)1 << 61}, {.size = (uint64_t)1 << 61}}, "62 bits"},
      {{{.size = 4, .align = 4, .is_fixed = true, .offset = 2}, {0}},
       "not aligned"},
      {{{.size = 4, .align = 8, .group = 1},
        {.size = 4, .align = 8, .group = 1, .inner = 4}},
       "no place"},
      {{{.size = 4, .group = 1, .is_fixed = true, .offset = 8},
        {.size = 4, .group = 1, .is_fixed = true, .offset = 16}},
       "elsewhere"},
  };
  const tenon_allocator a = tenon_heap();
  (void)state;
  EACH_ROW(i, rows) {
    const char *why = NULL;
    size_t culprit = 0;
    CHECK(!tenon_pack_valid(rows[i].spans, 2, &a, &culprit, &why), "row %zu",
          i);
    CHECK(why && strstr(why, rows[i].why), "row %zu: %s", i, why ? why : "");
  }
}

// A buffer in parts that never live at once is as high as its highest part
// ends, though less is live at any time.
static void knows_how_high_a_group_is(void **state) {
  tenon_span spans[] = {
      {.size = 100, .first = 0, .last = 1, .group = 1, .inner = 60},
      {.size = 100, .first = 1, .last = 2, .group = 1, .inner = 30},
      {.size = 100, .first = 2, .last = 3, .group = 1},
      {.size = 20, .first = 3, .last = 3}};
  const tenon_allocator a = tenon_heap();
  tenon_packing p;
  (void)state;
  assert_true(tenon_pack_with(NULL, spans, 4, &a, &p));
  assert_int_equal(p.size, 160);
  assert_int_equal(p.bound, 160);
  assert_true(p.is_optimal);
}

// Groups, fixed spans and empty ones, at places that neighbours alone decide
// and at those that all do.
static void neighbours_decide(void **state) {
  const tenon_allocator a = tenon_heap();
  int listed = 0;
  (void)state;
  for (uint32_t number = 0; number < 60; ++number) {
    tenon_span spans[120] = {{0}};
    uint64_t near[120], all[120];
    uint32_t seed = number * 7919 + 1;
    tenon_arena arena;
    tenon_packer p = {0};
    for (size_t i = 0; i < 120; ++i) {
      spans[i].size = draw(&seed, 9) ? 1 + draw(&seed, 500) : 0;
      spans[i].align = (uint64_t)1 << draw(&seed, 5);
      spans[i].first = draw(&seed, 200);
      spans[i].last = spans[i].first + draw(&seed, 1 + number % 30);
      spans[i].group =
          number % 3 == 0 && draw(&seed, 4) == 0 ? (uint32_t)i / 8 + 1 : 0;
      spans[i].inner = spans[i].group ? 32 * draw(&seed, 4) : 0;
      spans[i].is_fixed = number % 5 == 0 && i % 40 == 7 && !spans[i].group;
      spans[i].offset = 4096 * i;
    }
    tenon_arena_init(&arena, a);
    assert_true(tenon_pack_problem(&arena, spans, 120, &p));
    assert_true(tenon_pack_find_near(&p, &arena));
    listed += p.near != NULL;
    for (size_t i = 0; i < p.n; ++i)
      p.order[i] = (uint32_t)i;
    for (size_t i = p.n - 1; i > 0; --i) {
      size_t k = draw(&seed, (uint32_t)i + 1);
      uint32_t held = p.order[i];
      p.order[i] = p.order[k];
      p.order[k] = held;
    }
    uint64_t size = tenon_pack_try(&p, 0);
    // Another order from the middle on: the first half stays where it is.
    uint32_t first = p.order[p.n / 2];
    memmove(&p.order[p.n / 2], &p.order[p.n / 2 + 1],
            (p.n - p.n / 2 - 1) * sizeof *p.order);
    p.order[p.n - 1] = first;
    size = tenon_pack_try(&p, p.n / 2);
    memcpy(near, p.bases, p.n * sizeof *near);
    p.near = NULL;
    CHECK(tenon_pack_try(&p, 0) == size, "number %u", number);
    memcpy(all, p.bases, p.n * sizeof *all);
    CHECK(memcmp(near, all, p.n * sizeof *all) == 0, "number %u", number);
    tenon_arena_deinit(&arena);
  }
  assert_true(listed > 30);
}

TEST_GROUP(pack_group, cmocka_unit_test(neighbours_decide),
           cmocka_unit_test(keeps_groups_together),
           cmocka_unit_test(knows_how_high_a_group_is),
           cmocka_unit_test(bounds_a_group_by_its_phase),
           cmocka_unit_test(uses_what_a_group_leaves),
           cmocka_unit_test(moves_with_the_fixed_one),
           cmocka_unit_test(refuses_what_makes_no_sense))
