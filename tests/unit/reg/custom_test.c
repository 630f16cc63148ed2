#include "reg_fixture.h"

static const struct {
  const char *schema, *symbol, *code;
  uint32_t min, max;
} ops[] = {
    {"acme::gain(Tensor x) -> Tensor", "k0", "AcmeGain", 1, 1},
    {"acme::gain2(Tensor x) -> Tensor", "k1", "AcmeGain", 2, 4},
    {"acme::plain(Tensor x) -> Tensor", "k2", NULL, 0, 0},
    {"acme::dash(Tensor x) -> Tensor", "k3", "my-op", 0, 0},
    {"acme::score(Tensor x) -> Tensor", "k4", "my_op", 0, 0},
    {"acme::one(Tensor x) -> Tensor", "k5", "solo", 0, 0},
    {"tfl::CONV_2D(Tensor x) -> Tensor", "k6", NULL, 0, 0},
};

static const struct {
  const char *code;
  uint32_t version;
  int want;
  const char *op, *other;
} rows[] = {
    {"AcmeGain", 1, TENON_CUSTOM_FOUND, "acme::gain", NULL},
    {"AcmeGain", 2, TENON_CUSTOM_FOUND, "acme::gain2", NULL},
    {"AcmeGain", 4, TENON_CUSTOM_FOUND, "acme::gain2", NULL},
    {"AcmeGain", 5, TENON_CUSTOM_VERSION, "acme::gain", NULL},
    {"AcmeGain", 0, TENON_CUSTOM_VERSION, "acme::gain", NULL},
    // By key: both versions are of one name.
    {"acmegain", 3, TENON_CUSTOM_FOUND, "acme::gain2", NULL},
    {" ACMEGAIN\t", 1, TENON_CUSTOM_FOUND, "acme::gain", NULL},
    {"acmegain", 9, TENON_CUSTOM_VERSION, "acme::gain", NULL},
    {"acme::plain", 7, TENON_CUSTOM_FOUND, "acme::plain", NULL},
    {"ACME::PLAIN", 7, TENON_CUSTOM_FOUND, "acme::plain", NULL},
    // Exact names win over a key that fits two.
    {"my-op", 1, TENON_CUSTOM_FOUND, "acme::dash", NULL},
    {"my_op", 1, TENON_CUSTOM_FOUND, "acme::score", NULL},
    {"MY-OP", 1, TENON_CUSTOM_AMBIGUOUS, "acme::dash", "acme::score"},
    {"Solo", 1, TENON_CUSTOM_FOUND, "acme::one", NULL},
    {"nobody", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
    {"", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
    {"AcmeGai", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
    {"AcmeGainX", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
    // A code that spells a builtin operator stays custom.
    {"tfl::CONV_2D", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
    {"CONV_2D", 1, TENON_CUSTOM_UNKNOWN, NULL, NULL},
};

static void finds_operators_by_code_and_key(void **state) {
  (void)state;
  test_log log;
  fixture f[COUNT(ops)];
  tenon_context *cx = fixture_context(&log, NULL);
  EACH_ROW(i, ops) {
    fixture_op(&f[i], "acme", ops[i].schema, ops[i].symbol);
    f[i].op.tflite_name = ops[i].code;
    f[i].op.version_min = ops[i].min;
    f[i].op.version_max = ops[i].max;
    assert_int_equal(fixture_add_builtin(cx, &f[i]), TENON_OK);
  }
  CHECK(tenon_context_freeze(cx) == TENON_OK, "%s", log.text);
  EACH_ROW(i, rows) {
    const tenon_op *op = NULL, *other = NULL;
    int got = (int)tenon_registry_find_custom(cx, rows[i].code, rows[i].version,
                                              &op, &other);
    CHECK(got == rows[i].want, "row %zu: %d", i, got);
    CHECK(!op == !rows[i].op && !other == !rows[i].other, "row %zu", i);
    if (op) CHECK_TEXT(op->name, rows[i].op, i);
    if (other) CHECK_TEXT(other->name, rows[i].other, i);
  }
  tenon_context_destroy(cx);
}

static void refuses_codes_for_the_same_versions(void **state) {
  (void)state;
  static const struct {
    uint32_t a[2], b[2];
    bool overlap;
  } ranges[] = {{{0, 0}, {1, 1}, true},  {{1, 2}, {2, 3}, true},
                {{1, 1}, {2, 2}, false}, {{3, 9}, {1, 2}, false},
                {{0, 0}, {0, 0}, true},  {{0, 5}, {5, 5}, true}};
  EACH_ROW(i, ranges) {
    test_log log;
    fixture a, b;
    tenon_context *cx = fixture_context(&log, NULL);
    fixture_op(&a, "one", "acme::a(Tensor x) -> Tensor", "ka");
    fixture_op(&b, "two", "acme::b(Tensor x) -> Tensor", "kb");
    a.op.tflite_name = b.op.tflite_name = "Acme";
    a.op.version_min = ranges[i].a[0];
    a.op.version_max = ranges[i].a[1];
    b.op.version_min = ranges[i].b[0];
    b.op.version_max = ranges[i].b[1];
    assert_int_equal(tenon_context_add(cx, &a.plugin), TENON_OK);
    assert_int_equal(tenon_context_add(cx, &b.plugin), TENON_OK);
    tenon_status status = tenon_context_freeze(cx);
    CHECK(status == (ranges[i].overlap ? TENON_CONFLICT : TENON_OK), "row %zu",
          i);
    if (status != TENON_OK)
      CHECK_LOG(&log, "plugin-tflite-name", "custom code 'Acme' is also", i);
    tenon_context_destroy(cx);
  }
}

TEST_GROUP(custom, cmocka_unit_test(finds_operators_by_code_and_key),
           cmocka_unit_test(refuses_codes_for_the_same_versions))
