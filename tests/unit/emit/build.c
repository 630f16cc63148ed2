// tests/unit/emit/build.c - see build.h.
#include "build.h"

#include <stdlib.h>

#include "core/dtype.h"

#define RUNS 3

void build_begin(built *b) {
  memset(b, 0, sizeof *b);
  test_folder_make(&b->folder);
  tenon_context_options o = {.struct_size = sizeof o,
                             .diag = test_log_sink(&b->log)};
  tenon_status status = tenon_context_create(&o, &b->cx);
  CHECK(status == TENON_OK, "context: %s", b->log.text);
  status = tenon_context_add(b->cx, &test_operators);
  CHECK(status == TENON_OK, "plugin: %s", b->log.text);
}

void build_program(built *b, const char *text) {
  build_begin(b);
  tenon_read_options o = {.struct_size = sizeof o, .name = "test.tenon"};
  tenon_status status =
      tenon_module_read(b->cx, text, strlen(text), &o, &b->module);
  CHECK(status == TENON_OK, "reading: %s", b->log.text);
  status = tenon_module_set_target(b->module, "c");
  CHECK(status == TENON_OK, "target: %s", b->log.text);
  tenon_entry entry = {NULL, b->module, NULL};
  status = tenon_program_compile(&entry, 1, NULL, &b->program);
  CHECK(status == TENON_OK, "compiling: %s", b->log.text);
}

void build_free(built *b) {
  tenon_program_destroy(b->program);
  tenon_module_destroy(b->module);
  tenon_context_destroy(b->cx);
  test_folder_remove(&b->folder);
}

// --- emitting ---------------------------------------------------------------

static tenon_status append(void *self, const char *file, const char *text,
                           size_t size) {
  built *b = (built *)self;
  char mark[128];
  snprintf(mark, sizeof mark, "%s ", file);
  const char *path = test_path(&b->folder, file);
  bool is_new = !strstr(b->files, mark);
  if (is_new) strcat(b->files, mark);
  b->is_empty = false;
  FILE *out = fopen(path, is_new ? "w" : "a");
  assert_non_null(out);
  fwrite(text, 1, size, out);
  fclose(out);
  return TENON_OK;
}

tenon_status build_emit(built *b, const tenon_program *p,
                        const tenon_emit_options *options) {
  b->files[0] = 0;
  b->is_empty = true;
  return tenon_program_emit(p, options, append, b);
}

const char *build_text(built *b, const char *file) {
  char error[TENON_OS_ERROR];
  tenon_os_map map;
  bool ok = tenon_os_map_file(test_path(&b->folder, file), &map, error);
  CHECK(ok, "%s: %s", file, error);
  const char *text =
      tenon_arena_text(&b->folder.arena, (const char *)map.data, map.size);
  tenon_os_unmap(&map);
  return text;
}

void build_compile(built *b, const char *command, const char *files) {
  char text[2048], errors[4096], names[256];
  size_t at =
      (size_t)snprintf(text, sizeof text, "%s -I%s", command, b->folder.path);
  snprintf(names, sizeof names, "%s", files);
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
    at += (size_t)snprintf(text + at, sizeof text - at, " %s/%s",
                           b->folder.path, name);
  bool is_linked =
      !strstr(command, " -c ") && !strstr(command, "-fsyntax-only");
  snprintf(text + at, sizeof text - at, "%s", is_linked ? " -lm" : "");
  int status = test_run(text, errors, sizeof errors);
  CHECK(status == 0, "%s\n%s", text, errors);
}

// --- running here -----------------------------------------------------------

typedef struct tape {
  uint8_t *data;
  size_t size, capacity;
} tape;

