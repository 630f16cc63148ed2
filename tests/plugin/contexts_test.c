// Contexts beside each other: what one knows, another does not, and threads
// that use them at the same time see their own. Nothing here needs a compiler.
#include <pthread.h>

#include "harness/model.h"
#include "tenon/ext/plugin.h"

// One operator, two meanings.
static tenon_status infer(tenon_infer *c) {
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}
static void times(const tenon_call *c, float by) {
  for (size_t i = 0; i < tenon_count(&c->in[0]); ++i)
    ((float *)c->out[0].data)[i] = by * ((const float *)c->in[0].data)[i];
}
static tenon_status twice(const tenon_call *c) {
  times(c, 2);
  return TENON_OK;
}
static tenon_status thrice(const tenon_call *c) {
  times(c, 3);
  return TENON_OK;
}

#define PLUGIN(ident, function)                                              \
  static const tenon_kernel_desc ident##_kernel = {                          \
      .struct_size = sizeof(tenon_kernel_desc),                              \
      .symbol = "acme_" #ident,                                              \
      .types = "f32 -> f32",                                                 \
      .run = function};                                                      \
  static const tenon_op_desc ident##_op = {                                  \
      .struct_size = sizeof(tenon_op_desc),                                  \
      .flags = TENON_OP_PURE,                                                \
      .schema = "acme::scale(Tensor x) -> Tensor",                           \
      .doc = "Of the tests.",                                                \
      .infer = infer,                                                        \
      .kernels = (const tenon_kernel_desc *const[]){&ident##_kernel, NULL}}; \
  static const tenon_plugin ident = {                                        \
      TENON_PLUGIN_HEADER, .name = #ident, .version = "1",                   \
      .ops = (const tenon_op_desc *const[]){&ident##_op, NULL}}
PLUGIN(two, twice);
PLUGIN(three, thrice);

static tenon_status add(void *self, tenon_context *cx) {
  return tenon_context_add(cx, (const tenon_plugin *)self);
}
static tenon_status remove_exp(void *self, tenon_context *cx) {
  (void)self;
  return tenon_context_remove(cx, "core::exp");
}
static tenon_status give_up(void *self, tenon_context *cx) {
  (void)self;
  (void)cx;
  return TENON_UNSUPPORTED;
}

static tenon_context *make(test_log *log, const tenon_customiser *list,
                           tenon_status wanted) {
  tenon_context *cx = NULL;
  tenon_context_options o = {
      .struct_size = sizeof o, .diag = test_log_sink(log), .customisers = list};
  memset(log, 0, sizeof *log);
  tenon_status status = tenon_context_create(&o, &cx);
  CHECK(status == wanted, "%d: %s", (int)status, log->text);
  return cx;
}

// What a model of acme::scale makes of 1.5; negative: it failed.
static float result(tenon_context *cx) {
  static const char text[] =
      "module { %x = input f32[1]\n%y = acme::scale(%x)\nreturn %y }";
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  tenon_session *s = NULL;
  tenon_memory list[4];
  void *blocks[4] = {NULL};
  float x = 1.5f, y = -1;
  if (tenon_module_read(cx, text, sizeof text - 1, NULL, &m) != TENON_OK)
    return -1;
  const tenon_entry entry = {NULL, m, NULL};
  tenon_status status = tenon_program_compile(&entry, 1, NULL, &p);
  tenon_module_destroy(m);
  if (status != TENON_OK) return -2;
  size_t n = tenon_program_memory(p, 1, list, 4);
  for (size_t i = 0; i < n && i < 4; ++i)
    blocks[i] = aligned_alloc(64, (list[i].size + 63) / 64 * 64 + 64);
  tenon_session_options o = {.struct_size = sizeof o, .memory = blocks};
  int32_t dims[1] = {1};
  tenon_tensor in = {.data = &x, .dims = dims, .rank = 1, .dtype = TENON_F32};
  tenon_tensor out = {.data = &y, .dims = dims, .rank = 1, .dtype = TENON_F32};
  status = tenon_session_init(p, &o, &s);
  if (status == TENON_OK) status = tenon_session_run(s, 0, &in, 1, &out, 1);
  for (size_t i = 0; i < 4; ++i)
    free(blocks[i]);
  tenon_program_destroy(p);
  return status == TENON_OK ? y : -3;
}

static void customises_what_is_built(void **state) {
  test_log log;
  const tenon_customiser both[] = {
      {add, (void *)(uintptr_t)&two}, {remove_exp, NULL}, {NULL, NULL}};
  const tenon_customiser bad[] = {{give_up, NULL}, {NULL, NULL}};
  const tenon_customiser twice_the_name[] = {{add, (void *)(uintptr_t)&two},
                                             {add, (void *)(uintptr_t)&three},
                                             {NULL, NULL}};
  (void)state;
  tenon_context *cx = make(&log, both, TENON_OK);
  assert_true(
      tenon_context_find(cx, TENON_REGISTRY_OPS, "acme::scale", NULL, NULL));
  assert_false(
      tenon_context_find(cx, TENON_REGISTRY_OPS, "core::exp", NULL, NULL));
  tenon_context_destroy(cx);
  assert_null(make(&log, bad, TENON_UNSUPPORTED));
  assert_null(make(&log, twice_the_name, TENON_CONFLICT));
  CHECK_LOG(&log, "plugin-name-taken",
            "operator 'acme::scale' of plugin 'three' is defined by plugin "
            "'two' already",
            0);
}

typedef struct job {
  tenon_context *cx;  // null: one of its own
  const tenon_plugin *plugin;
  float wanted;
  int wrong;
} job;

#define THREADS 8
#define ROUNDS 12

static void *work(void *self) {
  job *j = (job *)self;
  for (int i = 0; i < ROUNDS; ++i) {
    test_log log;
    const tenon_customiser list[] = {{add, (void *)(uintptr_t)j->plugin},
                                     {NULL, NULL}};
    tenon_context *cx = j->cx ? j->cx : make(&log, list, TENON_OK);
    j->wrong += result(cx) != j->wanted;
    if (!j->cx) tenon_context_destroy(cx);
  }
  return NULL;
}

// Half of the threads use one context, half the other; or each makes its own.
static void threads_see_their_own(void **state) {
  test_log logs[2];
  const tenon_plugin *plugins[] = {&two, &three};
  tenon_context *contexts[2];
  (void)state;
  for (size_t i = 0; i < 2; ++i) {
    const tenon_customiser list[] = {{add, (void *)(uintptr_t)plugins[i]},
                                     {NULL, NULL}};
    contexts[i] = make(&logs[i], list, TENON_OK);
    assert_int_equal(tenon_context_freeze(contexts[i]), TENON_OK);
  }
  for (int own = 0; own < 2; ++own) {
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (size_t i = 0; i < THREADS; ++i) {
      jobs[i] = (job){own ? NULL : contexts[i % 2], plugins[i % 2],
                      i % 2 ? 4.5f : 3.0f, 0};
      assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
      assert_int_equal(pthread_join(threads[i], NULL), 0);
      CHECK(jobs[i].wrong == 0, "thread %zu: %d wrong", i, jobs[i].wrong);
    }
  }
  tenon_context_destroy(contexts[0]);
  tenon_context_destroy(contexts[1]);
}

static void tells_what_is_reserved(void **state) {
  (void)state;
  size_t n = 0;
  while (tenon_reserved_set(n))
    ++n;
  assert_true(n >= 6);
  assert_string_equal(tenon_reserved_set(0), "core");
  assert_null(tenon_reserved_set(n + 100));
}

TEST_GROUP(contexts, cmocka_unit_test(customises_what_is_built),
           cmocka_unit_test(threads_see_their_own),
           cmocka_unit_test(tells_what_is_reserved))
