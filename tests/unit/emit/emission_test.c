// What is emitted does what the session does, for every kind of step.
#include "build.h"

static const tenon_emit_options plain = {.prefix = "kws"};

static void compare(const char *text, const tenon_emit_options *options) {
  built b;
  build_program(&b, text);
  build_compare(&b, options);
  build_free(&b);
}

#define ALL_KINDS                                                              \
  "[flag=true, whole=-9223372036854775807, real=0.1, text=\"a\\\"?\?/\\x01\"," \
  " ints=[1, -2, 3000000000], floats=[0.5, inf, nan, -1e300], "                \
  "bools=[true, false], dtype=s8, scalar=2.5, scalars=[1, 2.0, true], "        \
  "opt_flag=false, opt_whole=-5, opt_real=1e-300, strs=[\"\", "                \
  "\"a\\\"?\?/\\x01\", \"b\"]]"

static void attributes_of_all_kinds(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input s32[3]\n"
      "  %a = test::kinds(%x) " ALL_KINDS
      " : s32[3]\n"
      "  %b = test::kinds(%a) : s32[3]\n"
      "  %c = test::kinds(%b) [ints=[], floats=[], bools=[], scalars=[], "
      "strs=[], scalar=true, text=\"\"] : s32[3]\n"
      "  %d = test::args(%c) " ALL_KINDS
      " : s32[3]\n"
      "  %e = test::args(%d) : s32[3]\n"
      "  return %e\n"
      "}\n",
      &plain);
}

static void structs_without_a_name(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input f32[2,2]\n"
      "  %a = test::pair(%x) [by=0.3, minus=true] : f32[2,2]\n"
      "  %b = test::pair(%a) [by=-2.0] : f32[2,2]\n"
      "  return %b\n"
      "}\n",
      &plain);
}

static void templates_and_functions(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input f32[2,3]\n"
      "  %a = test::scale(%x, none) [gain=0.3, offset=2] : f32[2,3]\n"
      "  %b = test::written(%a, none) [relu=true, offset=0.5, name=\"z\"] : "
      "f32[2,3]\n"
      "  return %b\n"
      "}\n",
      &plain);
}

static void lists_zeros_and_absent_operands(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input f32[2]\n"
      "  %y = input f32[2]\n"
      "  %c = const f32[2] {1.5, -2.0}\n"
      "  %a = test::sum([%x, %c], none, []) : f32[2]\n"
      "  %b = test::sum([%a], %x, [%y, %c, %a]) : f32[2]\n"
      "  return %b, %a\n"
      "}\n",
      &plain);
}

static void scales_that_are_read(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input s8[2,2]{0.5:3}\n"
      "  %w = const s8[2,2]{[0.25,1e-9]:[0,0]@1} {1, -2, 3, 4}\n"
      "  %a = test::real(%x) : f32[2,2]\n"
      "  %b = test::real(%w) : f32[2,2]\n"
      "  return %a, %b\n"
      "}\n",
      &plain);
}

static const char rows_module[] =
    "module {\n"
    "  %x = input f32[7,5]\n"
    "  %w = const f32[5] {1.5, -2.0, 0.1, 3.0, 4.0}\n"
    "  %a = test::rows(%x, %w) : f32[7,5]\n"
    "  %b = test::rows(%a, %w) : f32[7,5]\n"
    "  return %b\n"
    "}\n";

static void ranges_with_scratch_and_packed_constants(void **state) {
  (void)state;
  compare(rows_module, &plain);
}

// Steps that differ in places and values build one struct of a call.
static void calls_in_common(void **state) {
  static const tenon_emit_options options = {.struct_size = sizeof options,
                                             .prefix = "kws"};
  built b;
  int structs = 0;
  (void)state;
  build_program(&b,
                "module {\n"
                "  %x = input f32[2,2]\n"
                "  %n = input s32[1]\n"
                "  %a = test::pair(%x) [by=0.5] : f32[2,2]\n"
                "  %b = test::pair(%a) [by=2.0] : f32[2,2]\n"
                "  %c = test::pair(%b) [by=2.0, minus=true] : f32[2,2]\n"
                "  %m = test::guard(%n) : s32[1]\n"
                "  return %c, %m\n"
                "}\n");
  assert_int_equal(build_emit(&b, b.program, &options), TENON_OK);
  const char *text = build_text(&b, "kws.c");
  for (const char *p = text; (p = strstr(p, "const tenon_call c = {")) != NULL;
       ++p)
    ++structs;
  assert_int_equal(structs, 2);
  assert_non_null(strstr(text, " kws_call0_test_pair"));
  assert_null(strstr(text, " kws_call1_"));
  build_free(&b);
}

