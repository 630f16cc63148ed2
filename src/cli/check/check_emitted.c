// How: starting a compiler for every row would take most of the time, so all
// rows of a subject are entry points of one program, which is emitted, built
// and run once. Only if that run ends in a failure does each row get a process
// of its own, to learn which it was.
#include <stdlib.h>
#include <string.h>

#include "cli/check/check.h"

typedef struct batch {
  checker *k;
  const check_part *parts;
  size_t n_parts;
  struct item {
    const check_subject *s;
    const check_row *row;
    check_found *found;
  } * items;
  size_t n;
  tenon_program *p;
  cli_emitted e;
} batch;

// The kernel, without an emulated core.
static bool runs_here(const check_subject *s) {
  const tenon_kernel_desc *d =
      s->kernel ? (const tenon_kernel_desc *)s->kernel->desc : NULL;
  return d && (d->run || d->run_range) && !(d->needs && d->needs[0]);
}

static cli_build build_of(check_way way) {
  return way == CHECK_SANITIZED ? CLI_BUILD_SANITIZED
         : way == CHECK_RACES   ? CLI_BUILD_RACES
                                : CLI_BUILD_PLAIN;
}

// One module per row, all alive until the program is there.
static int check_emitted_compile(batch *b) {
  checker *k = b->k;
  size_t n = b->n;
  tenon_module **modules = (tenon_module **)calloc(n + 1, sizeof *modules);
  tenon_entry *entries = (tenon_entry *)calloc(n + 1, sizeof *entries);
  char(*names)[32] = (char(*)[32])calloc(n + 1, sizeof *names);
  bool has_kernels = b->parts[0].s->kernel != NULL;
  char(*forced)[512] = (char(*)[512])calloc(b->n_parts, sizeof *forced);
  const char **kernels = (const char **)calloc(b->n_parts + 1, sizeof *kernels);
  tenon_compile_options o = {0};
  int code =
      modules && entries && names && forced && kernels ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    tenon_buf text = {0};
    if (!check_row_text(b->items[i].row, CHECK_PLAIN, &text) ||
        !check_read(k, text.data, text.size, &modules[i]))
      code = TENON_BAD_MODEL;
    if (code == 0)
      code = cli_exit(tenon_module_set_target(
          modules[i], k->features ? k->c->emulated : "c"));
    snprintf(names[i], sizeof *names, "row%zu", i);
    entries[i].name = names[i];
    entries[i].module = modules[i];
    tenon_buf_deinit(&text);
  }
  for (size_t i = 0; code == 0 && has_kernels && i < b->n_parts; ++i) {
    const check_subject *s = b->parts[i].s;
    snprintf(forced[i], sizeof *forced, "%s=%s", s->op->op.name,
             s->kernel->name);
    kernels[i] = forced[i];
  }
  o.struct_size = sizeof o;
  o.flags = TENON_COMPILE_QUICK_PLAN | TENON_COMPILE_KEEP_ORDER;
  if (has_kernels) {
    o.kernels = kernels;
    o.pipeline = CHECK_PIPELINE;
  }
  if (code == 0) code = cli_exit(tenon_program_compile(entries, n, &o, &b->p));
  for (size_t i = 0; modules && i < n; ++i)
    tenon_module_destroy(modules[i]);
  free(modules);
  free(entries);
  free(names);
  free(forced);
  free((void *)kernels);
  return code;
}

static int check_emitted_entry_of(const batch *b, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "row%zu", i);
  return tenon_program_find(b->p, name);
}

static int add_inputs(const batch *b, size_t i, tenon_buf *input) {
  cli_tensor in[CHECK_VALUES];
  int entry = check_emitted_entry_of(b, i);
  char head[2] = {(char)entry, 1};
  size_t n = 0;
  int code = check_inputs(b->k, b->items[i].row, b->p, entry, in, &n);
  tenon_buf_add(input, head, 2);
  for (size_t j = 0; j < n; ++j) {
    tenon_buf_add(input, in[j].memory, in[j].size);
    cli_tensor_free(&in[j]);
  }
  return code;
}

static void check_emitted_fail(check_found *f, const char *detail) {
  f->outcome = CHECK_FAIL;
  snprintf(f->detail, sizeof f->detail, "%.290s", detail);
}

