// fold, cse, dce, functional and inline.
#include "pass_rows.h"
#include "stranger.h"

#define F(body) "module { %x = input f32[4]\n" body "\nreturn %y }"

static void folds_constants(void **state) {
  static const pass_row rows[] = {
      {F("%a = const f32[4] {1, 2, 3, 4}\n%b = core::neg(%a)\n"
         "%c = core::square(%b)\n%y = core::add(%x, %c)"),
       "{1.0, 4.0, 9.0, 16.0}", "core::", 1},
      {F("%a = const f32[2] {1, 2}\n%b = core::concat([%a, %a]) [axis=0]\n"
         "%y = core::add(%x, %b)"),
       "{1.0, 2.0, 1.0, 2.0}", "core::concat", 0},
      // A kernel that packs.
      {F("%a = const s8[4]{1:0} {1, -2, 3, -128}\n"
         "%b = core::clamp(%a) [lo=0.0] : s8[4]{1:0}\n"
         "%c = core::dequantize(%b)\n%y = core::add(%x, %c)"),
       "{1.0, 0.0, 3.0, 0.0}", "core::clamp", 0},
      // One that fails does so again when it runs.
      {F("%a = const s32[1] {1}\n%z = const s32[1] {0}\n"
         "%b = core::div(%a, %z)\n%c = core::cast(%b) [dtype=f32]\n"
         "%y = core::add(%x, %c)"),
       "core::div(%a, %z)", "core::cast", 1},
      // Weights get a border, whatever their size.
      {"module { %x = input f32[1,48000]\n%a = const f32[1,1] {1}\n"
       "%b = core::pad(%a) [before=[0,0], after=[0,15999]]\n"
       "%c = core::pad(%b) [before=[0,0], after=[0,32000]]\n"
       "%y = core::add(%x, %c)\nreturn %y }",
       "core::add", "core::pad", 0},
      // Nothing grows much.
      {"module { %x = input f32[1,200000]\n%a = const f32[1,1] {1}\n"
       "%b = core::pad(%a) [before=[0,0], after=[0,199999]]\n"
       "%y = core::add(%x, %b)\nreturn %y }",
       "core::pad(%a)", "core::pad", 1},
      // Without elements there is nothing to compute, nor what it is made of.
      {"module { %x = input f32[0,4]\n"
       "%n = aten::_cudnn_init_dropout_state() [dropout=0.5, train=true, "
       "dropout_seed=1] : f32[4,3]\n"
       "%y = aten::mm(%x, %n) : f32[0,3]\nreturn %y }",
       "%y = const f32[0,3] {}", "aten::", 0},
      // But what is drawn is missed by the next draw.
      {F("%n = aten::randn() [size=[4]] : f32[4]\n%y = core::neg(%x)"),
       "aten::randn()", "aten::", 1},
      {F("%n = aten::randn() [size=[4]] : f32[4]\n%y = core::add(%x, %n)"),
       "aten::randn()", "aten::", 1},
      {F("%y = core::neg(%x)"), "core::neg(%x)", "core::", 1},
      {F("%n = acme::nobody() : f32[4]\n%y = core::add(%x, %n)"),
       "acme::nobody()", "core::", 1},
  };
  (void)state;
  check_rows("fold,dce", rows, COUNT(rows));
}

