// plug/load.c - a file or a folder by its name: an image, C source, or YAML.
#include "plug/load.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/os.h"
#include "plug/compile.h"
#include "plug/load_yaml.h"

static tenon_place load_place_of(const char *path) {
  tenon_place place = {.file = path, .where = "plugin"};
  return place;
}

static tenon_status load_source(tenon_context *cx, const char *path,
                                const uint64_t id[2]) {
  char error[TENON_OS_ERROR];
  tenon_place place = load_place_of(path);
  tenon_os_map map;
  if (!tenon_os_map_file(path, &map, error)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "cannot be read: %s", error);
  }
  size_t size = map.size + 1;
  char *text = tenon_alloc(&cx->allocator, size, 1);
  if (text) {
    memcpy(text, map.data, map.size);
    text[map.size] = 0;
  }
  tenon_os_unmap(&map);
  if (!text) return tenon_fail_memory(&cx->report, "loading a plugin");
  tenon_buf file;
  tenon_buf_init(&file, cx->allocator);
  tenon_plug_unit unit = {.path = path, .text = text};
  tenon_status status = tenon_plug_compile(cx, &unit, &file);
  if (status == TENON_OK)
    status = tenon_plug_open(cx, path, file.data, id, text);
  tenon_buf_deinit(&file);
  tenon_free(&cx->allocator, text, size, 1);
  return status;
}

static bool is_loaded(const tenon_context *cx, const char *path,
                      const uint64_t id[2]) {
  tenon_place place = load_place_of(path);
  const char *loaded = tenon_plug_loaded(cx, id);
  if (loaded)
    tenon_note(&cx->report, "plugin-twice", &place,
               "is loaded already, as '%s'", loaded);
  return loaded != NULL;
}

static tenon_status load_file(tenon_context *cx, const char *path) {
  tenon_place place = load_place_of(path);
  uint64_t id[2] = {0, 0};
  if (!tenon_os_identity(path, id)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "the file cannot be looked at");
  }
  if (is_loaded(cx, path, id)) return TENON_OK;
  if (tenon_text_ends(path, ".c")) return load_source(cx, path, id);
  if (tenon_plug_is_yaml(path)) return tenon_plug_load_yaml(cx, path, id);
  TENON_TRY(tenon_plug_check_image(cx, path));
  return tenon_plug_open(cx, path, path, id, NULL);
}

// --- folders -----------------------------------------------------------------

typedef struct folder {
  tenon_context *cx;
  const char *path;
  size_t found;
  tenon_status status;  // of the first that failed
} folder;

static bool is_plugin_name(const char *name) {
  static const char *const suffixes[] = {".so",  ".c",    ".dylib",
                                         ".dll", ".yaml", ".yml"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
    if (name[0] != '.' && tenon_text_ends(name, suffixes[i])) return true;
  }
  return false;
}

// A .c beside a .yaml of its name has the functions that are bound there.
static bool is_source_of_yaml(const tenon_buf *path) {
  static const char *const suffixes[] = {"yaml", "yml"};
  char text[4096];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
    int n = snprintf(text, sizeof text, "%.*s%s", (int)path->size - 1,
                     path->data, suffixes[i]);
    if (n > 0 && (size_t)n < sizeof text &&
        tenon_os_look(text) == TENON_OS_FILE)
      return true;
  }
  return false;
}

// One that is refused does not keep the others from being looked at.
static bool load_one(void *self, const char *name) {
  folder *f = self;
  tenon_buf path;
  if (!is_plugin_name(name)) return true;
  ++f->found;
  tenon_buf_init(&path, f->cx->allocator);
  tenon_buf_format(&path, "%s%s%s", f->path,
                   tenon_text_ends(f->path, "/") ? "" : "/", name);
  tenon_status status = TENON_OK;
  if (path.failed)
    status = tenon_fail_memory(&f->cx->report, "loading a folder");
  else if (!tenon_text_ends(name, ".c") || !is_source_of_yaml(&path))
    status = load_file(f->cx, path.data);
  tenon_buf_deinit(&path);
  if (f->status == TENON_OK) f->status = status;
  return status != TENON_NO_MEMORY;
}

static tenon_status load_folder(tenon_context *cx, const char *path) {
  char error[TENON_OS_ERROR];
  folder f = {cx, path, 0, TENON_OK};
  tenon_place place = load_place_of(path);
  if (!tenon_os_list(path, &cx->allocator, load_one, &f, error)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "the folder cannot be read: %s", error);
  }
  if (f.found == 0) {
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-folder", &place,
                      "no plugin in this folder: neither *.so, *.c nor *.yaml");
  }
  return f.status;
}

static tenon_status check_may_load(const tenon_context *cx, const char *path) {
  tenon_place place = load_place_of(path);
  if (!(cx->flags & TENON_CONTEXT_LOAD_PLUGINS)) {
    return tenon_fail(&cx->report, TENON_BAD_ARGUMENT, "plugin-loading-off",
                      &place,
                      "loading runs the plugin's code, so it is off unless a "
                      "context is created with TENON_CONTEXT_LOAD_PLUGINS");
  }
  if (cx->is_frozen) {
    return tenon_fail(&cx->report, TENON_CONFLICT, "context-frozen", &place,
                      "a plugin cannot be added to a context that is frozen: "
                      "add all before the first model is read");
  }
  return TENON_OK;
}

tenon_status tenon_plug_load_text(tenon_context *cx, const char *name,
                                  tenon_text text) {
  // No file has it: the second word of one is a small number.
  const uint64_t id[2] = {tenon_hash(text.data, text.size, TENON_HASH_SEED),
                          UINT64_MAX - text.size};
  TENON_TRY(check_may_load(cx, name));
  if (is_loaded(cx, name, id)) return TENON_OK;
  return tenon_plug_load_yaml_text(cx, name, text, id);
}

tenon_status tenon_plug_load(tenon_context *cx, const char *path) {
  TENON_TRY(check_may_load(cx, path));
  switch (tenon_os_look(path)) {
    case TENON_OS_FILE:
      return load_file(cx, path);
    case TENON_OS_FOLDER:
      return load_folder(cx, path);
    default:
      return tenon_fail(&cx->report, TENON_IO, "plugin-absent", NULL,
                        "no plugin '%s': there is no such file or folder",
                        path);
  }
}
