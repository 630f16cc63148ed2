// plug/library.c - look at the file, open it, find the entry point, add.
//
// Whatever can be known without running anything of the image is said in words
// of our own; dlopen's come last. An image stays open until the context ends,
// and what is open is found again by the identity of the file that was named,
// so that a plugin given twice, by whatever paths, is loaded once.
#include "plug/load.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/os.h"

typedef struct image {
  void *library;     // null: a file that is none
  uint64_t id[2];    // of the file that was named
  const char *path;  // as it was named
} image;

static void close_image(void *self) {
  if (((image *)self)->library)
    tenon_os_close_library(((image *)self)->library);
}

static tenon_place library_place_of(const char *path) {
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

const char *tenon_plug_loaded(const tenon_context *cx, const uint64_t id[2]) {
  const image *loaded = find_loaded(cx, id);
  return loaded ? loaded->path : NULL;
}

// --- what a file is ----------------------------------------------------------

// Other kinds of images are the loader's to judge.
#ifdef __ELF__
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
  tenon_place place = library_place_of(path);
  return tenon_fail(&cx->report, TENON_BAD_PLUGIN, "plugin-not-library", &place,
                    "expected a shared library, a C source (*.c), bindings "
                    "(*.yaml) or a folder of these, found %s",
                    found);
}

// Checks the header of an ELF file: 64 or 32 bits, byte order, kind, machine.
static tenon_status check_elf(const tenon_context *cx, const char *path,
                              tenon_bytes bytes) {
  tenon_place place = library_place_of(path);
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

static tenon_status library_check_kind(const tenon_context *cx,
                                       const char *path, tenon_bytes bytes) {
  if (bytes.size == 0) return not_library(cx, path, "an empty file");
  if (bytes.size < 4 || memcmp(bytes.data, "\177ELF", 4) != 0)
    return not_library(cx, path, "something else");
  return check_elf(cx, path, bytes);
}
#else
static tenon_status library_check_kind(const tenon_context *cx,
                                       const char *path, tenon_bytes bytes) {
  (void)cx;
  (void)path;
  (void)bytes;
  return TENON_OK;
}
#endif

tenon_status tenon_plug_check_image(const tenon_context *cx, const char *path) {
  char error[TENON_OS_ERROR];
  tenon_place place = library_place_of(path);
  tenon_os_map map;
  if (!tenon_os_map_file(path, &map, error)) {
    return tenon_fail(&cx->report, TENON_IO, "plugin-read", &place,
                      "cannot be read: %s", error);
  }
  tenon_status status =
      library_check_kind(cx, path, (tenon_bytes){map.data, map.size});
  tenon_os_unmap(&map);
  return status;
}

// --- opening -----------------------------------------------------------------

// Says what there is in place of the entry point.
static tenon_status no_entry(const tenon_context *cx, const char *path,
                             void *library) {
  tenon_place place = library_place_of(path);
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
  tenon_place place = library_place_of(im->path);
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
  tenon_place place = library_place_of(path);
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