// Where there is a second-level cache, what costly functions are computed of
// may grow.
static void folds_functions_for_caches(void **state) {
  static const struct {
    const char *target, *body;
    size_t left;  // operators
  } rows[] = {
      {"x86-64-v3", "%m = core::mul(%a, %b)\n%e = core::exp(%m)\n", 1},
      {"aarch64", "%m = core::mul(%a, %b)\n%e = core::cos(%m)\n", 1},
      {"x86-64-v3",
       "%m = core::sub(%a, %b)\n%n = core::neg(%m)\n%e = core::exp(%n)\n", 1},
      {"c", "%m = core::mul(%a, %b)\n%e = core::exp(%m)\n", 3},
      {"cortex-m55", "%m = core::mul(%a, %b)\n%e = core::exp(%m)\n", 3},
      {"x86-64-v3", "%m = core::mul(%a, %b)\n%e = core::neg(%m)\n", 3},
      {"x86-64-v3",
       "%m = core::mul(%a, %b)\n%n = core::sub(%x, %m)\n"
       "%e = core::exp(%n)\n",
       4},
      {"x86-64-v3", "%m = core::mul(%a, %b)\n%e = acme::costly(%m)\n", 1},
      {"x86-64-v3", "%m = core::mul(%a, %b)\n%e = acme::bend(%m)\n", 3},
      {"c", "%m = core::mul(%a, %b)\n%e = acme::costly(%m)\n", 3}};
  test_model t;
  (void)state;
  model_open(&t, &stranger);
  EACH_ROW(i, rows) {
    char text[999];
    tenon_module *m = NULL;
    snprintf(text, sizeof text,
             "module { %%x = input f32[200,200]\n"
             "%%z = const f32[1,1] {0.5}\n"
             "%%a = core::expand(%%z) [shape=[200,1]]\n"
             "%%b = core::expand(%%z) [shape=[1,200]]\n%s"
             "%%y = core::add(%%x, %%e)\nreturn %%y }",
             rows[i].body);
    CHECK(tenon_module_read(t.cx, text, strlen(text), NULL, &m) == TENON_OK,
          "%s", t.log.text);
    assert_int_equal(tenon_module_set_target(m, rows[i].target), TENON_OK);
    assert_int_equal(tenon_module_transform(m, "fold,dce", NULL, NULL),
                     TENON_OK);
    const char *after = model_print(&t, m);
    CHECK(model_count(after, "::") == rows[i].left, "row %zu: not %zu in\n%s",
          i, rows[i].left, after);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

static void computes_equal_things_once(void **state) {
  static const pass_row rows[] = {
      {F("%a = core::neg(%x)\n%b = core::neg(%x)\n%y = core::add(%a, %b)"),
       "core::add(%a, %a)", "core::neg", 1},
      {F("%a = core::clamp(%x) [lo=0.0]\n%b = core::clamp(%x) [lo=1.0]\n"
         "%y = core::add(%a, %b)"),
       "core::add(%a, %b)", "core::clamp", 2},
      // Equal constants are one.
      {F("%c = const f32[4] {1, 2, 3, 4}\n%d = const f32[4] {1, 2, 3, 4}\n"
         "%a = core::add(%x, %c)\n%b = core::add(%x, %d)\n"
         "%y = core::mul(%a, %b)"),
       "core::mul(%a, %a)", "const", 1},
      // Of another type they are not, nor do zeros of another sign.
      {F("%c = const f32[1] {0}\n%d = const f32[1] {-0.0}\n"
         "%e = const f32[1,1] {0}\n%a = core::add(%x, %c)\n"
         "%b = core::add(%a, %d)\n%f = core::add(%b, %e)\n"
         "%y = core::reshape(%f) [shape=[4]]"),
       "core::add(%b, %e)", "const", 3},
      // What a branch computes may not run.
      {"module { %p = input bool\n%x = input f32[4]\n"
       "%y = core::cond(%p, [%x]) : f32[4] {\n"
       "(%t: f32[4]) { %u = core::neg(%x)\n%v = core::neg(%x)\n"
       "%w = core::mul(%u, %v)\nreturn %w }\n"
       "(%e: f32[4]) { return %e }\n}\n"
       "%z = core::neg(%x)\n%o = core::add(%y, %z)\nreturn %o }",
       "core::mul(%u, %u)", "core::neg", 2},
      // Nobody says that these are pure.
      {F("%a = acme::nobody(%x) : f32[4]\n%b = acme::nobody(%x) : f32[4]\n"
         "%y = core::add(%a, %b)"),
       "core::add(%a, %b)", "acme::nobody", 2},
  };
  (void)state;
  check_rows("cse,dce", rows, COUNT(rows));
}

#define STATE(body)                                                       \
  "module { state \"s\" : f32[4]\nfunc @0 \"main\" (%x: f32[4]) {\n" body \
  "\nreturn %y\n}\nentry \"main\" = @0 (\"x\") -> (\"y\") }"

static void drops_what_nobody_needs(void **state) {
  static const pass_row rows[] = {
      {F("%a = core::neg(%x)\n%b = core::exp(%a)\n%y = core::abs(%x)"),
       "core::abs(%x)", "core::", 1},
      {F("%c = const f32[1] {0}\n%b = core::add(%x, %c)\n%y = core::abs(%x)"),
       "core::abs(%x)", "const", 0},
      {F("%a = acme::nobody(%x) : f32[4]\n%y = core::abs(%x)"), "acme::nobody",
       "acme::nobody", 1},
      {STATE("%o = core::state_read() [state=\"s\"] : f32[4]\n"
             "%y = core::abs(%x)\ncore::state_write(%y) [state=\"s\"]"),
       "core::state_write(%y)", "core::state_read", 0},
      {"module { %p = input bool\n%x = input f32[4]\n"
       "%y = core::cond(%p, [%x]) : f32[4] {\n"
       "(%t: f32[4]) { %u = core::neg(%t)\n%v = core::exp(%t)\nreturn %u }\n"
       "(%e: f32[4]) { return %e }\n}\n"
       "%z = core::cond(%p, [%x]) : f32[4] {\n"
       "(%t: f32[4]) { %u = core::neg(%t)\nreturn %u }\n"
       "(%e: f32[4]) { return %e }\n}\nreturn %y }",
       "core::neg", "core::", 2},
      {"module { state \"s\" : f32[4]\n"
       "func @0 \"main\" (%p: bool[], %x: f32[4]) {\n"
       "%z = core::cond(%p, [%x]) : f32[4] {\n"
       "(%t: f32[4]) { core::state_write(%t) [state=\"s\"]\nreturn %t }\n"
       "(%e: f32[4]) { return %e }\n}\nreturn %x\n}\n"
       "entry \"main\" = @0 (\"p\", \"x\") -> (\"y\") }",
       "core::state_write", "core::cond", 1},
  };
  (void)state;
  check_rows("dce", rows, COUNT(rows));
}

static void puts_functions_where_they_are_called(void **state) {
  static const pass_row rows[] = {
      {"module { func @0 \"main\" (%x: f32[4]) {\n"
       "%a = core::call([%x]) [function=1] : f32[4]\n"
       "%y = core::call([%a]) [function=1] : f32[4]\nreturn %y\n}\n"
       "func @1 \"twice\" (%x: f32[4]) {\n"
       "%a = core::call([%x]) [function=2] : f32[4]\n"
       "%b = core::call([%a]) [function=2] : f32[4]\nreturn %b\n}\n"
       "func @2 \"neg\" (%x: f32[4]) {\n%y = core::neg(%x)\nreturn %y\n}\n"
       "entry \"main\" = @0 (\"x\") -> (\"y\") }",
       "core::neg(%x)", "core::neg", 4},
      // Entry points stay, also where they are called.
      {"module { func @0 \"main\" (%x: f32[4]) {\n"
       "%y = core::call([%x]) [function=1] : f32[4]\nreturn %y\n}\n"
       "func @1 \"same\" (%x: f32[4]) {\nreturn %x\n}\n"
       "entry \"main\" = @0 (\"x\") -> (\"y\")\n"
       "entry \"same\" = @1 (\"x\") -> (\"y\") }",
       "func @1 \"same\"", "core::call", 0},
  };
  (void)state;
  check_rows("inline", rows, COUNT(rows));
}

// --- written arguments -------------------------------------------------------

static tenon_status push_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_op_desc op_push = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "acme::push(Tensor(a!) buf, Tensor x) -> ()",
    .infer = push_infer,
};
static const tenon_op_desc op_bump = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_DECLARED,
    .schema = "acme::bump(Tensor(a!) x) -> Tensor(a!)",
    .infer = push_infer,
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_push, &op_bump, NULL},
};

