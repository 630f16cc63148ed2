// How: starting a compiler for every row would take most of the time, so all
// rows of a subject are entry points of one program, which is emitted, built
// and run once.
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"

static void skip_all(check_subject *s, size_t n, const char *reason) {
  check_tally *t = &s->tallies[CHECK_EMITTED];
  t->skipped += n;
  snprintf(t->reason, sizeof t->reason, "%s", reason);
}

static void fail_row(check_subject *s, const check_row *row,
                     const char *detail) {
  check_tally *t = &s->tallies[CHECK_EMITTED];
  cli_bytes text = {0};
  ++t->failed;
  if (t->failure) return;
  if (row && !check_row_text(row, CHECK_PLAIN, &text)) return;
  if (cli_bytes_format(&text, "%s", detail)) t->failure = text.data;
}

// One module per row, all alive until the program is there.
static int compile(checker *k, const check_subject *s, const check_row *rows,
                   size_t n, tenon_program **out) {
  tenon_module **modules = (tenon_module **)calloc(n + 1, sizeof *modules);
  tenon_entry *entries = (tenon_entry *)calloc(n + 1, sizeof *entries);
  char(*names)[32] = (char(*)[32])calloc(n + 1, sizeof *names);
  char forced[512];
  const char *kernels[2] = {NULL, NULL};
  tenon_compile_options o = {0};
  int code = modules && entries && names ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    cli_bytes text = {0};
    if (!check_row_text(&rows[i], CHECK_PLAIN, &text) ||
        !check_read(k, text.data, text.size, &modules[i]))
      code = TENON_BAD_MODEL;
    if (code == 0) code = cli_exit(tenon_module_set_target(modules[i], "c"));
    snprintf(names[i], sizeof *names, "row%zu", i);
    entries[i].name = names[i];
    entries[i].module = modules[i];
    cli_bytes_free(&text);
  }
  o.struct_size = sizeof o;
  if (s->kernel) {
    snprintf(forced, sizeof forced, "%s=%s", s->op->op.name, s->kernel->name);
    kernels[0] = forced;
    o.kernels = kernels;
    o.pipeline = "functional,lower,inline";
  }
  if (code == 0) code = cli_exit(tenon_program_compile(entries, n, &o, out));
  for (size_t i = 0; modules && i < n; ++i)
    tenon_module_destroy(modules[i]);
  free(modules);
  free(entries);
  free(names);
  return code;
}

static int entry_of(const tenon_program *p, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "row%zu", i);
  return tenon_program_find(p, name);
}

static int add_inputs(const check_row *row, const tenon_program *p, int entry,
                      cli_bytes *input) {
  cli_tensor in[CHECK_VALUES];
  char head[2] = {(char)entry, 1};
  size_t n = 0;
  int code = check_inputs(row, p, entry, in, &n);
  if (code == 0 && !cli_bytes_add(input, head, 2)) code = CLI_NO_MEMORY;
  for (size_t i = 0; i < n; ++i) {
    if (code == 0 && !cli_bytes_add(input, in[i].memory, in[i].size))
      code = CLI_NO_MEMORY;
    cli_tensor_free(&in[i]);
  }
  return code;
}

// The next bytes of the output against what the session gives for this row.
static bool compare_row(checker *k, check_subject *s, const check_row *row,
                        const tenon_program *p, int entry,
                        const cli_bytes *output, size_t *at) {
  check_mode mode = {0};
  check_result want, got;
  char detail[300] = "the emitted program wrote too little";
  if (check_run_program(k, row, p, entry, &mode, &want)) return false;
  memset(&got, 0, sizeof got);
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
  ok = ok && check_equal(&want, &got, want.n_out, true, detail, sizeof detail);
  if (ok)
    ++s->tallies[CHECK_EMITTED].passed;
  else
    fail_row(s, row, detail);
  check_result_free(&want);
  check_result_free(&got);
  return true;
}

static void run(checker *k, check_subject *s, const check_row *rows, size_t n,
                const tenon_program *p) {
  cli_emitted e;
  cli_bytes input = {0}, output = {0};
  size_t at = 0;
  int code = cli_emitted_build(k->c, p, false, &e);
  if (code == TENON_UNSUPPORTED) {
    skip_all(s, n, k->c->sink->muted);
  } else {
    for (size_t i = 0; code == 0 && i < n; ++i)
      code = add_inputs(&rows[i], p, entry_of(p, i), &input);
    if (code == 0) code = cli_emitted_run(k->c, &e, &input, &output);
    if (code) fail_row(s, NULL, k->c->sink->muted);
    for (size_t i = 0; code == 0 && i < n; ++i)
      if (!compare_row(k, s, &rows[i], p, entry_of(p, i), &output, &at))
        fail_row(s, &rows[i], k->c->sink->muted);
  }
  cli_bytes_free(&input);
  cli_bytes_free(&output);
  cli_emitted_close(&e);
}

// Whether a run alone knows the size of a result: the driver then writes it in
// front of the bytes, which rows are not compared with.
static bool has_open_results(const tenon_program *p) {
  for (size_t e = 0; e < tenon_program_entries(p); ++e) {
    tenon_io io[64];
    size_t n = tenon_program_io(p, (int)e, TENON_IO_OUTPUTS, io, 64);
    for (size_t i = 0; i < n && i < 64; ++i) {
      for (int d = 0; d < io[i].rank; ++d) {
        if (io[i].dims[d] < 0) return true;
      }
    }
  }
  return false;
}

void check_emitted(checker *k, check_subject *s, check_row *rows, size_t n) {
  const tenon_kernel_desc *d =
      s->kernel ? (const tenon_kernel_desc *)s->kernel->desc : NULL;
  tenon_program *p = NULL;
  if (n == 0) return;
  if (d && d->needs && d->needs[0]) {
    char reason[200];
    snprintf(reason, sizeof reason, "portable C cannot need '%.100s'",
             d->needs);
    skip_all(s, n, reason);
    return;
  }
  if (compile(k, s, rows, n, &p))
    skip_all(s, n, k->c->sink->muted);
  else if (has_open_results(p))
    skip_all(s, n, "only a run knows the sizes of its results");
  else
    run(k, s, rows, n, p);
  tenon_program_destroy(p);
}
