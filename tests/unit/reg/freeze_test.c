#include "reg/store.h"
#include "reg_fixture.h"

static tenon_status add(tenon_context *cx, const fixture *f) {
  return tenon_context_add(cx, &f->plugin);
}

// Names joined with blanks, in the order in which they are tried.
static const char *kernels_of(const tenon_context *cx, const char *name,
                              char *text, size_t size) {
  const tenon_op *op = tenon_registry_find_op(cx, name);
  text[0] = 0;
  for (uint32_t i = 0; i < op->n_kernels; ++i)
    snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "",
             op->kernels[i]->desc->symbol);
  return text;
}

static const char *lowerings_of(const tenon_context *cx, const char *name,
                                char *text, size_t size) {
  const tenon_op *op = tenon_registry_find_op(cx, name);
  text[0] = 0;
  for (uint32_t i = 0; i < op->n_lowerings; ++i)
    snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "",
             op->lowerings[i]->desc->name);
  return text;
}

static const struct {
  const char *plugin, *op, *symbol, *needs;
  int32_t priority;
} kernel_rows[] = {
    {"z", "acme::gain", "exact_low", NULL, -1},
    {"z", "acme::gain", "exact_high", NULL, 7},
    {"z", "acme::gain.*", "any_overload", NULL, 100},
    {"z", "acme::*", "whole_set", NULL, 1000},
    {"y", "acme::gain", "two_words", "avx2  fma", 7},
    {"x", "acme::gain", "one_word", "avx2", 7},
    {"a", "acme::gain", "exact_high_a", NULL, 7},
    {"a", "acme::gain.out", "other_overload", NULL, 9},
};

// The order of adding is turned around: it does not matter.
static void orders_kernels(void **state) {
  (void)state;
  for (int turn = 0; turn < 2; ++turn) {
    test_log log;
    fixture op, out, f[COUNT(kernel_rows)];
    char text[256];
    tenon_context *cx = fixture_context(&log, NULL);
    fixture_op(&op, "acme", "acme::gain(Tensor x) -> Tensor", "own");
    fixture_op(&out, "acme", "acme::gain.out(Tensor x) -> Tensor", "own_out");
    if (!turn) assert_int_equal(add(cx, &op), TENON_OK);
    EACH_ROW(i, kernel_rows) {
      size_t k = turn ? COUNT(kernel_rows) - 1 - i : i;
      fixture_kernel(&f[k], kernel_rows[k].plugin, kernel_rows[k].op,
                     kernel_rows[k].symbol, kernel_rows[k].priority);
      f[k].kernel.needs = kernel_rows[k].needs;
      CHECK(add(cx, &f[k]) == TENON_OK, "row %zu: %s", k, log.text);
    }
    if (turn) assert_int_equal(add(cx, &op), TENON_OK);
    assert_int_equal(add(cx, &out), TENON_OK);
    CHECK(tenon_context_freeze(cx) == TENON_OK, "%s", log.text);
    CHECK_TEXT(kernels_of(cx, "acme::gain", text, sizeof text),
               "two_words one_word exact_high_a exact_high own exact_low "
               "any_overload whole_set",
               (size_t)turn);
    CHECK_TEXT(kernels_of(cx, "acme::gain.out", text, sizeof text),
               "other_overload own_out any_overload whole_set", (size_t)turn);
    const tenon_op *gain = tenon_registry_find_op(cx, "acme::gain");
    assert_int_equal(gain->kernels[0]->n_features, 2);
    assert_ptr_equal(gain->kernels[0]->op, gain);
    assert_null(gain->kernels[7]->op);
    assert_true(gain->kernels[4]->is_reference);
    assert_false(gain->kernels[3]->is_reference);
    tenon_context_destroy(cx);
  }
}

