#include "harness/harness.h"
#include "reg/store.h"

static void brings_names_into_one_form(void **state) {
  static const struct {
    const char *typed, *want;
  } rows[] = {{"acme::gain", "acme::gain"},
              {"acme.gain", "acme::gain"},
              {"acme.gain.out", "acme::gain.out"},
              {"aten::add.default", "aten::add"},
              {"aten.add.default", "aten::add"},
              {"aten::add.Tensor", "aten::add.Tensor"},
              {"aten.add.*", "aten::add.*"},
              {"aten.*", "aten::*"},
              {"plain", "plain"},
              {".x", ".x"},
              {"", ""}};
  (void)state;
  EACH_ROW(i, rows) {
    char out[64];
    CHECK(tenon_name_normal(rows[i].typed, out, sizeof out), "row %zu", i);
    CHECK_TEXT(out, rows[i].want, i);
  }
  char small[8];
  assert_false(tenon_name_normal("acme::gain", small, sizeof small));
}

static void covers_by_exactness(void **state) {
  static const struct {
    const char *pattern, *name;
    int want;
  } rows[] = {{"aten::add", "aten::add", 0},
              {"aten::add", "aten::add.Tensor", -1},
              {"aten::add.*", "aten::add", 1},
              {"aten::add.*", "aten::add.out", 1},
              {"aten::add.*", "aten::addmm", -1},
              {"aten::*", "aten::add", 2},
              {"aten::*", "aten::add.Tensor", 2},
              {"aten::*", "atenx::add", -1},
              {"*", "acme::gain", 3},
              {"aten::add.out", "aten::add", -1},
              {"aten::add.out", "aten::add.out", 0}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_name_covers(rows[i].pattern, rows[i].name) == rows[i].want,
        "row %zu", i);
}

static void reserves_six_sets(void **state) {
  static const char *const taken[] = {
      "core", "tfl", "aten", "prim", "higher_order", "quantized_decomposed"};
  (void)state;
  EACH_ROW(i, taken)
  CHECK(tenon_name_is_reserved(taken[i], strlen(taken[i])), "row %zu", i);
  assert_false(tenon_name_is_reserved("acme", 4));
  assert_false(tenon_name_is_reserved("core2", 5));
  assert_false(tenon_name_is_reserved("cor", 3));
}

static void makes_keys(void **state) {
  static const struct {
    const char *code, *want;
  } rows[] = {{"AcmeGain", "ACMEGAIN"},
              {" custom-noop ", "CUSTOM_NOOP"},
              {"my.op v2/\xce\xb2", "MY.OP V2/\xce\xb2"},
              {"", ""},
              {"  ", ""}};
  (void)state;
  EACH_ROW(i, rows) {
    char key[64];
    size_t n = tenon_custom_key(rows[i].code, key, sizeof key);
    CHECK(n == strlen(rows[i].want), "row %zu", i);
    CHECK_TEXT(key, rows[i].want, i);
  }
  char small[4] = "xxx";
  assert_int_equal(tenon_custom_key("AcmeGain", small, sizeof small), 8);
  assert_string_equal(small, "ACM");
  assert_int_equal(tenon_custom_key("AcmeGain", NULL, 0), 8);
}

TEST_GROUP(op_name, cmocka_unit_test(brings_names_into_one_form),
           cmocka_unit_test(covers_by_exactness),
           cmocka_unit_test(reserves_six_sets), cmocka_unit_test(makes_keys))
