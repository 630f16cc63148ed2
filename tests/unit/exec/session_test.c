// Sessions: states, what is refused, what fails, who watches.
#include "harness/model.h"
#include "tenon/ext/plugin.h"

#define SUM                                                       \
  "module { state \"s\" : f32[2] = {1, 2}\n"                      \
  "func @0 \"main\" (%x: f32[2]) {\n"                             \
  "%o = core::state_read() [state=\"s\"] : f32[2]\n"              \
  "%y = core::add(%x, %o)\ncore::state_write(%y) [state=\"s\"]\n" \
  "return %y\n}\nentry \"main\" = @0 (\"x\") -> (\"y\") }"

static void set(test_run *r, float a, float b) {
  float *x = (float *)r->in[0].data;
  x[0] = a;
  x[1] = b;
}
static void check_out(const test_run *r, float a, float b) {
  const float *y = (const float *)r->out[0].data;
  CHECK(near(y[0], a, 0) && near(y[1], b, 0), "%g %g", (double)y[0],
        (double)y[1]);
}

static void keeps_states(void **state) {
  test_model t;
  test_run r;
  tenon_tensor s;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, SUM, NULL);
  run_open(&r, p, 0, NULL);
  set(&r, 10, 20);
  assert_int_equal(run_once(&r), TENON_OK);
  check_out(&r, 11, 22);
  assert_int_equal(run_once(&r), TENON_OK);
  check_out(&r, 21, 42);
  assert_int_equal(tenon_session_state(r.session, "s", &s), TENON_OK);
  assert_true(near(((float *)s.data)[1], 42, 0));
  ((float *)s.data)[0] = -10;
  assert_int_equal(run_once(&r), TENON_OK);
  check_out(&r, 0, 62);
  assert_int_equal(tenon_session_reset(r.session), TENON_OK);
  assert_int_equal(run_once(&r), TENON_OK);
  check_out(&r, 11, 22);
  assert_int_equal(tenon_session_state(r.session, "t", &s), TENON_BAD_ARGUMENT);
  CHECK_LOG(&t.log, "session-state", "no state 't'", 0);
  tenon_session_deinit(r.session);
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static void keeps_two_sessions_apart(void **state) {
  test_model t;
  test_run r[2];
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, SUM, NULL);
  for (int i = 0; i < 2; ++i) {
    run_open(&r[i], p, 0, NULL);
    set(&r[i], (float)i, 0);
  }
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i)
      assert_int_equal(run_once(&r[i]), TENON_OK);
  check_out(&r[0], 1, 2);
  check_out(&r[1], 4, 2);
  for (int i = 0; i < 2; ++i)
    run_close(&r[i]);
  tenon_program_destroy(p);
  model_close(&t);
}

