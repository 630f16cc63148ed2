// How: a case becomes inputs and checks. What has a file is read from it; what
// is no tensor has its value in meta.json or on the command line.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verify/verifying.h"

char *verify_file(const verify_case *v, const char *kind, size_t size,
                  size_t i) {
  char name[128];
  snprintf(name, sizeof name, "%.*s%zu.npy", (int)(size < 100 ? size : 100),
           kind, i);
  return cli_join(v->path, name);
}

static int recorded_read_tensor(cli *c, const char *path, const tenon_io *io,
                                cli_tensor *out) {
  if (!cli_npy_read(c, path, out)) return TENON_IO;
  return cli_tensor_fit(c, out, io) ? 0 : TENON_BAD_INPUT;
}

static int recorded_parse(cli *c, const char *text, const tenon_io *io,
                          cli_tensor *out) {
  return cli_tensor_parse(c, text, io, out) ? 0
                                            : cli_refused(c, TENON_BAD_INPUT);
}

// --- inputs -----------------------------------------------------------------

const char *verify_given(const cli *c, const char *name, size_t i) {
  char index[24];
  snprintf(index, sizeof index, "%zu=", i);
  size_t n = strlen(name);
  for (size_t k = 0; k < c->inputs.count; ++k) {
    const char *text = c->inputs.data[k];
    if (strncmp(text, index, strlen(index)) == 0) return text + strlen(index);
    if (strncmp(text, name, n) == 0 && text[n] == '=') return text + n + 1;
  }
  return NULL;
}

static int recorded_read_input(const verify_suite *s, verify_case *v,
                               size_t i) {
  char text[256];
  size_t at = v->in_files[i];
  char *path = verify_file(v, "in", 2, at);
  const tenon_io *io = &v->in_io[i];
  const char *given = verify_given(s->c, io->name, i);
  int code = 0;
  if (!path) return CLI_NO_MEMORY;
  if (given)
    code = recorded_parse(s->c, given, io, &v->in[i]);
  else if (cli_is_file(path))
    code = recorded_read_tensor(s->c, path, io, &v->in[i]);
  else if (verify_meta_value(s->meta, v->k, "inputs", at, text, sizeof text))
    code = recorded_parse(s->c, text, io, &v->in[i]);
  else
    code = cli_fail(s->c, TENON_IO, "verify-input",
                    "no '%s', and no --input %zu=VALUE", path, i);
  free(path);
  return code;
}

// --- checks -----------------------------------------------------------------

static verify_check *add_check(verify_case *v, verify_kind kind, size_t index,
                               const tenon_io *io) {
  static const char *const before[] = {"", "", "state ", "after: "};
  tenon_buf label = {0};
  verify_check *k = (verify_check *)cli_add(&v->checks, &v->n_checks);
  if (!k) return NULL;
  tenon_put(&label, "$$", before[kind], io->name);
  k->kind = kind;
  k->index = index;
  k->label = label.data;
  k->io = *io;
  k->has_want = true;
  return label.failed ? NULL : k;
}

// The first kind of recording that this case has, of any output.
static const char *choose_kind(const cli *c, const verify_case *v,
                               size_t *size) {
  const char *list = c->expect ? c->expect : "out";
  for (const char *p = list; *p;) {
    size_t n = strcspn(p, ",");
    for (size_t i = 0; i < v->n_out; ++i) {
      char *path = verify_file(v, p, n, v->out_files[i]);
      bool there = path && cli_is_file(path);
      free(path);
      if (!there) continue;
      *size = n;
      return p;
    }
    p += n + (p[n] == ',');
  }
  return NULL;
}

static int recorded_read_output(const verify_suite *s, verify_case *v, size_t i,
                                const char *kind, size_t size) {
  char text[256];
  size_t at = v->out_files[i];
  char *path = kind ? verify_file(v, kind, size, at) : NULL;
  const tenon_io *io = &v->out_io[i];
  verify_check *k = add_check(v, VERIFY_OUTPUT, i, io);
  int code = 0;
  if (!k || (kind && !path))
    code = CLI_NO_MEMORY;
  else if (path && cli_is_file(path))
    code = recorded_read_tensor(s->c, path, io, &k->want);
  else if (verify_meta_value(s->meta, v->k, "outputs", at, text, sizeof text))
    code = recorded_parse(s->c, text, io, &k->want);
  else
    code = cli_fail(s->c, TENON_IO, "verify-expect",
                    "'%s' has no recording '%.*s%zu.npy' of output '%s'",
                    v->path, kind ? (int)size : 32,
                    kind ? kind : (s->c->expect ? s->c->expect : "out"), at,
                    io->name);
  free(path);
  return code;
}

// in<i>_after.npy: what a written input holds.
static int read_after(const verify_suite *s, verify_case *v, size_t i) {
  char name[64];
  snprintf(name, sizeof name, "in%zu_after.npy", v->in_files[i]);
  char *path = cli_join(v->path, name);
  int code = path ? 0 : CLI_NO_MEMORY;
  bool is_there = path && cli_is_file(path);
  if (is_there && !(v->in_io[i].flags & TENON_IO_WRITTEN)) {
    code = cli_fail(s->c, TENON_BAD_INPUT, "verify-after",
                    "'%s': the model does not write to input '%s'", path,
                    v->in_io[i].name);
  } else if (code == 0 && (v->in_io[i].flags & TENON_IO_WRITTEN)) {
    verify_check *k = add_check(v, VERIFY_INPUT, i, &v->in_io[i]);
    if (!k) code = CLI_NO_MEMORY;
    if (k) k->has_want = is_there;
    if (k && is_there)
      code = recorded_read_tensor(s->c, path, &k->io, &k->want);
  }
  free(path);
  return code;
}

