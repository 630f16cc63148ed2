// plug/compile.c - hash, look, compile under another name, rename.
//
// The name of an image is a hash of the source, of what it includes in quotes
// from beside it (and what that includes), of the public headers, which contain
// the ABI, and of the command. Two processes that compile the same source at
// once both succeed: each writes a file of its own and renames it, and the
// contents are the same.
#include "plug/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/os.h"
#include "base/text.h"
#include "bind/features.h"
#include "kern/sources.h"

enum { WORDS_MOST = 160, INCLUDES_DEEP = 16, ERRORS_MOST = 1 << 16 };

// With -O3 gcc makes vectors of loops whose length it does not know; that does
// not change the order of floating-point operations.
static const char *const flags[] = {
    "-std=c11", "-shared",           "-fPIC",
    "-O3",      "-ffp-contract=off", "-fvisibility=hidden",
    NULL};

// The image is for this machine. What an instruction set adds to it does not
// change a result: -ffp-contract=off leaves its fused multiply-adds out.
static const char *machine_flag(const char *compiler) {
  static const char *const rows[][2] = {{"avx512vl", "-mavx512vl"},
                                        {"avx2", "-mavx2"}};
  char words[TENON_FEATURES_SIZE], lacks[TENON_FEATURES_SIZE];
  if (strncmp(compiler, "cc", 2) != 0 && !strstr(compiler, "gcc") &&
      !strstr(compiler, "clang"))
    return NULL;
  tenon_host_features(words, lacks);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (strstr(words, rows[i][0])) return rows[i][1];
  return NULL;
}

// Two independent sums of 64 bits: a cache outlives many versions of a file.
typedef struct digest {
  uint64_t a, b;
} digest;

static void compile_add(digest *d, const void *data, size_t size) {
  d->a = tenon_hash(data, size, d->a);
  d->b = tenon_hash(&size, sizeof size, tenon_hash(data, size, d->b));
}

static void compile_add_text(digest *d, const char *text) {
  compile_add(d, text, strlen(text) + 1);
}

