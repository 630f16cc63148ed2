// States: what was read stays what it was, whatever is written when.
#include "harness/model.h"
#include "program/program.h"
#include "tenon/ext/plugin.h"

// Adds 1 to what it is given, in place.
static tenon_status bump_run(const tenon_call *c) {
  float *to = (float *)c->out[0].data;
  const float *from = (const float *)c->in[0].data;
  for (size_t i = 0; i < tenon_count(&c->out[0]); ++i)
    to[i] = from[i] + 1;
  return TENON_OK;
}
static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc bump = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_bump",
    .types = "f32 -> f32",
    .run = bump_run,
};
static const tenon_op_desc op_bump = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Adds one where it is.",
    .schema = "acme::bump(Tensor(a!) x) -> Tensor(a!)",
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&bump, NULL},
};
static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_bump, NULL},
};

#define READ(v) "%" v " = core::state_read() [state=\"s\"] : f32[1]\n"
#define WRITE(v) "core::state_write(%" v ") [state=\"s\"]\n"
#define ADD2(to, a, b) "%" to " = core::add(%" a ", %" b ")\n"
#define ADD(to, from) ADD2(to, from, "x")
#define VIEW(to, from) "%" to " = core::reshape(%" from ") [shape=[1,1]]\n"
#define BACK "%w = core::reshape(%v) [shape=[1]]\n%y = core::neg(%w)\n"
#define S(body, out)                                                 \
  "module { state \"s\" : f32[1] = {100}\n"                          \
  "func @0 \"main\" (%p: bool[], %x: f32[1]) {\n" body "return " out \
  "\n}\n"                                                            \
  "entry \"main\" = @0 (\"p\", \"x\") -> (\"y\") }"

