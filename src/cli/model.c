// How: a context per command; a module is read again for every way of compiling
// it.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// A bare name is that of a plugin in the current folder: "acme_gain" is what
// `tenon new` has written.
static tenon_status load_plugin(tenon_context *cx, const char *path) {
  char file[512];
  bool is_bare = !strchr(path, '/') && !strchr(path, '.');
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
  if (c->plugins.count) cli_progress(c, "loading plugins");
  tenon_status status = tenon_context_create(&o, out);
  for (size_t i = 0; status == TENON_OK && i < c->plugins.count; ++i)
    status = load_plugin(*out, c->plugins.data[i]);
  if (status == TENON_OK) status = tenon_context_freeze(*out);
  if (status == TENON_OK) return 0;
  tenon_context_destroy(*out);
  *out = NULL;
  return cli_exit(status);
}

int cli_model_open(cli *c, const char *path, cli_model *out) {
  memset(out, 0, sizeof *out);
  out->path = strdup(path);
  if (!out->path) return CLI_NO_MEMORY;
  const char *slash = strrchr(out->path, '/');
  out->name = slash ? slash + 1 : out->path;
  int code = cli_read_file(c, path, &out->bytes) ? 0 : TENON_IO;
  if (code == 0) code = cli_context(c, &out->context);
  if (code) cli_model_close(out);
  return code;
}

void cli_model_close(cli_model *m) {
  tenon_context_destroy(m->context);
  cli_bytes_free(&m->bytes);
  free(m->path);
  memset(m, 0, sizeof *m);
}

static int read_module(cli *c, cli_model *m, uint32_t flags,
                       tenon_module **out) {
  tenon_read_options o = {0};
  cli_progress(c, "reading the model");
  cli_list shapes = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < c->shapes.count; ++i)
    ok = cli_list_push(&shapes, c->shapes.data[i]);
  for (size_t i = 0; ok && i < c->dims.count; ++i)
    ok = cli_list_push(&shapes, c->dims.data[i]);
  for (size_t i = 0; ok && m->requests && i < m->requests->count; ++i)
    ok = cli_list_push(&shapes, m->requests->data[i]);
  ok = ok && cli_list_push(&shapes, NULL);
  o.struct_size = sizeof o;
  o.flags = flags;
  o.name = m->name;
  o.shapes = shapes.data;
  o.batch = c->batch;
  int code = CLI_NO_MEMORY;
  if (ok)
    code = cli_exit(
        tenon_module_read(m->context, m->bytes.data, m->bytes.size, &o, out));
  free(shapes.data);
  return code;
}

int cli_model_read(cli *c, cli_model *m, tenon_module **out) {
  return read_module(c, m, 0, out);
}

// --- pipelines --------------------------------------------------------------

static bool is_left_out(const cli *c, const char *name, size_t size) {
  static const char *const optional[] = {"fold", "canonicalise", "fuse", "cse",
                                         "dce"};
  for (size_t i = 0; i < c->no_passes.count; ++i) {
    const char *left = c->no_passes.data[i];
    if (strcmp(left, "*") == 0)
      for (size_t k = 0; k < sizeof optional / sizeof *optional; ++k)
        if (strlen(optional[k]) == size && !memcmp(optional[k], name, size))
          return true;
    if (strlen(left) == size && memcmp(left, name, size) == 0) return true;
  }
  return false;
}

int cli_pipeline(cli *c, char **out) {
  *out = NULL;
  if (!c->has_passes && c->no_passes.count == 0) return 0;
  cli_bytes b = {0};
  bool ok = cli_bytes_add(&b, NULL, 0);
  const char *p = c->passes ? c->passes : tenon_default_pipeline();
  while (ok && *p) {
    size_t size = strcspn(p, ",[");
    size_t whole = size;
    if (p[size] == '[') {
      whole += strcspn(p + size, "]");
      if (p[whole]) ++whole;
      whole += strcspn(p + whole, ",");
    }
    if (!is_left_out(c, p, size))
      ok = cli_bytes_add(&b, p, whole) && cli_bytes_add(&b, ",", 1);
    p += whole + (p[whole] == ',');
  }
  if (!ok) return CLI_NO_MEMORY;
  *out = b.data;
  return 0;
}

static bool wants(const cli_list *list, const char *pass) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->data[i], "*") == 0 || strcmp(list->data[i], pass) == 0)
      return true;
  return false;
}

