// How: a context per command; a module is read again for every way of compiling
// it.
#include <stdlib.h>
#include <string.h>

#include "cli/flag/flags.h"

// The plugins that come with Tenon lie beside the command or the library, or
// where these were installed to, and are looked for nowhere else.
static bool find_own(const char *name, char *file, size_t size) {
  static const char *const folders[] = {"plugins", "../lib/tenon", "../tenon",
                                        "tenon"};
  char home[512];
  for (int k = 0; k < 2; ++k)
    for (size_t i = 0; tenon_os_home(k, home, sizeof home) &&
                       i < sizeof folders / sizeof *folders;
         ++i) {
      int used = snprintf(file, size, "%s/%s/%s.so", home, folders[i], name);
      if (used > 0 && (size_t)used < size && cli_is_file(file)) return true;
    }
  return false;
}

// A bare name is that of one of these, or of a plugin in the current folder:
// "acme_gain" is what `tenon new` has written.
static tenon_status load_plugin(cli *c, tenon_context *cx, const char *path) {
  char file[1024];
  if (cli_is_piped(path)) return cli_load_piped(c, cx);
  bool is_bare = !strchr(path, '/') && !strchr(path, '.');
  if (is_bare && find_own(path, file, sizeof file))
    return tenon_context_load(cx, file);
  if (is_bare && !cli_is_file(path) && !cli_is_folder(path)) {
    static const char *const suffixes[] = {".c", ".so"};
    for (size_t i = 0; i < 2; ++i) {
      int n = snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
      if (n > 0 && (size_t)n < sizeof file && cli_is_file(file))
        return tenon_context_load(cx, file);
    }
  }
  return tenon_context_load(cx, path);
}

int cli_context(cli *c, tenon_context **out) {
  tenon_context_options o = {0};
  o.struct_size = sizeof o;
  o.flags = TENON_CONTEXT_LOAD_PLUGINS;
  o.diag = cli_sink_of(c->sink);
  if (c->overrides.count) {
    if (!cli_list_push(&c->overrides, NULL)) return CLI_NO_MEMORY;
    --c->overrides.count;
    o.overrides = c->overrides.data;
  }
  o.compiler = getenv("CC");
  o.cache_dir = getenv("TENON_CACHE_DIR");
  o.features = getenv("TENON_FEATURES");
  if (c->plugins.count) cli_progress(c, "loading plugins");
  tenon_status status = tenon_context_create(&o, out);
  for (size_t i = 0; status == TENON_OK && i < c->plugins.count; ++i)
    status = load_plugin(c, *out, c->plugins.data[i]);
  if (status == TENON_OK) status = tenon_context_freeze(*out);
  c->context = *out;
  if (status == TENON_OK) return 0;
  tenon_context_destroy(*out);
  *out = NULL;
  return cli_exit(status);
}

static int open_file(cli *c, const char *path, cli_model *out) {
  memset(out, 0, sizeof *out);
  out->path = strdup(path);
  if (!out->path) return CLI_NO_MEMORY;
  const char *slash = strrchr(out->path, '/');
  out->name = slash ? slash + 1 : out->path;
  out->folder.c = c;
  out->folder.path =
      slash ? cli_copy(path, (size_t)(slash - out->path) + 1) : strdup(".");
  if (!out->folder.path) return CLI_NO_MEMORY;
  if (cli_is_folder(path)) return cli_refuse_folder(c, path);
  return cli_map_file(c, path, &out->file) ? 0 : TENON_IO;
}

int cli_model_open(cli *c, const char *path, cli_model *out) {
  int code = open_file(c, path, out);
  if (code == 0) code = cli_context(c, &out->context);
  if (code == 0) code = cli_weights_open(c, out);
  if (code) cli_model_close(out);
  return code;
}

// --- several models ---------------------------------------------------------

// Bytes of NAME in "NAME=MODEL"; 0: the argument is a path.
static size_t entry_size(const char *arg) {
  size_t n = strspn(arg,
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                    "0123456789_-");
  return arg[n] == '=' && !cli_is_file(arg) ? n : 0;
}

static int open_named(cli *c, const char *arg, cli_model *out) {
  size_t n = entry_size(arg);
  if (n == 0 && c->args.count > 1)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected one model, or several as NAME=MODEL; '%s' has "
                    "no name",
                    arg);
  int code = open_file(c, n ? arg + n + 1 : arg, out);
  if (code || n == 0) return code;
  out->entry = cli_copy(arg, n);
  // Files of several folders often have one name.
  char *title = (char *)malloc(n + strlen(out->name) + 2);
  if (!out->entry || !title) {
    free(title);
    return CLI_NO_MEMORY;
  }
  sprintf(title, "%s=%s", out->entry, out->name);
  free(out->path);
  out->name = out->path = title;
  return 0;
}

static int check_several(cli *c, const cli_model *out) {
  if (out->entry && c->entry && strcmp(c->verb->name, "run") != 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--entry' says which entry point of a model is meant, or "
                    "which of several models 'run' runs; 'tenon %s' takes all "
                    "of them",
                    c->verb->name);
  return cli_names_check(c, out);
}