static void check_loop(const char *text, const char *has) {
  static const tenon_emit_options options = {.struct_size = sizeof options,
                                             .prefix = "kws"};
  built b;
  build_program(&b, text);
  assert_int_equal(build_emit(&b, b.program, &options), TENON_OK);
  const char *c = build_text(&b, "kws.c");
  const char *loop = strstr(c, "TENON_STEP void kws_loop0(kws *m) {");
  assert_non_null(loop);
  assert_non_null(strstr(loop, "  for (i = 0; i < 7; ++i) {"));
  assert_non_null(strstr(loop, has));
  assert_null(strstr(c, "kws_step5"));
  assert_non_null(strstr(c, "  kws_loop0(m);"));
  build_free(&b);
  compare(text, &plain);
}

// Sums stay, so their places follow each other. Where there are differences,
// too, the first ones lie apart.
static void steps_that_repeat(void **state) {
  (void)state;
  for (int has_b = 0; has_b < 2; ++has_b) {
    char text[4096];
    size_t at =
        (size_t)snprintf(text, sizeof text, "module {\n  %%x = input f32[3]\n");
    for (int i = 0; i < 7; ++i) {
      char last[2][8] = {"%x", "%x"};
      if (i) snprintf(last[0], sizeof last[0], "%%a%d", i - 1);
      if (i) snprintf(last[1], sizeof last[1], "%%b%d", i - 1);
      at += (size_t)snprintf(text + at, sizeof text - at,
                             "  %%a%d = core::add(%s, %%x) : f32[3]\n", i,
                             last[0]);
      if (has_b)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "  %%b%d = core::sub(%s, %%a%d) : f32[3]\n", i,
                               last[1], i);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "  return %s",
                           has_b ? "%b6" : "%x");
    for (int i = 0; i < 7; ++i)
      at += (size_t)snprintf(text + at, sizeof text - at, ", %%a%d", i);
    snprintf(text + at, sizeof text - at, "\n}\n");
    check_loop(text, has_b ? "m->arena + at[0]" : "m->arena + 12 + i * 12");
  }
}

static void conditions(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  func @0 \"main\" (%p: bool[], %x: f32[2,2]) {\n"
      "    %r, %s = core::cond(%p, [%x]) : f32[2,2], f32[2,2] {\n"
      "      (%t: f32[2,2]) {\n"
      "        %u = test::pair(%t) [by=2.0] : f32[2,2]\n"
      "        return %u, %t\n"
      "      }\n"
      "      (%e: f32[2,2]) {\n"
      "        return %e, %e\n"
      "      }\n"
      "    }\n"
      "    return %r, %s\n"
      "  }\n"
      "  entry \"main\" = @0 (\"p\", \"x\") -> (\"r\", \"s\")\n"
      "}\n",
      &plain);
}

static void states_and_several_entries(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  state \"sum\" : f32[2] = {1.0, 2.0}\n"
      "  state \"count\" : s32[1]\n"
      "  entry \"add\" = @0 (\"x\") -> (\"y\")\n"
      "  entry \"step0\" = @1 () -> (\"n\", \"n\")\n"
      "  func @0 \"add\" (%x: f32[2]) {\n"
      "    %s = core::state_read() [state=\"sum\"] : f32[2]\n"
      "    %t = core::add(%s, %x) : f32[2]\n"
      "    core::state_write(%t) [state=\"sum\"]\n"
      "    return %t\n"
      "  }\n"
      "  func @1 \"tick\" () {\n"
      "    %s = core::state_read() [state=\"count\"] : s32[1]\n"
      "    %t = test::guard(%s) : s32[1]\n"
      "    core::state_write(%t) [state=\"count\"]\n"
      "    return %t, %t\n"
      "  }\n"
      "}\n",
      &plain);
}

static void inputs_and_constants_that_go_straight_out(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  %x = input f32[2]\n"
      "  %c = const f32[3] {1.0, nan, inf}\n"
      "  %d = const s64[2] {-9223372036854775808, 5}\n"
      "  %e = input f32[0,2]\n"
      "  return %x, %c, %d, %e\n"
      "}\n",
      &plain);
}

static void one_file(void **state) {
  static const tenon_emit_options single = {.prefix = "Kws",
                                            .package = "single"};
  (void)state;
  compare(rows_module, &single);
}

// A prefix that is all upper case has macros under another one.
static void prefixes_in_upper_case(void **state) {
  static const tenon_emit_options upper = {.prefix = "M"};
  (void)state;
  compare(rows_module, &upper);
}

TEST_GROUP(emission, cmocka_unit_test(attributes_of_all_kinds),
           cmocka_unit_test(structs_without_a_name),
           cmocka_unit_test(templates_and_functions),
           cmocka_unit_test(lists_zeros_and_absent_operands),
           cmocka_unit_test(scales_that_are_read),
           cmocka_unit_test(ranges_with_scratch_and_packed_constants),
           cmocka_unit_test(calls_in_common),
           cmocka_unit_test(steps_that_repeat), cmocka_unit_test(conditions),
           cmocka_unit_test(states_and_several_entries),
           cmocka_unit_test(inputs_and_constants_that_go_straight_out),
           cmocka_unit_test(one_file), cmocka_unit_test(prefixes_in_upper_case))
