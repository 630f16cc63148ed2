// Contexts beside each other: what one knows, another does not, and threads
// that use them at the same time see their own. Nothing here needs a compiler.
#include <pthread.h>

#include "harness/model.h"
#include "tenon/ext/package.h"
#include "tenon/ext/pass.h"
#include "tenon/ext/plugin.h"
#include "tenon/ext/reader.h"
#include "tenon/ext/target.h"

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

// One of each kind under a name that this build has. An operator's attribute
// struct and lowering come and go with it; a kernel's name is its symbol.
static tenon_status lower(tenon_rewriter *rw, const tenon_node *n) {
  return tenon_rw_replace(rw, n, tenon_rw_operand(rw, n, 0));
}
static bool recognise(const void *data, size_t size) {
  return size > 6 && memcmp(data, "module", 6) == 0;
}
static tenon_status read_nothing(tenon_reading *r) {
  return r->api->fail(r, 0, "of the tests");
}
#define DESC(ident, type, ...)                                          \
  static const type ident = {.struct_size = sizeof ident, __VA_ARGS__}; \
  static const type ident##_asking = {                                  \
      .struct_size = sizeof ident, .flags = OVERRIDES, __VA_ARGS__}
#define OVERRIDES TENON_OP_PURE | TENON_OP_OVERRIDES
DESC(op, tenon_op_desc, .schema = "core::exp(Tensor x) -> Tensor",
     .doc = "Of the tests.", .infer = infer, .lower = lower);
#undef OVERRIDES
#define OVERRIDES TENON_KERNEL_OVERRIDES
DESC(kernel, tenon_kernel_desc, .op = "core::exp",
     .symbol = "tenon_k_exp_f32_ref", .types = "f32 -> f32", .run = twice);
#undef OVERRIDES
#define OVERRIDES TENON_LOWERING_OVERRIDES
DESC(lowering, tenon_lowering_desc, .name = "of the tests", .op = "core::relu",
     .lower = lower);
#undef OVERRIDES
#define OVERRIDES TENON_PASS_OVERRIDES
DESC(pass, tenon_pass_desc, .name = "dce", .doc = "Of the tests.");
#undef OVERRIDES
#define OVERRIDES TENON_READER_OVERRIDES
DESC(reader, tenon_reader_desc, .name = "text", .doc = "Of the tests.",
     .recognise = recognise, .read = read_nothing);
#undef OVERRIDES
#define OVERRIDES TENON_TARGET_OVERRIDES
DESC(target, tenon_target_desc, .name = "c", .doc = "Of the tests.",
     .memories = "sram=64K");
#undef OVERRIDES
#define OVERRIDES TENON_PACKAGE_OVERRIDES
DESC(package, tenon_package_desc, .name = "cmake", .doc = "Of the tests.");
#undef OVERRIDES

#define ONE(member, type, ident)                             \
  {                                                          \
    {TENON_PLUGIN_HEADER, .name = "theirs", .version = "1",  \
     .member = (const type *const[]){&ident, NULL}},         \
    {                                                        \
      TENON_PLUGIN_HEADER, .name = "theirs", .version = "1", \
                           .member = (const type *const[]) { \
        &ident##_asking, NULL                                \
      }                                                      \
    }                                                        \
  }
typedef struct kind_row {
  uint32_t kind;
  const char *name, *allow, *remove;  // remove: as a customiser says it
  tenon_plugin plugins[2];            // without and with the author's consent
} kind_row;
static const kind_row kind_rows[] = {
    {TENON_REGISTRY_OPS, "core::exp", "core::exp", "core::exp",
     ONE(ops, tenon_op_desc, op)},
    {TENON_REGISTRY_KERNELS, "tenon_k_exp_f32_ref", "tenon_k_exp_f32_ref",
     "kernel tenon_k_exp_f32_ref", ONE(kernels, tenon_kernel_desc, kernel)},
    {TENON_REGISTRY_LOWERINGS, "of the tests", "core::relu",
     "lowering of the tests", ONE(lowerings, tenon_lowering_desc, lowering)},
    {TENON_REGISTRY_PASSES, "dce", "dce", "pass dce",
     ONE(passes, tenon_pass_desc, pass)},
    {TENON_REGISTRY_READERS, "text", "text", "reader text",
     ONE(readers, tenon_reader_desc, reader)},
    {TENON_REGISTRY_TARGETS, "c", "c", "target c",
     ONE(targets, tenon_target_desc, target)},
    {TENON_REGISTRY_PACKAGES, "cmake", "cmake", "package cmake",
     ONE(packages, tenon_package_desc, package)},
};

