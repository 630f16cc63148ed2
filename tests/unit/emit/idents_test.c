#include "emit/idents.h"

#include "harness/harness.h"

static void makes_identifiers(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"x", "x"},
      {"serving_default_x:0", "serving_default_x_0"},
      {"StatefulPartitionedCall", "statefulpartitionedcall"},
      {"", "in0"},
      {"\xe4\xbd\xa0\xe5\xa5\xbd", "in0"},
      {"3d", "in03d"},
      {"__a__b__", "a_b"},
      {"a b\tc\nd", "a_b_c_d"},
      {"*/ int main(void) {", "int_main_void"},
      {"_", "in0"},
      {"\\", "in0"},
      {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff",
       "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeee"},
  };
  tenon_arena arena;
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  EACH_ROW(i, rows)
  CHECK_TEXT(tenon_ident_clean(&arena, rows[i].text, "in0"), rows[i].want, i);
  tenon_arena_deinit(&arena);
}

static void gives_each_name_once(void **state) {
  static const char *const want[] = {"x", "x_2", "x_2_2", "x_3", "y"};
  static const char *const names[] = {"x", "x", "x_2", "x", "y"};
  tenon_arena arena;
  tenon_map taken;
  (void)state;
  tenon_arena_init(&arena, tenon_heap());
  tenon_map_init(&taken, tenon_heap());
  EACH_ROW(i, names)
  CHECK_TEXT(tenon_ident_take(&taken, &arena, names[i]), want[i], i);
  assert_null(tenon_ident_take(&taken, &arena, NULL));
  tenon_map_deinit(&taken);
  tenon_arena_deinit(&arena);
}

static void knows_what_is_taken_by_others(void **state) {
  static const struct {
    const char *name;
    bool is_valid, is_reserved;
  } rows[] = {
      {"kws", true, false},     {"int", true, true},
      {"exp", true, true},      {"y0", true, true},
      {"class", true, true},    {"linux", true, true},
      {"uint8_t", true, true},  {"foo_t", true, true},
      {"auto", true, true},     {"xor_eq", true, true},
      {"express", true, false}, {"a b", false, false},
      {"_x", false, false},     {"a__b", false, false},
      {"1a", false, false},     {"", false, false},
      {"a-b", false, false},    {"\xc3\xa9", false, false},
  };
  (void)state;
  EACH_ROW(i, rows) {
    const char *name = rows[i].name;
    CHECK(tenon_ident_is_valid(name) == rows[i].is_valid, "'%s'", name);
    if (!rows[i].is_valid) continue;
    CHECK(tenon_ident_is_reserved(name) == rows[i].is_reserved, "'%s'", name);
  }
}

static bool sweep(const tenon_allocator *allocator, void *self) {
  tenon_arena arena;
  tenon_map taken;
  (void)self;
  tenon_arena_init(&arena, *allocator);
  tenon_map_init(&taken, *allocator);
  const char *name = NULL;
  for (int i = 0; i < 40; ++i)
    name =
        tenon_ident_take(&taken, &arena, tenon_ident_clean(&arena, "a/b", "x"));
  bool ok = tenon_ident_upper(&arena, name) != NULL && !arena.failed;
  tenon_map_deinit(&taken);
  tenon_arena_deinit(&arena);
  return ok;
}

static void survives_without_memory(void **state) {
  (void)state;
  test_sweep(sweep, NULL);
}

TEST_GROUP(idents, cmocka_unit_test(makes_identifiers),
           cmocka_unit_test(gives_each_name_once),
           cmocka_unit_test(knows_what_is_taken_by_others),
           cmocka_unit_test(survives_without_memory))