int cli_models_open(cli *c, cli_model *out) {
  memset(out, 0, sizeof *out);
  if (c->args.count == 0)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "expected a model, or several as NAME=MODEL");
  if (c->args.count > 1 && c->weights)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'--weights' is for one model, found %zu", c->args.count);
  int code = open_named(c, c->args.data[0], out);
  out->first = out;
  if (code == 0) code = cli_context(c, &out->context);
  if (code == 0) code = cli_weights_open(c, out);
  size_t n = c->args.count - 1;
  if (code == 0 && n) {
    out->more = (cli_model *)calloc(n, sizeof *out->more);
    if (!out->more) code = CLI_NO_MEMORY;
  }
  for (size_t i = 0; code == 0 && i < n; ++i) {
    cli_model *m = &out->more[i];
    ++out->n_more;
    code = open_named(c, c->args.data[i + 1], m);
    m->first = out;
    m->context = out->context;
  }
  if (code == 0) code = check_several(c, out);
  if (code) cli_model_close(out);
  return code;
}

static void close_file(cli_model *m) {
  tenon_weights_destroy(m->weights);
  cli_unmap_file(&m->weights_file);
  cli_unmap_file(&m->file);
  cli_folder_close(&m->folder);
  free(m->path);
  free(m->entry);
}

void cli_model_close(cli_model *m) {
  tenon_context_destroy(m->context);
  for (size_t i = 0; i < m->n_more; ++i)
    close_file(&m->more[i]);
  free(m->more);
  close_file(m);
  memset(m, 0, sizeof *m);
}

// Behind "class=", "module=" or "as="; null: it is another word.
static const char *behind(const char *word, const char *key) {
  size_t n = strlen(key);
  return strncmp(word, key, n) == 0 ? word + n : NULL;
}

static int outline(cli *c, tenon_module *m) {
  for (size_t i = 0; i + 1 < c->outlines.count; i += 2) {
    const char *what = c->outlines.data[i], *as = c->outlines.data[i + 1];
    if (behind(what, "as=")) {  // in either order
      what = as;
      as = c->outlines.data[i];
    }
    tenon_outline_options o = {0};
    o.struct_size = sizeof o;
    o.class_name = behind(what, "class=");
    o.module = behind(what, "module=");
    o.as = behind(as, "as=");
    if ((!o.class_name && !o.module) || !o.as)
      return cli_fail(c, CLI_USAGE, "cli-value",
                      "'--outline' expects class=C or module=NAME and "
                      "as=OP(...), found '%s' and '%s'",
                      what, as);
    int code = cli_exit(tenon_module_outline(m, &o));
    if (code) return code;
  }
  return 0;
}

// Zeros behind the seed (docs/pytorch.md).
static int seed(const cli *c, tenon_module *m) {
  enum { WORDS_OF_A_GENERATOR = 628 };
  uint32_t words[WORDS_OF_A_GENERATOR] = {(uint32_t)c->seed};
  const int32_t size = WORDS_OF_A_GENERATOR;
  const tenon_tensor value = {
      .data = words, .dims = &size, .dtype = TENON_U32, .rank = 1};
  return c->has_seed
             ? cli_exit(tenon_module_set_state(m, "default_generator", &value))
             : 0;
}

static bool cli_model_add_sizes(const cli_model *m, const cli_list *from,
                                cli_list *to) {
  bool ok = true;
  for (size_t i = 0; ok && i < from->count; ++i) {
    const char *said = cli_names_behind(m, from->data[i]);
    ok = !said || cli_list_push(to, said);
  }
  return ok;
}

static int read_module(cli *c, cli_model *m, uint32_t flags,
                       tenon_module **out) {
  tenon_read_options o = {0};
  cli_progress(c, "reading the model");
  cli_list shapes = {0};
  bool ok = cli_model_add_sizes(m, &c->shapes, &shapes) &&
            cli_model_add_sizes(m, &c->dims, &shapes);
  for (size_t i = 0; ok && m->requests && i < m->requests->count; ++i)
    ok = cli_list_push(&shapes, m->requests->data[i]);
  ok = ok && cli_list_push(&shapes, NULL);
  o.struct_size = sizeof o;
  o.flags = flags | (c->check_crc ? (uint32_t)TENON_READ_CHECK_CRC : 0u);
  o.weights = m->weights;
  o.beside = cli_beside_open;
  o.beside_self = &m->folder;
  o.name = m->name;
  o.shapes = shapes.data;
  o.batch = c->batch;
  int code = CLI_NO_MEMORY;
  if (ok)
    code = cli_exit(
        tenon_module_read(m->context, m->file.data, m->file.size, &o, out));
  free(shapes.data);
  if (code == 0) code = cli_names_apply(c, m, *out);
  if (code == 0 && c->read_project && !c->rules)
    code = cli_exit(tenon_project_apply(c->read_project, *out, NULL, NULL));
  if (code == 0) code = seed(c, *out);
  return code ? code : outline(c, *out);
}

int cli_model_read(cli *c, cli_model *m, tenon_module **out) {
  return read_module(c, m, 0, out);
}