static tenon_status trace(void *self, const tenon_module *m, const char *pass,
                          bool after) {
  cli *c = (cli *)self;
  if (!wants(after ? &c->print_after : &c->print_before, pass)) return TENON_OK;
  cli_printf(c, "# %s %s\n", after ? "after" : "before", pass);
  return tenon_module_print(m, TENON_FORMAT_TEXT, cli_write, c);
}

// Memory for sizes beyond those that a program was planned for.
static void *resize(void *self, void *ptr, size_t old_size, size_t new_size,
                    size_t align) {
  void *fresh = NULL;
  (void)self;
  if (new_size && posix_memalign(&fresh, align < 64 ? 64 : align, new_size))
    return NULL;
  if (fresh && old_size)
    memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
  free(old_size ? ptr : NULL);
  return fresh;
}

int cli_model_compile(cli *c, cli_model *m, const char *fallback,
                      uint32_t flags, tenon_program **out) {
  tenon_module *module = NULL;
  tenon_compile_options o = {0};
  char *pipeline = NULL;
  // Sizes of the file where nobody asks for others, and none come with inputs.
  int code = read_module(
      c, m, m->keeps_open ? 0u : (uint32_t)TENON_READ_STORED_SIZES, &module);
  *out = NULL;
  if (code) return code;
  const char *target = c->target ? c->target : fallback;
  if (target) code = cli_exit(tenon_module_set_target(module, target));
  if (code == 0) code = cli_pipeline(c, &pipeline);
  if (code == 0 && c->kernels.count) {
    if (!cli_list_push(&c->kernels, NULL)) code = CLI_NO_MEMORY;
    --c->kernels.count;
    o.kernels = c->kernels.data;
  }
  o.struct_size = sizeof o;
  o.flags = flags | (c->reference ? TENON_COMPILE_REFERENCE : 0u) |
            (c->inexact ? TENON_COMPILE_INEXACT : 0u);
  o.pipeline = pipeline;
  if (c->print_before.count || c->print_after.count) {
    o.trace = trace;
    o.trace_self = c;
    if (code == 0) code = cli_exit(trace(c, module, "read", true));
  }
  tenon_entry entry = {NULL, module, c->entry};
  cli_progress(c, "compiling the model");
  if (code == 0) code = cli_exit(tenon_program_compile(&entry, 1, &o, out));
  tenon_module_destroy(module);
  free(pipeline);
  return code;
}

// --- sessions ---------------------------------------------------------------

int cli_session_open(cli *c, const tenon_program *p, int threads,
                     tenon_observe_fn *observe, void *self, cli_session *out) {
  tenon_memory list[3];
  tenon_session_options o = {0};
  memset(out, 0, sizeof *out);
  size_t n = tenon_program_memory(p, threads, list, 3);
  for (size_t i = 0; i < n && i < 3; ++i)
    if (posix_memalign(&out->memory[i], list[i].align < 64 ? 64 : list[i].align,
                       list[i].size ? list[i].size : 64))
      return cli_fail(c, CLI_NO_MEMORY, "memory",
                      "out of memory: %zu bytes for '%s'", list[i].size,
                      list[i].name);
  if (threads > 1) {
    tenon_status status = tenon_pool_create(NULL, threads, &out->pool);
    if (status)
      return cli_fail(c, cli_exit(status), "cli-threads",
                      "cannot make %d threads; at most 256 are allowed",
                      threads);
    o.parallel = tenon_pool_parallel(out->pool);
  }
  o.struct_size = sizeof o;
  o.memory = out->memory;
  tenon_allocator grow = {NULL, resize};
  o.grow = &grow;
  o.observe = observe;
  o.observe_self = self;
  return cli_exit(tenon_session_init(p, &o, &out->session));
}

void cli_session_close(cli_session *s) {
  if (s->session) tenon_session_deinit(s->session);
  tenon_pool_destroy(s->pool);
  for (int i = 0; i < 3; ++i)
    free(s->memory[i]);
  memset(s, 0, sizeof *s);
}

int cli_entry(cli *c, const tenon_program *p) {
  int entry = tenon_program_find(p, c->entry);
  if (entry < 0)
    (void)cli_fail(c, CLI_USAGE, "cli-entry", "no entry point '%s'",
                   c->entry ? c->entry : "");
  return entry;
}