static void orders_lowerings(void **state) {
  (void)state;
  static const struct {
    const char *plugin, *op, *name;
    int32_t priority;
  } rows[] = {{"z", "acme::gain", "low", -5},
              {"z", "acme::gain", "high", 5},
              {"b", "acme::gain", "high_b", 5},
              {"z", "acme::gain.*", "any", 50},
              {"z", "acme::*", "set", 500}};
  test_log log;
  fixture op, f[COUNT(rows)];
  char text[256];
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&op, "acme", "acme::gain(Tensor x) -> Tensor", "own");
  op.op.lower = fixture_lower;
  assert_int_equal(add(cx, &op), TENON_OK);
  EACH_ROW(i, rows) {
    fixture_lowering(&f[i], rows[i].plugin, rows[i].op, rows[i].name,
                     rows[i].priority);
    assert_int_equal(add(cx, &f[i]), TENON_OK);
  }
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  CHECK_TEXT(lowerings_of(cx, "acme::gain", text, sizeof text),
             "high_b high acme::gain low any set", 0);
  tenon_context_destroy(cx);
}

// Instead of the owner's: in the same pass, with consent.
static void overrides_the_owners_lowering(void **state) {
  (void)state;
  static const char *const names[] = {"acme::gain", NULL};
  static const struct {
    bool allowed;
    const char *op, *pass, *want;  // null: refused
  } rows[] = {{true, "acme::gain", NULL, "mine"},
              {true, "acme::gain", "lower", "mine"},
              {true, "acme::gain", "fuse", "acme::gain mine"},
              {true, "acme::*", NULL, "mine"},
              {false, "acme::gain", NULL, NULL},
              {false, "acme::*", NULL, NULL}};
  EACH_ROW(i, rows) {
    test_log log;
    fixture op, f;
    char text[256];
    tenon_context *cx = fixture_context(&log, rows[i].allowed ? names : NULL);
    fixture_op(&op, "acme", "acme::gain(Tensor x) -> Tensor", "own");
    op.op.lower = fixture_lower;
    fixture_lowering(&f, "mine", rows[i].op, "mine", -1);
    f.lowering.flags = TENON_LOWERING_OVERRIDES;
    f.lowering.pass = rows[i].pass;
    assert_int_equal(add(cx, &f), TENON_OK);
    assert_int_equal(add(cx, &op), TENON_OK);
    tenon_status status = tenon_context_freeze(cx);
    CHECK(status == (rows[i].want ? TENON_OK : TENON_CONFLICT), "row %zu", i);
    if (rows[i].want)
      CHECK_TEXT(lowerings_of(cx, "acme::gain", text, sizeof text),
                 rows[i].want, i);
    if (!rows[i].want)
      CHECK_LOG(&log, "plugin-override", "of 'acme::gain' of plugin 'acme'", i);
    tenon_context_destroy(cx);
  }
}

static void reports_all_that_nobody_defines(void **state) {
  (void)state;
  test_log log;
  fixture op, k, misfit, wild, set, low, to;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&op, "acme", "acme::gain(Tensor x) -> Tensor", "own");
  fixture_kernel(&k, "k", "acme::gian", "k", 0);
  fixture_kernel(&misfit, "misfit", "acme::gain", "misfit", 0);
  misfit.kernel.types = "f32, f32 -> f32";
  fixture_kernel(&wild, "wild", "acme::none.*", "wild", 0);
  fixture_kernel(&set, "set", "acme::*", "set", 0);
  set.kernel.types = "f32, f32, f32 -> f32";
  fixture_lowering(&low, "low", "acme::gainz", "low", 0);
  fixture_lowering(&to, "to", "acme::gain", "to", 0);
  to.lowering.to = "acme::gain  core::mull";
  const fixture *all[] = {&op, &k, &misfit, &wild, &set, &low, &to};
  EACH_ROW(i, all) CHECK(add(cx, all[i]) == TENON_OK, "row %zu", i);
  assert_int_equal(tenon_context_freeze(cx), TENON_BAD_PLUGIN);
  CHECK(log.errors == 6, "%s", log.text);
  CHECK_LOG(&log, "plugin-unknown-op",
            "k: kernel 'k': serves 'acme::gian', which is not defined; did you "
            "mean 'acme::gain'?",
            0);
  CHECK_LOG(&log, "plugin-kernel",
            "does not fit 'acme::gain': types 'f32, f32 -> f32' have 2", 1);
  CHECK_LOG(&log, "plugin-unknown-op", "'acme::none.*', none of which", 2);
  CHECK_LOG(&log, "plugin-kernel", "none of the 1 operators of 'acme::*'", 3);
  CHECK_LOG(&log, "plugin-unknown-op", "lowering 'low': serves 'acme::gainz'",
            4);
  CHECK_LOG(&log, "plugin-unknown-op", "builds 'core::mull', which is not", 5);
  assert_true(cx->has_failed_freeze);
  assert_false(cx->is_frozen);
  tenon_context_destroy(cx);
}

