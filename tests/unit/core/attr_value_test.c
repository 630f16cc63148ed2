#include <math.h>

#include "core/attr.h"
#include "fixture.h"

static const int64_t one_two[] = {1, 2}, one_three[] = {1, 3};
static const double halves[] = {0.5, 0.5};
static const bool yes[] = {true};
static const tenon_scalar two[] = {{TENON_KIND_INT, {2}}};
static const tenon_dim dims[] = {{0, 1}}, others[] = {{0, 2}};
static const tenon_dim numbers[] = {{1, 0}};
static const char *const words[] = {"a", "b"}, *const word[] = {"ab", ""};

static void compares_and_hashes(void **state) {
  const tenon_arg zero = tenon_arg_float("x", 0), minus = {"x", 3, {0}};
  tenon_arg list[] = {
      {"x", 0, {0}},
      tenon_arg_int("x", 1),
      tenon_arg_int("x", 2),
      tenon_arg_int("y", 1),
      tenon_arg_bool("x", true),
      tenon_arg_float("x", 1),
      tenon_arg_float("x", NAN),
      zero,
      minus,
      tenon_arg_str("x", "a"),
      tenon_arg_str("x", ""),
      tenon_arg_ints("x", one_two, 2),
      tenon_arg_ints("x", one_three, 2),
      tenon_arg_ints("x", one_two, 1),
      tenon_arg_ints("x", one_two, 0),
      tenon_arg_dims("x", dims, 1),
      tenon_arg_dims("x", others, 1),
      tenon_arg_dims("x", numbers, 1),
      {"x", TENON_KIND_FLOATS, {0}},
      {"x", TENON_KIND_BOOLS, {0}},
      {"x", TENON_KIND_SCALARS, {0}},
      {"x", TENON_KIND_SCALAR, {0}},
      {"x", TENON_KIND_DTYPE, {TENON_S8}},
      {"x", TENON_KIND_DTYPE, {TENON_U8}},
      {"x", TENON_KIND_STRS, {0}},
      {"x", TENON_KIND_STRS, {0}},
      {"x", TENON_KIND_STRS, {0}},
  };
  (void)state;
  list[8].as.f = -0.0;
  list[18].as.floats.data = halves;
  list[18].as.floats.count = 2;
  list[19].as.bools.data = yes;
  list[19].as.bools.count = 1;
  list[20].as.scalars.data = two;
  list[20].as.scalars.count = 1;
  list[21].as.scalar = two[0];
  list[24].as.strs = (tenon_strs){words, 2};
  list[25].as.strs = (tenon_strs){word, 2};
  list[26].as.strs = (tenon_strs){words, 1};
  EACH_ROW(i, list) {
    const tenon_arg a[] = {list[i], TENON_END_ARGS};
    EACH_ROW(j, list) {
      const tenon_arg b[] = {list[j], TENON_END_ARGS};
      const tenon_arg c[] = {list[j], list[j], TENON_END_ARGS};
      CHECK(tenon_args_equal(a, b) == (i == j), "%zu and %zu", i, j);
      CHECK((tenon_args_hash(a, 1) == tenon_args_hash(b, 1)) == (i == j),
            "%zu and %zu", i, j);
      CHECK(!tenon_args_equal(a, c) && !tenon_args_equal(c, a), "%zu", i);
    }
    CHECK(!tenon_args_equal(a, NULL), "row %zu", i);
    CHECK(tenon_args_hash(a, 1) != tenon_args_hash(a, 2), "row %zu", i);
  }
  assert_true(tenon_args_equal(NULL, NULL));
  assert_int_equal(tenon_args_hash(NULL, 5), 5);
}

static void prints_nothing_when_nothing_is_left(void **state) {
  fixture f;
  (void)state;
  fixture_init(&f, tenon_heap());
  tenon_schema *s = fixture_attrs(&f, "float gain=1.0");
  const tenon_arg same[] = {tenon_arg_float("gain", 1), TENON_END_ARGS};
  const tenon_arg foreign[] = {tenon_arg_int("k", 1), TENON_END_ARGS};
  tenon_buf_text(&f.buf, "");
  tenon_args_print(NULL, NULL, NULL, &f.buf);
  tenon_args_print(same, s, NULL, &f.buf);
  assert_string_equal(f.buf.data, "");
  tenon_args_print(same, NULL, NULL, &f.buf);
  assert_string_equal(f.buf.data, "[gain=1.0]");
  tenon_buf_clear(&f.buf);
  tenon_args_print(foreign, s, NULL, &f.buf);
  assert_string_equal(f.buf.data, "[k=1]");
  fixture_deinit(&f);
}

static void prints_values(void **state) {
  const struct {
    tenon_arg arg;
    const char *want;
  } rows[] = {
      {{"x", 0, {0}}, "none"},
      {tenon_arg_bool("x", false), "false"},
      {tenon_arg_int("x", INT64_MIN), "-9223372036854775808"},
      {tenon_arg_float("x", 0.1), "0.1"},
      {tenon_arg_float("x", 1e300), "1e+300"},
      {tenon_arg_float("x", -INFINITY), "-inf"},
      {tenon_arg_str("x", "a\"b\n"), "\"a\\\"b\\n\""},
      {tenon_arg_ints("x", one_two, 2), "[1, 2]"},
      {tenon_arg_dims("x", dims, 1), "[?1]"},
      {{"x", TENON_KIND_DTYPE, {TENON_S8}}, "s8"},
      {{"x", TENON_KIND_SCALAR, {0}}, "none"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    fixture f;
    fixture_init(&f, tenon_heap());
    tenon_arg_print(&rows[i].arg, NULL, &f.buf);
    CHECK_TEXT(f.buf.data, rows[i].want, i);
    fixture_deinit(&f);
  }
}

TEST_GROUP(attr_value, cmocka_unit_test(compares_and_hashes),
           cmocka_unit_test(prints_nothing_when_nothing_is_left),
           cmocka_unit_test(prints_values))