static digest compile_begin(void) {
  digest d = {TENON_HASH_SEED, TENON_HASH_SEED ^ UINT64_C(0x9e3779b97f4a7c15)};
  return d;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_public_header(tenon_text name) {
  for (size_t i = 0; tenon_public_header_sources[i]; ++i) {
    if (tenon_text_is(name, tenon_public_header_sources[i]->name)) return true;
  }
  return false;
}

// What stands in quotes behind #include, if the line is one.
static bool find_include(tenon_text line, tenon_text *name) {
  line = tenon_text_trim(line);
  if (line.size == 0 || line.data[0] != '#') return false;
  line = tenon_text_trim((tenon_text){line.data + 1, line.size - 1});
  if (line.size < 7 || memcmp(line.data, "include", 7) != 0) return false;
  line = tenon_text_trim((tenon_text){line.data + 7, line.size - 7});
  if (line.size < 3 || line.data[0] != '"') return false;
  const char *end = memchr(line.data + 1, '"', line.size - 1);
  if (!end) return false;
  *name = (tenon_text){line.data + 1, (size_t)(end - line.data) - 1};
  return true;
}

static void add_includes(digest *d, const tenon_allocator *allocator,
                         const char *path, tenon_text text, unsigned depth);

static void add_include(digest *d, const tenon_allocator *allocator,
                        const char *from, tenon_text name, unsigned depth) {
  char error[TENON_OS_ERROR];
  tenon_os_map map;
  tenon_buf path;
  tenon_buf_init(&path, *allocator);
  tenon_buf_add(&path, from, (size_t)(base_name(from) - from));
  tenon_buf_add(&path, name.data, name.size);
  // What cannot be read is the compiler's to complain of.
  if (!path.failed && tenon_os_map_file(path.data, &map, error)) {
    tenon_text text = {map.data, map.size};
    compile_add(d, map.data, map.size);
    add_includes(d, allocator, path.data, text, depth + 1);
    tenon_os_unmap(&map);
  }
  tenon_buf_deinit(&path);
}

static void add_includes(digest *d, const tenon_allocator *allocator,
                         const char *path, tenon_text text, unsigned depth) {
  tenon_text line, name;
  if (depth == INCLUDES_DEEP) return;
  while (tenon_text_next(&text, '\n', &line)) {
    if (find_include(line, &name) && !is_public_header(name))
      add_include(d, allocator, path, name, depth);
  }
}

static digest digest_of_headers(void) {
  digest d = compile_begin();
  for (size_t i = 0; tenon_public_header_sources[i]; ++i) {
    compile_add_text(&d, tenon_public_header_sources[i]->name);
    compile_add_text(&d, tenon_public_header_sources[i]->text);
  }
  return d;
}

static tenon_status fail_path(const tenon_context *cx, const char *path,
                              const char *doing, const char *error) {
  tenon_place place = {.file = path, .where = "plugin"};
  return tenon_fail(&cx->report, TENON_IO, "plugin-cache", &place,
                    "cannot %s: %s", doing, error);
}

static void remove_folder(void *self) {
  tenon_os_remove_folder(self);
}

// The cache folder; without one, a fresh folder that ends with the context and
// serves all its plugins.
static tenon_status find_cache(tenon_context *cx, const char **out) {
  char path[512], error[TENON_OS_ERROR];
  *out = cx->cache_dir;
  if (cx->cache_dir) return TENON_OK;
  for (tenon_context_end *end = cx->ends; end; end = end->next) {
    if (end->close != remove_folder) continue;
    *out = end->self;
    return TENON_OK;
  }
  if (!tenon_os_temp_folder(path, sizeof path, error))
    return fail_path(cx, "temporary folder", "make a folder", error);
  char *copy = tenon_arena_string(&cx->arena, path);
  if (!copy || !tenon_context_at_end(cx, remove_folder, copy)) {
    tenon_os_remove_folder(path);
    return tenon_fail_memory(&cx->report, "compiling a plugin");
  }
  *out = copy;
  return TENON_OK;
}

// Writes the headers that are not there yet; `folder` receives where.
static tenon_status write_headers(tenon_context *cx, const char *cache,
                                  tenon_buf *folder) {
  char error[TENON_OS_ERROR];
  digest d = digest_of_headers();
  tenon_buf_format(folder, "%s/include-%016llx", cache,
                   (unsigned long long)d.a);
  size_t size = folder->size;
  for (size_t i = 0; tenon_public_header_sources[i]; ++i) {
    const tenon_source *header = tenon_public_header_sources[i];
    tenon_buf_format(folder, "/%s", header->name);
    if (folder->failed)
      return tenon_fail_memory(&cx->report, "compiling a plugin");
    if (tenon_os_look(folder->data) != TENON_OS_FILE &&
        !tenon_os_write_file(folder->data, header->text, strlen(header->text),
                             error)) {
      return fail_path(cx, folder->data, "write a header", error);
    }
    folder->size = size;
    folder->data[size] = 0;
  }
  return TENON_OK;
}

// The command, as words. The compiler may be given with words of its own:
// "ccache gcc".
typedef struct command {
  const char *words[WORDS_MOST];
  size_t count;
  tenon_buf text;  // holds the words that are made here, each with a zero
} command;

static void add_word(command *c, const char *word) {
  if (c->count + 1 < WORDS_MOST) c->words[c->count++] = word;
  c->words[c->count] = NULL;
}

// What is linked, found again when the image is opened.
static bool add_libraries(command *c, size_t *offsets, size_t *n,
                          const tenon_plug_unit *unit) {
  for (const char *const *l = unit->libraries; l && *l; ++l) {
    if (*n + 2 > WORDS_MOST / 2) return false;
    offsets[(*n)++] = c->text.size;
    tenon_buf_text(&c->text, *l);
    tenon_buf_char(&c->text, 0);
    if (!strstr(base_name(*l), ".so")) continue;
    offsets[(*n)++] = c->text.size;
    tenon_buf_format(&c->text, "-Wl,-rpath,%.*s", (int)(base_name(*l) - *l),
                     *l);
    tenon_buf_char(&c->text, 0);
  }
  return true;
}

static bool make_command(tenon_context *cx, command *c, const char *include,
                         const tenon_plug_unit *unit, const char *path,
                         const char *image) {
  tenon_text rest = tenon_text_of(cx->compiler), word;
  size_t offsets[WORDS_MOST], n = 0;
  size_t folder = (size_t)(base_name(unit->path) - unit->path);
  memset(c->words, 0, sizeof c->words);
  c->count = 0;
  while (n < WORDS_MOST / 8 && tenon_text_next(&rest, ' ', &word)) {
    if (word.size == 0) continue;
    offsets[n++] = c->text.size;
    tenon_buf_add(&c->text, word.data, word.size);
    tenon_buf_char(&c->text, 0);
  }
  size_t compiler = n;
  offsets[n++] = c->text.size;
  tenon_buf_format(&c->text, "-I%s", include);
  tenon_buf_char(&c->text, 0);
  offsets[n++] = c->text.size;
  tenon_buf_format(&c->text, "-I%.*s", (int)(folder ? folder : 1),
                   folder ? unit->path : ".");
  tenon_buf_char(&c->text, 0);
  for (const char *const *f = unit->folders; f && *f; ++f) {
    if (n + 2 > WORDS_MOST / 4) return false;
    offsets[n++] = c->text.size;
    tenon_buf_format(&c->text, "-I%s", *f);
    tenon_buf_char(&c->text, 0);
  }
  // A path that begins with '-' would be an option.
  offsets[n++] = c->text.size;
  tenon_buf_format(&c->text, "%s%s", strchr(path, '/') ? "" : "./", path);
  tenon_buf_char(&c->text, 0);
  if (!add_libraries(c, offsets, &n, unit) || c->text.failed) return false;
  for (size_t i = 0; i < compiler; ++i)
    add_word(c, c->text.data + offsets[i]);
  for (size_t i = 0; flags[i]; ++i)
    add_word(c, flags[i]);
  const char *machine = machine_flag(cx->compiler);
  if (machine) add_word(c, machine);
  for (size_t i = compiler; i < n; ++i)
    add_word(c, c->text.data + offsets[i]);
  add_word(c, "-o");
  add_word(c, image);
  add_word(c, "-lm");
#ifdef __ELF__
  // A function that is nowhere is the linker's to name, not the loader's.
  if (unit->is_made) add_word(c, "-Wl,-z,defs");
#endif
  return true;
}

// The first line that says "error", else the first.
tenon_text tenon_plug_first_error(const char *text) {
  tenon_text rest = tenon_text_of(text), line, first = {"", 0};
  while (tenon_text_next(&rest, '\n', &line)) {
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)line.size, line.data);
    while (line.size > 0 && line.data[line.size - 1] == '\r')
      --line.size;
    if (first.size == 0) first = line;
    if (strstr(copy, "error")) return line;
  }
  return first;
}