static tenon_status remove_named(void *self, tenon_context *cx) {
  return tenon_context_remove(cx, (const char *)self);
}

static const char *owner_of(const tenon_context *cx, const kind_row *row) {
  tenon_registered r;
  return tenon_context_find(cx, row->kind, row->name, &r, NULL) ? r.owner : "";
}

static bool is_listed(const tenon_context *cx, const kind_row *row) {
  size_t n = tenon_context_list(cx, row->kind, NULL, 0);
  tenon_registered *list = calloc(n + 1, sizeof *list);
  bool found = false;
  assert_int_equal(tenon_context_list(cx, row->kind, list, n), n);
  for (size_t i = 0; i < n; ++i)
    found |= strcmp(list[i].name, row->name) == 0;
  free(list);
  return found;
}

static void replaces_and_removes_every_kind(void **state) {
  (void)state;
  EACH_ROW(i, kind_rows) {
    const kind_row *row = &kind_rows[i];
    bool is_new = row->kind == TENON_REGISTRY_LOWERINGS;
    for (int asks = 0; asks < 2; ++asks)
      for (int allowed = 0; allowed < 2; ++allowed) {
        test_log log = {.size = 0};
        const char *const allow[] = {row->allow, NULL};
        const tenon_customiser add_it[] = {
            {add, (void *)(uintptr_t)&row->plugins[asks]}, {NULL, NULL}};
        const tenon_customiser both[] = {
            add_it[0],
            {remove_named, (void *)(uintptr_t)row->remove},
            {NULL, NULL}};
        tenon_context_options o = {.struct_size = sizeof o,
                                   .diag = test_log_sink(&log),
                                   .overrides = allowed ? allow : NULL,
                                   .customisers = add_it};
        tenon_context *cx = NULL;
        tenon_status status = tenon_context_create(&o, &cx);
        CHECK(status == (asks && allowed ? TENON_OK : TENON_CONFLICT),
              "row %zu, %d %d: %d %s", i, asks, allowed, (int)status, log.text);
        if (!cx) continue;
        CHECK_TEXT(owner_of(cx, row), "theirs", i);
        CHECK(is_listed(cx, row), "row %zu", i);
        tenon_context_destroy(cx);
        // Taken out again, what it replaced counts once more.
        o.customisers = both;
        CHECK(tenon_context_create(&o, &cx) == TENON_OK, "row %zu: %s", i,
              log.text);
        CHECK(strcmp(owner_of(cx, row), is_new ? "" : "theirs") != 0 ||
                  (is_new && !is_listed(cx, row)),
              "row %zu", i);
        CHECK(is_listed(cx, row) != is_new, "row %zu", i);
        tenon_context_destroy(cx);
      }
  }
}

static tenon_status read_text(tenon_context *cx, tenon_module **m) {
  static const char text[] =
      "module { %x = input f32[1]\n%y = core::exp(%x)\nreturn %y }";
  return tenon_module_read(cx, text, sizeof text - 1, NULL, m);
}

