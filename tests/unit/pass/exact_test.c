// No pass changes a bit: models run with all of them, with none, and with the
// reference kernels.
#include "harness/model.h"

static const char *const models[] = {
    // A border, a convolution, a bias and limits, in floats.
    "module { %x = input f32[2,5,6,3]\n"
    "%w = const f32[2,1,2,3] {0.5,-1,2,0.25,3,-2,1,0,0.125,-3,7,0.1}\n"
    "%b = const f32[1,1,1,2] {0.75, -0.5}\n"
    "%p = core::pad(%x) [before=[0,1,2,0], after=[0,0,1,0]]\n"
    "%c = core::conv(%p, %w)\n%s = core::add(%b, %c)\n%y = core::relu6(%s)\n"
    "return %y }",
    // What batch norms leave behind convolutions, with a bias and without.
    "module { %x = input f32[2,4,5,3]\n"
    "%w = const f32[3,1,2,3] {0.5,-1,2,0.25,3,-2,1,0,0.125,-3,7,0.1,1,2,3,4,5,"
    "6}\n%d = const f32[1,2,1,3] {0.5, -1, 2, 0.25, 3, -2}\n"
    "%b = const f32[1,1,1,3] {0.75, -0.5, 0.3}\n"
    "%v = const f32[3] {0.1, 1.7, -0.3}\n%l = const f32[2,3] {1, 2, 3, 4, 5, 6}"
    "\n%t = const f32[2] {0.3, -0.7}\n"
    "%c = core::conv(%x, %w, %v)\n%m = core::mul(%b, %c)\n"
    "%s = core::add(%m, %v)\n%r = core::relu6(%s)\n"
    "%e = core::depthwise_conv(%r, %d)\n%f = core::mul(%e, %v)\n"
    "%g = core::add(%b, %f)\n%h = core::clamp(%g) [hi=9.5]\n"
    "%i = core::conv(%h, %w) [pad=[1,1,1,1]]\n%j = core::mul(%i, %b)\n"
    "%k = core::fully_connected(%j, %l)\n%n = core::mul(%k, %t)\n"
    "%y = core::add(%t, %n)\nreturn %y, %h }",
    // The same of lines and volumes, behind reshapes.
    "module { %x = input f32[2,4,5,3]\n"
    "%w = const f32[3,1,2,3] {0.5,-1,2,0.25,3,-2,1,0,0.125,-3,7,0.1,1,2,3,4,5,"
    "6}\n%d = const f32[1,2,1,2,3] {0.5,-1,2,0.25,3,-2,1,0,-4,0.7,1.1,6}\n"
    "%v = const f32[3] {0.1, 1.7, -0.3}\n"
    "%c = core::conv(%x, %w)\n%q = core::reshape(%c) [shape=[1,2,4,4,3]]\n"
    "%m = core::mul(%q, %v)\n%s = core::add(%m, %v)\n%r = core::relu6(%s)\n"
    "%e = core::depthwise_conv3d(%r, %d) [pad=[1,0,1,0,0,0], stride=[1,1,2]]\n"
    "%f = core::reshape(%e) [shape=[16,3]]\n%g = core::add(%f, %v)\n"
    "%h = core::mul(%v, %g)\n%y = core::clamp(%h) [hi=9.5]\nreturn %y }",
    // The same with a scale.
    "module { %x = input s8[1,5,5,1]{0.5:7}\n"
    "%w = const s8[2,2,2,1]{[0.5,0.25]:[0,0]@0} {1,2,-3,4,50,-60,7,-128}\n"
    "%b = const s32[2] {100, -20}\n"
    "%p = core::pad(%x) [before=[0,1,2,0], after=[0,2,1,0]] : "
    "s8[1,8,8,1]{0.5:7}"
    "\n%c = core::conv(%p, %w, %b) : s8[1,7,7,2]{0.75:-9}\n"
    "%d = core::clamp(%c) [lo=-3.2, hi=40.1] : s8[1,7,7,2]{0.75:-9}\n"
    "%y = core::clamp(%d) [lo=0.0] : s8[1,7,7,2]{0.75:-9}\nreturn %y }",
    // Depthwise, with strides and a multiplier, then pools and sums.
    "module { %x = input f32[1,6,6,2]\n"
    "%w = const f32[1,2,1,4] {0.5, -1, 2, 0.25, 3, -2, 1, 0}\n"
    "%b = const f32[4] {0.75, -0.5, 3, 0}\n"
    "%p = core::pad(%x) [before=[0,1,1,0], after=[0,1,1,0]]\n"
    "%c = core::depthwise_conv(%p, %w, %b) [stride=2]\n%r = core::relu(%c)\n"
    "%m = core::max_pool(%r) [window=2]\n%n = core::clamp(%m) [hi=3.0]\n"
    "%a = core::avg_pool(%r) [window=2]\n%o = core::clamp(%a) [lo=-0.0]\n"
    "%q = core::sub(%n, %o)\n%s = core::clamp(%q) [lo=-1.0, hi=1.0]\n"
    "%y = core::mul(%s, %b)\n%z = core::relu(%y)\nreturn %z, %q }",
    // Matrices, views, and constants in front.
    "module { %x = input f32[2,3,4]\n"
    "%w = const f32[2,4] {1, -2, 3, 0.5, 0, 7, -0.25, 1}\n"
    "%b = const f32[2] {-1, 2}\n%h = const f32[] {0.5}\n"
    "%u = core::permute(%x) [dims=[1,0,2]]\n"
    "%v = core::permute(%u) [dims=[1,0,2]]\n"
    "%f = core::fully_connected(%v, %w)\n%g = core::add(%f, %b)\n"
    "%k = core::mul(%h, %g)\n%c = core::clamp(%k) [lo=-2.0]\n"
    "%d = core::clamp(%c) [hi=2.0]\n%e = core::reshape(%d) [shape=[12]]\n"
    "%y = core::reshape(%e) [shape=[3,4]]\nreturn %y }",
    // Rows that share an index, some of them the same.
    "module { %x = input f32[4,3]\n%i = const s64[5,1] {1, 3, 1, 0, 3}\n"
    "%e = core::expand(%i) [shape=[5,3]]\n%g = core::gather(%x, %e)\n"
    "%h = core::exp(%g)\n%s = core::scatter(%x, %e, %h) [mode=1]\n"
    "%y = core::scatter(%s, %e, %g) [mode=5, include_self=false]\n"
    "return %s, %y }",
    // A product of which three slices are taken, in rows and in channels.
    "module { %x = input f32[3,4]\n"
    "%p = const f32[4,1] {1, -0.5, 0.25, 3}\n"
    "%q = const f32[1,24] {1,2,3,4,5,6,7,8,9,10,11,12,-1,-2,-3,-4,-5,-6,-7,-8,"
    "-9,-10,-11,0.3}\n%o = core::mul(%p, %q)\n"
    "%r = core::reshape(%o) [shape=[96,1]]\n"
    "%k = const f32[1,4] {0.3, -1.1, 0.7, 2}\n%w = core::mul(%r, %k)\n"
    "%b = core::reshape(%o) [shape=[96]]\n"
    "%y = core::fully_connected(%x, %w, %b) [hi=9.0]\n"
    "%m = core::reshape(%y) [shape=[3,3,32]]\n"
    "%s = core::slice(%m) [begin=[0,0,0], size=[3,1,32], step=[1,1,1]]\n"
    "%t = core::slice(%m) [begin=[0,1,0], size=[3,1,32], step=[1,1,1]]\n"
    "%u = core::slice(%m) [begin=[0,2,0], size=[3,1,32], step=[1,1,1]]\n"
    "%z = core::fully_connected(%x, %w)\n"
    "%v = core::slice(%z) [begin=[0,32], size=[3,64], step=[1,1]]\n"
    "return %s, %t, %u, %v }",
    // A convolution of which three slices are taken.
    "module { %x = input f32[1,1,5,2]\n"
    "%p = const f32[4,1] {1, -0.5, 0.25, 3}\n"
    "%q = const f32[1,24] {1,2,3,4,5,6,7,8,9,10,11,12,-1,-2,-3,-4,-5,-6,-7,-8,"
    "-9,-10,-11,0.3}\n%o = core::mul(%p, %q)\n"
    "%r = core::reshape(%o) [shape=[96,1]]\n"
    "%k = const f32[1,4] {0.3, -1.1, 0.7, 2}\n%m = core::mul(%r, %k)\n"
    "%w = core::reshape(%m) [shape=[96,1,2,2]]\n"
    "%b = core::reshape(%o) [shape=[96]]\n"
    "%y = core::conv(%x, %w, %b) [pad=[0,1,0,0], hi=9.0]\n"
    "%s = core::slice(%y) [begin=[0,0,0,0], size=[1,1,5,32], step=[1,1,1,1]]\n"
    "%t = core::slice(%y) [begin=[0,0,0,32], size=[1,1,5,32], step=[1,1,1,1]]\n"
    "%u = core::slice(%y) [begin=[0,0,0,64], size=[1,1,5,32], step=[1,1,1,1]]\n"
    "return %s, %t, %u }",
    // Of 16-bit floats, between casts, one of which is written twice: a norm,
    // a product that is cut, rows of heads.
    "module { %x = input bf16[1,3,4]\n%e = const f32[] {1e-05}\n"
    "%c = core::cast(%x) [dtype=f32]\n%d = core::cast(%x) [dtype=f32]\n"
    "%s = core::square(%d)\n%m = core::mean(%s) [dims=[2], keepdim=true]\n"
    "%a = core::add(%m, %e)\n%i = core::rsqrt(%a)\n%n = core::mul(%c, %i)\n"
    "%h = core::cast(%n) [dtype=bf16]\n"
    "%p = const f32[4,1] {1, -0.5, 0.25, 3}\n"
    "%q = const f32[1,24] {1,2,3,4,5,6,7,8,9,10,11,12,-1,-2,-3,-4,-5,-6,-7,-8,"
    "-9,-10,-11,0.3}\n%o = core::mul(%p, %q)\n"
    "%r = core::reshape(%o) [shape=[96,1]]\n"
    "%k = const f32[1,4] {0.3, -1.1, 0.7, 2}\n%w = core::mul(%r, %k)\n"
    "%b = core::reshape(%o) [shape=[96]]\n%f = core::cast(%h) [dtype=f32]\n"
    "%g = core::fully_connected(%f, %w, %b)\n"
    "%j = core::cast(%g) [dtype=bf16]\n"
    "%l = core::reshape(%j) [shape=[1,3,3,4,8]]\n"
    "%t = core::permute(%l) [dims=[2,0,3,1,4]]\n"
    "%q0 = core::slice(%t) [begin=[0,0,0,0,0], size=[1,1,4,3,8], "
    "step=[1,1,1,1,1]]\n"
    "%k0 = core::slice(%t) [begin=[1,0,0,0,0], size=[1,1,4,3,8], "
    "step=[1,1,1,1,1]]\n"
    "%v0 = core::slice(%t) [begin=[2,0,0,0,0], size=[1,1,4,3,8], "
    "step=[1,1,1,1,1]]\n"
    "%q1 = core::reshape(%q0) [shape=[1,4,3,8]]\n"
    "%k1 = core::reshape(%k0) [shape=[1,4,3,8]]\n"
    "%v1 = core::reshape(%v0) [shape=[1,4,3,8]]\n"
    "%q2 = core::cast(%q1) [dtype=f32]\n%k2 = core::cast(%k1) [dtype=f32]\n"
    "%v2 = core::cast(%v1) [dtype=f32]\n"
    "%y = core::attention(%q2, %k2, %v2)\n%z = core::cast(%y) [dtype=bf16]\n"
    "%u = core::permute(%z) [dims=[0,2,1,3]]\nreturn %u }",
    // Channels first around what has them last, with all that lies between.
    "module { %x = input f32[1,3,4,5]\n"
    "%w = const f32[3,1,2,3] {0.5,-1,2,0.25,3,-2,1,0,0.125,-3,7,0.1,1,2,3,4,5,"
    "6}\n%c = const f32[1,3,1,1] {0.75, -0.5, 2}\n%h = const f32[] {0.5}\n"
    "%p = core::permute(%x) [dims=[0,2,3,1]]\n"
    "%a = core::conv(%p, %w)\n%q = core::permute(%a) [dims=[0,3,1,2]]\n"
    "%m = core::mul(%q, %c)\n%s = core::sub(%h, %m)\n%r = core::relu(%s)\n"
    "%d = core::add(%r, %q)\n%j = core::concat([%d, %q]) [axis=1]\n"
    "%e = core::pad(%j) [before=[0,0,1,2], after=[0,0,0,1]]\n"
    "%g = core::slice(%e) [begin=[0,5,0,1], size=[1,3,4,5], step=[1,-1,1,1]]\n"
    "%f = core::softmax(%g) [axis=1]\n"
    "%t = core::mean(%f) [dims=[2,3], keepdim=true]\n"
    "%u = core::sum(%f) [dims=[3,1]]\n%v = core::amax(%f) [dims=[2]]\n"
    "%z = core::mul(%f, %t)\n%k = core::permute(%z) [dims=[0,2,3,1]]\n"
    "%y = core::conv(%k, %w)\nreturn %y, %u, %v }",
    // Quantised sums and products, conversions that give nothing.
    "module { %x = input s8[2,4]{0.5:3}\n%z = input s8[2,4]{0.25:-1}\n"
    "%c = const s8[4]{0.125:2} {1, -20, 100, -128}\n"
    "%d = core::dequantize(%x)\n%q = core::quantize(%d) : s8[2,4]{0.5:3}\n"
    "%a = core::add(%q, %z) : s8[2,4]{0.5:0}\n"
    "%r = core::clamp(%a) [lo=0.0] : s8[2,4]{0.5:0}\n"
    "%m = core::mul(%c, %r) : s8[2,4]{0.3:5}\n"
    "%n = core::clamp(%m) [lo=-7.0, hi=7.0] : s8[2,4]{0.3:5}\n"
    "%y = core::clamp(%n) [lo=-5.0] : s8[2,4]{0.6:1}\nreturn %y, %r }",
    // Attention as exporters write it: keys that heads share, a mask of truths
    // that may leave nothing, a factor in front.
    "module { %x = input f32[1,4,3,8]\n%k = input f32[1,2,5,8]\n"
    "%v = input f32[1,2,5,6]\n%l = input bool[3,5]\n"
    "%h = const f32[] {0.35}\n%i = const f32[] {-inf}\n"
    "%o = const f32[] {0}\n%q = core::mul(%x, %h)\n"
    "%a = core::reshape(%k) [shape=[2,1,40]]\n"
    "%b = core::expand(%a) [shape=[2,2,40]]\n"
    "%c = core::reshape(%b) [shape=[1,4,5,8]]\n"
    "%d = core::reshape(%v) [shape=[1,2,1,5,6]]\n"
    "%e = core::expand(%d) [shape=[1,2,2,5,6]]\n"
    "%f = core::reshape(%e) [shape=[1,4,5,6]]\n"
    "%t = core::permute(%c) [dims=[0,1,3,2]]\n%p = core::matmul(%q, %t)\n"
    "%s = core::where(%l, %p, %i)\n%m = core::softmax(%s)\n"
    "%n = core::amax(%s) [dims=[3], keepdim=true]\n%z = core::eq(%n, %i)\n"
    "%w = core::where(%z, %o, %m)\n%y = core::matmul(%w, %f)\nreturn %y }",
    // In parts: batches of matrices, numbers that are left out, a division.
    "module { %x = input f32[2,3,4,8]\n%k = input f32[2,5,3,8]\n"
    "%v = input f32[2,3,5,4]\n%l = input bool[2,1,4,5]\n"
    "%h = const f32[] {4}\n%i = const f32[] {-10000}\n"
    "%t = core::permute(%k) [dims=[0,2,3,1]]\n"
    "%a = core::reshape(%x) [shape=[6,4,8]]\n"
    "%b = core::reshape(%t) [shape=[6,8,5]]\n%p = core::matmul(%a, %b)\n"
    "%c = core::reshape(%p) [shape=[2,3,4,5]]\n%d = core::div(%c, %h)\n"
    "%s = core::where(%l, %i, %d)\n%m = core::softmax(%s) [axis=3]\n"
    "%e = core::reshape(%m) [shape=[6,4,5]]\n"
    "%f = core::reshape(%v) [shape=[6,5,4]]\n%g = core::matmul(%e, %f)\n"
    "%y = core::reshape(%g) [shape=[2,3,4,4]]\nreturn %y }",
    // Norms of rows; the root of the last is read by somebody else.
    "module { %x = input f32[3,5,40]\n%k = input f32[40]\n"
    "%l = input f32[40]\n%e = const f32[] {1e-05}\n"
    "%m = core::mean(%x) [dims=[-1], keepdim=true]\n"
    "%d = core::sub(%x, %m)\n%s = core::mul(%d, %d)\n"
    "%v = core::mean(%s) [dims=[2], keepdim=true]\n%a = core::add(%v, %e)\n"
    "%r = core::rsqrt(%a)\n%n = core::mul(%d, %r)\n%w = core::mul(%n, %k)\n"
    "%b = core::add(%w, %l)\n%f = core::mul(%b, %b)\n"
    "%g = core::mean(%f) [dims=[-1], keepdim=true]\n"
    "%h = core::add(%g, %e)\n%i = core::rsqrt(%h)\n%j = core::mul(%b, %i)\n"
    "%o = core::mul(%l, %j)\n%p = core::mul(%o, %o)\n"
    "%q = core::mean(%p) [dims=[-1], keepdim=true]\n"
    "%t = core::add(%q, %e)\n%u = core::rsqrt(%t)\n%y = core::mul(%o, %u)\n"
    "return %y, %u }",
    // Rows of heads, with dimensions of 1 among them.
    "module { %x = input f32[1,5,1,3,8]\n%k = input f32[1,7,3,8]\n"
    "%v = input f32[1,7,3,4]\n%l = input f32[1,3,5,7]\n"
    "%a = core::permute(%x) [dims=[2,0,3,1,4]]\n"
    "%q = core::reshape(%a) [shape=[1,3,5,8]]\n"
    "%b = core::permute(%k) [dims=[0,2,1,3]]\n"
    "%c = core::permute(%v) [dims=[0,2,1,3]]\n"
    "%p = core::matmul_transposed(%q, %b)\n%s = core::add(%p, %l)\n"
    "%w = core::softmax(%s)\n%o = core::matmul(%w, %c)\n"
    "%y = core::permute(%o) [dims=[0,2,1,3]]\nreturn %y }",
    // A sum as the mask; weights that somebody else reads stay.
    "module { %q = input f32[2,4,8]\n%k = input f32[2,5,8]\n"
    "%v = input f32[2,5,8]\n%l = input f32[1,5]\n%h = const f32[] {0.3}\n"
    "%p = core::matmul_transposed(%q, %k)\n%d = core::mul(%p, %h)\n"
    "%s = core::add(%d, %l)\n%w = core::softmax(%s)\n"
    "%y = core::matmul(%w, %v)\n%r = core::matmul_transposed(%k, %q)\n"
    "%u = core::softmax(%r)\n%z = core::matmul(%u, %y)\nreturn %y, %z, %u }",
    // Branches, a state, equal computations, a constant part.
    "module { state \"s\" : f32[4] = {1, 2, 3, 4}\n"
    "func @0 \"main\" (%p: bool[], %x: f32[4]) {\n"
    "%o = core::state_read() [state=\"s\"] : f32[4]\n"
    "%a = core::add(%x, %o)\n%b = core::add(%x, %o)\n%m = core::mul(%a, %b)\n"
    "core::state_write(%m) [state=\"s\"]\n"
    "%r = core::cond(%p, [%m]) : f32[4] {\n"
    "(%t: f32[4]) { %u = core::mul(%t, %o)\n%v = core::relu6(%u)\nreturn %v }\n"
    "(%e: f32[4]) { return %e }\n}\n"
    "return %r, %o\n}\nentry \"main\" = @0 (\"p\", \"x\") -> (\"r\", \"o\") }",
};