// What becomes of them lies where they came from, strides included; the outputs
// are those of the values before.
static void writes_into_inputs(void **state) {
  static const char text[] =
      "module { %a = input f32[2]\n%x = input f32[2]\n"
      "%z = core::neg(%x)\n%y = core::add(%x, %a)\n"
      "return %y, %z into 1, %x into 0 }";
  float wide[] = {3, -1, 4, -1};
  int32_t strides[] = {2};
  tenon_io io[2];
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, text, NULL);
  assert_int_equal(tenon_program_io(p, 0, TENON_IO_INPUTS, io, 2), 2);
  assert_int_equal(io[0].flags, TENON_IO_WRITTEN);
  assert_int_equal(tenon_program_io(p, 0, TENON_IO_OUTPUTS, io, 2), 1);
  assert_int_equal(io[0].flags, 0);
  run_open(&r, p, 0, NULL);
  set(&r, 10, 20);
  float *a = (float *)r.in[0].data;
  tenon_tensor in[] = {r.in[0], r.in[1]};
  in[1].data = wide;
  in[1].strides = strides;
  assert_int_equal(tenon_session_run(r.session, 0, in, 2, r.out, 1), TENON_OK);
  check_out(&r, 13, 24);
  assert_true(near(a[0], 3, 0) && near(a[1], 4, 0));
  assert_true(near(wide[0], -3, 0) && near(wide[1], -1, 0));
  assert_true(near(wide[2], -4, 0) && near(wide[3], -1, 0));
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static void refuses_wrong_calls(void **state) {
  static int32_t wrong_dims[] = {3};
  static int32_t dims[] = {2};
  static float data[3];
  static const struct {
    int entry;
    size_t n_in, n_out;
    tenon_tensor in, out;
    tenon_status status;
    const char *id, *part;
  } rows[] = {
#define T(its_data, its_dims, its_dtype, its_rank) \
  {.data = its_data, .dims = its_dims, .dtype = its_dtype, .rank = its_rank}
#define GOOD T(data, dims, TENON_F32, 1)
      {0, 1, 1, T(data, dims, TENON_S32, 1), GOOD, TENON_BAD_INPUT, "run-input",
       "input 'x': expected element type f32, found s32"},
      {0, 1, 1, T(data, wrong_dims, TENON_F32, 1), GOOD, TENON_BAD_INPUT,
       "run-input", "input 'x': expected shape [2], found [3]"},
      {0, 1, 1, T(data, NULL, TENON_F32, 0), GOOD, TENON_BAD_INPUT, "run-input",
       "expected shape [2], found []"},
      {0, 1, 1, T(NULL, dims, TENON_F32, 1), GOOD, TENON_BAD_INPUT, "run-input",
       "expected data, not null, found null"},
      {0, 1, 1, GOOD, T(data, wrong_dims, TENON_F32, 1), TENON_BAD_INPUT,
       "run-output", "output 'y': expected shape [2], found [3]"},
      {0, 0, 1, GOOD, GOOD, TENON_BAD_INPUT, "run-count",
       "expected 1 inputs and 1 outputs, found 0 and 1"},
      {0, 1, 0, GOOD, GOOD, TENON_BAD_INPUT, "run-count", "found 1 and 0"},
      {1, 1, 1, GOOD, GOOD, TENON_BAD_ARGUMENT, "run-entry",
       "no entry point 1"},
      {-1, 1, 1, GOOD, GOOD, TENON_BAD_ARGUMENT, "run-entry", "-1"},
  };
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, SUM, NULL);
  run_open(&r, p, 0, NULL);
  EACH_ROW(i, rows) {
    tenon_tensor out = rows[i].out;
    tenon_status status =
        tenon_session_run(r.session, rows[i].entry, &rows[i].in, rows[i].n_in,
                          &out, rows[i].n_out);
    CHECK(status == rows[i].status, "row %zu: %d", i, (int)status);
    CHECK_LOG(&t.log, rows[i].id, rows[i].part, i);
    CHECK(t.log.errors == (int)i + 1, "row %zu:\n%s", i, t.log.text);
  }
  // Nothing of it has moved the state.
  set(&r, 1, 1);
  assert_int_equal(run_once(&r), TENON_OK);
  check_out(&r, 2, 3);
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static void reads_strides_and_leaves_outputs(void **state) {
  static const char text[] =
      "module { %x = input f32[2,2]\n%y = core::neg(%x)\nreturn %y }";
  float data[] = {1, 2, 3, 4}, back[8] = {0};
  int32_t dims[] = {2, 2}, strides[] = {1, 2}, wide[] = {-4, 1};
  tenon_tensor in = {.data = data,
                     .dims = dims,
                     .strides = strides,
                     .dtype = TENON_F32,
                     .rank = 2};
  tenon_tensor left = {0}, out = in;
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, text, NULL);
  run_open(&r, p, 0, NULL);
  assert_int_equal(tenon_session_run(r.session, 0, &in, 1, &left, 1), TENON_OK);
  assert_true(near(((float *)left.data)[1], -3, 0));
  assert_int_equal(left.rank, 2);
  out.data = back + 4;
  out.strides = wide;
  assert_int_equal(tenon_session_run(r.session, 0, &in, 1, &out, 1), TENON_OK);
  assert_true(near(back[4], -1, 0) && near(back[5], -3, 0));
  assert_true(near(back[0], -2, 0) && near(back[1], -4, 0));
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static void refuses_bad_memory(void **state) {
  test_model t;
  tenon_session *s = NULL;
  _Alignas(64) static unsigned char bytes[128];
  void *rows[][3] = {{NULL, bytes, bytes}, {bytes, bytes + 4, bytes}};
  (void)state;
  model_open(&t, NULL);
  tenon_program *p = model_compile(&t, SUM, NULL);
  EACH_ROW(i, rows) {
    tenon_session_options o = {.struct_size = sizeof o, .memory = rows[i]};
    CHECK(tenon_session_init(p, &o, &s) == TENON_BAD_ARGUMENT, "row %zu", i);
    CHECK_LOG(&t.log, "session-memory", i ? "not aligned" : "null", i);
    assert_null(s);
  }
  tenon_program_destroy(p);
  model_close(&t);
}

