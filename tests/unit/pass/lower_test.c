// Lowering: what a kernel covers stays; what nothing covers is said in one
// error; what has no end is stopped; a fusion that no kernel takes is not made.
#include "harness/model.h"
#include "pass/pass.h"
#include "tenon/ext/plugin.h"

static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

static tenon_status copy_run(const tenon_call *c) {
  memcpy(c->out[0].data, c->in[0].data, 4 * tenon_count(&c->out[0]));
  return TENON_OK;
}

static tenon_status to_neg(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "core::neg", tenon_rw_operand(rw, n, 0)));
}
static tenon_status to_pong(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "acme::pong", tenon_rw_operand(rw, n, 0)));
}
static tenon_status to_ping(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "acme::ping", tenon_rw_operand(rw, n, 0)));
}
static tenon_status refuse(tenon_rewriter *rw, const tenon_node *n) {
  (void)n;
  return tenon_rw_fail(rw, "only on %s", "Sundays");
}

static const tenon_kernel_desc copy_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_copy",
    .types = "f32 -> f32",
    .run = copy_run,
};

#define OP(ident, name, ...)                          \
  static const tenon_op_desc ident = {                \
      .struct_size = sizeof(tenon_op_desc),           \
      .flags = TENON_OP_PURE,                         \
      .schema = "acme::" name "(Tensor x) -> Tensor", \
      .doc = "Of the tests.",                         \
      .infer = same_infer,                            \
      __VA_ARGS__}
OP(op_both, "both", .lower = to_neg,
   .kernels = (const tenon_kernel_desc *const[]){&copy_kernel, NULL});
OP(op_left, "left",
   .kernels = (const tenon_kernel_desc *const[]){&copy_kernel, NULL});
OP(op_right, "right",
   .kernels = (const tenon_kernel_desc *const[]){&copy_kernel, NULL});
OP(op_third, "third",
   .kernels = (const tenon_kernel_desc *const[]){&copy_kernel, NULL});
OP(op_soft, "soft", .lower = to_neg);
OP(op_ping, "ping", .lower = to_pong);
OP(op_pong, "pong", .lower = to_ping);
OP(op_picky, "picky", .lower = refuse);

// One for any operator, which says why not for complex numbers.
static bool by_daylight(const tenon_call *c) {
  if (c->in[0].dtype == TENON_C64)
    (void)tenon_call_fail(c, "only by daylight", 0, 0);
  return false;
}
static const tenon_kernel_desc daylight_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .op = "acme::*",
    .priority = -1,
    .symbol = "acme_daylight",
    .match = by_daylight,
    .run = copy_run,
};
OP(op_shy, "shy", .lower = to_neg);
static const tenon_op_desc op_uncovered = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .doc = "Of the tests.",
    .schema = "acme::uncovered(Tensor x) -> Tensor",
    .infer = same_infer,
};

// Fusions into an operator that has no kernel, and into one that has.
static const tenon_lowering_desc bad_fusion = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "acme left to ping",
    .op = "acme::left",
    .pass = "fuse",
    .lower = to_ping,
};
static tenon_status to_both(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(
      rw, n, tenon_rw_op1(rw, "acme::both", tenon_rw_operand(rw, n, 0)));
}
static const tenon_lowering_desc good_fusion = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "acme right to both",
    .op = "acme::right",
    .pass = "fuse",
    .lower = to_both,
};
static const tenon_lowering_desc inexact = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "acme third to both",
    .flags = TENON_LOWERING_INEXACT,
    .op = "acme::third",
    .pass = "fuse",
    .lower = to_both,
};

// A pass of the plugin's own, of everybody's element-wise operators.
static tenon_status to_operand(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(rw, n, tenon_rw_operand(rw, n, 0));
}
static const tenon_lowering_desc of_each = {
    .struct_size = sizeof(tenon_lowering_desc),
    .name = "acme element-wise to nothing",
    .flags = TENON_LOWERING_ELEMENTWISE,
    .op = "*",
    .pass = "away",
    .lower = to_operand,
};
static const tenon_pass_desc away = {
    .struct_size = sizeof(tenon_pass_desc),
    .name = "away",
    .doc = "Of the tests.",
};