static void check_same(test_model *t, size_t row, const char *pipeline) {
  tenon_buf want, got;
  tenon_buf_init(&want, tenon_heap());
  tenon_buf_init(&got, tenon_heap());
  model_bits(t, models[row], NO_PASSES, &want);
  model_bits(t, models[row], pipeline, &got);
  CHECK(want.size == got.size && want.size > 0, "row %zu, '%s'", row, pipeline);
  CHECK(memcmp(want.data, got.data, want.size) == 0,
        "row %zu: '%s' changes bits", row, pipeline);
  tenon_buf_deinit(&want);
  tenon_buf_deinit(&got);
}

static void keeps_every_bit(void **state) {
  static const char *const pipelines[] = {
      "functional,lower,inline,fold,canonicalise,fuse,cse,dce",
      NO_PASSES ",fold",
      NO_PASSES ",canonicalise",
      NO_PASSES ",fuse",
      NO_PASSES ",cse",
      NO_PASSES ",dce",
      "canonicalise,fuse,functional,lower,inline",
      "cse,functional,lower,inline,canonicalise,fuse,canonicalise,fuse,dce"};
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    EACH_ROW(k, pipelines) {
      check_same(&t, i, pipelines[k]);
    }
  }
  model_close(&t);
}

// As many in each model as its comment says, and none of their parts.
static void finds_attention(void **state) {
  static const int counts[] = {1, 1, 1, 1};
  test_model t;
  int row = 0;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    if (!strstr(models[i], "softmax") || !strstr(models[i], "matmul")) continue;
    const char *text = model_after(&t, models[i], tenon_default_pipeline());
    int count = 0;
    for (const char *p = text; (p = strstr(p, "core::attention")) != NULL; ++p)
      ++count;
    assert_true(row < (int)(sizeof counts / sizeof *counts));
    CHECK(count == counts[row], "row %zu: %d\n%s", i, count, text);
    CHECK(row == 3 || (!strstr(text, "softmax") && !strstr(text, "matmul") &&
                       !strstr(text, "expand")),
          "row %zu: %s", i, text);
    CHECK(row != 2 ||
              (strstr(text, "rows_first=true") && !strstr(text, "permute")),
          "row %zu: %s", i, text);
    ++row;
  }
  assert_int_equal(row, 4);
  model_close(&t);
}

