#include "plug/compile.h"

#include <stdlib.h>

#include "base/text.h"
#include "harness/folder.h"
#include "harness/log.h"
#include "plug/load.h"

static const char good[] =
    "#include \"tenon/tensor.h\"\n"
    "TENON_KERNEL(twice) { (void)c; return TENON_OK; }\n"
    "#ifndef TENON_EMITTED\n"
    "#include \"tenon/ext/plugin.h\"\n"
    "#include <tenon/ext/pass.h>\n"
    "#include <tenon/ext/target.h>\n"
    "static const tenon_kernel_desc k = {\n"
    "    .struct_size = sizeof k, .symbol = \"twice\",\n"
    "    .types = \"f32 -> f32\", .run = twice};\n"
    "static const tenon_op_desc op = {\n"
    "    .struct_size = sizeof op, .doc = \"Doubles.\",\n"
    "    .schema = \"acme::twice(Tensor x) -> Tensor\",\n"
    "    .kernels = (const tenon_kernel_desc *const[]){&k, NULL}};\n"
    "static const tenon_plugin p = {\n"
    "    TENON_PLUGIN_HEADER, .name = \"acme\", .version = \"1\",\n"
    "    .ops = (const tenon_op_desc *const[]){&op, NULL}};\n"
    "TENON_PLUGIN_EXPORT(p, p);\n"
    "#endif\n";

static tenon_status compile(tenon_context *cx, const char *path,
                            const char *text, tenon_buf *image) {
  tenon_plug_unit unit = {.path = path, .text = text};
  return tenon_plug_compile(cx, &unit, image);
}

static bool has_compiler(void) {
  return test_run("cc --version", NULL, 0) == 0;
}

static tenon_context *make_context(test_log *log, const char *cache,
                                   const char *compiler) {
  tenon_context_options o = {.struct_size = sizeof o,
                             .flags = TENON_CONTEXT_LOAD_PLUGINS,
                             .diag = test_log_sink(log),
                             .cache_dir = cache,
                             .compiler = compiler};
  tenon_context *cx = NULL;
  test_log_clear(log);
  assert_int_equal(tenon_context_init(&o, &cx), TENON_OK);
  return cx;
}

static bool count_image(void *self, const char *name) {
  *(int *)self += tenon_text_ends(name, ".so");
  CHECK(!strstr(name, ".tmp"), "left behind: %s", name);
  return true;
}

static int count_images(const char *folder) {
  char error[TENON_OS_ERROR];
  tenon_allocator heap = tenon_heap();
  int count = 0;
  if (tenon_os_look(folder) != TENON_OS_FOLDER) return 0;
  assert_true(tenon_os_list(folder, &heap, count_image, &count, error));
  return count;
}

static void load(const char *path, const char *cache, const char *compiler) {
  test_log log;
  tenon_context *cx = make_context(&log, cache, compiler);
  CHECK(tenon_plug_load(cx, path) == TENON_OK, "%s", log.text);
  tenon_context_destroy(cx);
}

static void keeps_the_text_of_its_kernels(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, NULL, NULL);
  const char *path = test_write(&f, "twice.c", good);
  CHECK(tenon_plug_load(cx, path) == TENON_OK, "%s", log.text);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  const tenon_kernel *k = tenon_registry_find_kernel(cx, "twice");
  assert_non_null(k);
  assert_string_equal(k->owner->source, good);
  assert_string_equal(k->owner->origin, path);
  assert_string_equal(k->source->text, good);
  assert_string_equal(k->source->name, "acme/twice.c");
  assert_int_equal(k->desc->run(&(tenon_call){.n_in = 1}), TENON_OK);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

static void removes_the_folder_it_made(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  char folder[512];
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, NULL, NULL);
  tenon_buf image;
  tenon_buf_init(&image, tenon_heap());
  const char *path = test_write(&f, "twice.c", good);
  CHECK(compile(cx, path, good, &image) == TENON_OK, "%s", log.text);
  assert_int_equal(tenon_os_look(image.data), TENON_OS_FILE);
  snprintf(folder, sizeof folder, "%.*s",
           (int)(strrchr(image.data, '/') - image.data), image.data);
  // The second plugin of a context goes into the same folder.
  const char *other = test_write(&f, "other.c", "int x;\n");
  tenon_buf_clear(&image);
  CHECK(compile(cx, other, "int x;\n", &image) == TENON_OK, "%s", log.text);
  CHECK(count_images(folder) == 2, "in %s", folder);
  tenon_context_destroy(cx);
  assert_int_equal(tenon_os_look(folder), TENON_OS_ABSENT);
  tenon_buf_deinit(&image);
  test_folder_remove(&f);
}