// --- kernels that fail, and who watches --------------------------------------

static tenon_status pick_run(const tenon_call *c) {
  const int32_t *x = (const int32_t *)c->in[0].data;
  if (x[0] > 9) return tenon_call_fail(c, "index {0} is beyond {1}", x[0], -9);
  memcpy(c->out[0].data, x, 4 * tenon_count(&c->out[0]));
  return TENON_OK;
}
static tenon_status same_infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static const tenon_kernel_desc pick = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_pick",
    .types = "s32 -> s32",
    .run = pick_run,
};
static const tenon_op_desc op_pick = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Fails beyond nine.",
    .schema = "acme::pick(Tensor x) -> Tensor",
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&pick, NULL},
};
// What the kernel sees of its second operand, and whether that is a number.
static tenon_status told_run(const tenon_call *c) {
  ((int32_t *)c->out[0].data)[0] = c->in[1].flags;
  ((int32_t *)c->out[0].data)[1] = c->in[0].flags;
  return TENON_OK;
}
static bool told_match(const tenon_call *c) {
  return c->in[1].flags == TENON_TENSOR_NUMBER || c->in[1].rank > 0;
}
static const tenon_kernel_desc told = {
    .struct_size = sizeof(tenon_kernel_desc),
    .symbol = "acme_told",
    .types = "s32, T -> s32",
    .match = told_match,
    .run = told_run,
};
static const tenon_op_desc op_told = {
    .struct_size = sizeof(tenon_op_desc),
    .doc = "Flags.",
    .schema = "acme::told(Tensor x, Tensor y) -> Tensor",
    .infer = same_infer,
    .kernels = (const tenon_kernel_desc *const[]){&told, NULL},
};

static const tenon_plugin acme = {
    TENON_PLUGIN_HEADER,
    .name = "acme",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&op_pick, &op_told, NULL},
};
#define PICK                                                       \
  "module { %x = input s32[2]\n%a = core::neg(%x)\n"               \
  "%y = acme::pick(%x) @\"op 7 (PICK)\"\n%z = core::add(%y, %a)\n" \
  "return %z }"