// Sizes of the file where nobody asks for others, and none come with inputs.
static uint32_t planned_flags(const cli_model *m) {
  return m->keeps_open ? 0u : (uint32_t)TENON_READ_STORED_SIZES;
}

int cli_model_read_planned(cli *c, cli_model *m, tenon_module **out) {
  return read_module(c, m, planned_flags(m), out);
}

// --- tracing ----------------------------------------------------------------

static bool wants(const cli_list *list, const char *pass) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->data[i], "*") == 0 || strcmp(list->data[i], pass) == 0)
      return true;
  return false;
}

static tenon_status cli_model_trace(void *self, const tenon_module *m,
                                    const char *pass, bool after) {
  cli *c = (cli *)self;
  if (!wants(after ? &c->print_after : &c->print_before, pass)) return TENON_OK;
  cli_printf(c, "# %s %s\n", after ? "after" : "before", pass);
  return tenon_module_print(m, TENON_FORMAT_TEXT, cli_write, c);
}

static int fill_options(cli *c, uint32_t flags, tenon_compile_options *o) {
  o->struct_size = sizeof *o;
  o->flags = flags | (c->reference ? TENON_COMPILE_REFERENCE : 0u) |
             (c->inexact ? TENON_COMPILE_INEXACT : 0u) |
             (c->keep_order ? TENON_COMPILE_KEEP_ORDER : 0u) |
             (c->no_overlap ? TENON_COMPILE_NO_OVERLAP : 0u) |
             (c->has_effort && c->effort == 0 ? TENON_COMPILE_QUICK_PLAN : 0u);
  o->plan_effort = (uint64_t)c->effort;
  if (c->print_before.count || c->print_after.count) {
    o->trace = cli_model_trace;
    o->trace_self = c;
  }
  bool ok = cli_list_end(&c->kernels, &o->kernels) &&
            cli_list_end(&c->shared_states, &o->shared_states) &&
            cli_list_end(&c->memories, &o->memories) &&
            cli_list_end(&c->places, &o->places) &&
            cli_list_end(&c->io, &o->io);
  return ok ? 0 : CLI_NO_MEMORY;
}

static int cli_model_read_all(cli *c, cli_model *m, const char *target,
                              tenon_entry *entries) {
  int code = 0;
  for (size_t i = 0; code == 0 && i <= m->n_more; ++i) {
    cli_model *one = i ? &m->more[i - 1] : m;
    tenon_entry *e = &entries[i];
    e->name = one->entry;
    // Of several models, --entry names what to run.
    e->function = m->n_more || one->entry ? NULL : c->entry;
    code = read_module(c, one, planned_flags(m), &e->module);
    if (code == 0 && target)
      code = cli_exit(tenon_module_set_target(e->module, target));
    if (code == 0 && (c->print_before.count || c->print_after.count))
      code = cli_exit(cli_model_trace(c, e->module, "read", true));
  }
  return code;
}

// A program file is a plan already: what would make another one is refused.
static int load_program(cli *c, const cli_model *m, tenon_program **out) {
  *out = NULL;
  const char *flag = cli_planning_flag(c);
  if (flag)
    return cli_fail(c, CLI_USAGE, "cli-usage",
                    "'%s' is a program that was compiled already: '--%s' is "
                    "for a model",
                    m->name, flag);
  c->sizes_runs = true;
  cli_progress(c, "loading the program");
  return cli_exit(tenon_program_load(m->context, m->file.data, m->file.size,
                                     m->name, TENON_LOAD_BORROW, out));
}

int cli_model_compile(cli *c, cli_model *m, const char *fallback,
                      uint32_t flags, tenon_program **out) {
  tenon_compile_options o = {0};
  char *pipeline = NULL;
  if (m->n_more == 0 && tenon_program_is_saved(m->file.data, m->file.size))
    return load_program(c, m, out);
  *out = NULL;
  size_t n = m->n_more + 1;
  tenon_entry *entries = (tenon_entry *)calloc(n, sizeof *entries);
  int code = entries ? fill_options(c, flags, &o) : CLI_NO_MEMORY;
  if (code == 0)
    code = cli_model_read_all(c, m, c->target ? c->target : fallback, entries);
  if (code == 0) code = cli_pipeline(c, &pipeline);
  o.pipeline = pipeline;
  cli_progress(c, "compiling the model");
  if (code == 0) code = cli_exit(tenon_program_compile(entries, n, &o, out));
  for (size_t i = 0; entries && i < n; ++i)
    tenon_module_destroy(entries[i].module);
  free(entries);
  free(pipeline);
  return code;
}

int cli_entry(cli *c, const tenon_program *p) {
  int entry = tenon_program_find(p, c->entry);
  tenon_labels names = {.size = 0};
  for (size_t i = 0; entry < 0 && i < tenon_program_entries(p); ++i)
    tenon_labels_add(&names, tenon_program_entry_name(p, (int)i));
  if (entry < 0)
    (void)cli_fail(c, CLI_USAGE, "cli-entry",
                   "no entry point '%s'; there are %s",
                   c->entry ? c->entry : "", tenon_labels_text(&names));
  return entry;
}