// One image per content of the source, of what it includes, per compiler.
static void compiles_each_content_once(void **state) {
  (void)state;
  test_folder f;
  char text[2048];
  if (!has_compiler()) skip();
  test_folder_make(&f);
  const char *cache = test_path(&f, "cache/deep");
  snprintf(text, sizeof text,
           "#  include \"sub/inner.h\"\n#include <stddef.h>\n%s", good);
  const char *path = test_write(&f, "twice.c", text);
  test_write(&f, "sub/inner.h", "#include \"leaf.h\"\n");
  test_write(&f, "sub/leaf.h", "enum { LEAF = 1 };\n");
  load(path, cache, NULL);
  load(path, cache, NULL);
  assert_int_equal(count_images(cache), 1);
  test_write(&f, "sub/leaf.h", "enum { LEAF = 2 };\n");
  load(path, cache, NULL);
  assert_int_equal(count_images(cache), 2);
  test_write(&f, "sub/leaf.h", "enum { LEAF = 1 };\n");
  load(path, cache, NULL);
  assert_int_equal(count_images(cache), 2);
  load(path, cache, "cc -DOTHER=1");
  assert_int_equal(count_images(cache), 3);
  strcat(text, "// changed\n");
  test_write(&f, "twice.c", text);
  load(path, cache, NULL);
  assert_int_equal(count_images(cache), 4);
  test_folder_remove(&f);
}

static void says_what_the_compiler_says(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  if (getenv("TENON_TEST_EMULATED")) {
    print_message(
        "skipped: under qemu-user posix_spawn does not learn that a compiler "
        "is not there (os_test.c)\n");
    skip();
  }
  if (!has_compiler()) skip();
  test_folder_make(&f);
  const char *cache = test_path(&f, "cache");
  tenon_context *cx = make_context(&log, cache, NULL);
  const char *path = test_write(
      &f, "bad.c", "int f(void) { return nothing; }\nint g(void) { return }\n");
  assert_int_equal(tenon_plug_load(cx, path), TENON_BAD_PLUGIN);
  assert_int_equal(log.errors, 1);
  CHECK_LOG(&log, "plugin-compile",
            "bad.c: plugin: 'cc' does not compile it: 1:", 0);
  CHECK_LOG(&log, "plugin-compile", "nothing", 1);
  CHECK_LOG(&log, "plugin-compile", "note: the command was: cc -std=c11", 2);
  assert_int_equal(count_images(cache), 0);
  tenon_context_destroy(cx);
  cx = make_context(&log, cache, "no-such-compiler");
  assert_int_equal(tenon_plug_load(cx, path), TENON_UNSUPPORTED);
  CHECK_LOG(&log, "plugin-compiler", "'no-such-compiler' cannot be run", 3);
  tenon_context_destroy(cx);
  // A file where the cache should be.
  cx = make_context(&log, path, NULL);
  assert_int_equal(tenon_plug_load(cx, path), TENON_IO);
  CHECK_LOG(&log, "plugin-cache", "cannot make the cache", 4);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

static bool work(const tenon_allocator *allocator, void *self) {
  const char *const *paths = self;
  test_log log = {.size = 0};
  tenon_context_options o = {.struct_size = sizeof o,
                             .flags = TENON_CONTEXT_LOAD_PLUGINS,
                             .allocator = *allocator,
                             .diag = test_log_sink(&log),
                             .cache_dir = paths[1]};
  tenon_context *cx = NULL;
  tenon_status status = tenon_context_init(&o, &cx);
  if (status == TENON_OK) status = tenon_plug_load(cx, paths[0]);
  CHECK((status != TENON_OK) == (log.errors != 0), "%s", log.text);
  tenon_context_destroy(cx);
  return status == TENON_OK;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  test_folder f;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  const char *paths[] = {test_write(&f, "src/twice.c", good),
                         test_path(&f, "cache")};
  test_sweep(work, paths);
  const char *folder[] = {test_path(&f, "src"), paths[1]};
  test_sweep(work, folder);
  test_folder_remove(&f);
}

TEST_GROUP(compile, cmocka_unit_test(keeps_the_text_of_its_kernels),
           cmocka_unit_test(removes_the_folder_it_made),
           cmocka_unit_test(compiles_each_content_once),
           cmocka_unit_test(says_what_the_compiler_says),
           cmocka_unit_test(survives_lack_of_memory))
