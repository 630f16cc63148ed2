#include "emit/emission.h"
#include "harness/harness.h"

static void takes_out_what_is_not_for_emission(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"int a;\n", "int a;\n"},
      {"int a;", "int a;\n"},
      {"a\r\nb\r\n", "a\nb\n"},
      {"a\n\n\n\nb\n", "a\n\nb\n"},
      {"#include \"tenon/tensor.h\"\n#include <math.h>\nx\n", "x\n"},
      {"#include <arm_mve.h>\nx\n", "#include <arm_mve.h>\nx\n"},
      {"a\n#ifndef TENON_EMITTED\nb\n#endif\nc\n", "a\nc\n"},
      {"#ifdef TENON_EMITTED\nb\n#endif\nc\n", "b\nc\n"},
      {"#ifndef TENON_EMITTED\na\n#else\nb\n#endif\n", "b\n"},
      {"#ifdef TENON_EMITTED\na\n#else\nb\n#endif\n", "a\n"},
      {"#if !defined(TENON_EMITTED)  // host\na\n#endif\nb\n", "b\n"},
      {"# if defined TENON_EMITTED\na\n# endif\n", "a\n"},
      {"#ifndef TENON_EMITTED\n#ifdef X\na\n#else\nb\n#endif\n#endif\nc\n",
       "c\n"},
      {"#ifndef TENON_EMITTED\n#include \"tenon/ext/plugin.h\"\n#endif\nc\n",
       "c\n"},
      {"#ifdef X\n#ifndef TENON_EMITTED\na\n#endif\nb\n#endif\n",
       "#ifdef X\nb\n#endif\n"},
      {"#ifndef TENON_EMITTED\na\n#elif defined(X)\nb\n#else\nc\n#endif\n",
       "#if defined(X)\nb\n#else\nc\n#endif\n"},
      {"#ifdef TENON_EMITTED\na\n#elif X\nb\n#else\nc\n#endif\nd\n", "a\nd\n"},
      {"/*\n#ifndef TENON_EMITTED\n*/\na\n",
       "/*\n#ifndef TENON_EMITTED\n*/\na\n"},
      {"const char *s = \"/*\";\n#ifndef TENON_EMITTED\na\n#endif\nb\n",
       "const char *s = \"/*\";\nb\n"},
      {"// /*\n#ifndef TENON_EMITTED\na\n#endif\nb\n", "// /*\nb\n"},
      {"#define A \\\n  #ifdef\nb\n", "#define A \\\n  #ifdef\nb\n"},
      {"#if defined(TENON_EMITTED) && defined(X)\na\n#endif\n",
       "#if defined(TENON_EMITTED) && defined(X)\na\n#endif\n"},
      {"#endif\n#else\nx\n", "#endif\n#else\nx\n"},
      {"#ifndef TENON_EMITTED\nnever closed\n", ""},
  };
  char include[32];
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  EACH_ROW(i, rows) {
    tenon_buf_clear(&out);
    bool ok =
        tenon_emit_strip(&out, rows[i].text, false, include, sizeof include);
    CHECK(ok, "row %zu", i);
    CHECK_TEXT(out.data ? out.data : "", rows[i].want, i);
  }
  tenon_buf_deinit(&out);
}

static void takes_the_guard_off_a_header(void **state) {
  char include[32];
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  assert_true(
      tenon_emit_strip(&out,
                       "// a.h\n#ifndef A_H\n#define A_H\n"
                       "#include \"tenon/base.h\"\n#ifndef B\n#define B "
                       "1\n#endif\nint a;\n#endif  // A_H\n",
                       true, include, sizeof include));
  CHECK_TEXT(out.data, "// a.h\n#ifndef B\n#define B 1\n#endif\nint a;\n", 0);
  tenon_buf_deinit(&out);
}

static void names_what_cannot_be_included(void **state) {
  char include[8];
  tenon_buf out;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  assert_false(tenon_emit_strip(&out, "#include \"mine/header.h\"\n", false,
                                include, sizeof include));
  assert_string_equal(include, "mine/he");
  tenon_buf_deinit(&out);
}

// Deeper than anything keeps count of.
static void bears_any_depth(void **state) {
  char text[100 * 14 + 100 * 8 + 1], include[8];
  tenon_buf out;
  size_t at = 0;
  (void)state;
  tenon_buf_init(&out, tenon_heap());
  for (int i = 0; i < 100; ++i)
    at += (size_t)sprintf(text + at, "#ifdef X\n");
  for (int i = 0; i < 100; ++i)
    at += (size_t)sprintf(text + at, "#endif\n");
  assert_true(tenon_emit_strip(&out, text, false, include, sizeof include));
  CHECK_TEXT(out.data, text, 0);
  tenon_buf_deinit(&out);
}

TEST_GROUP(strip, cmocka_unit_test(takes_out_what_is_not_for_emission),
           cmocka_unit_test(takes_the_guard_off_a_header),
           cmocka_unit_test(names_what_cannot_be_included),
           cmocka_unit_test(bears_any_depth))