// x is 1, then 2; p is true, then false.
static const struct {
  const char *text;
  float y[2], s[2];
} rows[] = {
    {S(READ("o") WRITE("x"), "%o"), {100, 1}, {1, 2}},
    {S(WRITE("x") READ("o"), "%o"), {1, 2}, {1, 2}},
    {S(READ("o") "%y = core::add(%o, %x)\n" WRITE("y"), "%y"),
     {101, 103},
     {101, 103}},
    // The old value is read after the new one was written.
    {S(READ("o") WRITE("x") "%y = core::add(%o, %x)\n", "%y"),
     {101, 3},
     {1, 2}},
    {S(READ("o") WRITE("x") READ("n") "%y = core::sub(%o, %n)\n", "%y"),
     {99, -1},
     {1, 2}},
    // A view of it, too.
    {S(READ("o") "%v = core::reshape(%o) [shape=[1,1]]\n" WRITE(
           "x") "%y = core::reshape(%v) [shape=[1]]\n",
       "%y"),
     {100, 1},
     {1, 2}},
    // Somebody's own copy is written, but not before the old value is read.
    {S(READ("o") "%c = core::copy(%x)\n%y = core::add(%o, %c)\n" WRITE("c"),
       "%y"),
     {101, 3},
     {1, 2}},
    {S(READ("o") "%c = core::copy(%x)\n%y = core::neg(%o)\n" WRITE("c"), "%y"),
     {-100, -1},
     {1, 2}},
    // What was read is written back after something else was.
    {S(READ("o") WRITE("x") READ("n") WRITE("o"), "%n"), {1, 2}, {100, 100}},
    {S(READ("o") WRITE("o"), "%o"), {100, 100}, {100, 100}},
    // In a branch.
    {S(READ("o") "%y = core::cond(%p, [%x]) : f32[1] {\n(%t: f32[1]) {\n" WRITE(
           "t") "%u = core::add(%t, %o)\nreturn %u }\n(%e: f32[1]) { return "
                "%o }\n}\n",
       "%y"),
     {101, 1},
     {1, 1}},
    {S("%y = core::cond(%p, [%x]) : f32[1] {\n(%t: f32[1]) {\n" READ(
           "o") "return %o }\n(%e: f32[1]) { return %e }\n}\n" WRITE("x"),
       "%y"),
     {100, 2},
     {1, 2}},
    // Written arguments: in the state's own memory, or in a copy of it.
    {S(READ("o") "%b = acme::bump(%o)\n", "%b"), {101, 102}, {101, 102}},
    {S(READ("o") "%k = core::neg(%o)\n%b = acme::bump(%o)\n"
                 "%y = core::add(%k, %b)\n",
       "%y"),
     {1, 1},
     {101, 102}},
    {S(READ("o") "%c = core::copy(%o)\n%b = acme::bump(%c)\n"
                 "%y = core::sub(%b, %o)\n",
       "%y"),
     {1, 1},
     {100, 100}},
    // Of what a view lies in, and the other way round.
    {S("%c = core::neg(%x)\n%v = core::reshape(%c) [shape=[1,1]]\n"
       "%b = acme::bump(%v)\n%d = core::reshape(%b) [shape=[1]]\n"
       "%y = core::sub(%d, %c)\n",
       "%y"),
     {1, 1},
     {100, 100}},
    {S("%c = core::neg(%x)\n%v = core::reshape(%c) [shape=[1,1]]\n"
       "%b = acme::bump(%c)\n%d = core::reshape(%v) [shape=[1]]\n"
       "%y = core::sub(%b, %d)\n",
       "%y"),
     {1, 1},
     {100, 100}},
    {S("%c = core::neg(%x)\n%d = core::neg(%c)\n%b = acme::bump(%c)\n"
       "%y = core::add(%b, %d)\n" WRITE("y"),
       "%y"),
     {1, 1},
     {1, 1}},
    // Made where the state lies, or not, as somebody still reads what was
    // there.
    {S(READ("o") ADD("n", "o") WRITE("n") "%y = core::neg(%n)\n", "%y"),
     {-101, -103},
     {101, 103}},
    {S(READ("o") ADD("m", "o") ADD("n", "m") WRITE("n") "%y = core::neg(%n)\n",
       "%y"),
     {-102, -106},
     {102, 106}},
    {S(READ("o") "%k = core::neg(%o)\n" ADD("n", "o")
           WRITE("n") "%y = core::add(%k, %n)\n",
       "%y"),
     {1, 2},
     {101, 103}},
    {S(READ("o") ADD("n", "o") "%y = core::sub(%n, %o)\n" WRITE("n"), "%y"),
     {1, 2},
     {101, 103}},
    {S(READ("o") ADD("n", "o") READ("q") WRITE("n") "%y = core::sub(%n, %q)\n",
       "%y"),
     {1, 2},
     {101, 103}},
    {S(READ("q") READ("o") ADD("n", "o") WRITE("n") "%y = core::sub(%n, %q)\n",
       "%y"),
     {1, 2},
     {101, 103}},
    {S(READ("o") ADD("n", "o") WRITE("n") READ("q") ADD("m", "q")
           WRITE("m") "%y = core::sub(%n, %m)\n",
       "%y"),
     {-1, -2},
     {102, 106}},
    {S(READ("o") ADD("n", "o") WRITE("x") WRITE("n") "%y = core::neg(%n)\n",
       "%y"),
     {-101, -103},
     {101, 103}},
    {S(READ("o") ADD("n", "o") WRITE("n") "%y = core::sub(%n, %x)\n" WRITE("x"),
       "%y"),
     {100, 1},
     {1, 2}},
    // Views of what lies there.
    {S(READ("o") ADD("n", "o") WRITE("n") VIEW("v", "n") BACK, "%y"),
     {-101, -103},
     {101, 103}},
    {S(READ("o") ADD("n", "o") WRITE("n") VIEW("v", "n") READ("q") ADD("m", "q")
           WRITE("m") BACK,
       "%y"),
     {-101, -104},
     {102, 106}},
    {S(READ("o") VIEW("v", "o") ADD("n", "o") BACK WRITE("n"), "%y"),
     {-100, -101},
     {101, 103}},
    {S(READ("o") VIEW("v", "o") WRITE("x") BACK, "%y"), {-100, -1}, {1, 2}},
    {S(READ("o") VIEW("v", "o") "%b = acme::bump(%o)\n" BACK, "%y"),
     {-100, -101},
     {101, 102}},
    // In a branch, and from round to round.
    {S("%y = core::cond(%p, [%x]) : f32[1] {\n(%t: f32[1]) {\n" READ("o")
           ADD2("n", "o", "t") WRITE("n") "%u = core::neg(%n)\nreturn %u }\n"
                                          "(%e: f32[1]) { return %e }\n}\n",
       "%y"),
     {-101, 2},
     {101, 101}},
    {S("%z = core::mul(%x, %x)\n"
       "%y = core::while([%z]) : f32[1] {\n(%c: f32[1]) {\n"
       "%s = core::sum(%c) [dims=[0]]\n%l = const f32[] {40}\n"
       "%f = core::lt(%s, %l)\nreturn %f }\n(%b: f32[1]) {\n" READ("o")
           ADD2("n", "o", "x") WRITE("n") "%d = core::add(%b, %n)\n"
                                          "return %d }\n}\n",
       "%y"),
     {102, 107},
     {101, 103}},
};

