#include "unit/read/models.h"

#include <stdlib.h>

#include "reg/context.h"

// plugins/acme/gain.c, which the folder of fixtures uses.
extern const struct tenon_plugin *tenon_plugin_entry_acme_gain(void);

static void report(void *self, const tenon_diag *diag) {
  world *w = (world *)self;
  test_log_report(&w->log, diag);
  if (diag->severity != TENON_ERROR) return;
  w->last = *diag;
  w->place = diag->place ? *diag->place : (tenon_place){0};
}

void world_open(world *w, const tenon_allocator *allocator) {
  memset(w, 0, sizeof *w);
  tenon_context_options options = {.struct_size = sizeof options,
                                   .diag = {w, report}};
  if (allocator) options.allocator = *allocator;
  w->status = tenon_context_create(&options, &w->cx);
  tenon_plugin_origin builtin = {.is_builtin = true};
  if (w->status == TENON_OK && !tenon_registry_find_op(w->cx, "tfl::BUCKETIZE"))
    w->status = tenon_context_add_plugin(w->cx, &test_builtin_plugin, &builtin);
  if (w->status == TENON_OK) w->status = tenon_context_add(w->cx, &test_plugin);
  if (w->status == TENON_OK)
    w->status = tenon_context_add(w->cx, tenon_plugin_entry_acme_gain());
}

static void drop(world *w) {
  tenon_module_release(w->m);
  free(w->data);
  w->m = NULL;
  w->data = NULL;
}

void world_close(world *w) {
  drop(w);
  tenon_context_destroy(w->cx);
}

void world_read(world *w, const void *data, size_t size,
                const tenon_read_options *options) {
  drop(w);
  test_log_clear(&w->log);
  memset(&w->last, 0, sizeof w->last);
  // Exactly as many bytes, so that a sanitizer sees the one behind.
  w->data = (char *)malloc(size ? size : 1);
  w->size = size;
  memcpy(w->data, data, size);
  w->status = tenon_read_module(w->cx, w->data, size, options, &w->m);
}

char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char *data = (char *)malloc((size_t)n + 1);
  *size = fread(data, 1, (size_t)n, f);
  data[*size] = 0;
  fclose(f);
  return data;
}

void world_load(world *w, const char *folder, const char *name,
                const tenon_read_options *options) {
  char path[1024];
  size_t size = 0;
  tenon_read_options named = {.struct_size = sizeof named};
  if (options) named = *options;
  if (!named.name) named.name = name;
  snprintf(path, sizeof path, "%s/%s.tflite", folder, name);
  char *data = read_file(path, &size);
  CHECK(data != NULL, "%s", path);
  world_read(w, data, size, &named);
  free(data);
}

const tenon_node *node_at(const world *w, size_t function, int i) {
  const tenon_node *n = w->m->functions.data[function]->first;
  while (n && i-- > 0)
    n = n->next;
  return n;
}

const tenon_arg *arg_of(const tenon_node *n, const char *name) {
  static const tenon_arg none;
  const tenon_arg *arg = tenon_node_arg(n, name);
  CHECK(arg != NULL, "attribute %s", name);
  return arg ? arg : &none;
}

typedef struct file_bytes {
  const void *data;
  size_t size;
} file_bytes;

static bool read_once(const tenon_allocator *allocator, void *self) {
  const file_bytes *file = (const file_bytes *)self;
  world w;
  world_open(&w, allocator);
  if (w.status == TENON_OK) world_read(&w, file->data, file->size, NULL);
  bool succeeded = w.status == TENON_OK;
  world_close(&w);
  return succeeded;
}

void world_sweep(const void *data, size_t size) {
  file_bytes file = {data, size};
  test_sweep(read_once, &file);
}
