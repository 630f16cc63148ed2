// What the rewrites of `canonicalise` and `fuse` make, and what they leave.
#include "pass_rows.h"
#include "stranger.h"

#define F(body) "module { %x = input f32[2,3,4]\n" body "\nreturn %y }"
#define Q(body) "module { %x = input s8[4]{0.5:3}\n" body "\nreturn %y }"

static void merges_what_moves(void **state) {
  static const pass_row rows[] = {
      {F("%a = core::reshape(%x) [shape=[6,4]]\n"
         "%y = core::reshape(%a) [shape=[4,6]]"),
       "core::reshape(%x) [shape=[4, 6]]", "core::reshape", 1},
      {F("%a = core::reshape(%x) [shape=[6,4]]\n"
         "%y = core::reshape(%a) [shape=[2,3,4]]"),
       "return %x", "core::reshape", 0},
      {F("%y = core::reshape(%x) [shape=[2,3,4]]"), "return %x",
       "core::reshape", 0},
      {F("%a = core::permute(%x) [dims=[2,0,1]]\n"
         "%y = core::permute(%a) [dims=[-1,0,1]]"),
       "core::permute(%x) [dims=[1, 2, 0]]", "core::permute", 1},
      {F("%a = core::permute(%x) [dims=[2,0,1]]\n"
         "%y = core::permute(%a) [dims=[1,2,0]]"),
       "return %x", "core::permute", 0},
      {F("%y = core::permute(%x) [dims=[0,-2,2]]"), "return %x",
       "core::permute", 0},
      {F("%y = core::slice(%x) [begin=[0,0,0], size=[2,3,4], step=[1,1,1]]"),
       "return %x", "core::slice", 0},
      {F("%y = core::slice(%x) [begin=[1,0,0], size=[2,3,4], step=[-1,1,1]]"),
       "return %y", "core::slice", 1},
      {F("%y = core::concat([%x]) [axis=1]"), "return %x", "core::concat", 0},
      {F("%y = core::concat([%x, %x]) [axis=1]"), "return %y", "core::concat",
       1},
      {F("%y = core::pad(%x) [before=[0,0,0], after=[0,0,0]]"), "return %x",
       "core::pad", 0},
      {F("%y = core::cast(%x) [dtype=f32]"), "return %x", "core::cast", 0},
      {F("%y = core::cast(%x) [dtype=s32]"), "return %y", "core::cast", 1},
      {F("%y = core::copy(%x)"), "return %x", "core::copy", 0},
      // An open size is equal where its expression is.
      {"module { dim n = 1..9\n%x = input f32[?n,4]\n"
       "%y = core::reshape(%x) [shape=[?n,4]]\nreturn %y }",
       "return %x", "core::reshape", 0},
  };
  (void)state;
  check_rows("canonicalise,dce", rows, COUNT(rows));
}

#define P "%p = core::permute(%x) [dims=[2,0,1]]\n"
#define BACK "%y = core::permute(%q) [dims=[1,2,0]]"

