// How: the folders are listed first, then sorted by k and, within one k, by the
// order of the signatures; then each is read against the program's inputs and
// outputs.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verifying.h"

static bool add_case(verify_suite *s, char *path, int entry) {
  verify_case *cases =
      (verify_case *)realloc(s->cases, (s->count + 1) * sizeof *s->cases);
  if (!cases || !path) return false;
  s->cases = cases;
  verify_case *v = &cases[s->count++];
  memset(v, 0, sizeof *v);
  v->path = path;
  v->entry = entry;
  v->k = -1;
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    path[--n] = 0;
  const char *slash = strrchr(path, '/');
  v->label = slash ? slash + 1 : path;
  if (strncmp(v->label, "case", 4) == 0 && v->label[4] >= '0' &&
      v->label[4] <= '9')
    v->k = strtol(v->label + 4, NULL, 10);
  return true;
}

static bool is_case_name(const char *name) {
  if (strncmp(name, "case", 4) != 0 || !name[4]) return false;
  return strspn(name + 4, "0123456789") == strlen(name + 4);
}

// Every case<k> in a folder. `entry` -1: to be found out.
static bool list_cases(verify_suite *s, const char *folder, int entry) {
  DIR *d = opendir(folder);
  struct dirent *e = NULL;
  bool ok = true;
  while (d && ok && (e = readdir(d)) != NULL) {
    if (!is_case_name(e->d_name)) continue;
    char *path = cli_join(folder, e->d_name);
    if (path && !cli_is_folder(path)) {
      free(path);
      continue;
    }
    ok = add_case(s, path, entry);
  }
  if (d) closedir(d);
  return ok;
}

static bool discover(verify_suite *s, const char *folder,
                     const tenon_program *p) {
  bool ok = list_cases(s, folder, -1);
  for (size_t i = 0; ok && i < tenon_program_entries(p); ++i) {
    char *inner = cli_join(folder, tenon_program_entry_name(p, (int)i));
    ok = inner && list_cases(s, inner, (int)i);
    free(inner);
  }
  return ok;
}

// "--case DIR" or "--case ENTRY=DIR".
static int add_named(verify_suite *s, const tenon_program *p,
                     const char *text) {
  const char *equals = strchr(text, '=');
  int entry = -1;
  if (equals && !cli_is_folder(text)) {
    for (size_t i = 0; i < tenon_program_entries(p); ++i) {
      const char *name = tenon_program_entry_name(p, (int)i);
      if (strlen(name) == (size_t)(equals - text) &&
          strncmp(name, text, (size_t)(equals - text)) == 0)
        entry = (int)i;
    }
    if (entry < 0)
      return cli_fail(s->c, CLI_USAGE, "verify-entry",
                      "no entry point '%.*s' for --case %s",
                      (int)(equals - text), text, text);
    text = equals + 1;
  }
  if (!cli_is_folder(text))
    return cli_fail(s->c, TENON_IO, "verify-case", "no folder '%s'", text);
  return add_case(s, strdup(text), entry) ? 0 : CLI_NO_MEMORY;
}

// The folder above, then meta.json, then the default.
static int find_entry(const verify_suite *s, const tenon_program *p,
                      const verify_case *v) {
  if (v->entry >= 0) return v->entry;
  if (s->c->entry) return cli_entry(s->c, p);
  const char *end = v->label > v->path ? v->label - 1 : v->path;
  const char *begin = end;
  while (begin > v->path && begin[-1] != '/')
    --begin;
  for (size_t i = 0; i < tenon_program_entries(p); ++i) {
    const char *name = tenon_program_entry_name(p, (int)i);
    if (strlen(name) == (size_t)(end - begin) &&
        strncmp(name, begin, (size_t)(end - begin)) == 0)
      return (int)i;
  }
  const char *named = verify_meta_entry(s->meta, v->k);
  if (!named) return tenon_program_find(p, NULL);
  int entry = tenon_program_find(p, named);
  if (entry < 0)
    (void)cli_fail(s->c, CLI_USAGE, "verify-entry",
                   "meta.json names entry point '%s', which the model lacks",
                   named);
  return entry;
}

static size_t order_of(const verify_suite *s, const tenon_program *p,
                       const verify_case *v) {
  const char *name = tenon_program_entry_name(p, v->entry);
  size_t order = verify_meta_order(s->meta, name ? name : "");
  // Entries that no list of signatures names come behind, in their own order.
  return order == SIZE_MAX ? (size_t)v->entry + 100000 : order;
}

