// Which convolutions of one image pass `branches` makes one, and that the
// numbers are the same where sums are exact: of small integers.
#include "pass_rows.h"

#define M(x, body)                                                \
  "module { %i = input s8[" x                                     \
  "]\n%x = core::cast(%i) [dtype=f32]\n"                          \
  "%w = const f32[2,3,3,2] {1,-2,3,0,5,-6,7,8,-9,1,0,3,-4,2,6,"   \
  "7,-8,9,1,2,-3,4,5,-6,7,8,9,-1,2,3,4,-5,6,7,8,9}\n"             \
  "%k = const f32[2,1,1,2] {3, -1, 2, 5}\n"                       \
  "%l = const f32[2,3,1,2] {3, -1, 2, 5, 1, 4, -3, 2, 0, 1, 7, "  \
  "-2}\n%d = const f32[1,3,3,2] {1,-2,3,0,5,-6,7,8,-9,1,0,3,-4,"  \
  "2,6,7,-8,9}\n%e = const f32[1,1,1,2] {3, -2}\n"                \
  "%b = const f32[2] {4, -6}\n%s = const f32[2] {0.5, 4}\n"       \
  "%t = const f32[1,1,1,2] {2, -8}\n%z = const f32[] {16.0}\n"    \
  "%n = const f32[1,6,6,1] {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15," \
  "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,"  \
  "36}\n" body "\nreturn %y }"
#define X "1,6,6,2"
#define CONV "%p = core::conv(%x, %w, %b, %s, %b) [pad=1]\n"
#define DEPTHWISE "%p = core::depthwise_conv(%x, %d, %b) [pad=1]\n"
#define ADD "%y = core::add(%p, %q) [lo=0.0]"

