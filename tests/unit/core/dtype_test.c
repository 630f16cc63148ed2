#include "core/dtype.h"

#include "harness/harness.h"

static void knows_its_rows(void **state) {
  static const struct {
    tenon_dtype dtype;
    const char *name, *torch, *numpy;
    unsigned bits;
    char kind;
  } rows[] = {
      {TENON_F32, "f32", "float32", "<f4", 32, 'f'},
      {TENON_S8, "s8", "int8", "|i1", 8, 'i'},
      {TENON_BOOL, "bool", "bool", "|b1", 8, 'b'},
      {TENON_S4, "s4", "int4", "", 4, 'i'},
      {TENON_S2, "s2", "int2", "", 2, 'i'},
      {TENON_C128, "c128", "complex128", "<c16", 128, 'c'},
      {TENON_F8E8M0FNU, "f8e8m0fnu", "float8_e8m0fnu", "|u1", 8, 'f'},
      {TENON_STR, "str", "", "", 128, 's'},
  };
  (void)state;
  EACH_ROW(i, rows) {
    const tenon_dtype_info *info = tenon_dtype_look(rows[i].dtype);
    CHECK(info != NULL, "row %zu", i);
    CHECK_TEXT(info->name, rows[i].name, i);
    CHECK_TEXT(info->torch, rows[i].torch, i);
    CHECK_TEXT(info->numpy, rows[i].numpy, i);
    CHECK(info->bits == rows[i].bits && info->kind == rows[i].kind, "row %zu",
          i);
    CHECK_TEXT(tenon_dtype_name(rows[i].dtype), rows[i].name, i);
    CHECK(tenon_dtype_find(tenon_text_of(rows[i].name)) == rows[i].dtype,
          "row %zu", i);
    if (rows[i].torch[0])
      CHECK(tenon_dtype_find(tenon_text_of(rows[i].torch)) == rows[i].dtype,
            "row %zu", i);
  }
}

static void has_a_row_for_every_number(void **state) {
  (void)state;
  for (int t = TENON_F32; t <= TENON_STR; ++t)
    CHECK(tenon_dtype_look((tenon_dtype)t), "%d", t);
  assert_null(tenon_dtype_look(0));
  assert_null(tenon_dtype_look(TENON_STR + 1));
  assert_null(tenon_dtype_look(255));
}

static void names_what_it_does_not_know(void **state) {
  (void)state;
  assert_string_equal(tenon_dtype_name(0), "none");
  assert_string_equal(tenon_dtype_name(200), "?");
  assert_int_equal(tenon_dtype_find(tenon_text_of("f33")), 0);
  assert_int_equal(tenon_dtype_find(tenon_text_of("")), 0);
  assert_int_equal(tenon_dtype_find(tenon_text_of("none")), 0);
}

static void measures(void **state) {
  static const struct {
    tenon_dtype dtype;
    uint64_t count;
    bool is_fine;
    size_t size;
  } rows[] = {
      {TENON_F32, 3, true, 12},
      {TENON_C128, 2, true, 32},
      {TENON_S4, 0, true, 0},
      {TENON_S4, 1, true, 1},
      {TENON_S4, 2, true, 1},
      {TENON_U4, 3, true, 2},
      {TENON_S2, 4, true, 1},
      {TENON_S2, 5, true, 2},
      {TENON_S4, UINT64_MAX, sizeof(size_t) == 8, SIZE_MAX / 2 + 1},
      {TENON_F32, UINT64_MAX / 4 + 1, false, 0},
      {TENON_STR, 3, true, 48},
      {0, 1, false, 0},
      {99, 1, false, 0},
  };
  (void)state;
  EACH_ROW(i, rows) {
    size_t size = 77;
    CHECK(tenon_dtype_size(rows[i].dtype, rows[i].count, &size) ==
              rows[i].is_fine,
          "row %zu", i);
    CHECK(size == (rows[i].is_fine ? rows[i].size : 77), "row %zu", i);
  }
}

// The public function, which is part of emitted C, and the table agree.
static void measures_one_element(void **state) {
  (void)state;
  for (int i = 0; i < 256; ++i) {
    const tenon_dtype_info *info = tenon_dtype_look((tenon_dtype)i);
    size_t want = info && info->bits % 8 == 0 ? info->bits / 8u : 0;
    CHECK(tenon_element_bytes((tenon_dtype)i) == want, "type %d", i);
  }
}

TEST_GROUP(dtype, cmocka_unit_test(knows_its_rows),
           cmocka_unit_test(has_a_row_for_every_number),
           cmocka_unit_test(names_what_it_does_not_know),
           cmocka_unit_test(measures), cmocka_unit_test(measures_one_element))
