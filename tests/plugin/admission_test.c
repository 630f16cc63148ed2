// Which plugins are loaded, and what is said of the others. Each is a real
// image, built by the system's compiler.
#include "harness/folder.h"
#include "harness/log.h"
#include "plug/load.h"

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

static bool has_compiler(void) {
  return test_run("cc --version", NULL, 0) == 0;
}

// A plugin whose parts a row may spoil: fields, kernel, operator, manifest.
static const char frame[] =
    "#include \"tenon/ext/plugin.h\"\n"
    "typedef struct attrs { double gain; bool relu; } attrs;\n"
    "static const tenon_field fields[] = {%s, TENON_FIELD(attrs, relu),\n"
    "    TENON_END_FIELDS};\n"
    "TENON_KERNEL(gain_f32) { (void)c; return TENON_OK; }\n"
    "typedef struct newer { tenon_op_desc op; const void *member; } newer;\n"
    "static const tenon_kernel_desc k = {.struct_size = sizeof k,\n"
    "    .symbol = \"gain_f32\", .types = \"f32 -> f32\", .run = gain_f32,\n"
    "    %s};\n"
    "static const newer n = {.op = {.struct_size = sizeof(tenon_op_desc),\n"
    "    .schema = \"acme::gain(Tensor x, float gain, bool relu) -> Tensor\",\n"
    "    .doc = \"Multiplies.\", .attrs_size = sizeof(attrs),\n"
    "    .fields = fields,\n"
    "    .kernels = (const tenon_kernel_desc *const[]){&k, NULL}, %s}, %s};\n"
    "static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = \"acme\",\n"
    "    .version = \"1\",\n"
    "    .ops = (const tenon_op_desc *const[]){&n.op, NULL}, %s};\n"
    "TENON_PLUGIN_EXPORT(p, p);\n";

static const struct {
  const char *field, *kernel, *op, *newer, *manifest;  // null: as it should be
  const char *id, *message;                            // null: loaded
} rows[] = {
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    // A newer header: a member more, unused and used.
    {NULL, NULL, ".struct_size = sizeof(newer)", NULL, NULL, NULL, NULL},
    {NULL, NULL, ".struct_size = sizeof(newer)", ".member = &k", NULL,
     "plugin-size", "bytes uses members past our"},
    {NULL, NULL, NULL, NULL, ".abi_major = 2", "plugin-abi",
     "plugin has ABI 2, this library has 0"},
    {NULL, NULL, NULL, NULL, ".abi_minor = 9", NULL, NULL},
    {NULL, NULL, NULL, NULL, ".magic = 0x1234", "plugin-magic",
     "magic 0x00001234"},
    {NULL, NULL, NULL, NULL, ".pointer_size = 2", "plugin-layout",
     "pointers of 2"},
    {NULL, NULL, NULL, NULL, ".call_size = 8", "plugin-layout", "calls of 8"},
    {NULL, NULL, NULL, NULL, ".name = NULL", "plugin-manifest", "no name"},
    {NULL, NULL, ".struct_size = 2", NULL, NULL, "plugin-size", "2 bytes"},
    {NULL, NULL, ".flags = 1u << 31", NULL, NULL, "plugin-flags", "0x80000000"},
    {NULL, ".flags = 1u << 30", NULL, NULL, NULL, "plugin-flags", "0x40000000"},
    // A member whose type disagrees with the schema.
    {"{\"gain\", \"gain\", 0, TENON_KIND_INT}", NULL, NULL, NULL, NULL,
     "plugin-fields", "'float gain' has no field of that kind"},
    {"{\"gain\", \"gain\", 0, 99}", NULL, NULL, NULL, NULL, "plugin-fields",
     "gain"},
    {"{\"gian\", \"gain\", 0, TENON_KIND_FLOAT}", NULL, NULL, NULL, NULL,
     "plugin-fields", "gain"},
    {NULL, NULL, ".schema = \"gain(Tensor x) -> Tensor\"", NULL, NULL,
     "plugin-schema", "at byte"},
    {NULL, NULL, ".doc = \"\"", NULL, NULL, "plugin-doc", "no documentation"},
    {NULL, NULL, ".kernels = NULL", NULL, NULL, "plugin-incomplete",
     "neither kernels nor a lowering"},
    {NULL, ".types = \"f32 => f32\"", NULL, NULL, NULL, "plugin-types",
     "'->' is missing"},
    {NULL, ".types = \"f32, f32 -> f32\"", NULL, NULL, NULL, "plugin-kernel",
     "have 2 operands, the schema 1"},
    {NULL, ".emit_template = \"a\\n$f32(gian)\"", NULL, NULL, NULL,
     "plugin-kernel", "line 2 of the template: '$f32(gian)' names no"},
    {NULL, NULL,
     ".schema = \"aten::gain(Tensor x, float gain, bool relu) -> "
     "Tensor\"",
     NULL, NULL, "plugin-override", "the name is in a reserved set"},
};