static const pass_row rows[] = {
    // A tap beside nine, in any order, and with what follows the sums.
    {M(X, CONV "%q = core::conv(%x, %k)\n" ADD), "[pad=[1, 1, 1, 1], lo=0.0]",
     "core::conv(", 1},
    {M(X, CONV "%q = core::conv(%x, %k, none, %s)\n%y = core::add(%q, %p)"),
     "[pad=[1, 1, 1, 1]]", "core::conv(", 1},
    {M(X,
       "%p = core::conv(%x, %w) [pad=1, stride=2]\n"
       "%q = core::conv(%x, %k) [stride=2]\n" ADD),
     "stride=[2, 2]", "core::conv(", 1},
    {M(X,
       "%p = core::conv(%x, %w) [pad=2, dilation=2]\n"
       "%q = core::conv(%x, %l) [pad=[2,0,2,0], dilation=[2,1]]\n" ADD),
     "dilation=[2, 2]", "core::conv(", 1},
    {M(X,
       "%p = core::conv(%x, %w) [pad=1]\n"
       "%q = core::conv(%x, %w, %b) [pad=1]\n" ADD),
     "lo=0.0", "core::conv(", 1},
    // The image itself, with a factor and a summand for each channel.
    {M(X, CONV "%y = core::add(%p, %x)"), "f32[1,6,6,2]", "core::add(", 0},
    {M(X, CONV "%q = core::mul(%x, %s)\n" ADD), "lo=0.0", "core::mul(", 0},
    {M(X, CONV "%m = core::mul(%x, %s)\n%q = core::add(%t, %m)\n" ADD),
     "lo=0.0", "core::mul(", 0},
    {M(X, DEPTHWISE "%y = core::add(%x, %p)"), "core::depthwise_conv",
     "core::add(", 0},
    {M(X, DEPTHWISE "%m = core::mul(%x, %s)\n%q = core::add(%m, %t)\n" ADD),
     "core::depthwise_conv", "core::add(", 0},
    // Three branches and a number.
    {M(X, DEPTHWISE "%q = core::depthwise_conv(%x, %e, none, %s, %b)\n"
                    "%r = core::add(%p, %q)\n%u = core::add(%x, %r)\n"
                    "%y = core::add(%z, %u) [hi=99.0]"),
     "[pad=[1, 1, 1, 1], hi=99.0]", "core::add(", 0},
    // Taps that read elsewhere, or at another distance; more than nine.
    {M(X,
       "%p = core::conv(%x, %w) [pad=[0,0,2,2]]\n"
       "%q = core::conv(%x, %k)\n%y = core::add(%p, %q)"),
     "pad=[0, 0, 2, 2]", "core::conv(", 1},
    {M(X,
       "%p = core::conv(%x, %w) [pad=[0,1,2,1]]\n"
       "%q = core::conv(%x, %w) [pad=1]\n" ADD),
     "core::add(", "core::conv(", 2},
    {M(X,
       "%p = core::conv(%x, %w) [pad=2, dilation=2]\n"
       "%q = core::conv(%x, %k) [pad=[1,1,0,0], stride=1]\n"
       "%r = core::slice(%q) [begin=[0,0,0,0], size=[1,6,6,2], "
       "step=[1,1,1,1]]\n%y = core::add(%p, %r)"),
     "core::add(", "core::conv(", 2},
    {M(X,
       "%p = core::conv(%x, %w) [pad=2, dilation=2]\n"
       "%q = core::conv(%x, %w) [pad=1]\n" ADD),
     "core::add(", "core::conv(", 2},
    {M(X, "%p = core::conv(%x, %k)\n%y = core::add(%p, %z)"), "core::add(",
     "core::conv(", 1},
    // Other images, other operators, limits between, somebody else who reads.
    {M(X, CONV "%o = core::relu(%x)\n%q = core::conv(%o, %k)\n" ADD),
     "core::add(", "core::conv(", 2},
    {M(X, CONV "%q = core::depthwise_conv(%x, %e)\n" ADD), "core::add(",
     "core::conv(", 1},
    {M(X, CONV "%q = core::conv(%x, %k) [hi=9.0]\n" ADD), "core::add(",
     "core::conv(", 2},
    {M(X, CONV "%q = core::conv(%x, %k)\n%a = core::add(%p, %q)\n"
               "%y = core::mul(%a, %q)"),
     "core::add(", "core::conv(", 2},
    {M(X, CONV "%q = core::mul(%x, %s) [lo=0.0]\n" ADD), "core::add(",
     "core::conv(", 1},
    {M(X, CONV "%q = core::mul(%x, %n)\n" ADD), "core::add(", "core::conv(", 1},
    // One of which is repeated to the size of the other.
    {M("1,1,1,2",
       "%p = core::conv(%x, %w) [pad=[3,3,2,2]]\n"
       "%q = core::conv(%x, %k)\n" ADD),
     "core::add(", "core::conv(", 2},
    // A factor for each channel, where nothing is added.
    {M(X, "%y = core::conv(%x, %k, %b, %s, %b) [lo=0.0]"),
     "const f32[2,1,1,2] {1.5, -0.5, 8.0, 20.0}", "f32[2] {6.0, -30.0}", 1},
    {M(X, "%y = core::conv(%x, %k, none, %s)"), "core::conv(%x, %0)",
     "const f32[2]", 0},
    {M(X, "%y = core::depthwise_conv(%x, %e, %b, %s)"),
     "const f32[1,1,1,2] {1.5, -8.0}", "f32[2] {2.0, -24.0}", 1},
    // Not one that may leave nothing of a weight, and not weights that are read
    // elsewhere.
    {M(X, "%f = const f32[2] {1e-7, 1}\n%y = core::conv(%x, %k, %b, %f)"),
     "core::conv(%x, %k, %b, %f)", "core::mul(", 0},
    {M(X,
       "%q = core::conv(%x, %k, %b, %s)\n%r = core::conv(%x, %k, %b)\n"
       "%y = core::mul(%q, %r)"),
     "core::conv(%x, %k, %b, %s)", "core::conv(", 2},
    // Weights that a run computes.
    {M(X, CONV "%g = core::abs(%x)\n%h = core::slice(%g) [begin=[0,0,0,0], "
               "size=[1,1,2,2], step=[1,1,1,1]]\n"
               "%k2 = core::reshape(%h) [shape=[2,1,1,2]]\n"
               "%q = core::conv(%x, %k2)\n" ADD),
     "core::add(", "core::conv(", 2},
};

static void adds_weights_of_branches(void **state) {
  (void)state;
  check_rows(NO_PASSES ",fold,branches,dce", rows, COUNT(rows));
}

static void gives_the_same_sums(void **state) {
  (void)state;
  check_same_bits(NO_PASSES ",fold,branches,dce", rows, COUNT(rows));
}

// Where constants are left to a run, it would compute the weights as well.
static void leaves_what_is_not_folded(void **state) {
  static const char body[] = M(X,
                               "%c = core::add(%b, %b)\n"
                               "%p = core::conv(%x, %w, %c) [pad=1]\n"
                               "%q = core::conv(%x, %k)\n" ADD);
  const pass_row left = {body, "core::add(%p", "core::conv(", 2};
  const pass_row made = {body, "lo=0.0", "core::conv(", 1};
  (void)state;
  check_rows(NO_PASSES ",branches", &left, 1);
  check_rows(NO_PASSES ",fold,branches,dce", &made, 1);
}

TEST_GROUP(branches, cmocka_unit_test(adds_weights_of_branches),
           cmocka_unit_test(gives_the_same_sums),
           cmocka_unit_test(leaves_what_is_not_folded))