static bool precedes(const verify_suite *s, const tenon_program *p,
                     const verify_case *a, const verify_case *b) {
  if (a->k != b->k) return a->k < b->k;
  size_t m = order_of(s, p, a), n = order_of(s, p, b);
  return m != n ? m < n : strcmp(a->path, b->path) < 0;
}

// By insertion: there are a handful.
static void sort_cases(verify_suite *s, const tenon_program *p) {
  for (size_t i = 1; i < s->count; ++i) {
    verify_case held = s->cases[i];
    size_t at = i;
    for (; at > 0 && precedes(s, p, &held, &s->cases[at - 1]); --at)
      s->cases[at] = s->cases[at - 1];
    s->cases[at] = held;
  }
}

// --- tensors ----------------------------------------------------------------

static char *file_of(const verify_case *v, const char *kind, size_t size,
                     size_t i) {
  char name[128];
  snprintf(name, sizeof name, "%.*s%zu.npy", (int)(size < 100 ? size : 100),
           kind, i);
  return cli_join(v->path, name);
}

static int read_tensor(cli *c, const char *path, const tenon_io *io,
                       cli_tensor *out) {
  if (!cli_npy_read(c, path, out)) return TENON_IO;
  return cli_tensor_fit(c, out, io) ? 0 : TENON_BAD_INPUT;
}

static const char *given_input(const cli *c, const tenon_io *io, size_t i) {
  char index[24];
  snprintf(index, sizeof index, "%zu=", i);
  size_t n = strlen(io->name);
  for (size_t k = 0; k < c->inputs.count; ++k) {
    const char *text = c->inputs.data[k];
    if (strncmp(text, index, strlen(index)) == 0) return text + strlen(index);
    if (strncmp(text, io->name, n) == 0 && text[n] == '=') return text + n + 1;
  }
  return NULL;
}

static int read_input(const verify_suite *s, verify_case *v, size_t i) {
  char text[64];
  char *path = file_of(v, "in", 2, i);
  const char *given = given_input(s->c, &v->in_io[i], i);
  int code = 0;
  if (!path) return CLI_NO_MEMORY;
  if (given) {
    code = cli_tensor_parse(s->c, given, &v->in_io[i], &v->in[i])
               ? 0
               : TENON_BAD_INPUT;
  } else if (cli_is_file(path)) {
    code = read_tensor(s->c, path, &v->in_io[i], &v->in[i]);
  } else if (verify_meta_value(s->meta, v->k, "inputs", i, text, sizeof text)) {
    code = cli_tensor_parse(s->c, text, &v->in_io[i], &v->in[i])
               ? 0
               : TENON_BAD_INPUT;
  } else {
    code = cli_fail(s->c, TENON_IO, "verify-input",
                    "no '%s', and no --input %zu=VALUE", path, i);
  }
  free(path);
  return code;
}

// The first kind of recording that this case has.
static const char *choose_kind(const cli *c, const verify_case *v,
                               size_t *size) {
  const char *list = c->expect ? c->expect : "out";
  for (const char *p = list; *p;) {
    size_t n = strcspn(p, ",");
    char *path = file_of(v, p, n, 0);
    bool there = path && cli_is_file(path);
    free(path);
    if (there) {
      *size = n;
      return p;
    }
    p += n + (p[n] == ',');
  }
  return NULL;
}

static int read_outputs(const verify_suite *s, verify_case *v) {
  size_t size = 0;
  const char *kind = choose_kind(s->c, v, &size);
  if (!kind && v->n_out > 0)
    return cli_fail(s->c, TENON_IO, "verify-expect",
                    "'%s' has no recording '%s0.npy'", v->path,
                    s->c->expect ? s->c->expect : "out");
  int code = 0;
  for (size_t i = 0; code == 0 && i < v->n_out; ++i) {
    char *path = file_of(v, kind, size, i);
    code = path ? read_tensor(s->c, path, &v->out_io[i], &v->out[i])
                : CLI_NO_MEMORY;
    free(path);
  }
  return code;
}

// What became of written inputs, where that was recorded.
static int read_after(const verify_suite *s, verify_case *v) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < v->n_in; ++i) {
    char name[64];
    size_t k = v->n_out;
    snprintf(name, sizeof name, "in%zu_after.npy", i);
    char *path = cli_join(v->path, name);
    if (!path) return CLI_NO_MEMORY;
    while (k < v->n_all && v->written[k - v->n_out] != i)
      ++k;
    if (cli_is_file(path) && k == v->n_all)
      code = cli_fail(s->c, TENON_BAD_INPUT, "verify-after",
                      "'%s' records what became of input '%s', which the model "
                      "does not write",
                      path, v->in_io[i].name);
    else if (cli_is_file(path))
      code = read_tensor(s->c, path, &v->out_io[k], &v->out[k]);
    free(path);
  }
  return code;
}

