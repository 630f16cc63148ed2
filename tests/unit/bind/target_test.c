// Targets by name, and what they have.
#include "bind/target.h"

#include "harness/model.h"
#include "tenon/ext/plugin.h"
#include "tenon/ext/target.h"

static const tenon_target_desc board = {
    .struct_size = sizeof(tenon_target_desc),
    .name = "acme-board",
    .doc = "A board of the tests.",
    .features = "mve dsp",
    .macros = "__ARM_FEATURE_MVE",
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .targets = (const tenon_target_desc *const[]){&board, NULL},
};

static void finds_targets(void **state) {
  test_model t;
  tenon_target target;
  (void)state;
  model_open(&t, &acme);
  assert_int_equal(tenon_context_freeze(t.cx), TENON_OK);
  assert_int_equal(tenon_target_find(t.cx, "c", &target), TENON_OK);
  assert_string_equal(target.features, "");
  assert_int_equal(tenon_target_find(t.cx, NULL, &target), TENON_OK);
  assert_string_equal(target.name, "host");
  assert_int_equal(tenon_target_find(t.cx, "acme-board", &target), TENON_OK);
  assert_string_equal(target.macros, "__ARM_FEATURE_MVE");
  assert_int_equal(tenon_target_find(t.cx, "acme-bord", &target),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(&t.log, "target-unknown", "did you mean 'acme-board'?", 0);
  model_close(&t);
}

static void knows_what_is_needed(void **state) {
  static const struct {
    const char *features, *needs;
    bool want;
  } rows[] = {
      {"", NULL, true},          {"", "", true},
      {"mve dsp", "mve", true},  {"mve dsp", "dsp mve", true},
      {"mve dsp", "mv", false},  {"mve dsp", "mve fma", false},
      {"mve  dsp", "dsp", true}, {"", "mve", false},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_target target = {0};
    target.name = "t";
    target.features = rows[i].features;
    CHECK(tenon_target_has(&target, rows[i].needs) == rows[i].want, "row %zu",
          i);
  }
}

TEST_GROUP(target, cmocka_unit_test(finds_targets),
           cmocka_unit_test(knows_what_is_needed))