static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops =
        (const tenon_op_desc *const[]){&op_both, &op_left, &op_right, &op_third,
                                       &op_soft, &op_ping, &op_pong, &op_picky,
                                       &op_shy, &op_uncovered, NULL},
    .kernels = (const tenon_kernel_desc *const[]){&daylight_kernel, NULL},
    .lowerings = (const tenon_lowering_desc *const[]){&bad_fusion, &good_fusion,
                                                      &inexact, &of_each, NULL},
    .passes = (const tenon_pass_desc *const[]){&away, NULL},
};

#define F(body) "module { %x = input f32[4]\n" body "\nreturn %y }"

static void keeps_what_is_covered(void **state) {
  static const struct {
    const char *text, *pipeline, *part;
  } rows[] = {
      {F("%y = acme::both(%x)"), "lower", "acme::both(%x)"},
      {F("%y = acme::both(%x)"), "lower[all=acme::both]", "core::neg(%x)"},
      {F("%y = acme::soft(%x)"), "lower", "core::neg(%x)"},
      {F("%a = acme::soft(%x)\n%y = acme::both(%a)"), "lower[all=acme::soft]",
       "acme::both(%a)"},
      {"module { %x = input s32[4]\n%y = acme::both(%x)\nreturn %y }", "lower",
       "core::neg(%x)"},
      {"module { %p = input bool\n%x = input f32[4]\n"
       "%y = core::cond(%p, [%x]) : f32[4] {\n"
       "(%t: f32[4]) { %u = acme::soft(%t)\nreturn %u }\n"
       "(%e: f32[4]) { return %e }\n}\nreturn %y }",
       "lower", "core::neg(%t)"},
      {F("%y = acme::nobody(%x) : f32[4]"), "lower", "acme::nobody(%x)"},
      {F("%y = acme::left(%x)"), "fuse", "acme::left(%x)"},
      {F("%y = acme::right(%x)"), "fuse", "acme::both(%x)"},
      {F("%y = acme::third(%x)"), "fuse", "acme::third(%x)"},
      {F("%a = core::exp(%x)\n%y = acme::left(%a)"), "away", "acme::left(%x)"},
  };
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    const char *after = model_after(&t, rows[i].text, rows[i].pipeline);
    CHECK(strstr(after, rows[i].part), "row %zu:\n%s", i, after);
  }
  model_close(&t);
}

// Operator NAME on type T, or else an addition of x to itself.
#define COMPOSITE(name, t)                                          \
  "module { %x = input " t "[4]\n%y = core::composite([%x]) : " t   \
  "[4] {\n(%a: " t "[4]) { %b = " name "(%a)\nreturn %b }\n(%c: " t \
  "[4]) { %d = core::add(%c, %c)\nreturn %d }\n}\nreturn %y }"

