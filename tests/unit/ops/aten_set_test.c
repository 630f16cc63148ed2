// The tables of the ATen operators hold together.
#include "harness/log.h"
#include "harness/model.h"
#include "ops/aten/each/each_op.h"
#include "reg/context.h"
#include "tenon/ext/plugin.h"
#include "tenon/tenon.h"

#define ATEN_OP(names, function, user, doc) names,
static const char *const meant[] = {
#include "ops/aten/each/each.def"
#include "ops/aten/each/foreach.def"
#include "ops/aten/index/index.def"
#include "ops/aten/linalg/linalg.def"
#include "ops/aten/nn/nn.def"
#include "ops/aten/random/random.def"
};

static tenon_context *make(test_log *log) {
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(log)};
  tenon_context *cx = NULL;
  memset(log, 0, sizeof *log);
  assert_int_equal(tenon_context_create(&o, &cx), TENON_OK);
  return cx;
}

static void admits_every_schema(void **state) {
  (void)state;
  test_log log;
  tenon_context *cx = make(&log);
  size_t n = tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0);
  tenon_registered *list = test_malloc(n * sizeof *list);
  assert_int_equal(tenon_context_list(cx, TENON_REGISTRY_OPS, list, n), n);
  CHECK_TEXT(log.text, "", 0);
  size_t aten = 0;
  for (size_t i = 0; i < n; ++i)
    aten += strncmp(list[i].name, "aten::", 6) == 0;
  assert_true(aten > 3700);
  test_free(list);
  tenon_context_destroy(cx);
}

// How often rows name the operator.
static int meanings_of(const char *name, size_t size) {
  int n = 0;
  EACH_ROW(i, meant)
  for (const char *at = meant[i]; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    n += length == size && strncmp(at, name, size) == 0;
    at += length;
  }
  return n;
}

// A row for a name that PyTorch does not have, or a second one, would never be
// looked at.
static void finds_every_meaning(void **state) {
  (void)state;
  test_log log;
  tenon_context *cx = make(&log);
  size_t names = 0;
  EACH_ROW(i, meant)
  for (const char *at = meant[i]; *at; at += strspn(at, " "), ++names) {
    size_t size = strcspn(at, " ");
    char name[128];
    snprintf(name, sizeof name, "aten::%.*s", (int)size, at);
    CHECK(meanings_of(at, size) == 1, "%s stands twice", name);
    at += size;
    tenon_registered r = {0};
    CHECK(tenon_context_find(cx, TENON_REGISTRY_OPS, name, &r, NULL),
          "no schema of %s", name);
    const tenon_op_desc *d = (const tenon_op_desc *)r.desc;
    CHECK(d->lower && d->doc && *d->doc, "%s", name);
    // So that no argument is ignored (ir/rewrite/rewrite_asked.c).
    CHECK(d->flags & TENON_OP_ASKED, "%s", name);
  }
  assert_true(names > 1050);
  tenon_context_destroy(cx);
}

static const char *const core_aten[] = {
#include "unit/ops/core_aten.def"
};

// What a file that is decomposed to core ATen may call.
static void means_all_of_core_aten(void **state) {
  (void)state;
  test_log log;
  tenon_context *cx = make(&log);
  size_t without = 0;
  assert_int_equal(sizeof core_aten / sizeof *core_aten, 192);
  EACH_ROW(i, core_aten) {
    tenon_registered r = {0};
    CHECK(tenon_context_find(cx, TENON_REGISTRY_OPS, core_aten[i], &r, NULL),
          "no schema of %s", core_aten[i]);
    const tenon_op_desc *d = (const tenon_op_desc *)r.desc;
    // Sizes are expressions by the time that a file has been read.
    bool is_size = strncmp(core_aten[i], "aten::sym_", 10) == 0;
    CHECK(is_size || d->lower, "%s", core_aten[i]);
    without += !d->lower;
  }
  assert_int_equal(without, 5);
  tenon_context_destroy(cx);
}

