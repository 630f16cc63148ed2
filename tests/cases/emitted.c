// How: one program with an entry per case, its driver, one compiler, one run;
// what the driver gives back must be what the session gave, bit for bit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "case.h"

enum { MOST = 200, LIMIT = 1 << 26 };

typedef struct emitting {
  char folder[256];
  tenon_buf flags;
  size_t behind[MOST];  // bytes of written inputs, which follow the outputs
} emitting;

static tenon_status take(void *self, const char *file, const char *text,
                         size_t size) {
  emitting *e = (emitting *)self;
  char path[512];
  snprintf(path, sizeof path, "%s/%s", e->folder, file);
  FILE *out = fopen(path, "ab");
  if (!out) return TENON_IO;
  fwrite(text, 1, size, out);
  fclose(out);
  return TENON_OK;
}

static size_t written_bytes(const tenon_program *p, size_t entry,
                            const test_case *c) {
  tenon_io io[CASE_TENSORS];
  size_t n = tenon_program_io(p, (int)entry, TENON_IO_INPUTS, io, CASE_TENSORS);
  size_t at = 0, bytes = 0;
  for (size_t i = 0; i < c->n_in && at < n; ++i) {
    if (c->in[i].is_constant) continue;
    if (io[at++].flags & TENON_IO_WRITTEN) bytes += case_bytes(&c->in[i].view);
  }
  return bytes;
}

static tenon_status emit(tenon_context *cx, const case_done *list, size_t n,
                         emitting *e) {
  tenon_module *modules[MOST] = {NULL};
  tenon_entry entries[MOST] = {{NULL, NULL, NULL}};
  char names[MOST][32];
  tenon_program *p = NULL;
  tenon_status status = TENON_OK;
  tenon_read_options ro = {.struct_size = sizeof ro, .name = "case"};
  for (size_t i = 0; i < n && status == TENON_OK; ++i) {
    const char *text = list[i].c->module;
    snprintf(names[i], sizeof names[i], "case%zu", i);
    status = tenon_module_read(cx, text, strlen(text), &ro, &modules[i]);
    if (status == TENON_OK) status = tenon_module_set_target(modules[i], "c");
    tenon_entry entry = {names[i], modules[i], "main"};
    entries[i] = entry;
  }
  if (status == TENON_OK) status = tenon_program_compile(entries, n, NULL, &p);
  tenon_emit_options o = {
      .struct_size = sizeof o, .flags = TENON_EMIT_DRIVER, .prefix = "cases"};
  if (status == TENON_OK) status = tenon_program_emit(p, &o, take, e);
  for (size_t i = 0; i < n && status == TENON_OK; ++i)
    e->behind[i] = written_bytes(p, i, list[i].c);
  tenon_program_destroy(p);
  for (size_t i = 0; i < n; ++i)
    tenon_module_destroy(modules[i]);
  return status;
}

static bool run(const char *const *argv, const void *input, size_t size,
                tenon_os_pipe *output, int *status) {
  char error[TENON_OS_ERROR];
  tenon_allocator heap = tenon_heap();
  tenon_os_pipe errors = {.limit = 1 << 16};
  bool ok =
      tenon_os_run(argv, input, size, &heap, output, &errors, status, error);
  if (ok && *status && *status != 127)
    printf("%s: exit code %d\n%s\n", argv[0], *status,
           errors.data ? errors.data : "");
  tenon_free(&heap, errors.data, errors.capacity, 1);
  return ok && *status != 127;
}

// CFLAGS, where it is one word, says how to optimise; behind our own -O1.
static int build(const emitting *e) {
  char c[300], driver[300], program[300];
  const char *own = getenv("CFLAGS");
  int status = 1;
  snprintf(c, sizeof c, "%s/cases.c", e->folder);
  snprintf(driver, sizeof driver, "%s/cases_driver.c", e->folder);
  snprintf(program, sizeof program, "%s/cases", e->folder);
  const char *argv[] = {"cc",
                        "-std=c99",
                        "-pedantic",
                        "-Wall",
                        "-Wextra",
                        "-Wconversion",
                        "-Werror",
                        "-O1",
                        own && *own && !strchr(own, ' ') ? own : "-O1",
                        "-ffp-contract=off",
                        "-o",
                        program,
                        c,
                        driver,
                        "-lm",
                        NULL};
  tenon_os_pipe output = {.limit = 1};
  tenon_allocator heap = tenon_heap();
  bool ok = run(argv, NULL, 0, &output, &status);
  tenon_free(&heap, output.data, output.capacity, 1);
  return ok ? status != 0 : -1;
}

// But for bits of what is no number, which compilers choose.
static bool same(const tenon_tensor *t, const char *a, const char *b) {
  size_t n = tenon_count(t), size = n ? case_bytes(t) / n : 0;
  for (size_t i = 0; i < n; ++i, a += size, b += size) {
    if (memcmp(a, b, size) == 0) continue;
    if (!case_is_nan(t, a) || !case_is_nan(t, b)) return false;
  }
  return true;
}

static int compare(const emitting *e, const case_done *list, size_t n,
                   const tenon_os_pipe *all) {
  size_t at = 0;
  int failed = 0;
  for (size_t i = 0; i < n; ++i) {
    const test_case *c = list[i].c;
    bool is_same = true;
    for (size_t k = 0; k < c->n_out; ++k) {
      size_t size = case_bytes(&c->out[k].view);
      bool fits = all->size - at >= size;
      is_same =
          is_same && fits &&
          same(&c->out[k].view, all->data + at, (const char *)list[i].got[k]);
      at += fits ? size : 0;
    }
    at += e->behind[i];
    if (is_same) continue;
    ++failed;
    printf("line %zu (emitted): other bits than run\n    %.300s\n", c->line,
           c->source);
  }
  // Else what was compared was not what it seemed.
  if (at != all->size)
    printf("the driver gave %zu bytes, expected %zu\n", (size_t)all->size, at);
  return failed + (at != all->size);
}

int case_emitted(tenon_context *cx, const case_done *list, size_t n) {
  emitting e = {.folder = ""};
  char error[TENON_OS_ERROR], program[300];
  tenon_allocator heap = tenon_heap();
  tenon_buf input;
  tenon_os_pipe output = {.limit = LIMIT};
  int status = 1, failed = 1;
  if (!tenon_os_temp_folder(e.folder, sizeof e.folder, error)) return -1;
  tenon_buf_init(&input, heap);
  for (size_t i = 0; i < n; ++i) {
    tenon_buf_char(&input, (char)i);
    tenon_buf_char(&input, 1);
    for (size_t k = 0; k < list[i].c->n_in; ++k) {
      const case_tensor *t = &list[i].c->in[k];
      if (!t->is_constant)
        tenon_buf_add(&input, (const char *)t->view.data, case_bytes(&t->view));
    }
  }
  snprintf(program, sizeof program, "%s/cases", e.folder);
  const char *argv[] = {program, NULL};
  if (emit(cx, list, n, &e) != TENON_OK)
    printf("the sample cannot be emitted\n");
  else if ((failed = build(&e)) == 0)
    failed = run(argv, input.data, input.size, &output, &status) && status == 0
                 ? compare(&e, list, n, &output)
                 : 1;
  tenon_buf_deinit(&input);
  tenon_free(&heap, output.data, output.capacity, 1);
  tenon_os_remove_folder(e.folder);
  return failed;
}
