// Inputs and outputs where the caller has them: less memory of the plan's, the
// same bits, and nothing written but outputs.
#include "harness/model.h"
#include "program/program.h"

static const char *const all[] = {"caller", NULL};

static tenon_program *plan(test_model *t, const char *text,
                           const char *const *io) {
  tenon_compile_options o = {
      .struct_size = sizeof o, .pipeline = NO_PASSES, .io = io};
  return model_compile(t, text, &o);
}

// Blocks at 64 bytes with a mark behind each.
enum { TAIL = 64, MARK = 0x5A };

static void move(tenon_tensor *t) {
  size_t size = run_bytes(t);
  unsigned char *block = (unsigned char *)tenon_heap_take(size + TAIL, 64);
  memset(block, 0, size);
  memset(block + size, MARK, TAIL);
  tenon_heap_give(t->data);
  t->data = block;
}

static void check_marks(const tenon_tensor *t, const char *text) {
  const unsigned char *end = (const unsigned char *)t->data + run_bytes(t);
  for (int i = 0; i < TAIL; ++i)
    CHECK(end[i] == MARK, "byte %d behind of\n%s", i, text);
}

static void open_run(test_run *r, const tenon_program *p) {
  run_open(r, p, 0, NULL);
  for (size_t i = 0; i < r->n_in; ++i)
    move(&r->in[i]);
  for (size_t i = 0; i < r->n_out; ++i)
    move(&r->out[i]);
}

// Three runs; inputs stay what they are.
static void run(const tenon_program *p, const char *text, tenon_buf *out) {
  test_run r;
  uint32_t seed = 11;
  tenon_buf before;
  tenon_buf_init(&before, tenon_heap());
  open_run(&r, p);
  for (int k = 0; k < 3; ++k) {
    tenon_buf_clear(&before);
    for (size_t i = 0; i < r.n_in; ++i) {
      run_fill(&r.in[i], &seed);
      tenon_buf_add(&before, (const char *)r.in[i].data, run_bytes(&r.in[i]));
    }
    CHECK(run_once(&r) == TENON_OK, "%s", text);
    const char *was = before.data;
    for (size_t i = 0; i < r.n_in; was += run_bytes(&r.in[i]), ++i) {
      CHECK(memcmp(r.in[i].data, was, run_bytes(&r.in[i])) == 0,
            "input %zu is written by\n%s", i, text);
      check_marks(&r.in[i], text);
    }
    for (size_t i = 0; i < r.n_out; ++i) {
      tenon_buf_add(out, (const char *)r.out[i].data, run_bytes(&r.out[i]));
      check_marks(&r.out[i], text);
    }
  }
  run_close(&r);
  tenon_buf_deinit(&before);
}

static const struct {
  const char *text;
  uint32_t ports;
  uint64_t arena;  // with them
} rows[] = {
    // One step from the one into the other.
    {"module { %x = input f32[64]\n%y = core::exp(%x)\nreturn %y }", 2, 0},
    // In place, but not over the input.
    {"module { %x = input f32[64]\n%a = core::exp(%x)\n%b = core::neg(%a)\n"
     "%y = core::abs(%b)\nreturn %y }",
     2, 0},
    {"module { %x = input f32[64]\n%a = core::exp(%x)\n"
     "%b = core::pad(%a) [before=[0], after=[64]]\n"
     "%y = core::sum(%b) [dims=[0]]\nreturn %y }",
     2, 256 + 512},
    // Views of an input are read where it lies.
    {"module { %x = input f32[8,8]\n"
     "%v = core::slice(%x) [begin=[2,0], size=[2,8], step=[1,1]]\n"
     "%y = core::exp(%v)\nreturn %y }",
     2, 0},
    // What is both, or a constant, is copied from where it is.
    {"module { %x = input f32[8]\nreturn %x }", 1, 0},
    {"module { %x = input f32[8]\n%c = const f32[2] {1, 2}\n"
     "%v = core::reshape(%x) [shape=[2,4]] : f32[2,4]\nreturn %v, %c }",
     1, 0},
    // Two outputs in one memory: the second is copied from the first.
    {"module { %x = input f32[8]\n%y = core::exp(%x)\n"
     "%v = core::reshape(%y) [shape=[2,4]] : f32[2,4]\nreturn %y, %v }",
     2, 0},
    // An output that others read, and one that is a part of it.
    {"module { %x = input f32[8]\n%y = core::exp(%x)\n"
     "%v = core::slice(%y) [begin=[0], size=[4], step=[1]]\n"
     "%z = core::neg(%y)\nreturn %z, %v, %y }",
     3, 0},
    // Made side by side in an output.
    {"module { %x = input f32[8]\n%a = core::exp(%x)\n%b = core::neg(%x)\n"
     "%y = core::concat(%a, %b) [axis=0]\nreturn %y }",
     2, 0},
    // The same input twice, and one that nobody reads.
    {"module { %x = input f32[8]\n%u = input f32[8]\n"
     "%y = core::concat(%x, %x) [axis=0]\nreturn %y }",
     3, 0},
    // A state holds what came in.
    {"module { state \"s\" : f32[8] = zeros\n%x = input f32[8]\n"
     "%o = core::state_read() [state=\"s\"] : f32[8]\n"
     "core::state_write(%x) [state=\"s\"]\n%y = core::add(%o, %x)\n"
     "return %y, %o }",
     3, 0},
};