static void may_be_repaired_and_frozen_again(void **state) {
  (void)state;
  test_log log;
  fixture op, k;
  char text[64];
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_kernel(&k, "k", "acme::gain", "k", 1);
  assert_int_equal(add(cx, &k), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_BAD_PLUGIN);
  fixture_op(&op, "acme", "acme::gain(Tensor x) -> Tensor", "own");
  assert_int_equal(add(cx, &op), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_false(cx->has_failed_freeze);
  CHECK_TEXT(kernels_of(cx, "acme::gain", text, sizeof text), "k own", 0);
  tenon_context_destroy(cx);
}

static void nothing_is_added_behind_the_freeze(void **state) {
  (void)state;
  test_log log;
  fixture op;
  const tenon_op *const *ops = NULL;
  tenon_context *cx = fixture_context(&log, NULL);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(tenon_registry_ops(cx, &ops), 0);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  fixture_op(&op, "acme", NULL, NULL);
  assert_int_equal(add(cx, &op), TENON_CONFLICT);
  CHECK_LOG(&log, "context-frozen", "before the first model is read", 0);
  tenon_context_destroy(cx);
}

// A kernel of a set says no types: it learns them from what it is called with.
static void serves_a_set_without_types(void **state) {
  (void)state;
  test_log log;
  fixture a, b, f;
  char text[64];
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&a, "acme", "acme::a(Tensor x) -> Tensor", "ka");
  fixture_op(&b, "acme", "acme::b(Tensor x, Tensor y) -> Tensor", "kb");
  b.kernel.types = "f32, f32 -> f32";
  fixture_kernel(&f, "torch", "acme::*", "call", 0);
  f.kernel.types = NULL;
  assert_int_equal(add(cx, &a), TENON_OK);
  assert_int_equal(add(cx, &b), TENON_OK);
  assert_int_equal(add(cx, &f), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  CHECK_TEXT(kernels_of(cx, "acme::a", text, sizeof text), "ka call", 0);
  CHECK_TEXT(kernels_of(cx, "acme::b", text, sizeof text), "kb call", 1);
  tenon_context_destroy(cx);
}

static void lists_operators_by_name(void **state) {
  (void)state;
  test_log log;
  fixture a, b;
  const tenon_op *const *ops = NULL;
  tenon_context *cx = fixture_context(&log, NULL);
  fixture_op(&b, "acme", "acme::b(Tensor x) -> Tensor", "kb");
  fixture_op(&a, "acme", "acme::a(Tensor x) -> Tensor", "ka");
  assert_int_equal(add(cx, &b), TENON_OK);
  assert_int_equal(add(cx, &a), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(tenon_registry_ops(cx, &ops), 2);
  CHECK_TEXT(ops[0]->name, "acme::a", 0);
  CHECK_TEXT(ops[1]->name, "acme::b", 1);
  assert_ptr_equal(tenon_registry_find_op(cx, "acme::a.default"), ops[0]);
  assert_null(tenon_registry_find_op(cx, "acme::a.other"));
  assert_string_equal(tenon_registry_nearest_op(cx, "acme::ab"), "acme::a");
  assert_null(tenon_registry_find(cx, TENON_REGISTRY_OPS, "acme::a"));
  assert_null(tenon_registry_at(cx, TENON_REGISTRY_PASSES, 0));
  tenon_context_destroy(cx);
}

TEST_GROUP(freeze, cmocka_unit_test(orders_kernels),
           cmocka_unit_test(orders_lowerings),
           cmocka_unit_test(overrides_the_owners_lowering),
           cmocka_unit_test(reports_all_that_nobody_defines),
           cmocka_unit_test(may_be_repaired_and_frozen_again),
           cmocka_unit_test(nothing_is_added_behind_the_freeze),
           cmocka_unit_test(serves_a_set_without_types),
           cmocka_unit_test(lists_operators_by_name))