tenon_tensor *verify_case_inputs(const verify_case *v, cli_tensor *results) {
  tenon_tensor *in = (tenon_tensor *)calloc(v->n_in + 1, sizeof *in);
  for (size_t i = 0; in && i < v->n_in; ++i)
    in[i] = v->views[i];
  for (size_t k = v->n_out; in && k < v->n_all; ++k) {
    size_t i = v->written[k - v->n_out];
    if (results[k].size)
      memcpy(results[k].memory, v->in[i].memory, results[k].size);
    in[i].data = results[k].memory;
  }
  return in;
}

static int read_case(verify_suite *s, const tenon_program *p, verify_case *v) {
  v->n_in = tenon_program_io(p, v->entry, TENON_IO_INPUTS, NULL, 0);
  v->n_out = tenon_program_io(p, v->entry, TENON_IO_OUTPUTS, NULL, 0);
  tenon_io *io = (tenon_io *)calloc(2 * v->n_in + v->n_out + 1, sizeof *io);
  v->in_io = io;
  v->in = (cli_tensor *)calloc(v->n_in + 1, sizeof *v->in);
  v->out = (cli_tensor *)calloc(v->n_in + v->n_out + 1, sizeof *v->out);
  v->views = (tenon_tensor *)calloc(v->n_in + 1, sizeof *v->views);
  v->written = (size_t *)calloc(v->n_in + 1, sizeof *v->written);
  if (!io || !v->in || !v->out || !v->views || !v->written)
    return CLI_NO_MEMORY;
  v->out_io = io + v->n_in;
  (void)tenon_program_io(p, v->entry, TENON_IO_INPUTS, io, v->n_in);
  (void)tenon_program_io(p, v->entry, TENON_IO_OUTPUTS, io + v->n_in, v->n_out);
  v->n_all = v->n_out;
  for (size_t i = 0; i < v->n_in; ++i)
    if (io[i].flags & TENON_IO_WRITTEN) {
      v->written[v->n_all - v->n_out] = i;
      io[v->n_in + v->n_all++] = io[i];
    }
  int code = 0;
  for (size_t i = 0; code == 0 && i < v->n_in; ++i) {
    code = read_input(s, v, i);
    v->views[i] = v->in[i].view;
  }
  if (code == 0) code = read_outputs(s, v);
  return code ? code : read_after(s, v);
}

int verify_suite_read(cli *c, const char *folder, const tenon_program *p,
                      verify_suite *out) {
  int code = 0;
  memset(out, 0, sizeof *out);
  out->c = c;
  code = verify_meta_read(c, folder, &out->meta);
  if (code) return code;
  out->is_stateful = c->stateful || verify_meta_stateful(out->meta);
  for (size_t i = 0; code == 0 && i < c->cases.count; ++i)
    code = add_named(out, p, c->cases.data[i]);
  if (code == 0 && c->cases.count == 0 && !discover(out, folder, p))
    code = CLI_NO_MEMORY;
  if (code == 0 && out->count == 0)
    code = cli_fail(c, TENON_IO, "verify-none",
                    "no case: give --case DIR, or put case0, case1, ... into "
                    "'%s'",
                    folder);
  for (size_t i = 0; code == 0 && i < out->count; ++i) {
    out->cases[i].entry = find_entry(out, p, &out->cases[i]);
    if (out->cases[i].entry < 0) code = CLI_USAGE;
  }
  if (code == 0 && c->cases.count == 0) sort_cases(out, p);
  for (size_t i = 0; code == 0 && i < out->count; ++i)
    code = read_case(out, p, &out->cases[i]);
  return code;
}

void verify_suite_free(verify_suite *s) {
  for (size_t i = 0; i < s->count; ++i) {
    verify_case *v = &s->cases[i];
    for (size_t k = 0; v->in && k < v->n_in; ++k)
      cli_tensor_free(&v->in[k]);
    for (size_t k = 0; v->out && k < v->n_all; ++k)
      cli_tensor_free(&v->out[k]);
    free(v->written);
    free(v->in);
    free(v->out);
    free(v->views);
    free((void *)(uintptr_t)v->in_io);
    free(v->path);
  }
  free(s->cases);
  verify_meta_free(s->meta);
}
