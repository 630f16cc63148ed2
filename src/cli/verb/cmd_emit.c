// How: compile for portable C unless a target is named, so that what is written
// compiles anywhere and gives the bits that `run` gives; collect all files;
// save them when all are there.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// Recorded runs for a self-test.
typedef struct vectors {
  tenon_vectors *list;
  size_t count;
  cli_tensor *tensors;  // all of them
  tenon_tensor *views;
  size_t n_tensors;
} vectors;

static int read_case(cli *c, const tenon_program *p, int entry,
                     const char *folder, vectors *v, size_t *at) {
  tenon_vectors *row = &v->list[v->count];
  row->entry = entry;
  row->n_in = tenon_program_io(p, entry, TENON_IO_INPUTS, NULL, 0);
  row->n_out = tenon_program_io(p, entry, TENON_IO_OUTPUTS, NULL, 0);
  row->abs = c->has_tolerance_abs ? c->tolerance_abs : 1e-5;
  row->rel = c->has_tolerance_rel ? c->tolerance_rel : 1e-5;
  row->in = v->views + *at;
  row->out = row->in + row->n_in;
  size_t n = row->n_in + row->n_out;
  tenon_io *io = (tenon_io *)calloc(n + 1, sizeof *io);
  if (!io) return CLI_NO_MEMORY;
  (void)tenon_program_io(p, entry, TENON_IO_INPUTS, io, row->n_in);
  (void)tenon_program_io(p, entry, TENON_IO_OUTPUTS, io + row->n_in,
                         row->n_out);
  int code = 0;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    char name[64];
    bool is_in = i < row->n_in;
    snprintf(name, sizeof name, "%s%zu.npy", is_in ? "in" : "out",
             is_in ? i : i - row->n_in);
    char *path = cli_join(folder, name);
    cli_tensor *t = &v->tensors[*at + i];
    if (!path || !cli_npy_read(c, path, t)) code = TENON_IO;
    if (code == 0 && !cli_tensor_fit(c, t, &io[i])) code = TENON_BAD_INPUT;
    v->views[*at + i] = t->view;
    ++v->n_tensors;
    free(path);
  }
  *at += n;
  ++v->count;
  free(io);
  return code;
}

static int read_vectors(cli *c, const tenon_program *p, vectors *v) {
  int entry = cli_entry(c, p);
  if (entry < 0) return CLI_USAGE;
  size_t per_case = tenon_program_io(p, entry, TENON_IO_INPUTS, NULL, 0) +
                    tenon_program_io(p, entry, TENON_IO_OUTPUTS, NULL, 0);
  size_t n = c->self_test.count, at = 0;
  v->list = (tenon_vectors *)calloc(n + 1, sizeof *v->list);
  v->tensors = (cli_tensor *)calloc(n * per_case + 1, sizeof *v->tensors);
  v->views = (tenon_tensor *)calloc(n * per_case + 1, sizeof *v->views);
  if (!v->list || !v->tensors || !v->views) return CLI_NO_MEMORY;
  int code = 0;
  for (size_t i = 0; code == 0 && i < n; ++i)
    code = read_case(c, p, entry, c->self_test.data[i], v, &at);
  return code;
}

static void free_vectors(vectors *v) {
  for (size_t i = 0; i < v->n_tensors; ++i) {
    v->tensors[i].view.dims = NULL;
    cli_tensor_free(&v->tensors[i]);
  }
  free(v->tensors);
  free(v->views);
  free(v->list);
}

// Into a folder, into one .c file, or to standard output.
static int emit_verb_deliver(cli *c, const cli_files *files, bool is_single) {
  if (!is_single) return cli_files_save(c, files, c->output) ? 0 : TENON_IO;
  for (size_t i = 0; i < files->count; ++i) {
    if (!cli_ends_with(files->data[i].name, ".c")) continue;
    c->sink->is_text = !c->output;
    return cli_deliver(c, c->output, &files->data[i].content);
  }
  return cli_fail(c, TENON_BUG, "bug", "emission wrote no .c file");
}

// "text", "incbin" or "blob", the latter also "blob:4096", as bytes from which
// constants have a file.
static int read_constants(cli *c, tenon_emit_options *o) {
  static const struct {
    const char *name;
    uint32_t flags;
  } files[] = {{"incbin", 0}, {"blob", TENON_EMIT_BLOB}};
  const char *how = c->constants;
  if (!how || strcmp(how, "text") == 0) return 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    const size_t n = strlen(files[i].name);
    char *end = NULL;
    if (strncmp(how, files[i].name, n) != 0) continue;
    if (how[n] == ':' && how[n + 1] >= '0' && how[n + 1] <= '9')
      o->constants_file_from = strtoull(how + n + 1, &end, 10);
    else if (!how[n])
      o->constants_file_from = 1024;
    o->flags |= files[i].flags;
    if (o->constants_file_from > 0 && !(end && *end)) return 0;
  }
  return cli_fail(c, CLI_USAGE, "cli-value",
                  "'--constants' expects text, incbin, incbin:BYTES, blob or "
                  "blob:BYTES, found '%s'",
                  how);
}

static int emit(cli *c, const tenon_program *p, bool is_joint) {
  tenon_emit_options o = {0};
  cli_files files = {0};
  vectors v = {0};
  bool is_single = !c->output || cli_ends_with(c->output, ".c");
  int code = c->self_test.count ? read_vectors(c, p, &v) : 0;
  o.struct_size = sizeof o;
  o.flags =
      (c->strip ? TENON_EMIT_STRIP : 0u) | (c->link ? TENON_EMIT_EXTERN : 0u);
  o.prefix = !c->prefix && is_joint ? "models" : c->prefix;
  o.package = c->package ? c->package : is_single ? "single" : "files";
  o.vectors = v.list;
  o.n_vectors = v.count;
  if (code == 0) code = read_constants(c, &o);
  if (code == 0 && !(cli_list_end(&c->arenas, &o.arenas) &&
                     cli_list_end(&c->package_about, &o.about)))
    code = CLI_NO_MEMORY;
  if (code == 0 && is_single && v.count)
    code = cli_fail(c, CLI_USAGE, "cli-emit",
                    "--self-test writes a second file: give a folder with -o");
  if (code == 0)
    code = cli_exit(tenon_program_emit(p, &o, cli_files_write, &files));
  if (code == 0) code = emit_verb_deliver(c, &files, is_single);
  cli_files_free(&files);
  free_vectors(&v);
  return code;
}

int cmd_emit(cli *c) {
  cli_model model;
  tenon_program *p = NULL;
  int code = cli_models_open(c, &model);
  if (code) return code;
  code = cli_model_compile(c, &model, "c", 0, &p);
  if (code == 0) code = emit(c, p, model.n_more > 0);
  tenon_program_destroy(p);
  cli_model_close(&model);
  return code;
}
