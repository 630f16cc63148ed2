// Where values lie: work in place, views, lifetimes, branches, entries.
#include "harness/model.h"
#include "ir/graph.h"
#include "program/program.h"

#define F(body) "module { %x = input f32[16]\n" body " }"

static tenon_program *plan(test_model *t, const char *text) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = NO_PASSES};
  return model_compile(t, text, &o);
}

static const tenon_program_tensor *find(const tenon_program *p,
                                        const char *name) {
  for (uint32_t i = 0; i < p->n_tensors; ++i)
    if (strcmp(p->tensors[i].name, name) == 0) return &p->tensors[i];
  CHECK(false, "no tensor '%s'", name);
  return NULL;
}

static void shares_memory_where_nobody_minds(void **state) {
  static const struct {
    const char *text, *a, *b;
    bool is_same;
    uint32_t steps;
  } rows[] = {
      // In place, also along a chain.
      {F("%y = core::neg(%x)\nreturn %y"), "x", "y", true, 1},
      {F("%a = core::neg(%x)\n%y = core::exp(%a)\nreturn %y"), "x", "y", true,
       2},
      // The operand is read later, or returned.
      {F("%a = core::neg(%x)\n%y = core::add(%a, %x)\nreturn %y"), "x", "a",
       false, 2},
      {F("%y = core::neg(%x)\nreturn %y, %x"), "x", "y", false, 1},
      // Either operand of a sum, but not one that is smaller.
      {F("%c = const f32[16] {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}\n"
         "%y = core::sub(%c, %x)\nreturn %y"),
       "x", "y", true, 1},
      {"module { %x = input f32[1]\n%z = input f32[16]\n"
       "%y = core::sub(%x, %z)\nreturn %y, %z }",
       "x", "y", false, 1},
      // A kernel that cannot.
      {F("%y = core::pad(%x) [before=[0], after=[0]]\nreturn %y"), "x", "y",
       false, 1},
      // Views take no step, wherever they are read.
      {F("%y = core::reshape(%x) [shape=[4,4]]\nreturn %y"), "x", "y", true, 0},
      {F("%v = core::reshape(%x) [shape=[4,4]]\n%y = core::neg(%v)\nreturn %y"),
       "x", "y", true, 1},
      {F("%v = core::reshape(%x) [shape=[4,4]]\n%y = core::neg(%v)\n"
         "%z = core::exp(%x)\nreturn %y, %z"),
       "x", "y", false, 2},
      // Of a constant nothing is taken.
      {"module { %x = const f32[4] {1,2,3,4}\n%y = core::neg(%x)\nreturn %y }",
       "y", "y", true, 1},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i].text);
    const tenon_slot *a = &find(p, rows[i].a)->slot;
    const tenon_slot *b = &find(p, rows[i].b)->slot;
    CHECK(p->n_steps == rows[i].steps, "row %zu: %u steps", i, p->n_steps);
    CHECK((a->place == b->place && a->offset == b->offset) == rows[i].is_same,
          "row %zu", i);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

static void puts_windows_into_their_operand(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p =
      plan(&t, F("%a = core::slice(%x) [begin=[4], size=[8], step=[1]]\n"
                 "%b = core::slice(%a) [begin=[2], size=[4], step=[1]]\n"
                 "%c = core::slice(%x) [begin=[0], size=[4], step=[2]]\n"
                 "%y = core::add(%b, %c)\n%z = core::neg(%x)\nreturn %y, %z"));
  uint64_t x = find(p, "x")->slot.offset;
  assert_int_equal(find(p, "b")->slot.offset, x + 24);
  // One that is not dense is made.
  assert_int_equal(p->n_steps, 3);
  tenon_program_destroy(p);
  model_close(&t);
}