// What does not care for the order of dimensions is done before it changes.
static void moves_permutations(void **state) {
  static const pass_row rows[] = {
      {F(P "%q = core::tanh(%p)\n" BACK), "core::tanh(%x)", "core::permute", 0},
      // A stranger's operators as well, if they say so.
      {F(P "%q = acme::bend(%p)\n" BACK), "acme::bend(%x)", "core::permute", 0},
      {F(P "%a = core::exp(%p)\n%q = acme::mix(%a, %p)\n" BACK),
       "acme::mix(%0, %x)", "core::permute", 0},
      {F(P "%q = acme::silent(%p)\n" BACK), "acme::silent(%p)", "core::permute",
       2},
      {F(P "%y = core::tanh(%p)"), "core::tanh(%x)", "core::permute", 1},
      {F(P "%a = core::exp(%p)\n%q = core::mul(%a, %p)\n" BACK),
       "core::mul(%0, %x)", "core::permute", 0},
      // A vector stands beside another dimension.
      {F(P "%c = const f32[4,1,1] {1,2,3,4}\n%q = core::sub(%c, %p)\n" BACK),
       "f32[1,1,4]", "core::permute", 0},
      {F(P "%c = const f32[2,3] {1,2,3,4,5,6}\n%q = core::sub(%c, %p)\n" BACK),
       "return %y", "core::permute", 2},
      {F(P "%q = core::concat([%p, %p]) [axis=0]\n" BACK),
       "core::concat([%x, %x]) [axis=2]", "core::permute", 0},
      {F(P "%q = core::pad(%p) [before=[1,2,3], after=[0,0,1]]\n" BACK),
       "[before=[2, 3, 1], after=[0, 1, 0]]", "core::permute", 0},
      // Dimensions that are cut, and such as are joined.
      {F(P "%y = core::reshape(%p) [shape=[2,2,2,3]]"),
       "core::reshape(%x) [shape=[2, 3, 2, 2]]", "core::permute", 1},
      {F(P "%y = core::reshape(%p) [shape=[8,3]]"), "core::reshape(%p)",
       "core::permute", 1},
      // Joined and turned again: one permutation, or none.
      {F(P "%a = core::reshape(%p) [shape=[4,6]]\n"
           "%y = core::permute(%a) [dims=[1,0]]"),
       "core::reshape(%x) [shape=[6, 4]]", "core::permute", 0},
      {F("%p = core::permute(%x) [dims=[1,0,2]]\n"
         "%a = core::reshape(%p) [shape=[6,4]]\n"
         "%y = core::permute(%a) [dims=[1,0]]"),
       "core::permute(%x) [dims=[2, 1, 0]]", "core::permute", 1},
      {F(P "%y = core::sum(%p) [dims=[1]]"), "core::sum(%x) [dims=[0]]",
       "core::permute", 1},
      {F(P "%y = core::sum(%p) [dims=[0], keepdim=true]"),
       "core::sum(%x) [dims=[2], keepdim=true]", "core::permute", 1},
      // The order of the sum would be another.
      {F(P "%y = core::sum(%p) [dims=[0,1]]"), "core::sum(%p)", "core::permute",
       1},
  };
  (void)state;
  check_rows_with(&stranger, "canonicalise,dce", rows, COUNT(rows));
}

// What is repeated anyhow need not be before.
static void drops_repetitions(void **state) {
  static const pass_row rows[] = {
      {F("%v = input f32[3,1]\n%r = core::expand(%v) [shape=[2,3,4]]\n"
         "%y = core::sub(%r, %x)"),
       "core::sub(%v, %x)", "core::expand", 0},
      {F("%v = input f32[3,1]\n%r = core::expand(%v) [shape=[2,3,4]]\n"
         "%y = core::lt(%x, %r)"),
       "core::lt(%x, %v)", "core::expand", 0},
      // The other one has these sizes no more than it has.
      {F("%v = input f32[3,1]\n%r = core::expand(%v) [shape=[5,2,3,4]]\n"
         "%y = core::mul(%x, %r)"),
       "core::mul(%x, %r)", "core::expand", 1},
      {F("%v = input f32[1,4]\n%w = input f32[3,1]\n"
         "%r = core::expand(%v) [shape=[2,3,4]]\n%y = core::mul(%w, %r)"),
       "core::mul(%w, %r)", "core::expand", 1},
  };
  // What was not folded for its size, and what is left of it.
  static const pass_row large[] = {
      {"module { %x = input f32[2,16000]\n%a = const f32[1,1] {1}\n"
       "%b = core::pad(%a) [before=[0,0], after=[0,15999]]\n"
       "%c = core::pad(%b) [before=[0,0], after=[1,0]]\n"
       "%e = const f32[1,1] {3}\n%r = core::expand(%e) [shape=[2,16000]]\n"
       "%s = core::mul(%c, %r)\n%y = core::add(%x, %s)\nreturn %y }",
       "core::add", "core::mul", 0}};
  (void)state;
  check_rows("canonicalise,dce", rows, COUNT(rows));
  check_rows("fold,canonicalise,dce", large, COUNT(large));
}

