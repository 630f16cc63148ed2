#include "core/loc.h"

#include "harness/harness.h"

typedef struct table {
  tenon_arena arena;
  tenon_locs locs;
  tenon_buf buf;
} table;

static void table_init(table *t, tenon_allocator allocator) {
  tenon_arena_init(&t->arena, allocator);
  tenon_locs_init(&t->locs, &t->arena, allocator);
  tenon_buf_init(&t->buf, allocator);
}

static void table_deinit(table *t) {
  tenon_buf_deinit(&t->buf);
  tenon_locs_deinit(&t->locs);
  tenon_arena_deinit(&t->arena);
}

static tenon_loc add(table *t, const char *where) {
  tenon_place place = {"f", where, NULL, 0, 0};
  return tenon_locs_add(&t->locs, &place);
}

static const char *print(table *t, tenon_loc loc) {
  tenon_buf_clear(&t->buf);
  tenon_locs_print(&t->locs, loc, &t->buf);
  return t->buf.size ? t->buf.data : "";
}

static void tells_places_apart(void **state) {
  static const tenon_place rows[] = {
      {"f", "w", "o", 1, 2},  {"g", "w", "o", 1, 2}, {"f", "v", "o", 1, 2},
      {"f", "w", "p", 1, 2},  {"f", "w", "o", 3, 2}, {"f", "w", "o", 1, 4},
      {"f", "w", NULL, 1, 2}, {"f", "w", "", 1, 2},  {NULL, "w", "o", 1, 2},
      {"f", NULL, "o", 1, 2}, {"fw", "", "o", 1, 2}, {NULL, NULL, NULL, 0, 0},
  };
  table t;
  (void)state;
  table_init(&t, tenon_heap());
  EACH_ROW(i, rows)
  CHECK(tenon_locs_add(&t.locs, &rows[i]) == i + 1, "row %zu", i);
  EACH_ROW(i, rows) {
    CHECK(tenon_locs_add(&t.locs, &rows[i]) == i + 1, "row %zu again", i);
    const tenon_place *place = tenon_locs_place(&t.locs, (tenon_loc)i + 1);
    CHECK(place->offset == rows[i].offset && place->size == rows[i].size,
          "row %zu", i);
    if (rows[i].where) CHECK_TEXT(place->where, rows[i].where, i);
    if (!rows[i].where) CHECK(!place->where, "row %zu", i);
  }
  table_deinit(&t);
}

static void copies_texts(void **state) {
  table t;
  char where[] = "here";
  (void)state;
  table_init(&t, tenon_heap());
  tenon_loc loc = add(&t, where);
  where[0] = 'H';
  assert_string_equal(tenon_locs_place(&t.locs, loc)->where, "here");
  table_deinit(&t);
}

static void has_an_empty_place(void **state) {
  table t;
  (void)state;
  table_init(&t, tenon_heap());
  assert_null(tenon_locs_place(&t.locs, 0)->where);
  assert_null(tenon_locs_place(&t.locs, 12)->where);
  (void)add(&t, "a");
  assert_null(tenon_locs_place(&t.locs, 0)->where);
  assert_null(tenon_locs_place(&t.locs, 12)->where);
  assert_string_equal(print(&t, 0), "");
  assert_string_equal(print(&t, 12), "");
  table_deinit(&t);
}

static void fuses(void **state) {
  table t;
  (void)state;
  table_init(&t, tenon_heap());
  assert_int_equal(tenon_locs_fuse(&t.locs, NULL, 0), 0);
  tenon_loc a = add(&t, "a"), b = add(&t, "b"), c = add(&t, "c");
  assert_int_equal(tenon_locs_fuse(&t.locs, (tenon_loc[]){0, a, 0, a}, 4), a);
  assert_int_equal(tenon_locs_fuse(&t.locs, (tenon_loc[]){0, 0}, 2), 0);
  tenon_loc ab = tenon_locs_fuse(&t.locs, (tenon_loc[]){a, b}, 2);
  tenon_loc ba = tenon_locs_fuse(&t.locs, (tenon_loc[]){b, a}, 2);
  assert_true(ab != a && ab != b && ab != 0 && ab != ba);
  assert_int_equal(tenon_locs_fuse(&t.locs, (tenon_loc[]){a, 0, b, a}, 4), ab);
  assert_string_equal(print(&t, ab), "fused(\"a\", \"b\")");
  assert_string_equal(tenon_locs_place(&t.locs, ba)->where, "b");
  // Flattened, in order, each once.
  tenon_loc all = tenon_locs_fuse(&t.locs, (tenon_loc[]){c, ba, ab}, 3);
  assert_string_equal(print(&t, all), "fused(\"c\", \"b\", \"a\")");
  assert_int_equal(t.locs.entries[all].n_parts, 3);
  assert_int_equal(tenon_locs_fuse(&t.locs, (tenon_loc[]){all, ab}, 2), all);
  table_deinit(&t);
}

static void prints_the_origin(void **state) {
  table t;
  tenon_place place = {"f", "op \"x\"", "net.py:4", 0, 0};
  tenon_place bare = {"f", NULL, "net.py:4", 0, 0};
  (void)state;
  table_init(&t, tenon_heap());
  tenon_loc loc = tenon_locs_add(&t.locs, &place);
  assert_string_equal(print(&t, loc), "\"op \\\"x\\\"\" \"net.py:4\"");
  loc = tenon_locs_add(&t.locs, &bare);
  assert_string_equal(print(&t, loc), "\"\" \"net.py:4\"");
  table_deinit(&t);
}

static bool add_many(const tenon_allocator *allocator, void *self) {
  table t;
  tenon_loc last = 0;
  bool is_fine = true;
  (void)self;
  table_init(&t, *allocator);
  for (int i = 0; i < 40; ++i) {
    char where[16];
    (void)snprintf(where, sizeof where, "op %d", i);
    tenon_loc loc = add(&t, where);
    last = tenon_locs_fuse(&t.locs, (tenon_loc[]){loc, last}, 2);
    is_fine = is_fine && loc != 0 && last != 0;
  }
  CHECK(is_fine != t.arena.failed, "a failure is latched");
  table_deinit(&t);
  return is_fine;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_sweep(add_many, NULL);
}

TEST_GROUP(loc, cmocka_unit_test(tells_places_apart),
           cmocka_unit_test(copies_texts), cmocka_unit_test(has_an_empty_place),
           cmocka_unit_test(fuses), cmocka_unit_test(prints_the_origin),
           cmocka_unit_test(survives_lack_of_memory))
