// plug/load.c - look at the file, open it, find the entry point, add.
//
// Whatever can be known without running anything of the image is said in words
// of our own; dlopen's come last. An image stays open until the context ends,
// and what is open is found again by the identity of the file that was named,
// so that a plugin given twice, by whatever paths, is loaded once.
#include "plug/load.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/os.h"
#include "base/text.h"
#include "plug/compile.h"
#include "plug/load_yaml.h"

typedef struct image {
  void *library;     // null: a file that is none
  uint64_t id[2];    // of the file that was named
  const char *path;  // as it was named
} image;

static void close_image(void *self) {
  if (((image *)self)->library)
    tenon_os_close_library(((image *)self)->library);
}

static tenon_place place_of(const char *path) {
  tenon_place place = {.file = path, .where = "plugin"};
  return place;
}

static const image *find_loaded(const tenon_context *cx, const uint64_t id[2]) {
  for (tenon_context_end *end = cx->ends; end; end = end->next) {
    const image *im = end->self;
    if (end->close == close_image && im->id[0] == id[0] && im->id[1] == id[1])
      return im;
  }
  return NULL;
}

// --- what a file is ----------------------------------------------------------

static const struct machine {
  uint16_t number;
  const char *name;
} machines[] = {{3, "i386"},    {21, "ppc64"},     {22, "s390"},
                {40, "arm"},    {62, "x86-64"},    {183, "aarch64"},
                {243, "riscv"}, {258, "loongarch"}};

#if defined(__x86_64__)
enum { HERE = 62 };
#elif defined(__aarch64__)
enum { HERE = 183 };
#elif defined(__i386__)
enum { HERE = 3 };
#elif defined(__arm__)
enum { HERE = 40 };
#elif defined(__riscv)
enum { HERE = 243 };
#elif defined(__loongarch__)
enum { HERE = 258 };
#else
enum { HERE = 0 };  // not known by number: the loader will tell
#endif

static const char *machine_name(uint16_t number) {
  for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i) {
    if (machines[i].number == number) return machines[i].name;
  }
  return "another machine";
}

static tenon_status not_library(const tenon_context *cx, const char *path,
                                const char *found) {
  tenon_place place = place_of(path);
  return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-not-library", &place,
                    "expected a shared library, a C source (*.c), bindings "
                    "(*.yaml) or a folder of these, found %s",
                    found);
}

// Checks the header of an ELF file: 64 or 32 bits, byte order, kind, machine.
static tenon_status check_elf(const tenon_context *cx, const char *path,
                              tenon_bytes bytes) {
  tenon_place place = place_of(path);
  uint8_t bits = 0, order = 0;
  uint16_t kind = 0, machine = 0;
  if (!tenon_bytes_u8(bytes, 4, &bits) || !tenon_bytes_u8(bytes, 5, &order) ||
      !tenon_bytes_u16(bytes, 16, &kind) ||
      !tenon_bytes_u16(bytes, 18, &machine)) {
    return not_library(cx, path, "one that is cut off");
  }
  bool is_foreign = (bits == 2) != (sizeof(void *) == 8) || order != 1 ||
                    (HERE != 0 && machine != HERE);
  if (is_foreign) {
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-machine", &place,
                      "a library for %s, %s bits%s; this program runs on %s, "
                      "%zu bits",
                      order == 1 ? machine_name(machine) : "another machine",
                      bits == 2 ? "64" : "32", order == 1 ? "" : ", big endian",
                      machine_name(HERE), sizeof(void *) * 8);
  }
  if (kind != 3)
    return not_library(
        cx, path,
        kind == 1 ? "an object file (link it with -shared)" : "a program");
  return TENON_OK;
}

static tenon_status check_image(const tenon_context *cx, const char *path) {
  char error[TENON_OS_ERROR];
  tenon_place place = place_of(path);
  tenon_status status = TENON_OK;
  tenon_os_map map;
  if (!tenon_os_map_file(path, &map, error)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "cannot be read: %s", error);
  }
#ifdef __ELF__
  tenon_bytes bytes = {map.data, map.size};
  if (map.size == 0) {
    status = not_library(cx, path, "an empty file");
  } else if (map.size < 4 || memcmp(map.data, "\177ELF", 4) != 0) {
    status = not_library(cx, path, "something else");
  } else {
    status = check_elf(cx, path, bytes);
  }
#endif
  tenon_os_unmap(&map);
  return status;
}

// --- opening -----------------------------------------------------------------

