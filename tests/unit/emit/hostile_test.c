// Names and places that would be something else in C.
#include "build.h"

static const tenon_emit_options plain = {.prefix = "kws"};

static void names_of_inputs_and_outputs(void **state) {
  built b;
  (void)state;
  build_program(
      &b,
      "module \"x\" {\n"
      "  entry \"main\" = @0 (\"int\", \"a b\", \"a/b\", \"m\", \"\", "
      "\"memcpy\", \"uint8_t\") -> (\"int\", \"*/ #error?\?/\\\\\", "
      "\"\\xe4\\xbd\\xa0\", \"status\")\n"
      "  func @0 \"f\" (%a: f32[1], %b: f32[1], %c: f32[1], %d: f32[1], "
      "%e: f32[1], %f: f32[1], %g: f32[1]) {\n"
      "    %\"x */ \\\\\" = test::pair(%a) [by=2] : f32[1] @\"op \\\\\" \"y */ "
      "?\?/\\n#error\" in \"\\\\\\n\"\n"
      "    %y = test::sum([%b, %c, %d, %e, %f, %g], none, []) : f32[1]\n"
      "    return %\"x */ \\\\\", %y, %a, %b\n"
      "  }\n"
      "}\n");
  build_compare(&b, &plain);
  const char *header = build_text(&b, "kws.h");
  CHECK(
      strstr(header,
             "int kws_run(kws *m, const float *x_int, const float *a_b, const "
             "float *a_b_in, const float *m_in, const float *x4, const float "
             "*x_memcpy, const float *x_uint8_t, float *x_int_out, float "
             "*error, float *x2, float *status_out);"),
      "%s", strstr(header, "int kws_run"));
  build_free(&b);
}

// Entry points whose names are those of other functions.
static void names_of_entries(void **state) {
  built b;
  (void)state;
  build_program(&b,
                "module {\n"
                "  entry \"init\" = @0 (\"x\") -> (\"y\")\n"
                "  entry \"step0\" = @1 (\"x\") -> (\"y\")\n"
                "  entry \"init_in_x\" = @2 (\"x\") -> (\"y\")\n"
                "  entry \"!\" = @3 (\"x\") -> (\"y\")\n"
                "  func @0 \"f\" (%x: f32[1]) {\n"
                "    %y = test::pair(%x) [by=2] : f32[1]\n"
                "    return %y\n"
                "  }\n"
                "  func @1 \"g\" (%x: f32[1]) {\n    return %x\n  }\n"
                "  func @2 \"h\" (%x: f32[1]) {\n    return %x\n  }\n"
                "  func @3 \"i\" (%x: f32[1]) {\n    return %x\n  }\n"
                "}\n");
  build_compare(&b, &plain);
  build_free(&b);
}

static void prefixes_from_names(void **state) {
  static const struct {
    const char *name, *want;
  } rows[] = {
      {"kws.tflite", "kws.h "},
      {"dir/KWS v2.tflite", "kws_v2.h "},
      {"exp.tflite", "exp_model.h "},
      {"int", "int_model.h "},
      {".tflite", "tflite.h "},
      {"\xe4\xbd\xa0", "model.h "},
      {"tenon.pt2", "model_tenon.h "},
      {"7", "model7.h "},
      {"m", "m.h "},
  };
  built b;
  (void)state;
  build_program(&b, "module {\n  %x = input f32[1]\n  return %x\n}\n");
  EACH_ROW(i, rows) {
    struct tenon_program p = *b.program;
    p.name = rows[i].name;
    assert_int_equal(build_emit(&b, &p, NULL), TENON_OK);
    CHECK(strncmp(b.files, rows[i].want, strlen(rows[i].want)) == 0,
          "row %zu: %s", i, b.files);
  }
  build_free(&b);
}

// Whatever a model is called, and whatever its parts are called, the same name
// everywhere must do.
static void the_same_name_everywhere(void **state) {
  static const char *const names[] = {"m",  "fault", "status",
                                      "in", "a",     "take"};
  (void)state;
  EACH_ROW(i, names) {
    char text[512];
    built b;
    snprintf(text, sizeof text,
             "module {\n"
             "  entry \"%s\" = @0 (\"%s\") -> (\"%s\")\n"
             "  func @0 \"f\" (%%x: f32[1,2]) {\n"
             "    %%y = test::pair(%%x) [by=2] : f32[1,2]\n"
             "    return %%y\n"
             "  }\n"
             "}\n",
             names[i], names[i], names[i]);
    build_program(&b, text);
    tenon_emit_options o = {.struct_size = sizeof o,
                            .flags = TENON_EMIT_DRIVER,
                            .prefix = names[i]};
    assert_int_equal(build_emit(&b, b.program, &o), TENON_OK);
    char files[128];
    snprintf(files, sizeof files, "%s.c %s_driver.c", names[i], names[i]);
    build_compile(&b, "cc -fsyntax-only " BUILD_STRICT " -Wno-shadow", files);
    build_free(&b);
  }
}

TEST_GROUP(hostile, cmocka_unit_test(names_of_inputs_and_outputs),
           cmocka_unit_test(names_of_entries),
           cmocka_unit_test(prefixes_from_names),
           cmocka_unit_test(the_same_name_everywhere))