// The name between "buf_" and ".npy", in which "%2F" is a slash, and so any
// byte; false: another file.
static bool state_name(const char *file, char *name, size_t size) {
  size_t n = strlen(file);
  if (n < 9 || n - 8 >= size || strncmp(file, "buf_", 4) != 0 ||
      strcmp(file + n - 4, ".npy") != 0)
    return false;
  memcpy(name, file + 4, n - 8);
  name[n - 8] = 0;
  for (char *p = name; (p = strchr(p, '%')) != NULL; ++p) {
    char digits[3] = {p[1], p[1] ? p[2] : 0, 0}, *end = NULL;
    long byte = strtol(digits, &end, 16);
    if (end != digits + 2 || byte == 0 || !isxdigit((unsigned char)digits[0]))
      continue;
    *p = (char)byte;
    memmove(p + 1, p + 3, strlen(p + 3) + 1);
  }
  return true;
}

static int read_state(const verify_suite *s, verify_case *v, const char *file) {
  char name[512];
  if (!state_name(file, name, sizeof name)) return 0;
  for (size_t i = 0; i < v->n_checks; ++i) {
    verify_check *k = &v->checks[i];
    if (k->kind != VERIFY_STATE || strcmp(k->io.name, name) != 0) continue;
    char *path = cli_join(v->path, file);
    int code = path ? recorded_read_tensor(s->c, path, &k->io, &k->want)
                    : CLI_NO_MEMORY;
    k->has_want = true;
    free(path);
    return code;
  }
  return cli_fail(s->c, TENON_BAD_INPUT, "verify-state",
                  "'%s/%s': the model has no state '%s'", v->path, file, name);
}

// All states; what buf_<name>.npy holds is what is expected of one.
static int read_states(const verify_suite *s, const tenon_program *p,
                       verify_case *v) {
  size_t n = 0;
  tenon_io *states = cli_io_list(p, v->entry, TENON_IO_STATES, &n);
  cli_list names = {0};
  int code = states ? 0 : CLI_NO_MEMORY;
  for (size_t i = 0; code == 0 && i < n; ++i) {
    verify_check *k = add_check(v, VERIFY_STATE, i, &states[i]);
    if (!k) code = CLI_NO_MEMORY;
    if (k) k->has_want = false;
  }
  if (code == 0 && !cli_list_folder(s->c, v->path, &names)) code = TENON_IO;
  for (size_t i = 0; code == 0 && i < names.count; ++i)
    code = read_state(s, v, names.data[i]);
  cli_list_drop(&names);
  free(states);
  return code;
}

// --- a case -----------------------------------------------------------------

static int find_positions(const verify_suite *s, verify_case *v) {
  bool in =
      verify_meta_positions(s->meta, v->k, "inputs", v->n_in, v->in_files);
  bool out =
      verify_meta_positions(s->meta, v->k, "outputs", v->n_out, v->out_files);
  if (in && out) return 0;
  return cli_fail(s->c, TENON_BAD_INPUT, "verify-count",
                  "'%s': meta.json has another number of %s than entry point "
                  "'%s', which has %zu",
                  v->path, in ? "outputs" : "inputs", v->entry_name,
                  in ? v->n_out : v->n_in);
}

int verify_case_read(verify_suite *s, const tenon_program *p, verify_case *v) {
  size_t size = 0;
  v->entry = tenon_program_find(p, v->entry_name);
  if (v->entry < 0)
    return cli_fail(s->c, CLI_USAGE, "verify-entry",
                    "'%s' belongs to entry point '%s', which --entry leaves "
                    "out",
                    v->path, v->entry_name);
  v->n_in = tenon_program_io(p, v->entry, TENON_IO_INPUTS, NULL, 0);
  v->n_out = tenon_program_io(p, v->entry, TENON_IO_OUTPUTS, NULL, 0);
  v->in_io = (tenon_io *)calloc(v->n_in + v->n_out + 1, sizeof *v->in_io);
  v->in = (cli_tensor *)calloc(v->n_in + 1, sizeof *v->in);
  v->in_files = (size_t *)calloc(v->n_in + v->n_out + 1, sizeof(size_t));
  if (!v->in_io || !v->in || !v->in_files) return CLI_NO_MEMORY;
  v->out_io = v->in_io + v->n_in;
  v->out_files = v->in_files + v->n_in;
  (void)tenon_program_io(p, v->entry, TENON_IO_INPUTS, v->in_io, v->n_in);
  (void)tenon_program_io(p, v->entry, TENON_IO_OUTPUTS, v->out_io, v->n_out);
  int code = find_positions(s, v);
  for (size_t i = 0; code == 0 && i < v->n_in; ++i)
    code = recorded_read_input(s, v, i);
  const char *kind = choose_kind(s->c, v, &size);
  for (size_t i = 0; code == 0 && i < v->n_out; ++i)
    code = recorded_read_output(s, v, i, kind, size);
  for (size_t i = 0; code == 0 && i < v->n_in; ++i)
    code = read_after(s, v, i);
  if (code == 0) code = read_states(s, p, v);
  // The list has moved while it grew, and views point into it.
  for (size_t i = 0; i < v->n_checks; ++i)
    v->checks[i].want.view.dims = v->checks[i].want.dims;
  return code;
}
