// Programs with open sizes as C: what a session computes at several sizes, and
// what cannot be emitted.
#include "build.h"

static const tenon_emit_options plain = {.prefix = "kws"};

static void compare(const char *text, const tenon_emit_options *options) {
  built b;
  build_program(&b, text);
  build_compare(&b, options);
  build_free(&b);
}

static void sizes_are_arguments(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  dim n = 1..13\n"
      "  dim m = 2..6\n"
      "  guard le(?m, ?n+5) \"not too wide\"\n"
      "  %w = const f32[3,4] {1, 2, 3, 4, -1, -2, -3, -4, 0, 1, 0, 1}\n"
      "  %x = input f32[?n,4]\n"
      "  %z = input f32[?n*2+1,?m]\n"
      "  %a = core::fully_connected(%x, %w)\n"
      "  %b = core::reshape(%a) [shape=[3,?n]]\n"
      "  %c = core::slice(%z) [begin=[?n,0], size=[?n+1,?m-1], step=[1,1]]\n"
      "  %d = core::softmax(%c)\n"
      "  %e = core::permute(%d) [dims=[1,0]]\n"
      "  %f = core::concat(%b, %b) [axis=0]\n"
      "  return %f, %e\n"
      "}\n",
      &plain);
}

static void attributes_are_numbers(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  dim n = 1..9\n"
      "  %x = input f32[?n,3]\n"
      "  %a = test::twos(%x) [by=[?n], list=[?n*?n,7], plus=max(?n,4)]\n"
      "  %b = test::twos(%a) [list=[1,?n/2], most=?n%3]\n"
      "  %c = test::scale(%b, none) [gain=0.3, offset=2] : f32[?n,3]\n"
      "  return %c\n"
      "}\n",
      &plain);
}

static void steps_find_sizes_out(void **state) {
  (void)state;
  static const tenon_emit_options single = {.prefix = "kws",
                                            .package = "single"};
  static const char text[] =
      "module {\n"
      "  dim n = 1..40\n"
      "  dim f = float\n"
      "  %x = input f32[?n]\n"
      "  %s = input f32[]\n"
      "  test::item(%s) decides ?f\n"
      "  %k = test::kept(%x) decides ?u : f32[?u]\n"
      "  %a = test::twos(%k) [by=[?f], list=[?u,?n]]\n"
      "  %b = core::add(%a, %a)\n"
      "  %l = test::kept(%b) decides ?v : f32[?v]\n"
      "  return %b, %l, %x\n"
      "}\n";
  compare(text, &plain);
  compare(text, &single);
}

// No size hangs on it, so no memory does.
static void a_found_number_is_no_size(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  dim f = float\n"
      "  %x = input f32[4]\n"
      "  %s = input f32[]\n"
      "  test::item(%s) decides ?f\n"
      "  %a = test::twos(%x) [by=[?f], list=[1,2]]\n"
      "  return %a\n"
      "}\n",
      &plain);
  // Nor a bound, which an integer has none of either.
  compare(
      "module {\n"
      "  dim n = 1..40\n"
      "  dim u = ..\n"
      "  %x = input f32[?n]\n"
      "  %s = input s64[]\n"
      "  core::item(%s) decides ?u\n"
      "  %a = core::number() [value=[?u], dtype=s64]\n"
      "  %b = core::relu(%x)\n"
      "  return %a, %b\n"
      "}\n",
      &plain);
}

static void what_is_unbounded_is_refused(void **state) {
  static const struct {
    const char *text, *id, *words;
  } rows[] = {
      {"module { dim n = 1..\n%x = input f32[?n]\n%y = core::relu(%x)\n"
       "return %y }",
       "emit-open-size", "--dim 'n=<=64'"},
      {"module { dim n = 1..99999999999\n%x = input f32[?n]\n"
       "%y = core::relu(%x)\nreturn %y }",
       "emit-open-size", "more than 1 GiB"},
      {"module { dim n = 1..50\n%x = input f32[?n]\n%y = test::odd(%x)\n"
       "return %y }",
       "emit-open-kernel", "needs a function 'test_odd_f32_items'"},
  };
  (void)state;
  EACH_ROW(i, rows) {
    built b;
    build_program(&b, rows[i].text);
    tenon_emit_options o = {.struct_size = sizeof o, .prefix = "kws"};
    CHECK(build_emit(&b, b.program, &o) == TENON_UNSUPPORTED, "row %zu", i);
    CHECK_LOG(&b.log, rows[i].id, rows[i].words, i);
    CHECK(b.is_empty, "row %zu", i);
    build_free(&b);
  }
}

// Sizes that conditions tie: of those drawn alone hardly any would fit them.
static void sizes_follow_from_conditions(void **state) {
  (void)state;
  compare(
      "module {\n"
      "  dim n = 2..9\n"
      "  dim m = 2..60\n"
      "  dim k = 2..400\n"
      "  guard eq(?n*3+1, ?m) \"m goes with n\"\n"
      "  guard eq(?m*2+1, ?k) \"k goes with m\"\n"
      "  %x = input f32[?n,?m,?k]\n"
      "  %y = core::softmax(%x)\n"
      "  return %y\n"
      "}\n",
      &plain);
}

TEST_GROUP(open, cmocka_unit_test(sizes_follow_from_conditions),
           cmocka_unit_test(sizes_are_arguments),
           cmocka_unit_test(attributes_are_numbers),
           cmocka_unit_test(steps_find_sizes_out),
           cmocka_unit_test(a_found_number_is_no_size),
           cmocka_unit_test(what_is_unbounded_is_refused))