static void makes_what_stands_side_by_side_there(void **state) {
  static const struct {
    const char *text;
    uint32_t steps;
  } rows[] = {
      {F("%a = core::neg(%x)\n%b = core::exp(%x)\n"
         "%y = core::concat([%a, %b]) [axis=0]\nreturn %y"),
       2},
      // An input, what is computed in place, and what is read again later.
      {F("%a = core::neg(%x)\n%b = core::exp(%a)\n"
         "%y = core::concat([%x, %b]) [axis=0]\nreturn %y"),
       2},
      {F("%a = core::neg(%x)\n%b = core::exp(%x)\n"
         "%y = core::concat([%b, %a]) [axis=0]\n%z = core::neg(%a)\n"
         "return %y, %z"),
       3},
      // One in another.
      {F("%a = core::neg(%x)\n%b = core::exp(%x)\n%c = core::abs(%x)\n"
         "%v = core::concat([%a, %b]) [axis=0]\n"
         "%y = core::concat([%c, %v]) [axis=0]\nreturn %y"),
       3},
      // Twice the same, what is not dense there, a part of something.
      {F("%a = core::neg(%x)\n%y = core::concat([%a, %a]) [axis=0]\n"
         "return %y"),
       2},
      {"module { %x = input f32[2,4]\n%a = core::neg(%x)\n"
       "%y = core::concat([%x, %a]) [axis=1]\nreturn %y }",
       2},
      {F("%a = core::neg(%x)\n"
         "%b = core::slice(%x) [begin=[4], size=[8], step=[1]]\n"
         "%y = core::concat([%a, %b]) [axis=0]\nreturn %y"),
       2},
      {F("%c = const f32[2] {1,2}\n%a = core::neg(%x)\n"
         "%y = core::concat([%a, %c]) [axis=0]\nreturn %y"),
       2},
      // A state would be overwritten while it is read.
      {"module { state \"s\" : f32[4]\n%x = input f32[2]\n"
       "%s = core::state_read() [state=\"s\"] : f32[4]\n"
       "%a = core::neg(%x)\n%b = core::exp(%x)\n%z = core::abs(%s)\n"
       "%y = core::concat([%a, %b]) [axis=0]\n"
       "core::state_write(%y) [state=\"s\"]\nreturn %z }",
       5},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, rows) {
    tenon_program *p = plan(&t, rows[i].text);
    CHECK(p->n_steps == rows[i].steps, "row %zu: %u steps", i, p->n_steps);
    if (i == 0) {
      uint64_t y = find(p, "y")->slot.offset;
      assert_int_equal(find(p, "a")->slot.offset, y);
      assert_int_equal(find(p, "b")->slot.offset, y + 64);
    }
    tenon_program_destroy(p);
  }
  model_close(&t);
}

// Half of x is dead when the second half of y is made.
static void gives_back_parts(void **state) {
  static const char text[] =
      "module { %x = input f32[4,256]\n"
      "%a = core::slice(%x) [begin=[0,0], size=[2,256], step=[1,1]]\n"
      "%b = core::neg(%a)\n"
      "%c = core::slice(%x) [begin=[2,0], size=[2,256], step=[1,1]]\n"
      "%d = core::neg(%c)\n"
      "%y = core::concat([%b, %d]) [axis=0]\nreturn %y }";
  test_model t;
  tenon_program_stats s = {.struct_size = sizeof s};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, text);
  tenon_program_measure(p, &s);
  assert_int_equal(s.arena_bound, 6 * 1024);
  assert_int_equal(s.arena, 6 * 1024);
  assert_int_equal(s.steps, 2);
  assert_int_equal(p->n_spans, 4);
  tenon_program_destroy(p);
  model_close(&t);
}

static void reuses_memory_over_time(void **state) {
  static const char text[] =
      F("%a = core::concat([%x, %x]) [axis=0]\n"
        "%b = core::concat([%a, %a]) [axis=0]\n"
        "%c = core::slice(%b) [begin=[0], size=[8], step=[2]]\n"
        "%y = core::concat([%c, %c]) [axis=0]\nreturn %y");
  test_model t;
  tenon_program_stats s = {.struct_size = sizeof s};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, text);
  tenon_program_measure(p, &s);
  // a and b are the most that lives at once.
  assert_int_equal(s.arena_bound, 128 + 256);
  assert_int_equal(s.arena, 128 + 256);
  assert_int_equal(s.steps, 4);
  tenon_program_destroy(p);
  model_close(&t);
}

static void shares_the_arena_between_entries(void **state) {
  static const char text[] =
      "module { func @0 \"a\" (%x: f32[64]) {\n%y = core::neg(%x)\nreturn %y\n}"
      "\nfunc @1 \"b\" (%x: f32[64]) {\n%y = core::exp(%x)\nreturn %y\n}\n"
      "entry \"a\" = @0 (\"x\") -> (\"y\")\n"
      "entry \"b\" = @1 (\"x\") -> (\"y\") }";
  test_model t;
  tenon_program_stats s = {.struct_size = sizeof s};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, text);
  tenon_program_measure(p, &s);
  assert_int_equal(s.arena, 256);
  assert_int_equal(tenon_program_find(p, "b"), 1);
  assert_int_equal(tenon_program_find(p, "c"), -1);
  assert_int_equal(tenon_program_find(p, NULL), 0);
  tenon_program_destroy(p);
  model_close(&t);
}

// --- against a walk over everything ------------------------------------------