// A kernel or a lowering of the operator; else what it is made of. A lowering
// that refuses is no reason for that.
static void decides_composites(void **state) {
  static const struct {
    const char *text, *part;
  } rows[] = {
      {COMPOSITE("acme::left", "f32"), "= acme::left(%x)"},
      {COMPOSITE("acme::left", "s32"), "= core::add(%x, %x)"},
      {COMPOSITE("acme::soft", "f32"), "= core::neg(%x)"},
      {COMPOSITE("acme::both", "s32"), "= core::neg(%x)"},
      {COMPOSITE("acme::uncovered", "f32"), "= core::add(%x, %x)"},
      {COMPOSITE("acme::picky", "f32"), NULL},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, rows[i].text);
    tenon_status status = tenon_module_transform(m, "lower", NULL, NULL);
    if (rows[i].part) {
      CHECK(status == TENON_OK, "row %zu: %s", i, t.log.text);
      const char *after = model_print(&t, m);
      CHECK(strstr(after, rows[i].part), "row %zu:\n%s", i, after);
      CHECK(!strstr(after, "core::composite"), "row %zu:\n%s", i, after);
    } else {
      CHECK(status == TENON_UNSUPPORTED, "row %zu", i);
      CHECK_LOG(&t.log, "lower-fail", "only on Sundays", i);
    }
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static void says_what_goes_wrong(void **state) {
  static const struct {
    const char *text, *id, *part, *owner;
    tenon_status status;
  } rows[] = {
      {F("%y = acme::ping(%x)"), "pass-endless",
       "rewrites of pass 'lower' do not come to an end",
       "of plugin 'acme' replaced 'acme::pong'", TENON_BAD_PLUGIN},
      {F("%y = acme::picky(%x)"), "lower-fail", "only on Sundays", NULL,
       TENON_UNSUPPORTED},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, rows[i].text);
    tenon_status status = tenon_module_transform(m, "lower", NULL, NULL);
    CHECK(status == rows[i].status, "row %zu: %d\n%s", i, (int)status,
          t.log.text);
    CHECK_LOG(&t.log, rows[i].id, rows[i].part, i);
    if (rows[i].owner) CHECK_LOG(&t.log, rows[i].id, rows[i].owner, i);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

static void lists_what_nothing_covers(void **state) {
  test_model t;
  tenon_program *p = NULL;
  (void)state;
  model_open(&t, &acme);
  tenon_module *m = model_read(
      &t, F("%a = acme::nobody(%x) : f32[4]\n%b = acme::uncovered(%a)\n"
            "%c = acme::nobody(%b) : f32[4]\n%d = core::cast(%c) [dtype=s16]\n"
            "%e = core::exp(%d)\n%y = core::cast(%e) [dtype=f32]"));
  const tenon_entry entry = {NULL, m, NULL};
  assert_int_equal(tenon_program_compile(&entry, 1, NULL, &p),
                   TENON_UNSUPPORTED);
  assert_null(p);
  CHECK_LOG(&t.log, "unsupported-op",
            "4 nodes of 3 operators are not supported: 'acme::nobody' (2), "
            "'acme::uncovered' (1), 'core::exp' (1)",
            0);
  CHECK_LOG(&t.log, "unsupported-op", "no kernel for types 's16 -> s16' on c",
            1);
  CHECK_LOG(&t.log, "unsupported-op", "unknown operator", 2);
  assert_int_equal(t.log.errors, 1);
  tenon_module_destroy(m);
  model_close(&t);
}

// A lowering that refuses does not hide what comes behind it.
static void lists_what_lowerings_refuse(void **state) {
  test_model t;
  tenon_program *p = NULL;
  (void)state;
  model_open(&t, &acme);
  tenon_module *m =
      model_read(&t, F("%a = acme::picky(%x)\n%b = acme::nobody(%a) : f32[4]\n"
                       "%c = acme::picky(%b)\n%dead = acme::picky(%x)\n"
                       "%y = core::neg(%c)"));
  const tenon_entry entry = {NULL, m, NULL};
  assert_int_equal(tenon_program_compile(&entry, 1, NULL, &p),
                   TENON_UNSUPPORTED);
  CHECK_LOG(&t.log, "unsupported-op",
            "3 nodes of 2 operators are not supported: 'acme::picky' (2), "
            "'acme::nobody' (1)",
            0);
  CHECK_LOG(&t.log, "unsupported-op", "only on Sundays (2 times, also line 4",
            1);
  CHECK_LOG(&t.log, "unsupported-op", "unknown operator", 2);
  assert_int_equal(t.log.errors, 1);
  tenon_module_destroy(m);
  model_close(&t);
}

// What kernels said of a complex node is told with what became of it.
static void tells_what_kernels_said(void **state) {
  test_model t;
  tenon_program *p = NULL;
  (void)state;
  model_open(&t, &acme);
  tenon_module *m = model_read(
      &t, "module { %x = input c64[4]\n%y = acme::shy(%x)\nreturn %y }");
  const tenon_entry entry = {NULL, m, NULL};
  assert_int_equal(tenon_program_compile(&entry, 1, NULL, &p),
                   TENON_UNSUPPORTED);
  CHECK_LOG(&t.log, "unsupported-op",
            "'core::neg': complex numbers are not supported ('c64 -> c64'); "
            "'acme_daylight' is not for 'acme::shy': only by daylight",
            0);
  assert_int_equal(t.log.errors, 1);
  tenon_module_destroy(m);
  model_close(&t);
}

// However many nodes: so many notes, so many places.
static void is_bounded(void **state) {
  test_model t;
  tenon_program *p = NULL;
  tenon_buf text;
  tenon_allocator heap = tenon_heap();
  (void)state;
  model_open(&t, &acme);
  tenon_buf_init(&text, heap);
  tenon_buf_text(&text, "module { %x = input f32[4]\n");
  for (int i = 0; i < 100; ++i)
    tenon_buf_format(&text,
                     "%%b%d = acme::nobody%d(%%x) : f32[4]\n"
                     "%%a%d = acme::picky(%%b%d)\n",
                     i, i, i, i);
  tenon_buf_text(&text, "return ");
  for (int i = 0; i < 100; ++i)
    tenon_buf_format(&text, "%s%%a%d, %%b%d", i ? ", " : "", i, i);
  tenon_buf_text(&text, " }");
  tenon_module *m = model_read(&t, text.data);
  const tenon_entry entry = {NULL, m, NULL};
  assert_int_equal(tenon_program_compile(&entry, 1, NULL, &p),
                   TENON_UNSUPPORTED);
  CHECK_LOG(&t.log, "unsupported-op", "200 nodes of 101 operators", 0);
  CHECK_LOG(&t.log, "unsupported-op", "and 89 more", 1);
  CHECK_LOG(&t.log, "unsupported-op", "(100 times, also line 5", 2);
  CHECK_LOG(&t.log, "unsupported-op", "; ...)", 3);
  assert_int_equal(t.log.errors, 1);
  tenon_module_destroy(m);
  tenon_buf_deinit(&text);
  model_close(&t);
}

static tenon_status take(void *self, const char *file, const char *text,
                         size_t size) {
  (void)file;
  tenon_buf_add(self, text, size);
  return TENON_OK;
}

// What changes numbers is off unless asked for, and then it is listed.
static void changes_numbers_when_allowed(void **state) {
  static const char model[] = F("%y = acme::third(%x)");
  static const struct {
    uint32_t flags;
    const char *kernel, *said;
  } rows[] = {
      {0, "acme::third", "every operator is supported\n"},
      {TENON_COMPILE_INEXACT, "acme::both",
       "changes numbers\n  line 2, column 1  'acme::third': lowering 'acme "
       "third to both' of plugin acme\n"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    test_model t;
    tenon_program *p = NULL;
    tenon_buf text;
    tenon_allocator heap = tenon_heap();
    tenon_buf_init(&text, heap);
    model_open(&t, &acme);
    tenon_module *m = model_read(&t, model);
    const tenon_entry entry = {NULL, m, NULL};
    const tenon_compile_options o = {.struct_size = sizeof o,
                                     .flags = rows[i].flags};
    CHECK(tenon_program_compile(&entry, 1, &o, &p) == TENON_OK, "row %zu", i);
    CHECK(tenon_program_print(p, TENON_FORMAT_TEXT, 0, take, &text) == TENON_OK,
          "row %zu", i);
    CHECK(strstr(text.data, rows[i].kernel), "row %zu: %s", i, text.data);
    tenon_module_destroy(m);
    m = model_read(&t, model);
    tenon_buf_clear(&text);
    CHECK(tenon_module_explain(m, TENON_FORMAT_TEXT, rows[i].flags, take,
                               &text) == TENON_OK,
          "row %zu", i);
    CHECK(strstr(text.data, rows[i].said), "row %zu: %s", i, text.data);
    CHECK(!strstr(text.data, "changes numbers") == !rows[i].flags,
          "row %zu: %s", i, text.data);
    tenon_buf_deinit(&text);
    tenon_program_destroy(p);
    tenon_module_destroy(m);
    model_close(&t);
  }
}

TEST_GROUP(lower, cmocka_unit_test(keeps_what_is_covered),
           cmocka_unit_test(decides_composites),
           cmocka_unit_test(says_what_goes_wrong),
           cmocka_unit_test(lists_what_nothing_covers),
           cmocka_unit_test(lists_what_lowerings_refuse),
           cmocka_unit_test(tells_what_kernels_said),
           cmocka_unit_test(is_bounded),
           cmocka_unit_test(changes_numbers_when_allowed))
