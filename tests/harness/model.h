// tests/harness/model.h - from a model as text to the bytes of its outputs.
//
// Through tenon.h alone, but for the allocator. `model_bits` compiles a text
// with a pipeline and runs it on made-up inputs: two ways of compiling a model
// agree where the bytes do. Nothing here is about one operator.
#ifndef TENON_TESTS_MODEL_H
#define TENON_TESTS_MODEL_H

#include <stdlib.h>

#include "base/buf.h"
#include "base/heap.h"
#include "harness/log.h"
// cmocka defines it, and it is a member of the tables given to callbacks.
#undef fail
#include "tenon/tenon.h"

// What `--no-pass '*'` leaves of the default pipeline.
#define NO_PASSES "functional,lower,inline"

typedef struct test_model {
  test_log log;
  tenon_context *cx;
  tenon_buf text;  // what model_print printed
} test_model;

// `plugin` may be null. False when memory ran out.
TENON_INLINE bool model_try(test_model *t, const struct tenon_plugin *plugin,
                            const tenon_allocator *allocator) {
  memset(t, 0, sizeof *t);
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(&t->log)};
  if (allocator) o.allocator = *allocator;
  tenon_buf_init(&t->text, tenon_heap());
  if (tenon_context_create(&o, &t->cx) != TENON_OK) return false;
  return !plugin || tenon_context_add(t->cx, plugin) == TENON_OK;
}

TENON_INLINE void model_open(test_model *t, const struct tenon_plugin *plugin) {
  bool ok = model_try(t, plugin, NULL);
  CHECK(ok, "%s", t->log.text);
}

TENON_INLINE void model_close(test_model *t) {
  if (t->cx) tenon_context_destroy(t->cx);
  tenon_buf_deinit(&t->text);
}

// For plain C, so that the text of what was chosen is the same everywhere.
TENON_INLINE tenon_module *model_read(test_model *t, const char *text) {
  tenon_module *m = NULL;
  tenon_read_options o = {.struct_size = sizeof o, .name = "t.tenon"};
  tenon_status status = tenon_module_read(t->cx, text, strlen(text), &o, &m);
  CHECK(status == TENON_OK, "%s\n%s", text, t->log.text);
  CHECK(tenon_module_set_target(m, "c") == TENON_OK, "%s", t->log.text);
  return m;
}

TENON_INLINE tenon_status model_take(void *self, const char *file,
                                     const char *text, size_t size) {
  (void)file;
  tenon_buf_add((tenon_buf *)self, text, size);
  return TENON_OK;
}

// Valid until the next call.
TENON_INLINE const char *model_print(test_model *t, const tenon_module *m) {
  tenon_buf_clear(&t->text);
  tenon_buf_text(&t->text, "");
  CHECK(tenon_module_print(m, TENON_FORMAT_TEXT, model_take, &t->text) ==
            TENON_OK,
        "%s", t->log.text);
  return t->text.data;
}

// The text of a module after a pipeline, which must succeed.
TENON_INLINE const char *model_after(test_model *t, const char *text,
                                     const char *pipeline) {
  tenon_module *m = model_read(t, text);
  tenon_status status = tenon_module_transform(m, pipeline, NULL, NULL);
  CHECK(status == TENON_OK, "%s of %s\n%s", pipeline, text, t->log.text);
  const char *after = model_print(t, m);
  tenon_module_destroy(m);
  return after;
}

TENON_INLINE tenon_program *model_compile(test_model *t, const char *text,
                                          const tenon_compile_options *o) {
  tenon_module *m = model_read(t, text);
  const tenon_entry entry = {NULL, m, NULL};
  tenon_program *p = NULL;
  tenon_status status = tenon_program_compile(&entry, 1, o, &p);
  CHECK(status == TENON_OK, "%s\n%s", text, t->log.text);
  tenon_module_destroy(m);
  return p;
}

// What test_sweep repeats with one allocation failing after the other.
typedef struct model_sweep {
  const struct tenon_plugin *plugin;  // may be null
  const char *text;
  const char *pipeline;                     // null: the default one
  void (*look)(const tenon_program *made);  // may be null
} model_sweep;

// A test_sweep_fn: reads and compiles a model_sweep. A failure has an error.
TENON_INLINE bool model_compiles(const tenon_allocator *allocator, void *self) {
  const model_sweep *s = (const model_sweep *)self;
  test_model t;
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = s->pipeline};
  bool ok =
      model_try(&t, s->plugin, allocator) &&
      tenon_module_read(t.cx, s->text, strlen(s->text), NULL, &m) == TENON_OK;
  const tenon_entry entry = {NULL, m, NULL};
  ok = ok && tenon_program_compile(&entry, 1, &o, &p) == TENON_OK;
  CHECK(ok == (p != NULL), "%s", t.log.text);
  CHECK(ok || t.log.errors > 0, "a failure without an error");
  if (ok && s->look) s->look(p);
  tenon_program_destroy(p);
  tenon_module_destroy(m);
  model_close(&t);
  return ok;
}

TENON_INLINE size_t model_count(const char *text, const char *part) {
  size_t n = 0;
  for (; (text = strstr(text, part)) != NULL; text += strlen(part))
    ++n;
  return n;
}

// --- running -----------------------------------------------------------------

#define RUN_TENSORS 8

// A program with memory, inputs and outputs of its own.
typedef struct test_run {
  const tenon_program *program;
  tenon_session *session;
  void *memory[3];
  int entry;
  size_t n_in, n_out;
  tenon_tensor in[RUN_TENSORS], out[RUN_TENSORS];
  int32_t dims[2 * RUN_TENSORS][TENON_MAX_RANK];
} test_run;