static const char *const models[] = {
    // Branches that return what they were given, constants, the same twice.
    "module { %p = input bool\n%x = input f32[4]\n%z = input f32[4]\n"
    "%c = const f32[4] {1, 2, 3, 4}\n"
    "%a, %b = core::cond(%p, [%x, %z]) : f32[4], f32[4] {\n"
    "(%t: f32[4], %u: f32[4]) { %v = core::add(%t, %u)\nreturn %v, %v }\n"
    "(%t: f32[4], %u: f32[4]) { return %u, %c }\n}\n"
    "%y = core::sub(%a, %b)\nreturn %y, %x, %a }",
    // Branches in branches, with values from around.
    "module { %p = input bool\n%q = input bool\n%x = input f32[4]\n"
    "%o = core::neg(%x)\n"
    "%a = core::cond(%p, [%x]) : f32[4] {\n(%t: f32[4]) {\n"
    "%b = core::cond(%q, [%t]) : f32[4] {\n"
    "(%u: f32[4]) { %v = core::mul(%u, %o)\nreturn %v }\n"
    "(%u: f32[4]) { return %o }\n}\n%w = core::exp(%b)\nreturn %w }\n"
    "(%t: f32[4]) { %r = core::reshape(%t) [shape=[2,2]]\n"
    "%s = core::reshape(%r) [shape=[4]]\nreturn %s }\n}\n"
    "%y = core::add(%a, %o)\nreturn %y, %a }",
    // Inputs, constants and views as outputs.
    "module { %x = input f32[4]\n%c = const f32[2] {1, 2}\n"
    "%v = core::slice(%x) [begin=[1], size=[2], step=[1]]\n"
    "%y = core::neg(%v)\nreturn %x, %c, %v, %y, %y }",
};

// All outputs are as when every step keeps what it made: an observer cannot
// tell, but running again with other inputs in the same memory would.
static void computes_the_same_however_planned(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    tenon_buf want, got;
    tenon_buf_init(&want, tenon_heap());
    tenon_buf_init(&got, tenon_heap());
    model_bits(&t, models[i], NO_PASSES, &want);
    model_bits(&t, models[i], tenon_default_pipeline(), &got);
    CHECK(want.size == got.size && memcmp(want.data, got.data, got.size) == 0,
          "row %zu", i);
    tenon_buf_deinit(&want);
    tenon_buf_deinit(&got);
  }
  model_close(&t);
}

static void takes_the_right_branch(void **state) {
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, models[0]);
  run_open(&r, p, 0, NULL);
  float *x = (float *)r.in[1].data, *z = (float *)r.in[2].data;
  for (int flag = 0; flag < 2; ++flag) {
    *(bool *)r.in[0].data = flag;
    x[0] = 5, x[1] = 6, z[0] = 7, z[1] = 9;
    assert_int_equal(run_once(&r), TENON_OK);
    const float *y = (const float *)r.out[0].data;
    const float *a = (const float *)r.out[2].data;
    CHECK(near(y[0], flag ? 0 : 6, 0) && near(y[1], flag ? 0 : 7, 0), "%d: %g",
          flag, (double)y[0]);
    CHECK(near(a[1], flag ? 15 : 9, 0), "%d", flag);
    CHECK(near(((const float *)r.out[1].data)[1], 6, 0), "%d", flag);
  }
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

// Large data in the bytes of the file is used where it lies; the same data
// elsewhere, or too near to the end, is copied.
static void leaves_weights_in_the_file(void **state) {
  static const char text[] =
      "module { %x = input f32[]\n%w = const f32[512,512] zeros\n"
      "%y = core::add(%w, %x)\nreturn %y }";
  static const size_t size = 512 * 512 * 4;
  test_model t;
  (void)state;
  model_open(&t, NULL);
  for (int k = 0; k < 3; ++k) {
    tenon_module *m = model_read(&t, text);
    const void *data = m->constants.data[0]->constant->data;
    const tenon_entry entry = {NULL, m, NULL};
    tenon_program *p = NULL;
    m->file = k == 0 ? data : k == 1 ? (const void *)text : data;
    m->file_size = k == 2 ? size + 63 : size + 64;
    assert_int_equal((uintptr_t)data % 64, 0);
    CHECK(tenon_program_compile(&entry, 1, NULL, &p) == TENON_OK, "%s",
          t.log.text);
    CHECK((p->constants[0].data == data) == (k == 0), "case %d", k);
    tenon_program_destroy(p);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

TEST_GROUP(plan, cmocka_unit_test(leaves_weights_in_the_file),
           cmocka_unit_test(shares_memory_where_nobody_minds),
           cmocka_unit_test(puts_windows_into_their_operand),
           cmocka_unit_test(makes_what_stands_side_by_side_there),
           cmocka_unit_test(gives_back_parts),
           cmocka_unit_test(reuses_memory_over_time),
           cmocka_unit_test(shares_the_arena_between_entries),
           cmocka_unit_test(computes_the_same_however_planned),
           cmocka_unit_test(takes_the_right_branch))
