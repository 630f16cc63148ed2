// Steps that are computed together, piece by piece: the bits are those of one
// step after the other, on any number of threads, with a stranger's operators
// among them.
#include "harness/model.h"
#include "program/program.h"
#include "tenon/ext/plugin.h"

// An element-wise operator whose kernel knows no ranges, and one that refuses a
// number.
TENON_KERNEL(test_bend_f32) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->out[0]);
  for (size_t i = 0; i < n; ++i)
    y[i] = x[i] < 0 ? x[i] * 0.125f : x[i] + 1;
  return TENON_OK;
}
TENON_KERNEL_RANGE(test_refuse_f32) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  for (int64_t i = begin; i < end; ++i) {
    if (x[i] > 1e6f)
      return tenon_call_fail(c, "element {0} is too large", i, 0);
    y[i] = x[i];
  }
  return TENON_OK;
}
// Row i of the result is made of rows i and i + 1: what another row has written
// must not be seen.
TENON_KERNEL_RANGE(test_blend_f32) {
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  const int32_t rows = c->out[0].dims[0], n = c->out[0].dims[1];
  for (int64_t r = 2 * begin; r < 2 * end && r < rows; ++r)
    for (int32_t k = 0; k < n; ++k)
      y[r * n + k] = x[r * n + k] + x[(r + 1) % rows * n + k];
  return TENON_OK;
}
static int64_t elements(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[0]);
}
static int64_t pairs_of_rows(const tenon_call *c) {
  return (c->out[0].dims[0] + 1) / 2;
}
static int64_t two_rows(const tenon_call *c, int64_t *items) {
  *items = 1;
  return 2 * (int64_t)c->out[0].dims[1];
}
static tenon_status like_x(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

#define DESC(s) .struct_size = sizeof(tenon_kernel_desc), .symbol = #s
static const tenon_kernel_desc bend_kernel = {
    DESC(test_bend_f32), .types = "f32 -> f32", .run = test_bend_f32,
    .in_place = TENON_IN_PLACE(0, 0)};
static const tenon_kernel_desc refuse_kernel = {
    DESC(test_refuse_f32), .types = "f32 -> f32", .run_range = test_refuse_f32,
    .items = elements};
static const tenon_kernel_desc blend_kernel = {
    DESC(test_blend_f32), .types = "f32 -> f32", .run_range = test_blend_f32,
    .items = pairs_of_rows, .extent = two_rows};
#define OP(name, its_flags, its_kernel)                \
  static const tenon_op_desc name = {                  \
      .struct_size = sizeof(tenon_op_desc),            \
      .flags = TENON_OP_PURE | (its_flags),            \
      .schema = "test::" #name "(Tensor x) -> Tensor", \
      .doc = "Of a test.",                             \
      .infer = like_x,                                 \
      .kernels = (const tenon_kernel_desc *const[]){&its_kernel, NULL}}
OP(bend, TENON_OP_ELEMENTWISE, bend_kernel);
OP(refuse, TENON_OP_ELEMENTWISE, refuse_kernel);
OP(blend, 0, blend_kernel);
static const tenon_plugin plugin = {
    TENON_PLUGIN_HEADER, .name = "test", .version = "1",
    .ops = (const tenon_op_desc *const[]){&bend, &refuse, &blend, NULL}};

#define M(body) "module { %x = input f32[37,600]\n" body " }"

static const struct {
  const char *name, *text;
  uint32_t joined;  // steps of the largest group
} rows[] = {
    {"a chain",
     M("%a = core::neg(%x)\n%b = test::bend(%a)\n%c = core::tanh(%b)\n"
       "return %c"),
     3},
    {"an operand that is read twice, and one that is repeated",
     M("%v = const f32[600] zeros\n%a = core::neg(%x)\n%b = core::tanh(%a)\n"
       "%c = core::mul(%a, %b)\n%d = core::add(%c, %v)\nreturn %d, %a"),
     4},
    {"elements of other sizes",
     M("%a = core::neg(%x)\n%b = core::cast(%a) [dtype=f64]\n"
       "%c = core::tanh(%b)\n%d = core::cast(%c) [dtype=f16]\nreturn %d"),
     0},
    {"a stranger's rows, and what is behind",
     M("%a = test::blend(%x)\n%b = test::bend(%a)\n%c = core::add(%b, %x)\n"
       "%d = test::blend(%c)\n%e = test::bend(%d)\nreturn %e, %c"),
     3},
    {"rows that another step could write where they are read",
     M("%a = core::neg(%x)\n%b = test::blend(%a)\n%c = core::exp(%b)\n"
       "%d = core::sub(%c, %b)\n%e = core::tanh(%d)\nreturn %e"),
     0},
    {"rows that are summed up, and numbers for each",
     M("%a = test::bend(%x)\n%m = core::mean(%a) [dims=[1], keepdim=true]\n"
       "%d = core::sub(%a, %m)\n%s = core::mul(%d, %d)\n"
       "%v = core::sum(%s) [dims=[-1]]\n%r = core::rsqrt(%v)\n"
       "%k = core::reshape(%r) [shape=[37,1]]\n%y = core::mul(%d, %k)\n"
       "%z = test::bend(%y)\nreturn %z, %m, %d, %s, %v"),
     8},
    {"numbers for each row that are of another row",
     M("%a = test::bend(%x)\n%m = core::mean(%a) [dims=[0], keepdim=true]\n"
       "%y = core::mul(%a, %m)\nreturn %y, %m"),
     0},
    {"as many numbers as rows, one for each column",
     M("%u = core::slice(%x) [begin=[0,0], size=[37,37], step=[1,1]]\n"
       "%a = test::bend(%u)\n%m = core::mean(%a) [dims=[1]]\n"
       "%y = core::mul(%a, %m)\nreturn %y, %m"),
     0},
    {"a product in rows, and a residue",
     M("%w = const f32[600,600] zeros\n%k = const f32[600] zeros\n"
       "%a = core::fully_connected(%x, %w, %k)\n%b = core::tanh(%a)\n"
       "%c = core::add(%b, %x)\nreturn %c"),
     0},
};

static tenon_status watch(void *self, const tenon_step_info *info) {
  *(uint32_t *)self += info->joined > 1;
  return TENON_OK;
}

static uint32_t largest(const tenon_program *p) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < p->n_steps; ++i)
    if (p->steps[i].joined > most) most = p->steps[i].joined;
  return most;
}