// What the row is compared with: what the same program gives here; of a
// program for an emulated core, what the kernel gives if it runs here, else the
// reference, whose floats need not be the same bits.
static int compute_here(batch *b, size_t row, check_result *want, bool *exact) {
  const check_subject *s = b->items[row].s;
  const check_row *r = b->items[row].row;
  char forced[512];
  check_mode mode = {0};
  *exact = true;
  if (!b->k->features)
    return check_run_program(b->k, r, b->p, check_emitted_entry_of(b, row),
                             &mode, want);
  tenon_buf text = {0};
  int code = check_row_text(r, CHECK_PLAIN, &text) ? 0 : CLI_NO_MEMORY;
  mode.text = text.data;
  mode.size = text.size;
  mode.flags = TENON_COMPILE_REFERENCE;
  mode.pipeline = CHECK_PIPELINE;
  *exact = runs_here(s);
  if (runs_here(s)) {
    snprintf(forced, sizeof forced, "%s=%s", s->op->op.name, s->kernel->name);
    mode.forced = forced;
    mode.flags = 0;
  }
  if (code == 0) code = check_run_text(b->k, r, &mode, want);
  tenon_buf_deinit(&text);
  return code;
}

// The next bytes of the output against what this process gives for this row.
static void compare_row(batch *b, size_t row, const tenon_buf *output,
                        size_t *at) {
  check_result want, got;
  bool is_exact = true;
  check_found *f = b->items[row].found;
  f->outcome = CHECK_PASS;
  if (compute_here(b, row, &want, &is_exact)) {
    check_emitted_fail(f, b->k->c->sink->muted);
    return;
  }
  memset(&got, 0, sizeof got);
  snprintf(f->detail, sizeof f->detail, "the emitted program wrote too little");
  bool ok = true;
  for (size_t i = 0; ok && i < want.n_out; ++i) {
    const cli_tensor *w = &want.out[i];
    int64_t dims[TENON_MAX_RANK];
    for (int d = 0; d < w->view.rank; ++d)
      dims[d] = w->dims[d];
    ok = output->size - *at >= w->size &&
         cli_tensor_make(&got.out[i], w->view.dtype, dims, w->view.rank);
    if (!ok) break;
    ++got.n_out;
    if (w->size) memcpy(got.out[i].memory, output->data + *at, w->size);
    *at += w->size;
  }
  ok = ok && check_equal(b->k, &want, &got, want.n_out, is_exact, f->detail,
                         sizeof f->detail);
  if (!ok) f->outcome = CHECK_FAIL;
  check_result_free(&want);
  check_result_free(&got);
}

// The failure of a run without the temporary folder.
static void summarise(const batch *b, char *detail, size_t size) {
  const char *from = b->k->c->sink->muted;
  const char *folder = strstr(from, b->e.folder);
  if (!folder) {
    snprintf(detail, size, "%.*s", (int)size - 1, from);
    return;
  }
  const char *rest = folder + strlen(b->e.folder);
  rest += *rest == '/';
  snprintf(detail, size, "%.*s%s", (int)(folder - from), from, rest);
}

// True when the rows from `begin` on ran to their end; compares them.
static bool run_rows(batch *b, size_t begin, size_t end) {
  tenon_buf input = {0}, output = {0};
  size_t at = 0;
  int code = 0;
  for (size_t i = begin; code == 0 && i < end; ++i)
    code = add_inputs(b, i, &input);
  if (code == 0) code = cli_emitted_run(b->k->c, &b->e, &input, &output);
  for (size_t i = begin; code == 0 && i < end; ++i)
    compare_row(b, i, &output, &at);
  tenon_buf_deinit(&input);
  tenon_buf_deinit(&output);
  return code == 0;
}

// A program that was stopped for taking too long; its rows are neither tried
// again nor made smaller, which would take as long each time.
bool check_has_hung(const char *detail) {
  return strstr(detail, "does not come to an end") != NULL;
}

static void check_emitted_leave_out(batch *b, size_t from) {
  for (size_t i = from; i < b->n; ++i) {
    check_found *f = b->items[i].found;
    f->outcome = CHECK_SKIP;
    snprintf(f->detail, sizeof f->detail,
             "a row before it did not come to an end");
  }
}

static void check_emitted_run_all(batch *b) {
  char detail[CHECK_DETAIL];
  bool any = false;
  if (run_rows(b, 0, b->n)) return;
  summarise(b, detail, sizeof detail);
  for (size_t i = 0; i < b->n; ++i) {
    if (!run_rows(b, i, i + 1)) {
      char own[CHECK_DETAIL];
      summarise(b, own, sizeof own);
      check_emitted_fail(b->items[i].found, own);
      if (check_has_hung(own)) {
        check_emitted_leave_out(b, i + 1);
        return;
      }
    }
    any = any || b->items[i].found->outcome == CHECK_FAIL;
  }
  // Only one after the other do they fail.
  if (!any) check_emitted_fail(b->items[b->n - 1].found, detail);
}

