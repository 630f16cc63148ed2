// Tests of read/tflite/tflite_model.c: the tables of the schema agree with each
// other.
#include "read/tflite/tflite_model.h"

#include "harness/harness.h"

// As many slots as names, and a link for each slot that needs one.
static void check_type(const tenon_fb_type *type) {
  size_t names = 0;
  tenon_text rest = tenon_text_of(type->names), piece;
  while (tenon_text_next(&rest, ' ', &piece))
    ++names;
  CHECK(names == strlen(type->fields), "%s: %zu names for '%s'", type->name,
        names, type->fields);
  for (const char *f = type->fields; *f; ++f) {
    CHECK(strchr("bciulwfsBCHIULFDtTx-", *f), "%s: '%c'", type->name, *f);
    if (*f == 'x')
      CHECK(f > type->fields && f[-1] == 'c', "%s: union", type->name);
  }
}

static void names_every_code_of_the_schema(void **state) {
  (void)state;
  static const struct {
    int64_t code;
    const char *name, *options;
  } rows[] = {{0, "ADD", "AddOptions"},
              {3, "CONV_2D", "Conv2DOptions"},
              {32, "CUSTOM", NULL},
              {39, "TRANSPOSE", NULL},  // a table without members
              {118, "IF", "IfOptions"},
              {206, "STABLEHLO_COMPOSITE", "StableHLOCompositeOptions"},
              {209, "STABLEHLO_CASE", "StablehloCaseOptions"}};
  EACH_ROW(i, rows) {
    tenon_tflite_op op = tenon_tflite_look(rows[i].code);
    CHECK_TEXT(op.name, rows[i].name, i);
    CHECK((op.options != NULL) == (rows[i].options != NULL), "row %zu", i);
    if (op.options) CHECK_TEXT(op.options->name, rows[i].options, i);
  }
  for (int64_t code = 0; code <= 209; ++code) {
    tenon_tflite_op op = tenon_tflite_look(code);
    CHECK(op.name != NULL, "code %lld", (long long)code);
    if (op.options) check_type(op.options);
  }
  assert_null(tenon_tflite_look(210).name);
  assert_null(tenon_tflite_look(-1).name);
  assert_null(tenon_tflite_look(INT64_MAX).name);
}

TEST_GROUP(tflite_model, cmocka_unit_test(names_every_code_of_the_schema))