static void fails_in_the_words_of_the_kernel(void **state) {
  test_model t;
  test_run r;
  (void)state;
  model_open(&t, &acme);
  tenon_program *p = model_compile(&t, PICK, NULL);
  run_open(&r, p, 0, NULL);
  int32_t *x = (int32_t *)r.in[0].data;
  x[0] = 10;
  assert_int_equal(run_once(&r), TENON_BAD_INPUT);
  CHECK_TEXT(t.log.text,
             "error [run-kernel] t.tenon: op 7 (PICK): 'acme::pick', kernel "
             "'acme_pick' of plugin 'acme': index 10 is beyond -9\n",
             0);
  x[0] = 9;
  assert_int_equal(run_once(&r), TENON_OK);
  assert_int_equal(((int32_t *)r.out[0].data)[0], 0);
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

static const char numbers[] =
    "module { %x = input s32[2]\nconst %n : f64[]! = {0.5}\n"
    "%y = acme::told(%x, %n)\n%z = acme::told(%x, %x)\nreturn %y, %z }";

static void check_numbers(test_model *t, tenon_program *p) {
  test_run r;
  run_open(&r, p, 0, NULL);
  CHECK(run_once(&r) == TENON_OK, "%s", t->log.text);
  const int32_t *y = (const int32_t *)r.out[0].data;
  const int32_t *z = (const int32_t *)r.out[1].data;
  assert_int_equal(y[0], TENON_TENSOR_NUMBER);
  assert_int_equal(y[1], 0);
  assert_int_equal(z[0], 0);
  run_close(&r);
}

// Compiled, and from a file.
static void tells_numbers_from_tensors(void **state) {
  const tenon_compile_options o = {.struct_size = sizeof o,
                                   .flags = TENON_COMPILE_SAVABLE};
  test_model t;
  tenon_buf file;
  tenon_program *again = NULL;
  (void)state;
  model_open(&t, &acme);
  tenon_buf_init(&file, tenon_heap());
  tenon_program *p = model_compile(&t, numbers, &o);
  check_numbers(&t, p);
  CHECK(tenon_program_save(p, 0, model_take, &file) == TENON_OK &&
            tenon_program_load(t.cx, file.data, file.size, "t.tnp", 0,
                               &again) == TENON_OK,
        "%s", t.log.text);
  check_numbers(&t, again);
  tenon_program_destroy(again);
  tenon_program_destroy(p);
  tenon_buf_deinit(&file);
  model_close(&t);
}

typedef struct watch {
  char text[256];
  int stop_at;
} watch;
static tenon_status look(void *self, const tenon_step_info *i) {
  watch *w = (watch *)self;
  size_t at = strlen(w->text);
  snprintf(w->text + at, sizeof w->text - at, "%s%s %s %s=%d", at ? "; " : "",
           i->op, i->kernel, i->n_out ? i->names[0] : "",
           i->n_out ? ((const int32_t *)i->out[0].data)[1] : 0);
  return --w->stop_at == 0 ? TENON_NO_SPACE : TENON_OK;
}

static void tells_observers(void **state) {
  test_model t;
  test_run r;
  watch w = {{0}, 0};
  tenon_session_options o = {
      .struct_size = sizeof o, .observe = look, .observe_self = &w};
  (void)state;
  model_open(&t, &acme);
  const tenon_compile_options kept = {.struct_size = sizeof kept,
                                      .flags = TENON_COMPILE_KEEP_ORDER};
  tenon_program *p = model_compile(&t, PICK, &kept);
  run_open(&r, p, 0, &o);
  ((int32_t *)r.in[0].data)[1] = 5;
  assert_int_equal(run_once(&r), TENON_OK);
  CHECK_TEXT(w.text,
             "core::neg tenon_k_neg_s32_ref a=-5; acme::pick acme_pick y=5; "
             "core::add tenon_k_add_s32_ref z=0",
             0);
  memset(&w, 0, sizeof w);
  w.stop_at = 2;
  assert_int_equal(run_once(&r), TENON_NO_SPACE);
  assert_non_null(strstr(w.text, "acme::pick"));
  assert_null(strstr(w.text, "core::add"));
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
}

// --- memory ------------------------------------------------------------------

static void allocates_nothing(void **state) {
  tenon_heap_probe probe = {.below = tenon_heap()};
  tenon_allocator allocator = tenon_heap_probed(&probe);
  test_model t;
  test_run r;
  tenon_tensor s;
  (void)state;
  assert_true(model_try(&t, NULL, &allocator));
  tenon_program *p = model_compile(&t, SUM, NULL);
  size_t calls = probe.calls;
  run_open(&r, p, 0, NULL);
  for (int i = 0; i < 3; ++i)
    assert_int_equal(run_once(&r), TENON_OK);
  assert_int_equal(tenon_session_state(r.session, "s", &s), TENON_OK);
  assert_int_equal(tenon_session_reset(r.session), TENON_OK);
  tenon_session_deinit(r.session);
  assert_int_equal(probe.calls, calls);
  run_close(&r);
  tenon_program_destroy(p);
  model_close(&t);
  assert_int_equal(probe.live, 0);
}

TEST_GROUP(session, cmocka_unit_test(keeps_states),
           cmocka_unit_test(keeps_two_sessions_apart),
           cmocka_unit_test(refuses_wrong_calls),
           cmocka_unit_test(writes_into_inputs),
           cmocka_unit_test(reads_strides_and_leaves_outputs),
           cmocka_unit_test(refuses_bad_memory),
           cmocka_unit_test(fails_in_the_words_of_the_kernel),
           cmocka_unit_test(tells_numbers_from_tensors),
           cmocka_unit_test(tells_observers),
           cmocka_unit_test(allocates_nothing))