// Whether a run alone knows the size of a result: the driver then writes it in
// front of the bytes, which rows are not compared with.
static bool is_open_entry(const tenon_program *p, int entry) {
  tenon_io io[64];
  size_t n = tenon_program_io(p, entry, TENON_IO_OUTPUTS, io, 64);
  for (size_t i = 0; i < n && i < 64; ++i) {
    for (int d = 0; d < io[i].rank; ++d) {
      if (io[i].dims[d] < 0) return true;
    }
  }
  return false;
}

static bool has_open_results(const batch *b) {
  bool any = false;
  for (size_t i = 0; i < b->n; ++i) {
    if (!is_open_entry(b->p, check_emitted_entry_of(b, i))) continue;
    b->items[i].found->outcome = CHECK_SKIP;
    any = true;
  }
  return any;
}

// Whether the compiler has what the way needs; asked once.
static bool can_build(checker *k, check_way way, char *reason, size_t size) {
  cli_build how = build_of(way);
  if (how == CLI_BUILD_PLAIN || k->features) return true;
  if (k->probed[how] == 0) {
    k->probed[how] = cli_emitted_probe(k->c, how) == 0 ? 1 : 2;
    snprintf(k->refused[how], sizeof k->refused[how], "%.290s",
             k->c->sink->muted);
  }
  if (k->probed[how] == 1) return true;
  snprintf(
      reason, size, "the compiler has no %s that works here: %.200s",
      way == CHECK_RACES ? "-fsanitize=thread" : "-fsanitize=address,undefined",
      k->refused[how]);
  return false;
}

bool check_way_is_taken(checker *k, const check_subject *s, check_way way,
                        char *reason, size_t size) {
  const tenon_kernel_desc *d =
      s->kernel ? (const tenon_kernel_desc *)s->kernel->desc : NULL;
  if (way == CHECK_RACES && k->features) {
    snprintf(reason, size, "an emulated core has one thread");
    return false;
  }
  if (d && d->needs && d->needs[0] && !k->features) {
    snprintf(reason, size, "portable C cannot need '%.100s'", d->needs);
    return false;
  }
  if (way == CHECK_RACES && d && !d->run_range) {
    snprintf(reason, size, "it is not divided: no run_range");
    return false;
  }
  return can_build(k, way, reason, size);
}

static bool list_items(batch *b) {
  size_t n = 0;
  for (size_t i = 0; i < b->n_parts; ++i)
    n += b->parts[i].n;
  b->items = (struct item *)calloc(n + 1, sizeof *b->items);
  if (!b->items) return false;
  for (size_t i = 0; i < b->n_parts; ++i) {
    const check_part *part = &b->parts[i];
    for (size_t j = 0; j < part->n; ++j)
      b->items[b->n++] =
          (struct item){part->s, &part->rows[j], &part->found[j]};
  }
  return true;
}

bool check_batch_run(checker *k, check_way way, const check_part *parts,
                     size_t n, char *reason, size_t size) {
  batch b = {.k = k, .parts = parts, .n_parts = n};
  bool is_open = false;
  for (size_t i = 0; i < n; ++i) {
    if (!check_way_is_taken(k, parts[i].s, way, reason, size)) return false;
  }
  k->c->sink->muted[0] = 0;
  int code = list_items(&b) ? check_emitted_compile(&b) : CLI_NO_MEMORY;
  if (code == 0) is_open = has_open_results(&b);
  if (is_open) code = TENON_UNSUPPORTED;
  if (code == 0) code = cli_emitted_build(k->c, b.p, build_of(way), &b.e);
  bool ok = code == 0;
  if (ok && n == 1)
    check_emitted_run_all(&b);
  else if (ok)
    ok = run_rows(&b, 0, b.n);
  // What does not compile is wrong, not impossible.
  if (code == TENON_BUG && n == 1) {
    for (size_t i = 0; i < b.n; ++i)
      check_emitted_fail(b.items[i].found, k->c->sink->muted);
    ok = true;
  } else if (!ok) {
    snprintf(reason, size, "%s",
             is_open ? "only a run knows the sizes of its results"
                     : k->c->sink->muted);
  }
  cli_emitted_close(&b.e);
  tenon_program_destroy(b.p);
  free(b.items);
  return ok;
}