static void merges_limits(void **state) {
  static const pass_row rows[] = {
      {F("%y = core::clamp(%x)"), "return %x", "core::clamp", 0},
      {F("%a = core::clamp(%x) [lo=-2.0, hi=4.0]\n"
         "%y = core::clamp(%a) [lo=0.0]"),
       "core::clamp(%x) [lo=0.0, hi=4.0]", "core::clamp", 1},
      {F("%a = core::clamp(%x) [hi=4.0]\n%y = core::clamp(%a) [hi=6.0]"),
       "core::clamp(%x) [hi=4.0]", "core::clamp", 1},
      // Nothing lies within both.
      {F("%a = core::clamp(%x) [hi=1.0]\n%y = core::clamp(%a) [lo=2.0]"),
       "return %y", "core::clamp", 2},
      {F("%a = core::clamp(%x) [lo=nan]\n%y = core::clamp(%a) [lo=2.0]"),
       "return %y", "core::clamp", 2},
      {Q("%y = core::clamp(%x) : s8[4]{0.5:3}"), "return %x", "core::clamp", 0},
      {Q("%y = core::clamp(%x) : s8[4]{0.25:3}"), "return %y", "core::clamp",
       1},
      {Q("%a = core::clamp(%x) [lo=0.0] : s8[4]{0.25:3}\n"
         "%y = core::clamp(%a) [hi=6.0] : s8[4]{0.25:3}"),
       "core::clamp(%x) [lo=0.0, hi=6.0]", "core::clamp", 1},
      {Q("%a = core::clamp(%x) [lo=0.0] : s8[4]{0.25:3}\n"
         "%y = core::clamp(%a) [hi=6.0] : s8[4]{0.5:3}"),
       "return %y", "core::clamp", 2},
  };
  (void)state;
  check_rows("canonicalise,dce", rows, COUNT(rows));
}

static void merges_conversions_that_change_nothing(void **state) {
  static const pass_row rows[] = {
      {Q("%a = core::dequantize(%x)\n%y = core::quantize(%a) : s8[4]{0.5:3}"),
       "return %x", "quantize", 0},
      {Q("%a = core::dequantize(%x)\n%y = core::quantize(%a) : s8[4]{0.5:4}"),
       "return %y", "quantize", 2},
      {Q("%a = core::dequantize(%x)\n%y = core::quantize(%a) : s8[4]{0.25:3}"),
       "return %y", "quantize", 2},
      {Q("%y = core::quantize(%x) : s8[4]{0.5:3}"), "return %x", "quantize", 0},
      {"module { %x = input s8[4]{1e-39:0}\n%a = core::dequantize(%x)\n"
       "%y = core::quantize(%a) : s8[4]{1e-39:0}\nreturn %y }",
       "return %y", "quantize", 2},
  };
  (void)state;
  check_rows("canonicalise,dce", rows, COUNT(rows));
}

static void puts_constants_last(void **state) {
  static const pass_row rows[] = {
      {F("%c = const f32[4] {1, 2, 3, 4}\n%y = core::add(%c, %x) [hi=9.0]"),
       "core::add(%x, %c) [hi=9.0]", "core::add", 1},
      {F("%c = const f32[4] {1, 2, 3, 4}\n%y = core::mul(%c, %x)"),
       "core::mul(%x, %c)", "core::mul", 1},
      {F("%c = const f32[4] {1, 2, 3, 4}\n%y = core::sub(%c, %x)"),
       "core::sub(%c, %x)", "core::sub", 1},
      {F("%c = const f32[4] {1, 2, nan, 4}\n%y = core::add(%c, %x)"),
       "core::add(%c, %x)", "core::add", 1},
      {F("%c = const f32[1] {1}\n%d = const f32[2] {1, 2}\n"
         "%y = core::add(%c, %d)"),
       "core::add(%c, %d)", "core::add", 1},
  };
  (void)state;
  check_rows("canonicalise", rows, COUNT(rows));
}

