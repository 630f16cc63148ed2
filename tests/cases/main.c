// Runs the cases of a file: as `tenon run` does, with reference kernels, and a
// sample of them as emitted C.
//
//   cases_test FILE [--only TEXT] [--emit N]
//
// --emit N: every N-th case of those that ran goes into emitted C (default 7,
// 0: none). Prints what differs; exits with 1 if anything does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/os.h"
#include "case.h"

typedef struct runner {
  tenon_arena arena;
  tenon_context *cx;
  char said[4096];  // errors since the last case began
  size_t n_cases, n_failed;
  case_done *done;
  size_t n_done;
} runner;

static void report(void *self, const tenon_diag *diag) {
  runner *r = (runner *)self;
  size_t n = strlen(r->said);
  if (diag->severity != TENON_ERROR) return;
  snprintf(r->said + n, sizeof r->said - n, "[%s] %s\n", diag->id,
           diag->message);
  for (diag = diag->next_note; diag; diag = diag->next_note) {
    n = strlen(r->said);
    snprintf(r->said + n, sizeof r->said - n, "    %s\n", diag->message);
  }
}

static tenon_program *compile(runner *r, const test_case *c, uint32_t flags) {
  tenon_read_options ro = {.struct_size = sizeof ro, .name = "case"};
  tenon_compile_options co = {.struct_size = sizeof co, .flags = flags};
  tenon_module *m = NULL;
  tenon_program *p = NULL;
  if (tenon_module_read(r->cx, c->module, strlen(c->module), &ro, &m) !=
      TENON_OK)
    return NULL;
  const tenon_entry entry = {NULL, m, NULL};
  bool ok = tenon_module_set_target(m, "c") == TENON_OK &&
            tenon_program_compile(&entry, 1, &co, &p) == TENON_OK;
  tenon_module_destroy(m);
  return ok ? p : NULL;
}

// Runs; results into memory of `got`.
static bool run(runner *r, const test_case *c, const tenon_program *p,
                void **got) {
  tenon_memory list[4];
  void *memory[4] = {NULL};
  tenon_tensor in[CASE_TENSORS], out[CASE_TENSORS];
  tenon_session *session = NULL;
  size_t n_in = 0, n = tenon_program_memory(p, 1, list, 4);
  for (size_t i = 0; i < n; ++i) {
    memory[i] = tenon_heap_take(list[i].size + 64, 64);
    if (memory[i]) memset(memory[i], 0xA5, list[i].size);
  }
  tenon_session_options so = {.struct_size = sizeof so, .memory = memory};
  for (size_t i = 0; i < c->n_in; ++i) {
    if (c->in[i].is_constant) continue;
    in[n_in] = c->in[i].view;  // a copy, since some runs write to them
    in[n_in++].data = tenon_arena_copy(&r->arena, c->in[i].view.data,
                                       case_bytes(&c->in[i].view) + 16, 64);
  }
  for (size_t i = 0; i < c->n_out; ++i) {
    out[i] = c->out[i].view;
    out[i].data = got[i] =
        tenon_arena_zalloc(&r->arena, case_bytes(&out[i]) + 16, 64);
  }
  bool ok = tenon_session_init(p, &so, &session) == TENON_OK &&
            tenon_session_run(session, 0, in, n_in, out, c->n_out) == TENON_OK;
  for (size_t i = 0; i < n; ++i)
    tenon_heap_give(memory[i]);
  return ok;
}

static void complain(runner *r, const test_case *c, const char *way,
                     const char *what) {
  ++r->n_failed;
  printf("line %zu (%s): %s\n    %.300s\n", c->line, way, what, c->source);
}

static bool one_way(runner *r, const test_case *c, uint32_t flags,
                    const char *way) {
  char detail[256];
  void *got[CASE_TENSORS] = {NULL};
  r->said[0] = 0;
  tenon_program *p = compile(r, c, flags);
  bool ok = p && run(r, c, p, got);
  tenon_program_destroy(p);
  if (c->refused) {
    if (!ok && strstr(r->said, c->refused)) return true;
    complain(r, c, way, ok ? "is not refused" : r->said);
    return false;
  }
  if (!ok) {
    complain(r, c, way, r->said);
    return false;
  }
  for (size_t i = 0; i < c->n_out; ++i) {
    if (case_agrees(c, i, got[i], detail, sizeof detail)) continue;
    complain(r, c, way, detail);
    return false;
  }
  if (flags == 0) memcpy(r->done[r->n_done].got, got, sizeof got);
  return true;
}

static void one(runner *r, const char *line, size_t number) {
  const char *error = NULL;
  test_case *c = tenon_arena_new(&r->arena, test_case);
  ++r->n_cases;
  if (!case_read(&r->arena, line, c, &error)) {
    c->line = number;
    complain(r, c, "reading", error);
    return;
  }
  c->line = number;
  if (!one_way(r, c, 0, "run") ||
      !one_way(r, c, TENON_COMPILE_REFERENCE, "reference") || c->refused)
    return;
  // The driver of emitted C gives back what became of written inputs, too.
  if (!strstr(c->source, "_(") && !strstr(c->source, "_."))
    r->done[r->n_done++].c = c;
}

static void emitted(runner *r, size_t every) {
  case_done list[200];
  size_t n = 0;
  for (size_t i = 0; every && i < r->n_done && n < 200; i += every)
    list[n++] = r->done[i];
  if (n == 0) return;
  r->said[0] = 0;
  int failed = case_emitted(r->cx, list, n);
  if (failed < 0)
    printf("no compiler: emitted C is not tested\n%s", r->said);
  else
    r->n_failed += (size_t)failed;
  printf("%zu cases as emitted C\n", n);
}

int main(int argc, char **argv) {
  runner r = {.n_cases = 0};
  tenon_os_map map;
  char error[TENON_OS_ERROR];
  const char *only = NULL;
  size_t every = 7, number = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--only") == 0) only = argv[i + 1];
    if (strcmp(argv[i], "--emit") == 0) every = (size_t)atoi(argv[i + 1]);
  }
  if (argc < 2 || !tenon_os_map_file(argv[1], &map, error)) {
    printf("cannot read the cases\n");
    return 2;
  }
  tenon_arena_init(&r.arena, tenon_heap());
  tenon_context_options o = {.struct_size = sizeof o};
  o.diag.self = &r;
  o.diag.report = report;
  if (tenon_context_create(&o, &r.cx) != TENON_OK) return 2;
  const char *p = (const char *)map.data, *end = p + map.size;
  size_t lines = 1;
  for (const char *q = p; q < end; ++q)
    lines += *q == '\n';
  r.done = (case_done *)calloc(lines, sizeof *r.done);
  for (const char *next; r.done && p < end; p = next) {
    const char *stop = (const char *)memchr(p, '\n', (size_t)(end - p));
    stop = stop ? stop : end;
    next = stop + 1;
    char *line = tenon_arena_text(&r.arena, p, (size_t)(stop - p));
    ++number;
    if (!line || line[0] == '#' || line[strspn(line, " \t")] == 0) continue;
    if (only && !strstr(line, only)) continue;
    one(&r, line, number);
  }
  emitted(&r, every);
  printf("%zu cases, %zu failed\n", r.n_cases, r.n_failed);
  if (r.n_failed && !only)
    printf("repeat one alone: %s %s --only 'a part of its line'\n", argv[0],
           argv[1]);
  tenon_context_destroy(r.cx);
  free(r.done);
  tenon_arena_deinit(&r.arena);
  tenon_os_unmap(&map);
  return r.n_failed || r.n_cases == 0;
}