static void check(test_model *t, size_t i, const char *pipeline) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = pipeline};
  tenon_program *p = model_compile(t, rows[i].text, &o);
  test_run r;
  tenon_tensor s;
  run_open(&r, p, 0, NULL);
  size_t x = r.n_in - 1;
  for (int k = 0; k < 2; ++k) {
    *(bool *)r.in[0].data = k == 0;
    *(float *)r.in[x].data = (float)(k + 1);
    CHECK(run_once(&r) == TENON_OK, "row %zu", i);
    CHECK(tenon_session_state(r.session, "s", &s) == TENON_OK, "row %zu", i);
    float y = *(float *)r.out[0].data, now = *(float *)s.data;
    CHECK(near(y, rows[i].y[k], 0), "row %zu, run %d, '%s': y is %g", i, k,
          pipeline, (double)y);
    CHECK(near(now, rows[i].s[k], 0), "row %zu, run %d, '%s': s is %g", i, k,
          pipeline, (double)now);
  }
  run_close(&r);
  tenon_program_destroy(p);
}

static void keep_what_was_read(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    check(&t, i, NO_PASSES);
    check(&t, i, tenon_default_pipeline());
  }
  model_close(&t);
}

// A row of a cache is replaced where it lies, and nothing else is moved: also
// when it is looked at in another shape.
static void are_written_where_they_lie(void **state) {
  static const struct {
    const char *text;
    uint32_t steps;
  } plans[] = {
      {S(READ("o") ADD("n", "o") WRITE("n") "%y = core::neg(%n)\n", "%y"), 2},
      {S(READ("o") ADD("n", "o") WRITE("n") VIEW("v", "n") BACK, "%y"), 2},
      // What is returned is nobody's but the caller's.
      {S(READ("o") ADD("n", "o") WRITE("n"), "%n"), 2},
      // The old value is still read.
      {S(READ("o") ADD("n", "o") "%y = core::sub(%n, %o)\n" WRITE("n"), "%y"),
       3},
      {"module { state \"s\" : f32[4,2]\n"
       "func @0 \"main\" (%x: f32[1,2], %i: s64[1]) {\n"
       "%o = core::state_read() [state=\"s\"] : f32[4,2]\n"
       "%n = core::dynamic_update(%o, %x, %i) [axes=[0]]\n" WRITE(
           "n") "%v = core::reshape(%x) [shape=[2,1]]\n%y = core::matmul(%n, "
                "%v)\nreturn %y\n}\n"
                "entry \"main\" = @0 (\"x\", \"i\") -> (\"y\") }",
       2}};
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, plans) {
    tenon_compile_options o = {.struct_size = sizeof o};
    tenon_program *p = model_compile(&t, plans[i].text, &o);
    CHECK(p->n_steps == plans[i].steps, "row %zu: %u steps", i,
          (unsigned)p->n_steps);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

// A module that was planned once is planned again: its copies are there.
static void are_planned_twice(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    tenon_module *m = model_read(&t, rows[i].text);
    const tenon_entry entry = {NULL, m, NULL};
    for (int k = 0; k < 2; ++k) {
      tenon_compile_options o = {.struct_size = sizeof o,
                                 .pipeline = k ? "" : NO_PASSES};
      tenon_program *p = NULL;
      test_run r;
      CHECK(tenon_program_compile(&entry, 1, &o, &p) == TENON_OK, "row %zu\n%s",
            i, t.log.text);
      run_open(&r, p, 0, NULL);
      *(bool *)r.in[0].data = true;
      *(float *)r.in[r.n_in - 1].data = 1;
      CHECK(run_once(&r) == TENON_OK, "row %zu", i);
      CHECK(near(*(float *)r.out[0].data, rows[i].y[0], 0), "row %zu, time %d",
            i, k);
      run_close(&r);
      tenon_program_destroy(p);
    }
    tenon_module_destroy(m);
  }
  model_close(&t);
}