static void makes_written_arguments_results(void **state) {
  static const struct {
    const char *text, *parts[3];
  } rows[] = {
      // Later uses see what was written, earlier ones what was.
      {F("%b = core::copy(%x)\n%e = core::neg(%b)\nacme::push(%b, %x)\n"
         "%y = core::add(%b, %e)"),
       {"= acme::push(%b, %x)", "core::neg(%b)", "core::add(%b~2, %e)"}},
      {F("%b = core::copy(%x)\n%c = acme::bump(%b)\n%y = core::add(%b, %c)"),
       {"%c = acme::bump(%b)", "core::add(%c, %c)", ""}},
      // A state is written back.
      {STATE("%o = core::state_read() [state=\"s\"] : f32[4]\n"
             "acme::push(%o, %x)\n%y = core::neg(%o)"),
       {"= acme::push(%o, %x)", "core::state_write(%o~2)", "core::neg(%o~2)"}},
  };
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    const char *after = model_after(&t, rows[i].text, "functional");
    for (int k = 0; k < 3; ++k)
      CHECK(strstr(after, rows[i].parts[k]), "row %zu: no '%s' in\n%s", i,
            rows[i].parts[k], after);
    // Once is enough.
    char *once = strdup(after);
    CHECK_TEXT(model_after(&t, once, "functional"), once, i);
    free(once);
  }
  model_close(&t);
}