static void changes_no_bit(void **state) {
  test_model t;
  tenon_buf want, got;
  (void)state;
  model_open(&t, NULL);
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_program *plain = plan(&t, rows[i].text, NULL);
    tenon_program *io = plan(&t, rows[i].text, all);
    tenon_buf_clear(&want);
    tenon_buf_clear(&got);
    run(plain, rows[i].text, &want);
    run(io, rows[i].text, &got);
    CHECK(want.size && want.size == got.size &&
              !memcmp(want.data, got.data, got.size),
          "row %zu", i);
    CHECK(plain->n_ports == 0 && io->n_ports == rows[i].ports,
          "row %zu: %u ports", i, io->n_ports);
    CHECK(io->arena_size == rows[i].arena, "row %zu: arena %llu", i,
          (unsigned long long)io->arena_size);
    CHECK(io->arena_size <= plain->arena_size, "row %zu", i);
    const tenon_program_ordering *o = &io->orderings[0];
    CHECK(o->bound <= o->peak, "row %zu: bound %llu of %llu", i,
          (unsigned long long)o->bound, (unsigned long long)o->peak);
    tenon_program_destroy(plain);
    tenon_program_destroy(io);
  }
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
  model_close(&t);
}

#define SUM                                         \
  "module { %a = input f32[8]\n%b = input f32[8]\n" \
  "%y = core::add(%a, %b)\n%z = core::sub(%a, %b)\nreturn %y, %z }"

// Names of inputs and outputs of a text are those of its values.
static void asks_by_name(void **state) {
  static const struct {
    const char *const io[4];
    uint32_t ports;  // bits: a, b, first output, second
  } cases[] = {
      {{"caller"}, 15},
      {{"input:*=caller"}, 3},
      {{"output:*=caller"}, 12},
      {{"caller", "a=plan"}, 14},
      {{"a=plan", "caller"}, 15},
      {{"b=caller", "z=caller"}, 10},
      {{"*=caller", "*=plan"}, 0},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, cases) {
    tenon_program *p = plan(&t, SUM, cases[i].io);
    uint32_t found = 0;
    for (uint32_t k = 0; k < p->n_ports; ++k)
      found |= 1u << (p->ports[k].index + (p->ports[k].is_output ? 2 : 0));
    CHECK(found == cases[i].ports, "row %zu: %u", i, found);
    tenon_program_destroy(p);
  }
  model_close(&t);
}

static void refuses_wrong_texts(void **state) {
  static const char *const wrong[][2] = {
      {"mine", "expected 'caller' or 'plan'"},
      {"=caller", "expected 'caller' or 'plan'"},
      {"a=", "expected 'caller' or 'plan'"},
      {"input:y=caller", "no input or output 'y'"},
      {"aa=caller", "did you mean 'a'?"},
  };
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, wrong) {
    const char *const io[] = {wrong[i][0], NULL};
    tenon_compile_options o = {.struct_size = sizeof o, .io = io};
    tenon_module *m = model_read(&t, SUM);
    const tenon_entry entry = {NULL, m, NULL};
    tenon_program *p = NULL;
    assert_int_equal(tenon_program_compile(&entry, 1, &o, &p),
                     TENON_BAD_ARGUMENT);
    CHECK_LOG(&t.log, "plan-io", wrong[i][1], i);
    tenon_module_destroy(m);
  }
  model_close(&t);
}

static void says_what_is_copied(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, "module { %x = input f32[8]\nreturn %x }",
                          (const char *const[]){"caller", NULL});
  CHECK_LOG(&t.log, "plan-io-kept", "it shares memory with another one", 0);
  tenon_program_destroy(p);
  model_close(&t);
}

static void looks_at_what_it_gets(void **state) {
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = plan(&t, SUM, all);
  open_run(&r, p);
  unsigned char *y = (unsigned char *)r.out[0].data;
  unsigned char *a = (unsigned char *)r.in[0].data;
  void *b = r.in[1].data;
  static const int32_t strides[] = {2};
  assert_int_equal(run_once(&r), TENON_OK);
  r.out[0].data = NULL;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_LOG(&t.log, "run-port", "expected data, found null", 0);
  r.out[0].data = y + 1;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_LOG(&t.log, "run-port", "a multiple of 4 bytes", 0);
  r.out[0].data = a + 28;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_LOG(&t.log, "run-port", "lies over 'a'", 0);
  r.out[0].data = r.out[1].data;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_LOG(&t.log, "run-port", "lies over 'z'", 0);
  r.out[0].data = y;
  r.in[0].strides = strides;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_LOG(&t.log, "run-input", "expected layout dense, found strides", 0);
  r.in[0].strides = NULL;
  // Inputs may be one memory.
  r.in[1].data = a;
  assert_int_equal(run_once(&r), TENON_OK);
  r.in[1].data = NULL;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  r.in[1].data = b;
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

TEST_GROUP(ports, cmocka_unit_test(changes_no_bit),
           cmocka_unit_test(asks_by_name),
           cmocka_unit_test(refuses_wrong_texts),
           cmocka_unit_test(says_what_is_copied),
           cmocka_unit_test(looks_at_what_it_gets))