#define OTHER(type, value)                                                \
  "module { state \"s\" : " type " = {" value                             \
  "}\n"                                                                   \
  "func @0 \"other\" () {\n%o = core::state_read() [state=\"s\"] : " type \
  "\nreturn %o\n}\nentry \"other\" = @0 () -> (\"y\") }"

static void are_shared_where_they_agree(void **state) {
  static const struct {
    const char *text;
    tenon_status status;
  } others[] = {{OTHER("f32[1]", "100"), TENON_OK},
                {OTHER("f32[1]", "99"), TENON_CONFLICT},
                {OTHER("f32[2]", "100, 1"), TENON_CONFLICT},
                {OTHER("s32[1]", "100"), TENON_CONFLICT}};
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, others) {
    tenon_module *m = model_read(&t, rows[0].text);
    tenon_module *n = model_read(&t, others[i].text);
    const tenon_entry entries[] = {{NULL, m, NULL}, {NULL, n, NULL}};
    const char *const shared[] = {i % 2 ? "s" : "*", NULL};
    tenon_compile_options o = {.struct_size = sizeof o,
                               .shared_states = shared};
    tenon_program *p = NULL;
    tenon_status status = tenon_program_compile(entries, 2, &o, &p);
    CHECK(status == others[i].status, "row %zu: %d\n%s", i, (int)status,
          t.log.text);
    if (p) {
      assert_int_equal(p->n_states, 1);
      tenon_program_destroy(p);
    } else {
      CHECK_LOG(&t.log, "plan-state", "have a state 's'", i);
    }
    tenon_module_destroy(m);
    tenon_module_destroy(n);
  }
  model_close(&t);
}

// Whatever they are: each has its name behind that of its module's entry.
static void are_apart_elsewhere(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  tenon_module *m = model_read(&t, rows[0].text);
  tenon_module *n = model_read(&t, OTHER("f32[2]", "100, 1"));
  const tenon_entry entries[] = {{"a", m, NULL}, {NULL, n, NULL}};
  tenon_program *p = NULL;
  CHECK(tenon_program_compile(entries, 2, NULL, &p) == TENON_OK, "%s",
        t.log.text);
  assert_int_equal(p->n_states, 2);
  assert_string_equal(p->states[0].name, "a.s");
  assert_string_equal(p->states[1].name, "other.s");
  assert_int_equal(p->tensors[p->states[1].tensor].slot.offset, 16);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  tenon_module_destroy(n);
  model_close(&t);
}

TEST_GROUP(states, cmocka_unit_test(are_apart_elsewhere),
           cmocka_unit_test(keep_what_was_read),
           cmocka_unit_test(are_written_where_they_lie),
           cmocka_unit_test(are_planned_twice),
           cmocka_unit_test(are_shared_where_they_agree))