#define CONV                                                        \
  "module { %x = input f32[1,5,5,1]\n%z = input f32[1,5,5,2]\n"     \
  "%w = const f32[2,3,3,1] {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9}\n" \
  "%b = const f32[2] {1, 2}\n%v = const f32[1,1,1,2] {3, 4}\n"
#define C(body) CONV body "\nreturn %y }"

static void fuses_limits(void **state) {
  static const pass_row rows[] = {
      {C("%a = core::conv(%x, %w, %b) [pad=1]\n%y = core::clamp(%a) [lo=0.0]"),
       "lo=0.0", "core::clamp", 0},
      {C("%a = core::conv(%x, %w, %b) [pad=1]\n%y = core::relu6(%a)"),
       "lo=0.0, hi=6.0", "core::clamp", 0},
      {C("%a = core::conv(%x, %w) [hi=3.0]\n%y = core::relu6(%a)"),
       "lo=0.0, hi=3.0", "core::clamp", 0},
      {C("%a = core::add(%z, %b) [hi=3.0]\n%y = core::relu(%a)"),
       "lo=0.0, hi=3.0", "core::clamp", 0},
      {C("%a = core::max_pool(%z) [window=2]\n%y = core::relu(%a)"), "lo=0.0",
       "core::clamp", 0},
      {C("%a = core::avg_pool(%z) [window=2]\n%y = core::relu(%a)"), "lo=0.0",
       "core::clamp", 0},
      // Somebody else wants the value without limits.
      {C("%a = core::conv(%x, %w) [pad=1]\n%c = core::relu(%a)\n"
         "%y = core::sub(%a, %c)"),
       "core::clamp", "core::conv", 1},
      {C("%a = core::conv(%x, %w) [hi=-1.0]\n%y = core::relu(%a)"),
       "core::clamp", "core::conv", 1},
      {C("%a = core::neg(%z)\n%y = core::relu(%a)"), "core::clamp", "core::neg",
       1},
  };
  (void)state;
  check_rows("lower,canonicalise,fuse,dce", rows, COUNT(rows));
}