// Norms of rows, with a mean and without, where nobody else reads their parts.
static void finds_norms(void **state) {
  test_model t;
  int count = 0;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    if (!strstr(models[i], "rsqrt") || strstr(models[i], "bf16")) continue;
    const char *text = model_after(&t, models[i], tenon_default_pipeline());
    for (const char *p = text; (p = strstr(p, "core::layer_norm")); ++p)
      ++count;
    CHECK(strstr(text, "%k, %l") && strstr(text, "rms=true") &&
              strstr(text, "core::rsqrt"),
          "%s", text);
  }
  assert_int_equal(count, 2);
  model_close(&t);
}

// Slices of products are products of slices of their weights.
static void cuts_products(void **state) {
  test_model t;
  int count = 0, convolutions = 0;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    if (!strstr(models[i], "%u = core::slice")) continue;
    const char *text = model_after(&t, models[i], tenon_default_pipeline());
    for (const char *p = text; (p = strstr(p, "core::fully_connected")); ++p)
      ++count;
    for (const char *p = text; (p = strstr(p, "core::conv")); ++p)
      ++convolutions;
    CHECK(!strstr(text, "core::slice"), "row %zu: %s", i, text);
  }
  assert_int_equal(convolutions, 3);
  assert_int_equal(count, 4);
  model_close(&t);
}