static const char *or_nothing(const char *text) {
  return text ? text : ".flags = 0";
}

static void admits_by_the_table(void **state) {
  (void)state;
  test_folder f;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  const char *cache = test_path(&f, "cache");
  EACH_ROW(i, rows) {
    test_log log;
    char text[4096];
    snprintf(text, sizeof text, frame,
             rows[i].field ? rows[i].field : "TENON_FIELD(attrs, gain)",
             or_nothing(rows[i].kernel), or_nothing(rows[i].op),
             rows[i].newer ? rows[i].newer : ".member = NULL",
             rows[i].manifest ? rows[i].manifest : ".passes = NULL");
    const char *path = test_write(&f, "acme.c", text);
    tenon_context *cx = make_context(&log, cache);
    tenon_status status = tenon_plug_load(cx, path);
    CHECK((status == TENON_OK) == !rows[i].id, "row %zu: %s", i, log.text);
    CHECK(log.errors == (rows[i].id ? 1 : 0), "row %zu: %s", i, log.text);
    if (rows[i].id) CHECK_LOG(&log, rows[i].id, rows[i].message, i);
    if (rows[i].id) CHECK(strstr(log.text, path), "row %zu: no path", i);
    CHECK(tenon_context_list(cx, TENON_REGISTRY_OPS, NULL, 0) ==
              (rows[i].id ? 0 : 1),
          "row %zu", i);
    tenon_context_destroy(cx);
  }
  test_folder_remove(&f);
}

static void loads_what_older_headers_made(void **state) {
  (void)state;
  test_log log;
  if (!has_compiler()) skip();
  tenon_context *cx = make_context(&log, NULL);
  CHECK(tenon_plug_load(cx, TEST_FILES "/older.c") == TENON_OK, "%s", log.text);
  assert_int_equal(tenon_context_freeze(cx), TENON_OK);
  const tenon_op *op = tenon_registry_find_op(cx, "older::twice");
  assert_non_null(op);
  assert_null(op->desc->tflite_name);
  assert_null(op->desc->user);
  assert_int_equal(op->n_kernels, 1);
  assert_null(op->kernels[0]->desc->emit_template);
  float x = 21, y = 0;
  const tenon_tensor in = {.data = &x, .dtype = TENON_F32};
  const tenon_tensor out = {.data = &y, .dtype = TENON_F32};
  const tenon_call call = {.in = &in, .out = &out, .n_in = 1, .n_out = 1};
  assert_int_equal(op->kernels[0]->desc->run(&call), TENON_OK);
  assert_true(y == 42);
  tenon_context_destroy(cx);
}

static void loads_the_plugins_of_this_tree(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, test_path(&f, "cache"));
  CHECK(tenon_plug_load(cx, TEST_PLUGINS "/acme") == TENON_OK, "%s", log.text);
  CHECK(log.size == 0, "%s", log.text);
  // Once more, alone and under another path: a note, nothing else.
  assert_int_equal(tenon_plug_load(cx, TEST_PLUGINS "/acme/gain.c"), TENON_OK);
  assert_int_equal(tenon_plug_load(cx, TEST_PLUGINS "/acme/../acme/gain.c"),
                   TENON_OK);
  assert_int_equal(log.notes, 2);
  CHECK_LOG(&log, "plugin-twice", "is loaded already, as", 0);
  assert_int_equal(log.errors, 0);
  CHECK(tenon_context_freeze(cx) == TENON_OK, "%s", log.text);
  const tenon_op *gain = tenon_registry_find_op(cx, "acme::gain");
  assert_int_equal(gain->n_kernels, 3);
  assert_string_equal(gain->kernels[0]->desc->symbol, "acme_gain_s8_table");
  assert_int_equal(gain->n_lowerings, 1);
  assert_int_equal(tenon_registry_find_op(cx, "acme::my_op")->n_kernels, 1);
  const tenon_op *op = NULL, *other = NULL;
  assert_int_equal(
      tenon_registry_find_custom(cx, "my.op v2/\xce\xb2", 1, &op, &other),
      TENON_CUSTOM_FOUND);
  assert_string_equal(op->name, "acme::my_op");
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

