// Loops: what is carried keeps one address, and nobody reads what is gone.
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

// A loop of as many turns as %n says, over %u and %v, which begin as %x and %y.
#define LOOP(before, body, next, out)                                  \
  "module { state \"s\" : f32[1] = {100}\nconst %one : s32[] = {1}\n"  \
  "const %two : f32[1] = {2}\n"                                        \
  "func @0 \"main\" (%n: s32[], %x: f32[1], %y: f32[1]) {\n" before    \
  "%k, %a, %b = core::while([%n, %x, %y]) : s32[], f32[1], f32[1] {\n" \
  "(%i: s32[], %u: f32[1], %v: f32[1]) {\n"                            \
  "%f = core::cast(%i) [dtype=bool] : bool[]\nreturn %f }\n"           \
  "(%i: s32[], %u: f32[1], %v: f32[1]) {\n"                            \
  "%d = core::sub(%i, %one) : s32[]\n" body "return %d, " next         \
  " }\n}\nreturn " out                                                 \
  "\n}\nentry \"main\" = @0 (\"n\", \"x\", \"y\") -> (\"a\", \"b\") }"
#define READ(v) "%" v " = core::state_read() [state=\"s\"] : f32[1]\n"
#define WRITE(v) "core::state_write(%" v ") [state=\"s\"]\n"

// n is 0, then 3; x is 1 and y is 10 both times. `copies` are those beside the
// three that bring x, y and n to where the loop keeps them.
static const struct {
  const char *text;
  float a[2], b[2], s[2];
  size_t copies;
} rows[] = {
    // Each in its own place.
    {LOOP("", "%p = core::add(%u, %two)\n%q = core::neg(%v)\n", "%p, %q",
          "%a, %b"),
     {1, 7},
     {10, -10},
     {100, 100},
     0},
    {LOOP("", "", "%u, %v", "%a, %b"), {1, 1}, {10, 10}, {100, 100}, 0},
    // They change places.
    {LOOP("", "", "%v, %u", "%a, %b"), {1, 10}, {10, 1}, {100, 100}, 4},
    {LOOP("", "%p = core::add(%u, %v)\n", "%v, %p", "%a, %b"),
     {1, 21},
     {10, 32},
     {100, 100},
     3},
    {LOOP("", "", "%v, %v", "%a, %b"), {1, 10}, {10, 10}, {100, 100}, 2},
    // The old value is read after the new one was made.
    {LOOP("", "%p = core::add(%u, %two)\n%q = core::sub(%p, %u)\n", "%p, %q",
          "%a, %b"),
     {1, 7},
     {10, 2},
     {100, 100},
     1},
    // A view of it, too.
    {LOOP("",
          "%w = core::reshape(%u) [shape=[1,1]] : f32[1,1]\n"
          "%p = core::add(%u, %two)\n"
          "%r = core::reshape(%w) [shape=[1]] : f32[1]\n"
          "%q = core::add(%r, %v)\n",
          "%p, %q", "%a, %b"),
     {1, 7},
     {10, 19},
     {100, 100},
     1},
    // What comes from outside stays; so does a constant.
    {LOOP("%m = core::neg(%x)\n", "%p = core::add(%u, %m)\n", "%p, %two",
          "%a, %m"),
     {1, -2},
     {-1, -1},
     {100, 100},
     1},
    {LOOP("", "", "%y, %x", "%a, %b"), {1, 10}, {10, 1}, {100, 100}, 2},
    // Written arguments: of the carried value in place, of others in a copy.
    {LOOP("", "%p = acme::bump(%u)\n", "%p, %v", "%a, %b"),
     {1, 4},
     {10, 10},
     {100, 100},
     2},
    {LOOP("%m = core::neg(%x)\n", "%p = acme::bump(%m) functional\n", "%p, %v",
          "%a, %m"),
     {1, 0},
     {-1, -1},
     {100, 100},
     3},
    // States.
    {LOOP("", READ("o") "%p = core::add(%o, %v)\n" WRITE("p"), "%o, %v",
          "%a, %b"),
     {1, 120},
     {10, 10},
     {100, 130},
     4},
    {LOOP(READ("o"), "%p = core::add(%o, %u)\n" WRITE("p"), "%p, %v", "%a, %o"),
     {1, 301},
     {100, 100},
     {100, 301},
     2},
    // A branch in it, and a loop in it that reads what the outer one carries.
    {LOOP("",
          "%z = core::cast(%v) [dtype=bool] : bool[1]\n"
          "%c = core::cond(%z, [%u]) : f32[1] {\n"
          "(%t: f32[1]) { %g = core::add(%t, %v)\nreturn %g }\n"
          "(%t: f32[1]) { return %t }\n}\n",
          "%c, %v", "%a, %b"),
     {1, 31},
     {10, 10},
     {100, 100},
     2},
    {LOOP("",
          "%j, %w = core::while([%i, %u]) : s32[], f32[1] {\n"
          "(%l: s32[], %t: f32[1]) {\n"
          "%e = core::cast(%l) [dtype=bool] : bool[]\nreturn %e }\n"
          "(%l: s32[], %t: f32[1]) {\n%h = core::add(%t, %v)\n"
          "%g = core::sub(%l, %one)\nreturn %g, %h }\n}\n",
          "%w, %v", "%a, %b"),
     {1, 61},
     {10, 10},
     {100, 100},
     4},
};