// The compiler repeats in front which file it is about.
static tenon_text without_name(tenon_text line, const char *path) {
  size_t size = strlen(path);
  tenon_text t = line;
  if (t.size > 2 && memcmp(t.data, "./", 2) == 0 && memcmp(path, "./", 2) != 0)
    t = (tenon_text){t.data + 2, t.size - 2};
  if (t.size <= size || memcmp(t.data, path, size) != 0 || t.data[size] != ':')
    return line;
  return tenon_text_trim((tenon_text){t.data + size + 1, t.size - size - 1});
}

static tenon_status fail_compiler(tenon_context *cx, const char *path,
                                  const command *c, const char *errors) {
  tenon_place place = {.file = path, .where = "plugin"};
  char line[TENON_MESSAGE_SIZE] = "the command was: ";
  tenon_text error = tenon_plug_first_error(errors);
  error = without_name(error, path);
  for (size_t i = 0; i < c->count; ++i)
    tenon_text_append(line, sizeof line, "%s%s", i ? " " : "", c->words[i]);
  tenon_diag note = tenon_note_of("plugin-compile", line, &place);
  return tenon_fail_notes(&cx->report, TENON_BAD_PLUGIN, "plugin-compile",
                          &place, &note, "'%s' does not compile it: %.*s",
                          cx->compiler, (int)error.size,
                          error.size ? error.data : "");
}

static void free_pipe(const tenon_context *cx, const tenon_os_pipe *pipe) {
  tenon_free(&cx->allocator, pipe->data, pipe->capacity, 1);
}

// What it prints is collected: standard output is not ours to write on.
static tenon_status run_compiler(tenon_context *cx, const tenon_plug_unit *unit,
                                 const command *c) {
  char error[TENON_OS_ERROR];
  int status = 0;
  tenon_os_pipe output = {.limit = 1}, errors = {.limit = ERRORS_MOST};
  bool ran = tenon_os_run(c->words, NULL, 0, &cx->allocator, &output, &errors,
                          &status, error);
  tenon_status result = TENON_OK;
  if (!ran) {
    tenon_place place = {.file = unit->path, .where = "plugin"};
    result =
        tenon_fail(&cx->report, TENON_UNSUPPORTED, "plugin-compiler", &place,
                   "compiler '%s' cannot be run: %s; install one, name "
                   "another, or give the plugin as a shared library",
                   cx->compiler, error);
  } else if (status != 0) {
    const char *text = errors.data ? errors.data : "";
    if (unit->errors) tenon_buf_text(unit->errors, text);
    if (!unit->errors || unit->errors->size == 0)
      result = fail_compiler(cx, unit->path, c, text);
  }
  free_pipe(cx, &output);
  free_pipe(cx, &errors);
  return result;
}