// A file that is replaced under the same path is another file.
static void loads_again_after_a_refusal(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, test_path(&f, "cache"));
  const char *path = test_write(&f, "gain.c", "int x = ;\n");
  assert_int_equal(tenon_plug_load(cx, path), TENON_BAD_PLUGIN);
  char text[4096];
  snprintf(text, sizeof text, frame, "TENON_FIELD(attrs, gain)", ".flags = 0",
           ".flags = 0", ".member = NULL", ".passes = NULL");
  test_write(&f, "gain.c", text);
  CHECK(tenon_plug_load(cx, path) == TENON_OK, "%s", log.text);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

static void two_contexts_have_plugins_of_their_own(void **state) {
  (void)state;
  test_folder f;
  test_log log[2];
  if (!has_compiler()) skip();
  test_folder_make(&f);
  const char *cache = test_path(&f, "cache");
  tenon_context *one = make_context(&log[0], cache);
  tenon_context *two = make_context(&log[1], cache);
  assert_int_equal(tenon_plug_load(one, TEST_PLUGINS "/acme/gain.c"), TENON_OK);
  assert_int_equal(tenon_plug_load(two, TEST_PLUGINS "/acme/mix.c"), TENON_OK);
  assert_int_equal(tenon_plug_load(two, TEST_PLUGINS "/acme/gain.c"), TENON_OK);
  assert_null(tenon_registry_find_op(one, "acme::mix"));
  assert_non_null(tenon_registry_find_op(two, "acme::mix"));
  // The image of `one` and that of `two` are the same; it stays for `two`.
  tenon_context_destroy(one);
  assert_int_equal(tenon_context_freeze(two), TENON_OK);
  const tenon_op *gain = tenon_registry_find_op(two, "acme::gain");
  assert_string_equal(gain->kernels[0]->desc->symbol, "acme_gain_f32");
  tenon_context_destroy(two);
  test_folder_remove(&f);
}

static void names_the_nearest_operator(void **state) {
  (void)state;
  static const char text[] =
      "#include \"tenon/ext/plugin.h\"\n"
      "TENON_KERNEL(fast) { (void)c; return TENON_OK; }\n"
      "static const tenon_kernel_desc k = {.struct_size = sizeof k,\n"
      "    .op = \"acme::gian\", .symbol = \"fast\",\n"
      "    .types = \"f32 -> f32\", .run = fast};\n"
      "static const tenon_plugin p = {TENON_PLUGIN_HEADER, .name = \"fast\",\n"
      "    .version = \"1\",\n"
      "    .kernels = (const tenon_kernel_desc *const[]){&k, NULL}};\n"
      "TENON_PLUGIN_EXPORT(p, p);\n";
  test_folder f;
  test_log log;
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, test_path(&f, "cache"));
  assert_int_equal(tenon_plug_load(cx, test_write(&f, "fast.c", text)),
                   TENON_OK);
  assert_int_equal(tenon_plug_load(cx, TEST_PLUGINS "/acme/gain.c"), TENON_OK);
  assert_int_equal(tenon_context_freeze(cx), TENON_BAD_PLUGIN);
  CHECK_LOG(&log, "plugin-unknown-op",
            "kernel 'fast': serves 'acme::gian', which is not defined; did you "
            "mean 'acme::gain'?",
            0);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

static void names_both_files_of_a_taken_name(void **state) {
  (void)state;
  test_folder f;
  test_log log;
  char text[4096], want[1024];
  if (!has_compiler()) skip();
  test_folder_make(&f);
  tenon_context *cx = make_context(&log, test_path(&f, "cache"));
  snprintf(text, sizeof text, frame, "TENON_FIELD(attrs, gain)", ".flags = 0",
           ".flags = 0", ".member = NULL", ".passes = NULL");
  const char *a = test_write(&f, "a.c", text), *b = test_write(&f, "b.c", text);
  // Both are in the folder; the first in order of name wins, and stays.
  assert_int_equal(tenon_plug_load(cx, f.path), TENON_CONFLICT);
  snprintf(want, sizeof want,
           "operator 'acme::gain' of plugin 'acme' (%s) is defined by plugin "
           "'acme' (%s) already",
           b, a);
  CHECK_LOG(&log, "plugin-name-taken", want, 0);
  assert_string_equal(tenon_registry_find_op(cx, "acme::gain")->owner->origin,
                      a);
  tenon_context_destroy(cx);
  test_folder_remove(&f);
}

TEST_GROUP(admission, cmocka_unit_test(admits_by_the_table),
           cmocka_unit_test(loads_what_older_headers_made),
           cmocka_unit_test(loads_the_plugins_of_this_tree),
           cmocka_unit_test(loads_again_after_a_refusal),
           cmocka_unit_test(two_contexts_have_plugins_of_their_own),
           cmocka_unit_test(names_the_nearest_operator),
           cmocka_unit_test(names_both_files_of_a_taken_name))