// What is gone is not called, and what replaced it is.
static void follows_what_counts(void **state) {
  test_log log;
  tenon_module *m = NULL;
  static const char *const gone[] = {"pass dce", "reader text", "target c"};
  (void)state;
  EACH_ROW(i, gone) {
    const tenon_customiser list[] = {{remove_named, (void *)(uintptr_t)gone[i]},
                                     {NULL, NULL}};
    tenon_context *cx = make(&log, list, TENON_OK);
    CHECK((read_text(cx, &m) == TENON_OK) == (i != 1), "%s", log.text);
    if (i == 1) CHECK_LOG(&log, "read-format", "expected a .tflite", i);
    if (i == 0)
      assert_int_equal(tenon_module_transform(m, "fold,dce", NULL, NULL),
                       TENON_BAD_ARGUMENT);
    if (i == 0) CHECK_LOG(&log, "pass-unknown", "no pass 'dce'", i);
    if (i == 2)
      assert_int_equal(tenon_module_set_target(m, "c"), TENON_BAD_ARGUMENT);
    if (i == 2) CHECK_LOG(&log, "target-unknown", "no target 'c'", i);
    tenon_module_destroy(m);
    m = NULL;
    tenon_context_destroy(cx);
  }
  // The default pipeline does without; what it cannot do without stays.
  const tenon_customiser no_dce[] = {
      {remove_named, (void *)(uintptr_t) "pass dce"}, {NULL, NULL}};
  const tenon_customiser no_lower[] = {
      {remove_named, (void *)(uintptr_t) "pass lower"}, {NULL, NULL}};
  tenon_context *cx = make(&log, no_dce, TENON_OK);
  assert_int_equal(read_text(cx, &m), TENON_OK);
  const tenon_entry entry = {NULL, m, NULL};
  tenon_program *p = NULL;
  assert_int_equal(tenon_program_compile(&entry, 1, NULL, &p), TENON_OK);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  tenon_context_destroy(cx);
  assert_null(make(&log, no_lower, TENON_BAD_ARGUMENT));
  CHECK_LOG(&log, "context-remove", "part of every compilation", 0);

  static const char *const allow[] = {"text", NULL};
  const tenon_plugin *theirs = &kind_rows[4].plugins[1];  // the reader
  const tenon_customiser list[] = {{add, (void *)(uintptr_t)theirs},
                                   {NULL, NULL}};
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(&log),
                             .overrides = allow,
                             .customisers = list};
  test_log_clear(&log);
  assert_int_equal(tenon_context_create(&o, &cx), TENON_OK);
  assert_int_equal(read_text(cx, &m), TENON_BAD_MODEL);
  CHECK_LOG(&log, "read-plugin", "of the tests", 0);
  tenon_context_destroy(cx);
}

// Lists among the results that a reader of a plugin gives are what it says.
static tenon_status read_lists(tenon_reading *r) {
  static const uint16_t group[] = {0, 1, 3};
  const tenon_type t = {.dtype = TENON_F32};
  const tenon_type *const types[] = {&t, &t, &t};
  tenon_value *x = r->api->input(r, "x", &t), *out[3];
  const tenon_build b = {.struct_size = sizeof b,
                         .n_in = 1,
                         .n_out = 3,
                         .op = "lists::make",
                         .in = &x,
                         .out = out,
                         .types = types,
                         .out_group = group};
  r->api->node(r, &b, NULL, "node 0");
  TENON_TRY(r->api->output(r, "y", out[2]));
  return r->api->entry(r, "main");
}

static tenon_status write_log(void *self, const char *file, const char *text,
                              size_t size) {
  test_log *log = (test_log *)self;
  size_t n = strlen(log->text);
  (void)file;
  snprintf(log->text + n, sizeof log->text - n, "%.*s", (int)size, text);
  return TENON_OK;
}

static const tenon_op_desc op_of_lists = {
    .struct_size = sizeof op_of_lists,
    .flags = TENON_OP_DECLARED,
    .schema = "lists::make(Tensor x) -> (Tensor[] a, Tensor[] b)",
    .doc = "Of the tests."};
static const tenon_reader_desc reader_of_lists = {
    .struct_size = sizeof reader_of_lists,
    .name = "lists",
    .doc = "Of the tests.",
    .recognise = recognise,
    .read = read_lists};
static const tenon_op_desc *const ops_of_lists[] = {&op_of_lists, NULL};
static const tenon_reader_desc *const readers_of_lists[] = {&reader_of_lists,
                                                            NULL};
static const tenon_plugin plugin_of_lists = {
    TENON_PLUGIN_HEADER, .name = "lists", .version = "1", .ops = ops_of_lists,
    .readers = readers_of_lists};

static void hears_lists_of_results(void **state) {
  const tenon_customiser list[] = {{add, (void *)(uintptr_t)&plugin_of_lists},
                                   {NULL, NULL}};
  test_log log;
  tenon_module *m = NULL;
  (void)state;
  tenon_context *cx = make(&log, list, TENON_OK);
  CHECK(tenon_module_read(cx, "module:", 7, NULL, &m) == TENON_OK, "%s",
        log.text);
  test_log_clear(&log);
  assert_int_equal(tenon_module_print(m, TENON_FORMAT_TEXT, write_log, &log),
                   TENON_OK);
  CHECK(strstr(log.text, "[%0], [%1, %2] = lists::make(%x)"), "%s", log.text);
  tenon_module_destroy(m);
  tenon_context_destroy(cx);
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
           cmocka_unit_test(replaces_and_removes_every_kind),
           cmocka_unit_test(follows_what_counts),
           cmocka_unit_test(hears_lists_of_results),
           cmocka_unit_test(tells_what_is_reserved))