static void fuses_borders_and_biases(void **state) {
  static const char pad[] = "core::pad";
  static const pass_row rows[] = {
      {C("%p = core::pad(%x) [before=[0,1,0,0], after=[0,2,3,0]]\n"
         "%y = core::conv(%p, %w, %b) [pad=[1,0,0,0]]"),
       "pad=[2, 0, 2, 3]", pad, 0},
      // Without a bias, the sign of a zero might change.
      {C("%p = core::pad(%x) [before=[0,1,0,0], after=[0,2,3,0]]\n"
         "%y = core::conv(%p, %w)"),
       pad, "core::conv", 1},
      {C("%p = core::pad(%x) [before=[0,1,0,0], after=[0,2,3,0], value=1.0]\n"
         "%y = core::conv(%p, %w, %b)"),
       pad, "core::conv", 1},
      {C("%p = core::pad(%x) [before=[1,1,0,0], after=[0,2,3,0]]\n"
         "%y = core::conv(%p, %w, %b)"),
       pad, "core::conv", 1},
      {C("%n = const f32[2] {-0.0, 1}\n"
         "%p = core::pad(%x) [before=[0,1,0,0], after=[0,2,3,0]]\n"
         "%y = core::conv(%p, %w, %n)"),
       pad, "core::conv", 1},
      {C("%p = core::pad(%z) [before=[0,1,1,0], after=[0,1,1,0]]\n"
         "%d = const f32[1,2,1,2] {1, 2, 3, 4}\n"
         "%y = core::depthwise_conv(%p, %d, %b)"),
       "pad=[1, 1, 1, 1]", pad, 0},
      {C("%p = core::pad(%z) [before=[0,1,1,0], after=[0,1,1,0]]\n"
         "%y = core::max_pool(%p) [window=2]"),
       pad, "core::max_pool", 1},
      {C("%a = core::conv(%x, %w)\n%y = core::add(%a, %b) [hi=6.0]"),
       "core::conv(%x, %w, %b) [hi=6.0]", "core::add", 0},
      {C("%a = core::conv(%x, %w)\n%y = core::add(%v, %a)"), "core::conv",
       "core::add", 0},
      {C("%a = core::conv(%x, %w) [hi=6.0]\n%y = core::add(%a, %b)"),
       "core::conv", "core::add", 1},
      {C("%a = core::conv(%x, %w, %b)\n%y = core::add(%a, %b)"), "core::conv",
       "core::add", 1},
      {C("%a = core::conv(%x, %w)\n%m = core::mul(%v, %a)\n"
         "%s = core::add(%m, %b)\n%y = core::relu6(%s)"),
       ") [lo=0.0, hi=6.0]", "= core::", 1},
      {C("%a = core::conv(%x, %w, %b)\n%m = core::mul(%a, %b)\n"
         "%y = core::add(%m, %b)"),
       "core::conv(%x, %w, %b, %b, %b)", "= core::", 1},
      {C("%a = core::conv(%x, %w)\n%y = core::mul(%a, %b)"),
       "core::conv(%x, %w, none, %b)", "= core::", 1},
      // Behind a reshape that leaves channels last.
      {C("%a = core::conv(%x, %w)\n%r = core::reshape(%a) [shape=[9,2]]\n"
         "%m = core::mul(%r, %b)\n%s = core::add(%m, %b)\n"
         "%y = core::relu6(%s)"),
       "lo=0.0, hi=6.0", "= core::", 2},
      {C("%a = core::conv(%x, %w)\n%r = core::reshape(%a) [shape=[3,6]]\n"
         "%d = const f32[6] {1, 2, 3, 4, 5, 6}\n%y = core::mul(%r, %d)"),
       "core::mul", "= core::", 3},
      {C("%a = core::conv(%x, %w)\n%r = core::reshape(%a) [shape=[9,2]]\n"
         "%m = core::mul(%r, %b)\n%y = core::sub(%m, %r)"),
       "core::mul", "= core::", 4},
      // A scale comes after the bias, and once.
      {C("%a = core::conv(%x, %w, none, %b)\n%y = core::mul(%a, %b)"),
       "core::mul", "core::", 2},
      {C("%a = core::conv(%x, %w) [hi=6.0]\n%y = core::mul(%a, %b)"),
       "core::mul", "core::", 2},
      {C("%a = core::conv(%x, %w, %b, %b, %b)\n%y = core::add(%a, %b)"),
       "core::add", "core::", 2},
      // The bias hides the zeros, so that all of them become one.
      {C("%p = core::pad(%x) [before=[0,1,1,0], after=[0,1,1,0]]\n"
         "%a = core::conv(%p, %w)\n%s = core::add(%a, %b)\n"
         "%y = core::relu6(%s)"),
       "lo=0.0, hi=6.0", "= core::", 1},
  };
  (void)state;
  check_rows("lower,canonicalise,fuse,dce", rows, COUNT(rows));
}