// A lowering for real numbers that takes complex ones for something else is a
// refusal, and no defect of the plugin.
static void refuses_complex_numbers(void **state) {
  static const char *const calls[] = {
      "aten::cumprod(%x) [dim=0] : c64[3]",
      "aten::std.correction(%x) [correction=1] : f32[]",
      "aten::var.correction(%x) [correction=1] : f32[]",
      "aten::sin(%x) : c64[3]",
      "aten::relu(%x) : c64[3]",
      "aten::eq.Scalar(%r) [other=\"0+1j\"] : bool[3]",
      "aten::pow.Tensor_Scalar(%r) [exponent=\"0+1j\"] : c64[3]",
      "aten::_foreach_mul.Scalar(%x) [scalar=\"0+1j\"] : c64[3]"};
  (void)state;
  EACH_ROW(i, calls) {
    char text[160];
    test_model t;
    tenon_program *p = NULL;
    model_open(&t, NULL);
    snprintf(text, sizeof text,
             "module { %%x = input c64[3]\n%%r = input f32[3]\n"
             "%%y = %s\nreturn %%y }",
             calls[i]);
    tenon_module *m = model_read(&t, text);
    const tenon_entry entry = {NULL, m, NULL};
    CHECK(tenon_program_compile(&entry, 1, NULL, &p) == TENON_UNSUPPORTED,
          "%s: %s", calls[i], t.log.text);
    CHECK_LOG(&t.log, "unsupported-op", "complex numbers are not supported", i);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static tenon_status formula_lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_each_lower(rw, n, tenon_aten_str(rw, n, "formula"));
}

static const tenon_op_desc op_formula = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "What its formula says.",
    .schema = "acme::formula(Tensor x, *, str formula) -> Tensor",
    .lower = formula_lower,
};
static const struct tenon_plugin formulas = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1",
    .ops = (const tenon_op_desc *const[]){&op_formula, NULL},
};

// A row of a table whose formula does not hold together is refused with the
// place where reading ended, and computes nothing.
static void reads_formulas_whole(void **state) {
  static const struct {
    const char *formula, *end;  // null: it is right
  } rows[] = {
      {"f: x * (x - 2)", NULL},
      {"f: where(x > 1, x, 0)", NULL},
      {"f: a = exp(x); a / (1 + a)", NULL},
      {"f: x > 1 & !(x > 2) ? x : 0", NULL},
      {"f: if(2 < 1, nobody(x), x)", NULL},
      {"f: if(has(x), x, 0)", NULL},
      {"-: v at = sort(x, axis=0); v", NULL},
      {"-: x - sum(x, 1, 1) * (2 - 1)", NULL},
      {"f: if(1 < 2, x, exp(x)", ""},
      {"f: if(1 < 2, x)", ")"},
      {"f: refuse('x)", "x)"},
      {"-: x, x", ", x"},
      {"f: x +", ""},
      {"f: (x", ""},
      {"f: exp(x", ""},
      {"f: exact(x", ""},
      {"f: x x", "x"},
      {"f: x ? 1", ""},
      {"f: a = x", ""},
      {"f: alpha * x", "* x"},
      {"f: fma(x, x, x, x)", " x)"},
      {"f: a_name_of_more_than_thirty_two_letters(x)", "x)"},
      {"f: a_name_of_more_than_thirty_two_letters", ""},
  };
  (void)state;
  EACH_ROW(i, rows) {
    char text[256], end[64];
    test_model t;
    tenon_program *p = NULL;
    model_open(&t, &formulas);
    snprintf(text, sizeof text,
             "module { %%x = input f32[3]\n"
             "%%y = acme::formula(%%x) [formula=\"%s\"] : f32[3]\n"
             "return %%y }",
             rows[i].formula);
    tenon_module *m = model_read(&t, text);
    const tenon_entry entry = {NULL, m, NULL};
    tenon_status status = tenon_program_compile(&entry, 1, NULL, &p);
    CHECK((status == TENON_OK) == !rows[i].end, "%s: %s", rows[i].formula,
          t.log.text);
    snprintf(end, sizeof end, "is wrong before '%s'",
             rows[i].end ? rows[i].end : "");
    if (rows[i].end) CHECK_LOG(&t.log, "unsupported-op", end, i);
    tenon_program_destroy(p);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

TEST_GROUP(aten_set, cmocka_unit_test(reads_formulas_whole),
           cmocka_unit_test(admits_every_schema),
           cmocka_unit_test(finds_every_meaning),
           cmocka_unit_test(means_all_of_core_aten),
           cmocka_unit_test(refuses_complex_numbers))