static void put(tape *t, const void *data, size_t size) {
  if (t->size + size > t->capacity) {
    t->capacity = (t->size + size) * 2 + 64;
    t->data = (uint8_t *)realloc(t->data, t->capacity);
    assert_non_null(t->data);
  }
  if (size) memcpy(t->data + t->size, data, size);
  t->size += size;
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void fill(const tenon_io *io, uint8_t *data, size_t size,
                 uint32_t *random) {
  for (size_t i = 0; i < size; ++i)
    data[i] = (uint8_t)next_random(random);
  if (io->dtype == TENON_BOOL)
    for (size_t i = 0; i < size; ++i)
      data[i] &= 1;
  if (io->dtype == TENON_F32)
    for (size_t i = 0; i + 4 <= size; i += 4) {
      float x = (float)(int32_t)(next_random(random) % 2000) / 250 - 4;
      memcpy(data + i, &x, sizeof x);
    }
}

static tenon_tensor view_of(const tenon_program_tensor *t, const int32_t *dims,
                            void *data) {
  tenon_tensor v = {0};
  v.data = data;
  v.dims = dims;
  v.dtype = t->dtype;
  v.rank = t->rank;
  return v;
}

// What a condition says of sizes that are not chosen yet.
static void follow(const tenon_program *p, tenon_known *known) {
  for (uint32_t i = 0; i < p->n_guards; ++i) {
    const tenon_program_guard *g = &p->guards[i];
    (void)tenon_numbers_evaluate(p, known);
    const tenon_known a = tenon_known_of(known, g->a);
    uint32_t leaf = 0;
    if (g->relation == TENON_RELATION_EQ && a.is_exact)
      (void)tenon_numbers_solve(p, known, g->b, a.min, &leaf);
  }
}

// Sizes of this run: the least, the largest, then others that keep conditions.
static void choose_sizes(const tenon_program *p, int run, tenon_known *known) {
  for (int64_t try = 0; try < 64; ++try) {
    tenon_numbers_clear(p, known);
    for (uint32_t i = 1; i < p->n_numbers; ++i) {
      const tenon_program_number *n = &p->numbers[i];
      if (n->op != 0 || n->step != TENON_NO_INDEX || known[i].is_exact)
        continue;
      int64_t value = run == 1 ? n->max - try : n
        ->min + try;
      if (run > 1) value = n->min + (n->max - n->min) / (i + 1) + try;
      if (value > n->max) value = n->max;
      known[i] = (tenon_known){value, value, true};
      follow(p, known);
    }
    assert_int_equal(tenon_numbers_evaluate(p, known), 0);
    if (!tenon_numbers_check(p, known)) return;
  }
  assert_true(false);
}

static size_t size_of(const tenon_tensor *t) {
  size_t size = 0;
  assert_true(tenon_dtype_size(t->dtype, tenon_count(t), &size));
  return size;
}

static void run_once(tenon_session *s, const tenon_program *p, int entry,
                     int run, uint32_t *random, tape *input, tape *output) {
  const tenon_program_entry *e = &p->entries[entry];
  tenon_tensor in[8], out[8];
  uint8_t *memory[16];
  int32_t dims[8][TENON_MAX_RANK];
  tenon_known known[64];
  assert_true(e->n_in <= 8 && e->n_out <= 8 && p->n_numbers <= 64);
  choose_sizes(p, run, known);
  for (uint16_t i = 0; i < e->n_in + e->n_out; ++i) {
    bool is_out = i >= e->n_in;
    uint32_t at = is_out ? i - e->n_in : i;
    const tenon_program_tensor *t =
        &p->tensors[is_out ? e->out[at] : e->in[at]];
    memory[i] = (uint8_t *)calloc(1, t->size + 1);
    assert_non_null(memory[i]);
    if (is_out) {
      out[at] = view_of(t, t->dims, t->sizes ? NULL : memory[i]);
      continue;
    }
    for (int d = 0; d < t->rank; ++d)
      dims[at][d] = t->sizes ? (int32_t)tenon_known_of(known, t->sizes[d]).min
                             : t->dims[d];
    in[at] = view_of(t, dims[at], memory[i]);
    size_t size = size_of(&in[at]);
    fill(&e->inputs[at], memory[i], size, random);
    if (t->sizes) put(input, dims[at], (size_t)t->rank * sizeof(int32_t));
    put(input, memory[i], size);
  }
  assert_int_equal(tenon_session_run(s, entry, in, e->n_in, out, e->n_out),
                   TENON_OK);
  for (uint16_t i = 0; i < e->n_out; ++i) {
    if (p->tensors[e->out[i]].sizes)
      put(output, out[i].dims, out[i].rank * sizeof(int32_t));
    put(output, out[i].data, size_of(&out[i]));
  }
  for (uint16_t i = 0; i < e->n_in + e->n_out; ++i)
    free(memory[i]);
}

// Fills the tapes with what the driver reads and what it must write.
static void run_here(const tenon_program *p, tape *input, tape *output) {
  tenon_memory list[4];
  void *memory[4];
  tenon_allocator heap = tenon_heap();
  tenon_session *s = NULL;
  uint32_t random = 7;
  size_t n = tenon_program_memory(p, 1, list, 4);
  for (size_t i = 0; i < n; ++i) {
    memory[i] = tenon_alloc(&heap, list[i].size, list[i].align);
    assert_non_null(memory[i]);
  }
  tenon_session_options o = {.struct_size = sizeof o, .memory = memory};
  assert_int_equal(tenon_session_init(p, &o, &s), TENON_OK);
  for (uint32_t e = 0; e < p->n_entries; ++e)
    for (int run = 0; run < RUNS; ++run) {
      uint8_t head[2] = {(uint8_t)e, run == 0};
      put(input, head, 2);
      if (run == 0) assert_int_equal(tenon_session_reset(s), TENON_OK);
      run_once(s, p, (int)e, run, &random, input, output);
    }
  tenon_session_deinit(s);
  for (size_t i = 0; i < n; ++i)
    tenon_free(&heap, memory[i], list[i].size, list[i].align);
}

static void run_there(built *b, const char *program, const tape *input,
                      const tape *output) {
  const char *argv[] = {program, NULL};
  char error[TENON_OS_ERROR];
  int status = 0;
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe said = {.limit = 1 << 20}, errors = {.limit = 1 << 16};
  bool ok = tenon_os_run(argv, input->data, input->size, &heap, &said, &errors,
                         &status, error);
  CHECK(ok && status == 0, "status %d: %s%s", status, ok ? "" : error,
        errors.data ? errors.data : "");
  assert_int_equal(said.size, output->size);
  for (size_t i = 0; i < output->size; ++i)
    CHECK((uint8_t)said.data[i] == output->data[i],
          "byte %zu is %02x, not %02x as in the session", i,
          (uint8_t)said.data[i], output->data[i]);
  tenon_free(&heap, said.data, said.capacity, 1);
  tenon_free(&heap, errors.data, errors.capacity, 1);
  (void)b;
}

void build_compare(built *b, const tenon_emit_options *options) {
  tenon_emit_options o = *options;
  tape input = {0}, output = {0};
  char command[1024], files[256] = "";
  o.struct_size = sizeof o;
  o.flags |= TENON_EMIT_DRIVER;
  assert_int_equal(build_emit(b, b->program, &o), TENON_OK);
  for (const char *p = b->files; *p; p += strcspn(p, " ") + 1) {
    size_t size = strcspn(p, " ");
    bool is_test = size > 7 && memcmp(p + size - 7, "_test.c", 7) == 0;
    if (size > 2 && memcmp(p + size - 2, ".c", 2) == 0 && !is_test)
      snprintf(files + strlen(files), sizeof files - strlen(files), "%.*s ",
               (int)size, p);
  }
  snprintf(command, sizeof command,
           "cc " BUILD_STRICT " -O1 -g " BUILD_SANITIZED " -o %s",
           test_path(&b->folder, "program"));
  build_compile(b, command, files);
  if (test_run("clang --version", NULL, 0) == 0)
    build_compile(b, "clang -fsyntax-only " BUILD_STRICT, files);
  run_here(b->program, &input, &output);
  run_there(b, test_path(&b->folder, "program"), &input, &output);
  free(input.data);
  free(output.data);
}