// Rows whose elements share an index are read and written whole.
static void moves_whole_rows(void **state) {
#define G(index, body)                                                    \
  "module { %x = input f32[5,4]\n%i = input s64[3,1]\n"                   \
  "%s = input f32[3,4]\n%e = core::expand(%i) [shape=[" index "]]\n" body \
  "\nreturn %y }"
  static const pass_row rows[] = {
      {G("3,4", "%y = core::scatter(%x, %e, %s) [mode=1]"),
       "core::index_put(%x, %s, [%0]) [mode=1, wrap=false]", "core::expand", 0},
      {G("3,4", "%y = core::scatter(%x, %e, %s) [mode=3, include_self=false]"),
       "[mode=3, include_self=false, wrap=false]", "core::scatter", 0},
      {G("3,4", "%y = core::gather(%x, %e)"),
       "core::index(%x, [%0]) [wrap=false]", "core::expand", 0},
      // Another axis.
      {"module { %x = input f32[2,5,4]\n%i = input s32[1,3,1]\n"
       "%s = input f32[2,3,4]\n%e = core::expand(%i) [shape=[2,3,4]]\n"
       "%y = core::scatter(%x, %e, %s) [axis=1]\nreturn %y }",
       "core::index_put(%x, %s, [%0]) [axis=1, wrap=false]", "core::scatter",
       0},
      // Parts of rows, more rows than places, one value, places of elements.
      {G("3,2", "%y = core::scatter(%x, %e, %s) [mode=1]"), "return %y",
       "core::scatter", 1},
      {G("3,2", "%y = core::gather(%x, %e)"), "return %y", "core::gather", 1},
      {"module { %x = input f32[5,4]\n%i = input s64[2,1]\n"
       "%s = input f32[3,4]\n%e = core::expand(%i) [shape=[2,4]]\n"
       "%y = core::scatter(%x, %e, %s)\nreturn %y }",
       "return %y", "core::scatter", 1},
      {G("3,4", "%k = const f32[] {1.0}\n%y = core::scatter(%x, %e, %k)"),
       "return %y", "core::scatter", 1},
      {"module { %x = input f32[5,4]\n%i = input s64[1,4]\n"
       "%e = core::expand(%i) [shape=[3,4]]\n"
       "%y = core::gather(%x, %e)\nreturn %y }",
       "return %y", "core::gather", 1},
  };
  (void)state;
  check_rows("canonicalise,dce", rows, COUNT(rows));
}

// A constant matrix is packed, also behind dimensions of 1.
static void packs_one_constant_matrix(void **state) {
#define CONSTANT(x, w, op)                         \
  "module { %x = input f32" x "\n%w = const f32" w \
  " {1, 2, 3, 4, 5, 6}"                            \
  "\n%y = " op "\nreturn %y }"
  static const pass_row rows[] = {
      {CONSTANT("[1,4,3]", "[1,3,2]", "aten::bmm(%x, %w) : f32[1,4,2]"),
       "core::fully_connected(%x, %0)", "core::permute", 0},
      {CONSTANT("[5,4,3]", "[1,3,2]", "aten::matmul(%x, %w) : f32[5,4,2]"),
       "core::fully_connected(%x, %0)", "core::matmul", 0},
      {CONSTANT("[4,3]", "[3,2]", "aten::mm(%x, %w) : f32[4,2]"),
       "core::fully_connected(%x, %0)", "core::matmul", 0},
      // The result would have more dimensions; two matrices.
      {CONSTANT("[4,3]", "[1,3,2]", "aten::matmul(%x, %w) : f32[1,4,2]"),
       "core::matmul(%x, %w)", "core::fully_connected", 0},
      {CONSTANT("[2,4,3]", "[2,3,1]", "aten::bmm(%x, %w) : f32[2,4,1]"),
       "core::matmul(%x, %w)", "core::fully_connected", 0},
  };
  (void)state;
  check_rows("lower,fold,canonicalise,dce", rows, COUNT(rows));
}

TEST_GROUP(canonicalise, cmocka_unit_test(packs_one_constant_matrix),
           cmocka_unit_test(merges_what_moves),
           cmocka_unit_test(moves_permutations),
           cmocka_unit_test(drops_repetitions),
           cmocka_unit_test(moves_whole_rows), cmocka_unit_test(merges_limits),
           cmocka_unit_test(merges_conversions_that_change_nothing),
           cmocka_unit_test(puts_constants_last),
           cmocka_unit_test(fuses_limits),
           cmocka_unit_test(fuses_borders_and_biases))