// Says what there is in place of the entry point.
static tenon_status no_entry(const tenon_context *cx, const char *path,
                             void *library) {
  tenon_place place = place_of(path);
  char name[] = "tenon_plugin_entry0", fixed[160];
  const char *base = strrchr(path, '/');
  base = base ? base + 1 : path;
  for (char major = '2'; major <= '9'; ++major) {
    name[sizeof name - 2] = major;
    if (!tenon_os_symbol(library, name)) continue;
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-entry", &place,
                      "no entry point 'tenon_plugin_entry', but '%s': built "
                      "for ABI %c, this library has %d",
                      name, major, TENON_ABI_MAJOR);
  }
  snprintf(fixed, sizeof fixed, "tenon_plugin_entry_%.*s",
           (int)strcspn(base, "."), base);
  if (tenon_os_symbol(library, fixed)) {
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-entry", &place,
                      "no entry point 'tenon_plugin_entry', but '%s': built "
                      "with TENON_STATIC_PLUGINS, which is for linking",
                      fixed);
  }
  return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-entry", &place,
                    "no entry point 'tenon_plugin_entry'; a plugin ends with "
                    "TENON_PLUGIN_EXPORT");
}

static tenon_status add_image(tenon_context *cx, const image *im,
                              const char *text) {
  const tenon_plugin *(*entry)(void) = NULL;
  tenon_place place = place_of(im->path);
  tenon_plugin_origin origin = {.path = im->path, .source = text};
  void *symbol = tenon_os_symbol(im->library, "tenon_plugin_entry");
  if (!symbol) return no_entry(cx, im->path, im->library);
  // POSIX lets a pointer to data hold one to a function; C does not.
  memcpy(&entry, &symbol, sizeof entry);
  const tenon_plugin *plugin = entry();
  if (!plugin) {
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-entry", &place,
                      "the entry point returns null");
  }
  return tenon_context_add_plugin(cx, plugin, &origin);
}

tenon_status tenon_plug_open(tenon_context *cx, const char *path,
                             const char *file, const uint64_t id[2],
                             const char *text) {
  char error[TENON_OS_ERROR];
  tenon_place place = place_of(path);
  image *im = tenon_arena_new(&cx->arena, image);
  if (im) im->path = tenon_arena_string(&cx->arena, path);
  if (!im || !im->path)
    return tenon_fail_memory(&cx->report, "loading a plugin");
  memcpy(im->id, id, sizeof im->id);
  if (!tenon_os_open_library(file, &im->library, error)) {
    return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-open", &place,
                      "the system does not load it: %s", error);
  }
  if (!tenon_context_at_end(cx, close_image, im)) {
    tenon_os_close_library(im->library);
    return tenon_fail_memory(&cx->report, "loading a plugin");
  }
  tenon_status status = add_image(cx, im, text);
  if (status != TENON_OK) {
    cx->ends = cx->ends->next;
    tenon_os_close_library(im->library);
  }
  return status;
}

tenon_status tenon_plug_keep(tenon_context *cx, const char *path,
                             const uint64_t id[2]) {
  image *im = tenon_arena_new(&cx->arena, image);
  if (im) im->path = tenon_arena_string(&cx->arena, path);
  if (!im || !im->path || !tenon_context_at_end(cx, close_image, im))
    return tenon_fail_memory(&cx->report, "loading a plugin");
  memcpy(im->id, id, sizeof im->id);
  return TENON_OK;
}

static tenon_status load_source(tenon_context *cx, const char *path,
                                const uint64_t id[2]) {
  char error[TENON_OS_ERROR];
  tenon_place place = place_of(path);
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
  tenon_place place = place_of(path);
  const image *loaded = find_loaded(cx, id);
  if (loaded)
    tenon_note(&cx->report, "plugin-twice", &place,
               "is loaded already, as '%s'", loaded->path);
  return loaded != NULL;
}

static tenon_status load_file(tenon_context *cx, const char *path) {
  tenon_place place = place_of(path);
  uint64_t id[2] = {0, 0};
  if (!tenon_os_identity(path, id)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "the file cannot be looked at");
  }
  if (is_loaded(cx, path, id)) return TENON_OK;
  if (tenon_text_ends(path, ".c")) return load_source(cx, path, id);
  if (tenon_plug_is_yaml(path)) return tenon_plug_load_yaml(cx, path, id);
  TENON_TRY(check_image(cx, path));
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
  tenon_place place = place_of(path);
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
  tenon_place place = place_of(path);
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