// Writes what was made beside the image; `path` receives where.
static tenon_status write_made(tenon_context *cx, const tenon_plug_unit *unit,
                               tenon_buf *path) {
  char error[TENON_OS_ERROR];
  tenon_buf_text(path, ".c");
  if (path->failed) return tenon_fail_memory(&cx->report, "compiling a plugin");
  if (tenon_os_write_file(path->data, unit->text, strlen(unit->text), error))
    return TENON_OK;
  return fail_path(cx, path->data, "write the source", error);
}

static tenon_status compile_build(tenon_context *cx, const char *cache,
                                  const tenon_plug_unit *unit,
                                  const char *image) {
  tenon_buf include, fresh, made;
  command c;
  tenon_buf_init(&include, cx->allocator);
  tenon_buf_init(&fresh, cx->allocator);
  tenon_buf_init(&c.text, cx->allocator);
  tenon_buf_init(&made, cx->allocator);
  tenon_status status = write_headers(cx, cache, &include);
  // Of this process and of no other call: the clock and an address tell.
  tenon_buf_format(&fresh, "%s.%llx.%llx.tmp", image,
                   (unsigned long long)tenon_os_clock(),
                   (unsigned long long)(uintptr_t)cx);
  if (!fresh.failed) tenon_buf_add(&made, fresh.data, fresh.size);
  if (status == TENON_OK && unit->is_made) status = write_made(cx, unit, &made);
  if (status == TENON_OK &&
      (fresh.failed ||
       !make_command(cx, &c, include.data, unit,
                     unit->is_made ? made.data : unit->path, fresh.data))) {
    status = tenon_fail_memory(&cx->report, "compiling a plugin");
  }
  bool refused = false;
  if (status == TENON_OK) status = run_compiler(cx, unit, &c);
  if (status == TENON_OK) refused = unit->errors && unit->errors->size > 0;
  if (status == TENON_OK && !refused && rename(fresh.data, image) != 0)
    status = fail_path(cx, image, "put the image there", "rename fails");
  if ((status != TENON_OK || refused) && fresh.data) (void)remove(fresh.data);
  if (unit->is_made && made.data) (void)remove(made.data);
  tenon_buf_deinit(&made);
  tenon_buf_deinit(&c.text);
  tenon_buf_deinit(&fresh);
  tenon_buf_deinit(&include);
  return status;
}

static void add_files(digest *d, const char *const *files) {
  char error[TENON_OS_ERROR];
  tenon_os_map map;
  for (; files && *files; ++files) {
    compile_add_text(d, *files);
    if (!tenon_os_map_file(*files, &map, error)) continue;
    compile_add(d, map.data, map.size);
    tenon_os_unmap(&map);
  }
}

tenon_status tenon_plug_compile(tenon_context *cx, const tenon_plug_unit *unit,
                                tenon_buf *image) {
  const char *cache = NULL, *name = base_name(unit->path);
  char error[TENON_OS_ERROR];
  TENON_TRY(find_cache(cx, &cache));
  if (!tenon_os_make_folder(cache, error))
    return fail_path(cx, cache, "make the cache", error);
  digest d = digest_of_headers();
  compile_add_text(&d, unit->text);
  compile_add_text(&d, cx->compiler);
  // The path shows in the image, as __FILE__.
  compile_add_text(&d, unit->path);
  for (size_t i = 0; flags[i]; ++i)
    compile_add_text(&d, flags[i]);
  const char *machine = machine_flag(cx->compiler);
  compile_add_text(&d, machine ? machine : "");
  add_includes(&d, &cx->allocator, unit->path, tenon_text_of(unit->text), 0);
  for (const char *const *f = unit->folders; f && *f; ++f) {
    char from[1024];  // a longer name is the compiler's to complain of
    int n = snprintf(from, sizeof from, "%s/-", *f);
    if (n > 0 && (size_t)n < sizeof from)
      add_includes(&d, &cx->allocator, from, tenon_text_of(unit->text), 0);
  }
  add_files(&d, unit->headers);
  add_files(&d, unit->libraries);
  tenon_buf_format(image, "%s/%.*s-%016llx%016llx.so", cache,
                   (int)strcspn(name, "."), name, (unsigned long long)d.a,
                   (unsigned long long)d.b);
  if (image->failed)
    return tenon_fail_memory(&cx->report, "compiling a plugin");
  if (tenon_os_look(image->data) == TENON_OS_FILE) return TENON_OK;
  return compile_build(cx, cache, unit, image->data);
}
