#include "base/intern.h"

#include "harness/harness.h"

typedef struct fixture {
  tenon_arena arena;
  tenon_intern in;
} fixture;

static void open_fixture(fixture *f, tenon_allocator allocator) {
  tenon_arena_init(&f->arena, allocator);
  tenon_intern_init(&f->in, &f->arena, allocator);
}

static void close_fixture(fixture *f) {
  tenon_intern_deinit(&f->in);
  tenon_arena_deinit(&f->arena);
}

static void gives_equal_strings_one_address(void **state) {
  char long_name[1000];
  fixture f;
  (void)state;
  memset(long_name, 'x', sizeof long_name);
  open_fixture(&f, tenon_heap());
  const char *a = tenon_intern_text(&f.in, "core::add", 9);
  assert_string_equal(a, "core::add");
  assert_ptr_equal(tenon_intern_text(&f.in, "core::add and more", 9), a);
  assert_ptr_not_equal(tenon_intern_text(&f.in, "core::ad", 8), a);
  for (size_t size = 100; size < 200; ++size) {
    const char *b = tenon_intern_text(&f.in, long_name, size);
    assert_int_equal(strlen(b), size);
    assert_ptr_equal(tenon_intern_text(&f.in, long_name, size), b);
  }
  assert_ptr_equal(tenon_intern_text(&f.in, "core::add", 9), a);
  close_fixture(&f);
}

static void takes_no_memory_for_what_it_knows(void **state) {
  char long_name[1000];
  fixture f;
  (void)state;
  memset(long_name, 'x', sizeof long_name);
  open_fixture(&f, tenon_heap());
  tenon_intern_text(&f.in, "short", 5);
  tenon_intern_text(&f.in, long_name, sizeof long_name);
  tenon_arena_mark before = tenon_arena_save(&f.arena);
  tenon_intern_text(&f.in, "short", 5);
  tenon_intern_text(&f.in, long_name, sizeof long_name);
  tenon_arena_mark after = tenon_arena_save(&f.arena);
  assert_ptr_equal(after.top, before.top);
  assert_int_equal(after.used, before.used);
  close_fixture(&f);
}

static void finds_only_what_was_interned(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f, tenon_heap());
  assert_null(tenon_intern_find(&f.in, "x"));
  const char *x = tenon_intern_text(&f.in, "x", 1);
  assert_ptr_equal(tenon_intern_find(&f.in, "x"), x);
  assert_null(tenon_intern_find(&f.in, "y"));
  close_fixture(&f);
}

static void has_dense_ids_from_the_empty_string(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f, tenon_heap());
  const char *empty = tenon_intern_find(&f.in, "");
  assert_string_equal(empty, "");
  assert_ptr_equal(tenon_intern_text(&f.in, "", 0), empty);
  assert_ptr_equal(tenon_intern_text(&f.in, NULL, 0), empty);
  tenon_intern_text(&f.in, "a", 1);
  tenon_intern_text(&f.in, "b", 1);
  tenon_intern_text(&f.in, "a", 1);
  assert_true(*tenon_map_find_text(&f.in.map, "") == 0);
  assert_true(*tenon_map_find_text(&f.in.map, "a") == 1);
  assert_true(*tenon_map_find_text(&f.in.map, "b") == 2);
  assert_string_equal(f.in.map.entries[2].text, "b");
  assert_int_equal(f.in.map.count, 3);
  close_fixture(&f);
}

static void ends_at_a_zero(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f, tenon_heap());
  const char *a = tenon_intern_text(&f.in, "ab\0cd", 5);
  assert_string_equal(a, "ab");
  assert_ptr_equal(tenon_intern_text(&f.in, "ab", 2), a);
  assert_ptr_equal(tenon_intern_text(&f.in, "\0x", 2),
                   tenon_intern_find(&f.in, ""));
  close_fixture(&f);
}

static bool intern_some(const tenon_allocator *allocator, void *self) {
  char name[300];
  bool ok = true;
  fixture f;
  (void)self;
  memset(name, 'n', sizeof name);
  open_fixture(&f, *allocator);
  for (size_t size = 0; size < sizeof name; size += 20) {
    const char *text = tenon_intern_text(&f.in, name, size);
    const char *again = tenon_intern_text(&f.in, name, size);
    if (text) assert_int_equal(strlen(text), size);
    if (text && again) assert_ptr_equal(again, text);
    if (!text || !again) ok = false;
  }
  close_fixture(&f);
  return ok;
}

static void survives_every_failure(void **state) {
  (void)state;
  test_sweep(intern_some, NULL);
}

TEST_GROUP(intern, cmocka_unit_test(gives_equal_strings_one_address),
           cmocka_unit_test(takes_no_memory_for_what_it_knows),
           cmocka_unit_test(finds_only_what_was_interned),
           cmocka_unit_test(has_dense_ids_from_the_empty_string),
           cmocka_unit_test(ends_at_a_zero),
           cmocka_unit_test(survives_every_failure))
