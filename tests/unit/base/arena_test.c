#include "base/arena.h"

#include "harness/harness.h"

static void aligns_and_keeps_apart(void **state) {
  tenon_arena arena;
  unsigned char *all[200];
  size_t sizes[200];
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  for (size_t i = 0; i < 200; ++i) {
    size_t align = (size_t)1 << i % 7;
    sizes[i] = i * i % 97;
    all[i] = tenon_arena_alloc(&arena, sizes[i], align);
    CHECK(all[i] != NULL, "allocation %zu", i);
    CHECK((uintptr_t)all[i] % align == 0, "allocation %zu", i);
    memset(all[i], (int)i, sizes[i]);
  }
  for (size_t i = 0; i < 200; ++i) {
    for (size_t k = 0; k < sizes[i]; ++k)
      CHECK(all[i][k] == (unsigned char)i, "allocation %zu", i);
  }
  assert_false(arena.failed);
  tenon_arena_deinit(&arena);
}

static void takes_what_no_block_would_hold(void **state) {
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  char *small = tenon_arena_alloc(&arena, 1, 1);
  char *large = tenon_arena_zalloc(&arena, 3 << 20, 64);
  char *after = tenon_arena_alloc(&arena, 1, 1);
  assert_true(small && large && after);
  assert_true(large[0] == 0 && large[(3 << 20) - 1] == 0);
  assert_true(arena.total == (3 << 20) + 2);
  tenon_arena_deinit(&arena);
}

static void zeroes_what_is_named_so(void **state) {
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  tenon_arena_mark mark = tenon_arena_save(&arena);
  memset(tenon_arena_alloc(&arena, 512, 8), 0xff, 512);
  tenon_arena_restore(&arena, mark);
  uint64_t *one = tenon_arena_new(&arena, uint64_t);
  uint32_t *many = tenon_arena_array(&arena, uint32_t, 100);
  assert_true(*one == 0);
  for (size_t i = 0; i < 100; ++i)
    assert_true(many[i] == 0);
  assert_non_null(tenon_arena_array(&arena, uint32_t, 0));
  tenon_arena_deinit(&arena);
}

static void copies_texts(void **state) {
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  assert_string_equal(tenon_arena_text(&arena, "abcdef", 3), "abc");
  assert_string_equal(tenon_arena_text(&arena, NULL, 0), "");
  assert_string_equal(tenon_arena_string(&arena, "whole"), "whole");
  assert_null(tenon_arena_string(&arena, NULL));
  int numbers[] = {1, 2, 3};
  int *copy = tenon_arena_copy(&arena, numbers, sizeof numbers, _Alignof(int));
  assert_memory_equal(copy, numbers, sizeof numbers);
  assert_non_null(tenon_arena_copy(&arena, NULL, 0, 1));
  assert_false(arena.failed);
  tenon_arena_deinit(&arena);
}

static void gives_back_to_a_mark(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap()};
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap_probed(&probe));
  tenon_arena_mark empty = tenon_arena_save(&arena);
  char *kept = tenon_arena_string(&arena, "kept");
  tenon_arena_mark mark = tenon_arena_save(&arena);
  size_t live = probe.live;
  void *first = tenon_arena_alloc(&arena, 16, 1);
  for (int i = 0; i < 100; ++i)
    tenon_arena_alloc(&arena, 1000, 8);
  assert_true(probe.live > live);
  tenon_arena_restore(&arena, mark);
  assert_int_equal(probe.live, live);
  assert_string_equal(kept, "kept");
  assert_ptr_equal(tenon_arena_alloc(&arena, 16, 1), first);
  tenon_arena_restore(&arena, empty);
  assert_int_equal(probe.live, 0);
  tenon_arena_deinit(&arena);
}

static void latches_failure(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap(), .fail_at = 1};
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap_probed(&probe));
  assert_null(tenon_arena_alloc(&arena, 8, 8));
  assert_true(arena.failed);
  assert_non_null(tenon_arena_alloc(&arena, 8, 8));
  assert_true(arena.failed);
  tenon_arena_deinit(&arena);
}

static void refuses_sizes_that_overflow(void **state) {
  static const struct {
    size_t count, size, align;
  } rows[] = {
      {SIZE_MAX, 2, 1}, {SIZE_MAX, 1, 1},      {SIZE_MAX - 8, 1, 64},
      {SIZE_MAX, 1, 8}, {SIZE_MAX / 2, 2, 16}, {SIZE_MAX - 16, 1, 1},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_heap_probe probe = {.below = tenon_heap(), .limit = 1 << 20};
    tenon_arena arena;
    tenon_arena_init(&arena, tenon_heap_probed(&probe));
    void *p =
        tenon_arena_calloc(&arena, rows[i].count, rows[i].size, rows[i].align);
    CHECK(!p && arena.failed, "row %zu", i);
    arena.failed = false;
    CHECK(!tenon_arena_text(&arena, "", SIZE_MAX), "row %zu", i);
    CHECK(arena.failed, "row %zu", i);
    tenon_arena_deinit(&arena);
  }
}

static bool build_list(const tenon_allocator *allocator, void *self) {
  tenon_arena arena;
  (void)self;
  tenon_arena_init(&arena, *allocator);
  for (size_t i = 0; i < 20; ++i) {
    char *text = tenon_arena_text(&arena, "some name", 9);
    char *zeros = tenon_arena_array(&arena, char, i * 100);
    if (text) assert_string_equal(text, "some name");
    if (!text || !zeros) assert_true(arena.failed);
  }
  bool ok = !arena.failed;
  tenon_arena_deinit(&arena);
  return ok;
}

static void survives_every_failure(void **state) {
  (void)state;
  test_sweep(build_list, NULL);
}

TEST_GROUP(arena, cmocka_unit_test(aligns_and_keeps_apart),
           cmocka_unit_test(takes_what_no_block_would_hold),
           cmocka_unit_test(zeroes_what_is_named_so),
           cmocka_unit_test(copies_texts),
           cmocka_unit_test(gives_back_to_a_mark),
           cmocka_unit_test(latches_failure),
           cmocka_unit_test(refuses_sizes_that_overflow),
           cmocka_unit_test(survives_every_failure))
