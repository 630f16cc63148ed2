// Pipelines as text: what is run, in which order, and what is refused.
#include "harness/model.h"
#include "pass/pass.h"
#include "tenon/ext/plugin.h"

#define TEXT                                          \
  "module { %x = input f32[4]\n%a = core::relu(%x)\n" \
  "%b = core::relu(%x)\n%y = core::add(%a, %b)\nreturn %y }"

static tenon_status note(void *self, const tenon_module *m, const char *pass,
                         bool after) {
  tenon_buf *b = (tenon_buf *)self;
  (void)m;
  tenon_buf_format(b, "%s%s", after ? "/" : b->size ? " " : "", pass);
  return TENON_OK;
}

static void runs_in_order(void **state) {
  static const struct {
    const char *pipeline, *want;
  } rows[] = {
      {"", ""},
      {"dce", "dce/dce"},
      {"cse,dce", "cse/cse dce/dce"},
      {" cse , dce,", "cse/cse dce/dce"},
      {",,cse,,", "cse/cse"},
      {"lower[all=core::relu],cse", "lower/lower cse/cse"},
      {"lower[],dce", "lower/lower dce/dce"},
      {"dce,dce", "dce/dce dce/dce"},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_buf seen;
    tenon_module *m = model_read(&t, TEXT);
    tenon_buf_init(&seen, tenon_heap());
    tenon_buf_text(&seen, "");
    tenon_status status =
        tenon_module_transform(m, rows[i].pipeline, note, &seen);
    CHECK(status == TENON_OK, "row %zu: %s", i, t.log.text);
    CHECK_TEXT(seen.data ? seen.data : "", rows[i].want, i);
    tenon_buf_deinit(&seen);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

static void refuses_what_is_no_pipeline(void **state) {
  static const struct {
    const char *pipeline, *id, *part;
  } rows[] = {
      {"nonsense", "pass-unknown", "no pass 'nonsense'"},
      {"dec", "pass-unknown", "did you mean 'dce'?"},
      {"dce,lower[", "pass-pipeline", "not closed"},
      {"lower[all=x", "pass-pipeline", "not closed"},
      {"[x]", "pass-pipeline", "a bad name"},
      {"dce]", "pass-unknown", "dce]"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, NULL);
    tenon_module *m = model_read(&t, TEXT);
    tenon_status status =
        tenon_module_transform(m, rows[i].pipeline, NULL, NULL);
    CHECK(status == TENON_BAD_ARGUMENT, "row %zu", i);
    CHECK_LOG(&t.log, rows[i].id, rows[i].part, i);
    CHECK(t.log.errors == 1, "row %zu:\n%s", i, t.log.text);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static void refuses_names_that_are_too_long(void **state) {
  char text[600];
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_module *m = model_read(&t, TEXT);
  memset(text, 'a', 300);
  text[300] = 0;
  assert_int_equal(tenon_module_transform(m, text, NULL, NULL),
                   TENON_BAD_ARGUMENT);
  tenon_module_destroy(m);
  m = model_read(&t, TEXT);
  memcpy(text, "dce[", 4);
  text[299] = ']';
  assert_int_equal(tenon_module_transform(m, text, NULL, NULL),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(&t.log, "pass-pipeline", "aaaa", 0);
  tenon_module_destroy(m);
  model_close(&t);
}

static tenon_status stop(void *self, const tenon_module *m, const char *pass,
                         bool after) {
  (void)self, (void)m, (void)pass;
  return after ? TENON_OK : TENON_NO_SPACE;
}

static void stops_where_the_trace_says(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_module *m = model_read(&t, TEXT);
  assert_int_equal(tenon_module_transform(m, "dce", stop, NULL),
                   TENON_NO_SPACE);
  tenon_module_destroy(m);
  model_close(&t);
}

static void lists_its_passes(void **state) {
  (void)state;
  size_t n = 0;
  for (; tenon_pass_at(n); ++n)
    assert_ptr_equal(tenon_pass_find(tenon_pass_at(n)->name), tenon_pass_at(n));
  assert_int_equal(n, 16);
  assert_null(tenon_pass_find("nonsense"));
  assert_false(tenon_pass_find("lower")->is_optional);
  assert_true(tenon_pass_find("fuse")->is_optional);
  // Runs where it is named only.
  assert_true(tenon_pass_find("stripe")->is_optional);
  assert_null(strstr(tenon_pass_default, "stripe"));
}

// --- passes of plugins -------------------------------------------------------

static tenon_status to_neg(tenon_rewriter *rw, const tenon_node *n) {
  if (strcmp(rw->api->op(rw, n), "core::abs") != 0) return TENON_OK;
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "core::neg", tenon_rw_operand(rw, n, 0)));
}

static tenon_status swap_run(tenon_pass_context *c) {
  const char *mode = c->api->option(c, "mode");
  if (mode && strcmp(mode, "fail") == 0)
    return c->api->fail(c, "%s is not possible", mode);
  return c->api->each(c, to_neg);
}

static const tenon_pass_desc swap_desc = {
    .struct_size = sizeof(tenon_pass_desc),
    .name = "acme-swap",
    .doc = "Negates instead.",
    .options = "mode=",
    .run = swap_run,
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .passes = (const tenon_pass_desc *const[]){&swap_desc, NULL},
};

#define ABS                                                    \
  "module { %p = input bool\n%x = input f32[4]\n"              \
  "%a = core::abs(%x)\n%r = core::cond(%p, [%a]) : f32[4] {\n" \
  "(%t: f32[4]) { %u = core::abs(%t)\nreturn %u }\n"           \
  "(%e: f32[4]) { return %e }\n}\nreturn %r }"

static void runs_passes_of_plugins(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  const char *after = model_after(&t, ABS, "acme-swap");
  assert_int_equal(model_count(after, "core::neg"), 2);
  assert_int_equal(model_count(after, "core::abs"), 0);
  tenon_module *m = model_read(&t, ABS);
  assert_int_equal(
      tenon_module_transform(m, "dce,acme-swap[mode=fail]", NULL, NULL),
      TENON_UNSUPPORTED);
  CHECK_LOG(&t.log, "pass-fail",
            "pass 'acme-swap' of plugin 'acme': fail is not possible", 0);
  // Broken: nothing but printing is left.
  assert_int_equal(tenon_module_transform(m, "dce", NULL, NULL),
                   TENON_BAD_ARGUMENT);
  CHECK_LOG(&t.log, "module-broken", "printed", 0);
  assert_non_null(strstr(model_print(&t, m), "core::abs"));
  tenon_module_destroy(m);
  model_close(&t);
}

TEST_GROUP(pipeline, cmocka_unit_test(runs_in_order),
           cmocka_unit_test(refuses_what_is_no_pipeline),
           cmocka_unit_test(refuses_names_that_are_too_long),
           cmocka_unit_test(stops_where_the_trace_says),
           cmocka_unit_test(lists_its_passes),
           cmocka_unit_test(runs_passes_of_plugins))