TENON_INLINE size_t run_bytes(const tenon_tensor *t) {
  static const struct {
    tenon_dtype dtype;
    size_t size;
  } sizes[] = {{TENON_BOOL, 1}, {TENON_S8, 1},   {TENON_U8, 1},  {TENON_S16, 2},
               {TENON_F16, 2},  {TENON_BF16, 2}, {TENON_S32, 4}, {TENON_F32, 4},
               {TENON_S64, 8},  {TENON_F64, 8}};
  EACH_ROW(i, sizes) {
    if (sizes[i].dtype == t->dtype) return sizes[i].size * tenon_count(t);
  }
  CHECK(false, "element type %d", (int)t->dtype);
  return 0;
}

// Zeros for its elements.
TENON_INLINE void run_room(tenon_tensor *t) {
  t->data = tenon_heap_take(run_bytes(t) + 1, 16);
  assert_non_null(t->data);
  memset(t->data, 0, run_bytes(t) + 1);
}

// Without data where a size is open: the test gives both.
TENON_INLINE void run_tensor(const tenon_io *io, int32_t *dims,
                             tenon_tensor *out) {
  bool is_open = false;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < io->rank; ++i) {
    dims[i] = (int32_t)io->dims[i];
    is_open = is_open || dims[i] < 0;
  }
  out->dims = dims;
  out->quant = io->quant;
  out->dtype = io->dtype;
  out->rank = io->rank;
  if (!is_open) run_room(out);
}

// Numbers that do not repeat soon; the same for the same seed.
TENON_INLINE void run_fill(const tenon_tensor *t, uint32_t *seed) {
  size_t size = run_bytes(t);
  unsigned char *bytes = (unsigned char *)t->data;
  for (size_t i = 0; i < size; ++i) {
    *seed = *seed * 1664525u + 1013904223u;
    bytes[i] = (unsigned char)(*seed >> 24);
    if (t->dtype == TENON_BOOL) bytes[i] &= 1;
  }
  for (size_t i = 0; t->dtype == TENON_F32 && i < size / 4; ++i) {
    *seed = *seed * 1664525u + 1013904223u;
    float x = (float)((int32_t)*seed >> 8) / (float)(1 << 21);
    if (*seed >> 28 == 0) x = 0;
    memcpy(bytes + 4 * i, &x, 4);
  }
  for (size_t i = 0; t->dtype == TENON_BF16 && i < size; i += 2)
    bytes[i + 1] = (unsigned char)((bytes[i + 1] & 0x81) | 0x3e);
}

// `o` null: one thread. Memory and members not given are filled in.
TENON_INLINE void run_open(test_run *r, const tenon_program *p, int entry,
                           const tenon_session_options *o) {
  tenon_memory list[3];
  tenon_io io[RUN_TENSORS];
  tenon_session_options all = {.struct_size = sizeof all};
  if (o) all = *o;
  memset(r, 0, sizeof *r);
  r->program = p;
  r->entry = entry;
  int threads = all.parallel ? all.parallel->threads : 1;
  size_t n = tenon_program_memory(p, threads, list, 3);
  for (size_t i = 0; i < n; ++i) {
    r->memory[i] = tenon_heap_take(list[i].size, list[i].align);
    // What a run reads without having written it should not be zero by luck.
    memset(r->memory[i], 0xA5, list[i].size);
  }
  all.memory = r->memory;
  tenon_status status = tenon_session_init(p, &all, &r->session);
  CHECK(status == TENON_OK, "session: status %d", (int)status);
  r->n_in = tenon_program_io(p, entry, TENON_IO_INPUTS, io, RUN_TENSORS);
  for (size_t i = 0; i < r->n_in; ++i)
    run_tensor(&io[i], r->dims[i], &r->in[i]);
  r->n_out = tenon_program_io(p, entry, TENON_IO_OUTPUTS, io, RUN_TENSORS);
  for (size_t i = 0; i < r->n_out; ++i)
    run_tensor(&io[i], r->dims[RUN_TENSORS + i], &r->out[i]);
}

TENON_INLINE tenon_status run_once(test_run *r) {
  return tenon_session_run(r->session, r->entry, r->in, r->n_in, r->out,
                           r->n_out);
}

TENON_INLINE void run_close(test_run *r) {
  for (size_t i = 0; i < r->n_in; ++i)
    tenon_heap_give(r->in[i].data);
  for (size_t i = 0; i < r->n_out; ++i)
    tenon_heap_give(r->out[i].data);
  for (int i = 0; i < 3; ++i)
    tenon_heap_give(r->memory[i]);
}

// Some runs one after the other, each with other inputs; states go on.
TENON_INLINE void run_append(test_run *r, int runs, tenon_buf *out) {
  uint32_t seed = 7;
  for (int k = 0; k < runs; ++k) {
    for (size_t i = 0; i < r->n_in; ++i)
      run_fill(&r->in[i], &seed);
    tenon_status status = run_once(r);
    CHECK(status == TENON_OK, "run %d: status %d", k, (int)status);
    for (size_t i = 0; i < r->n_out; ++i)
      tenon_buf_add(out, (const char *)r->out[i].data, run_bytes(&r->out[i]));
  }
}

// The bytes of all outputs of three runs, behind what `out` has.
TENON_INLINE void model_bits(test_model *t, const char *text,
                             const char *pipeline, tenon_buf *out) {
  tenon_compile_options o = {.struct_size = sizeof o, .pipeline = pipeline};
  test_run r;
  tenon_program *p = model_compile(t, text, &o);
  run_open(&r, p, 0, NULL);
  run_append(&r, 3, out);
  run_close(&r);
  tenon_program_destroy(p);
}

#endif  // TENON_TESTS_MODEL_H
