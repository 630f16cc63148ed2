// One plugin, built in every way that must work: by gcc and clang, as C11, C17
// and C++20, as an image and linked in. What is built is run.
#include "core/attr.h"
#include "harness/folder.h"
#include "harness/log.h"
#include "plug/load.h"
#include "tenon/ext/plugin.h"

// plugins/acme/gain.c and mix.c, compiled with TENON_STATIC_PLUGINS.
const tenon_plugin *tenon_plugin_entry_acme_gain(void);
const tenon_plugin *tenon_plugin_entry_acme_mix(void);

static tenon_context *make_context(test_log *log) {
  tenon_context_options o = {.struct_size = sizeof o,
                             .flags = TENON_CONTEXT_LOAD_PLUGINS,
                             .diag = test_log_sink(log)};
  tenon_context *cx = NULL;
  test_log_clear(log);
  assert_int_equal(tenon_context_init(&o, &cx), TENON_OK);
  return cx;
}

static bool has(const char *compiler) {
  char command[256];
  snprintf(command, sizeof command, "%s --version", compiler);
  return test_run(command, NULL, 0) == 0;
}

// Runs kernels[0] of an operator with gain 1.5 on three numbers.
static void run_gain(tenon_context *cx, const char *name) {
  const float x[3] = {1, -2, 4};
  float y[3] = {0, 0, 0};
  const int32_t dims[] = {3};
  const tenon_tensor in = {
      .data = (void *)x, .dims = dims, .rank = 1, .dtype = TENON_F32};
  const tenon_tensor out = {
      .data = y, .dims = dims, .rank = 1, .dtype = TENON_F32};
  const tenon_arg given[] = {tenon_arg_float("gain", 1.5), TENON_END_ARGS};
  const tenon_arg *args = NULL;
  char error[256];
  tenon_arena arena;
  tenon_arena_init(&arena, tenon_heap());
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  const tenon_op *op = tenon_registry_find_op(cx, name);
  assert_non_null(op);
  bool ok = tenon_attr_complete(&arena, op->schema, given, &args, error,
                                sizeof error);
  CHECK(ok, "%s", error);
  const tenon_call call = {
      .in = &in,
      .out = &out,
      .n_in = 1,
      .n_out = 1,
      .attrs = tenon_attr_bind(&arena, op->desc->fields, op->desc->attrs_size,
                               args)};
  assert_int_equal(op->desc->kernels[0]->run(&call), TENON_OK);
  CHECK(y[0] == 1.5f && y[1] == -3 && y[2] == 6, "%s: %g %g %g", name,
        (double)y[0], (double)y[1], (double)y[2]);
  tenon_arena_deinit(&arena);
}

static void loads_what_any_compiler_made(void **state) {
  (void)state;
  static const struct {
    const char *compiler, *flags, *file, *op;
  } rows[] = {
      {"gcc", "-std=c11 -O2", TEST_PLUGINS "/acme/gain.c", "acme::gain"},
      {"gcc", "-std=c17 -O0", TEST_PLUGINS "/acme/gain.c", "acme::gain"},
      {"clang", "-std=c11 -O2", TEST_PLUGINS "/acme/gain.c", "acme::gain"},
      {"clang", "-std=c17 -O0", TEST_PLUGINS "/acme/gain.c", "acme::gain"},
      {"g++", "-std=c++20 -Wno-missing-field-initializers",
       TEST_FILES "/cxx.cpp", "cxx::gain"},
      {"clang++", "-std=c++20 -Wno-missing-field-initializers",
       TEST_FILES "/cxx.cpp", "cxx::gain"}};
  size_t built = 0;
  test_folder f;
  test_folder_make(&f);
  EACH_ROW(i, rows) {
    char command[2048], errors[2048];
    test_log log;
    if (!has(rows[i].compiler)) {
      print_message("no %s: left out\n", rows[i].compiler);
      continue;
    }
    const char *image = test_path(&f, "plugin.so");
    snprintf(command, sizeof command,
             "%s %s -Wall -Wextra -Werror -shared -fPIC -ffp-contract=off "
             "-fvisibility=hidden -I" TEST_INCLUDE " %s -o %s -lm",
             rows[i].compiler, rows[i].flags, rows[i].file, image);
    int status = test_run(command, errors, sizeof errors);
    CHECK(status == 0, "row %zu: %s", i, errors);
    tenon_context *cx = make_context(&log);
    CHECK(tenon_plug_load(cx, image) == TENON_OK, "row %zu: %s", i, log.text);
    run_gain(cx, rows[i].op);
    tenon_context_destroy(cx);
    ++built;
  }
  test_folder_remove(&f);
  if (built == 0) skip();
}

static void links_plugins_in(void **state) {
  (void)state;
  test_log log;
  tenon_context *cx = make_context(&log);
  CHECK(tenon_context_add(cx, tenon_plugin_entry_acme_gain()) == TENON_OK, "%s",
        log.text);
  CHECK(tenon_context_add(cx, tenon_plugin_entry_acme_mix()) == TENON_OK, "%s",
        log.text);
  run_gain(cx, "acme::gain");
  tenon_registered r;
  assert_true(
      tenon_context_find(cx, TENON_REGISTRY_OPS, "acme::mix", &r, NULL));
  assert_null(r.origin);
  assert_string_equal(r.owner, "acme_mix");
  assert_int_equal(r.is_builtin, 0);
  tenon_context_destroy(cx);
}

static void refuses_padding_at_the_end(void **state) {
  (void)state;
  static const char *const compilers[] = {"gcc", "clang", "g++ -x c++"};
  static const char text[] =
      "#include \"tenon/base.h\"\n"
      "typedef struct bad { uint32_t struct_size; const char *a; char b; } "
      "bad;\n"
      "TENON_NO_TAIL_PADDING(bad, b);\n";
  test_folder f;
  test_folder_make(&f);
  const char *path = test_write(&f, "bad.c", text);
  EACH_ROW(i, compilers) {
    char command[1024], errors[4096];
    if (!has(compilers[i])) continue;
    snprintf(command, sizeof command, "%s -fsyntax-only -I" TEST_INCLUDE " %s",
             compilers[i], path);
    CHECK(test_run(command, errors, sizeof errors) != 0, "row %zu", i);
    CHECK(strstr(errors, "must not end in padding"), "row %zu: %s", i, errors);
  }
  test_folder_remove(&f);
}

// What emission copies is C99 and warns of nothing.
static void is_clean_as_part_of_emitted_c(void **state) {
  (void)state;
  static const char *const compilers[] = {"gcc", "clang"};
  static const char *const files[] = {
      "above", "ema", "gain", "gain_int8", "mix", "scale_shift", "split"};
  EACH_ROW(i, compilers) {
    if (!has(compilers[i])) continue;
    EACH_ROW(k, files) {
      char command[1024], errors[4096];
      snprintf(command, sizeof command,
               "%s -std=c99 -DTENON_EMITTED -pedantic -Wall -Wextra "
               "-Wconversion -Werror -fsyntax-only -I" TEST_INCLUDE
               " " TEST_PLUGINS "/acme/%s.c",
               compilers[i], files[k]);
      CHECK(test_run(command, errors, sizeof errors) == 0, "%s: %s", files[k],
            errors);
    }
  }
}

TEST_GROUP(builds, cmocka_unit_test(loads_what_any_compiler_made),
           cmocka_unit_test(links_plugins_in),
           cmocka_unit_test(refuses_padding_at_the_end),
           cmocka_unit_test(is_clean_as_part_of_emitted_c))
