// What a file turns out to be before anything of it runs, and what is said of
// an image without a plugin.
#include "plug/load.h"

#include "harness/folder.h"
#include "harness/log.h"

static tenon_context *make_context(test_log *log, const char *cache) {
  tenon_context_options o = {.struct_size = sizeof o,
                             .flags = TENON_CONTEXT_LOAD_PLUGINS,
                             .diag = test_log_sink(log),
                             .cache_dir = cache};
  tenon_context *cx = NULL;
  test_log_clear(log);
  assert_int_equal(tenon_context_init(&o, &cx), TENON_OK);
  return cx;
}

// The first 20 bytes of an ELF file.
typedef struct elf {
  unsigned char bytes[20];
} elf;
static elf make_elf(int bits, int order, int kind, int machine) {
  elf e = {{0x7f, 'E', 'L', 'F', (unsigned char)bits, (unsigned char)order, 1}};
  e.bytes[16] = (unsigned char)kind;
  e.bytes[18] = (unsigned char)machine;
  return e;
}

#ifdef __x86_64__
enum { HERE = 62 };
#elif defined(__aarch64__)
enum { HERE = 183 };
#else
enum { HERE = 0 };
#endif
static const int word = sizeof(void *) == 8 ? 2 : 1;

static void says_what_a_file_is(void **state) {
  (void)state;
#ifndef __ELF__
  // Other systems' loaders say what they do not take.
  skip();
#endif
  test_folder f;
  test_log log;
  test_folder_make(&f);
  elf foreign = make_elf(word, 1, 3, HERE == 40 ? 183 : 40);
  elf narrow = make_elf(3 - word, 1, 3, HERE);
  elf big = make_elf(word, 2, 3, HERE);
  elf object = make_elf(word, 1, 1, HERE);
  elf program = make_elf(word, 1, 2, HERE);
  elf hollow = make_elf(word, 1, 3, HERE);
  const struct {
    const void *data;
    size_t size;
    const char *id, *message;
  } rows[] = {
      {"hello, world", 12, "plugin-not-library", "found something else"},
      {"", 0, "plugin-not-library", "found an empty file"},
      {"ELF", 3, "plugin-not-library", "found something else"},
      {&hollow, 19, "plugin-not-library", "found one that is cut off"},
      {&hollow, 5, "plugin-not-library", "found one that is cut off"},
      {&foreign, 20, "plugin-machine", "a library for "},
      {&narrow, 20, "plugin-machine", "bits; this program runs on"},
      {&big, 20, "plugin-machine", "big endian"},
      {&object, 20, "plugin-not-library", "found an object file"},
      {&program, 20, "plugin-not-library", "found a program"},
      {&hollow, 20, "plugin-open", "the system does not load it"}};
  tenon_context *cx = make_context(&log, NULL);
  EACH_ROW(i, rows) {
    const char *path = test_write_bytes(&f, "x.so", rows[i].data, rows[i].size);
    test_log_clear(&log);
    CHECK(tenon_plug_load(cx, path) == TENON_BAD_PLUGIN, "row %zu", i);
    CHECK(log.errors == 1, "row %zu: %s", i, log.text);
    CHECK_LOG(&log, rows[i].id, rows[i].message, i);
    CHECK(strstr(log.text, path), "row %zu", i);
  }
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

static void says_what_cannot_be_loaded(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, NULL);
  assert_int_equal(tenon_plug_load(cx, test_path(&f, "absent.so")), TENON_IO);
  CHECK_LOG(&log, "plugin-absent", "no such file or folder", 0);
  assert_int_equal(tenon_plug_load(cx, f.path), TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "plugin-folder", "no plugin in this folder", 1);
  test_write(&f, "notes.txt", "nothing");
  assert_int_equal(tenon_plug_load(cx, f.path), TENON_BAD_PLUGIN);
  const char *yaml = test_write(&f, "x.yaml", "- op: acme::gain\n");
  assert_int_equal(tenon_plug_load(cx, yaml), TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "binding-op", "unknown operator", 1);
  tenon_text text = tenon_text_of("- op: acme::loss\n");
  assert_int_equal(tenon_plug_load_text(cx, "here", text), TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "binding-op", "here: line 1", 2);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  assert_int_equal(tenon_plug_load_text(cx, "here", text), TENON_CONFLICT);
  CHECK_LOG(&log, "context-frozen", "here", 3);
  assert_int_equal(tenon_plug_load(cx, f.path), TENON_CONFLICT);
  CHECK_LOG(&log, "context-frozen", "before the first model", 2);
  tenon_context_destroy(cx);
  tenon_context_options off = {.struct_size = sizeof off,
                               .diag = test_log_sink(&log)};
  assert_int_equal(tenon_context_init(&off, &cx), TENON_OK);
  assert_int_equal(tenon_plug_load_text(cx, "here", text), TENON_BAD_ARGUMENT);
  CHECK_LOG(&log, "plugin-loading-off", "here", 4);
  assert_int_equal(tenon_plug_load(cx, f.path), TENON_BAD_ARGUMENT);
  CHECK_LOG(&log, "plugin-loading-off", "TENON_CONTEXT_LOAD_PLUGINS", 3);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

#define VISIBLE "__attribute__((visibility(\"default\"))) const void *"

static void says_what_an_image_lacks(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"int x;\n", "a plugin ends with TENON_PLUGIN_EXPORT"},
      {VISIBLE "tenon_plugin_entry2(void) { return 0; }\n",
       "but 'tenon_plugin_entry2': built for ABI 2, this library has 0"},
      {VISIBLE "tenon_plugin_entry9(void) { return 0; }\n", "ABI 9"},
      {VISIBLE "tenon_plugin_entry_lib(void) { return 0; }\n",
       "but 'tenon_plugin_entry_lib': built with TENON_STATIC_PLUGINS"},
      {VISIBLE "tenon_plugin_entry(void) { return 0; }\n",
       "the entry point returns null"}};
  test_folder f;
  test_log log;
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, NULL);
  if (test_run("cc --version", NULL, 0) != 0) skip();
  EACH_ROW(i, rows) {
    char command[1024];
    const char *source = test_write(&f, "lib.c", rows[i].text);
    const char *image = test_path(&f, "lib.so");
    snprintf(command, sizeof command, "cc -shared -fPIC %s -o %s", source,
             image);
    CHECK(test_run(command, NULL, 0) == 0, "row %zu", i);
    test_log_clear(&log);
    CHECK(tenon_plug_load(cx, image) == TENON_BAD_PLUGIN, "row %zu", i);
    CHECK_LOG(&log, "plugin-entry", rows[i].message, i);
    // Neither does the source, which is loaded through the compiler.
    CHECK(tenon_plug_load(cx, source) == TENON_BAD_PLUGIN, "row %zu", i);
  }
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

TEST_GROUP(load, cmocka_unit_test(says_what_a_file_is),
           cmocka_unit_test(says_what_cannot_be_loaded),
           cmocka_unit_test(says_what_an_image_lacks))