static tenon_program *compile(test_model *t, const char *text,
                              const char *target) {
  tenon_module *m = NULL;
  tenon_read_options how = {.struct_size = sizeof how, .name = "t.tenon"};
  CHECK(tenon_module_read(t->cx, text, strlen(text), &how, &m) == TENON_OK,
        "%s\n%s", text, t->log.text);
  const tenon_entry entry = {NULL, m, NULL};
  tenon_program *p = NULL;
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = NO_PASSES};
  CHECK(tenon_module_set_target(m, target) == TENON_OK, "%s", t->log.text);
  CHECK(tenon_program_compile(&entry, 1, &o, &p) == TENON_OK, "%s\n%s", text,
        t->log.text);
  tenon_module_destroy(m);
  return p;
}

static void run(const tenon_program *p, int threads, uint32_t flags,
                uint32_t *seen, tenon_buf *out) {
  tenon_session_options o = {.struct_size = sizeof o,
                             .flags = flags | TENON_SESSION_DIVIDE_ALL};
  tenon_pool *pool = NULL;
  test_run r;
  tenon_buf_clear(out);
  assert_int_equal(tenon_pool_create(NULL, threads, &pool), TENON_OK);
  if (threads > 1) o.parallel = tenon_pool_parallel(pool);
  if (seen) {
    o.observe = watch;
    o.observe_self = seen;
  }
  run_open(&r, p, 0, &o);
  run_append(&r, 3, out);
  run_close(&r);
  tenon_pool_destroy(pool);
}

static void give_the_same_bits(void **state) {
  static const char *const targets[] = {"host", "c"};
  test_model t;
  tenon_buf want, got;
  (void)state;
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  EACH_ROW(i, rows) {
    EACH_ROW(k, targets) {
      uint32_t alone = 0, together = 0;
      model_open(&t, &plugin);
      tenon_program *p = compile(&t, rows[i].text, targets[k]);
      CHECK(largest(p) >= rows[i].joined, "%s for %s: %u", rows[i].name,
            targets[k], largest(p));
      run(p, 1, 0, &alone, &want);
      CHECK(alone == 0, "%s: %u", rows[i].name, alone);
      for (int threads = 1; threads <= 7; threads += 2) {
        run(p, threads, 0, NULL, &got);
        CHECK(
            got.size == want.size && memcmp(got.data, want.data, got.size) == 0,
            "%s for %s, %d threads", rows[i].name, targets[k], threads);
      }
      run(p, 1, TENON_SESSION_OBSERVE_GROUPS, &together, &got);
      CHECK((together > 0) == (largest(p) > 1), "%s: %u", rows[i].name,
            together);
      CHECK(memcmp(got.data, want.data, want.size) == 0, "%s", rows[i].name);
      tenon_program_destroy(p);
      model_close(&t);
    }
  }
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
}

static void say_which_step_failed(void **state) {
  test_model t;
  (void)state;
  for (int threads = 1; threads <= 3; threads += 2) {
    tenon_session_options o = {.struct_size = sizeof o,
                               .flags = TENON_SESSION_DIVIDE_ALL};
    tenon_pool *pool = NULL;
    test_run r;
    model_open(&t, &plugin);
    tenon_program *p = compile(
        &t,
        M("%a = core::neg(%x)\n%b = test::refuse(%a)\n%c = test::bend(%b)\n"
          "return %c"),
        "c");
    assert_int_equal(largest(p), 3);
    assert_int_equal(tenon_pool_create(NULL, threads, &pool), TENON_OK);
    if (threads > 1) o.parallel = tenon_pool_parallel(pool);
    run_open(&r, p, 0, &o);
    assert_int_equal(run_once(&r), TENON_OK);
    ((float *)r.in[0].data)[20011] = -1e7f;
    assert_int_equal(run_once(&r), TENON_BAD_INPUT);
    CHECK_LOG(&t.log, "run-kernel", "element 20011 is too large", 0);
    run_close(&r);
    tenon_pool_destroy(pool);
    tenon_program_destroy(p);
    model_close(&t);
  }
}

TEST_GROUP(pieces, cmocka_unit_test(give_the_same_bits),
           cmocka_unit_test(say_which_step_failed))