// Casts become part of norms and products, and lie behind permutations.
static void computes_halves(void **state) {
  test_model t;
  int count = 0, casts = 0;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    if (!strstr(models[i], "bf16")) continue;
    const char *text = model_after(&t, models[i], tenon_default_pipeline());
    for (const char *p = text; (p = strstr(p, "core::fully_connected")); ++p)
      ++count;
    for (const char *p = text; (p = strstr(p, "core::cast")); ++p)
      ++casts;
    CHECK(strstr(text, "core::layer_norm") && strstr(text, "rms=true") &&
              strstr(text, "rows_first=true") && !strstr(text, "core::slice") &&
              !strstr(text, "core::permute"),
          "row %zu: %s", i, text);
  }
  assert_int_equal(count, 3);
  assert_int_equal(casts, 4);  // those of attention
  model_close(&t);
}

// Passing twice is the same as once.
static void comes_to_rest(void **state) {
  test_model t;
  (void)state;
  model_open(&t, NULL);
  EACH_ROW(i, models) {
    char *once = strdup(model_after(&t, models[i], tenon_default_pipeline()));
    CHECK_TEXT(model_after(&t, once, tenon_default_pipeline()), once, i);
    free(once);
  }
  model_close(&t);
}

TEST_GROUP(exact, cmocka_unit_test(keeps_every_bit),
           cmocka_unit_test(finds_attention), cmocka_unit_test(finds_norms),
           cmocka_unit_test(cuts_products), cmocka_unit_test(computes_halves),
           cmocka_unit_test(comes_to_rest))