// --- memory ------------------------------------------------------------------

static void survives_lack_of_memory(void **state) {
  static char text[] =
      "module { %x = input f32[1,4,4,1]\n%w = const f32[1,1,1,1] {2}\n"
      "%v = core::neg(%w)\n%b = const f32[1] {1}\n"
      "%p = core::pad(%x) [before=[0,1,1,0], after=[0,1,1,0]]\n"
      "%c = core::conv(%p, %v)\n%d = core::add(%c, %b)\n%y = core::relu(%d)\n"
      "%e = core::relu(%d)\n%f = core::add(%y, %e)\nreturn %f }";
  (void)state;
  model_sweep s = {.text = text};
  test_sweep(model_compiles, &s);
}

// Autocast rounds operands to the type that the file states for the result.
static void rounds_what_autocast_rounds(void **state) {
  static const pass_row rows[] = {
      {"module { %x = input f32[2,3]\n%w = input f32[3,4]\n"
       "%y = aten::matmul(%x, %w) : bf16[2,4]\nreturn %y }",
       "core::cast(%x) [dtype=bf16]", "core::cast", 5},
      {"module { %x = input bf16[2,3]\n%w = input f32[4,3]\n"
       "%y = aten::linear(%x, %w) : bf16[2,4]\nreturn %y }",
       "core::cast(%w) [dtype=bf16]", "core::cast", 4},
      {"module { %x = input f32[2,3]\n%w = input f32[3,4]\n"
       "%y = aten::matmul(%x, %w) : f32[2,4]\nreturn %y }",
       "core::matmul(%x, %w)", "core::cast", 0},
  };
  (void)state;
  check_rows("lower", rows, COUNT(rows));
}

TEST_GROUP(passes, cmocka_unit_test(rounds_what_autocast_rounds),
           cmocka_unit_test(folds_constants),
           cmocka_unit_test(folds_functions_for_caches),
           cmocka_unit_test(computes_equal_things_once),
           cmocka_unit_test(drops_what_nobody_needs),
           cmocka_unit_test(puts_functions_where_they_are_called),
           cmocka_unit_test(makes_written_arguments_results),
           cmocka_unit_test(survives_lack_of_memory))