static void check(test_model *t, size_t i, const char *pipeline) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = pipeline};
  tenon_program *p = model_compile(t, rows[i].text, &o);
  test_run r;
  tenon_tensor s;
  size_t copies = 0;
  for (uint32_t k = 0; k < p->n_steps; ++k)
    copies += strcmp(p->steps[k].op, "core::copy") == 0;
  if (strcmp(pipeline, NO_PASSES) == 0)
    CHECK(copies == rows[i].copies + 3, "row %zu: %zu copies", i, copies);
  run_open(&r, p, 0, NULL);
  for (int k = 0; k < 2; ++k) {
    assert_int_equal(tenon_session_reset(r.session), TENON_OK);
    *(int32_t *)r.in[0].data = k == 0 ? 0 : 3;
    *(float *)r.in[1].data = 1;
    *(float *)r.in[2].data = 10;
    CHECK(run_once(&r) == TENON_OK, "row %zu", i);
    CHECK(tenon_session_state(r.session, "s", &s) == TENON_OK, "row %zu", i);
    float a = *(float *)r.out[0].data, b = *(float *)r.out[1].data;
    float now = *(float *)s.data;
    CHECK(near(a, rows[i].a[k], 0) && near(b, rows[i].b[k], 0) &&
              near(now, rows[i].s[k], 0),
          "row %zu, run %d, '%s': %g, %g, state %g", i, k, pipeline, (double)a,
          (double)b, (double)now);
  }
  run_close(&r);
  tenon_program_destroy(p);
}

static void carry_what_they_should(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    check(&t, i, NO_PASSES);
    check(&t, i, tenon_default_pipeline());
  }
  model_close(&t);
}

// Planning adds copies to the module; a second time there is nothing to add.
static void plan_twice_alike(void **state) {
  test_model t;
  (void)state;
  model_open(&t, &acme);
  EACH_ROW(i, rows) {
    tenon_module *m = model_read(&t, rows[i].text);
    const tenon_entry entry = {NULL, m, NULL};
    uint32_t steps = 0;
    for (int k = 0; k < 2; ++k) {
      tenon_program *p = NULL;
      CHECK(tenon_program_compile(&entry, 1, NULL, &p) == TENON_OK, "%s",
            t.log.text);
      CHECK(k == 0 || steps == p->n_steps, "row %zu: %u, then %u steps", i,
            steps, p->n_steps);
      steps = p->n_steps;
      tenon_program_destroy(p);
    }
    tenon_module_destroy(m);
  }
  model_close(&t);
}

TEST_GROUP(loops, cmocka_unit_test(carry_what_they_should),
           cmocka_unit_test(plan_twice_alike))
