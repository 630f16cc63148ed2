// Which convolutions pass `gates` gives weights that are multiplied by the
// gates of an image's channels, and that the numbers are the same where sums
// are exact: of small integers.
#include "pass_rows.h"

#define M(x, body)                                    \
  "module { %i = input s8[" x                         \
  "]\n%j = input s8[1,1,1,64]\n%k = input s8[64]\n"   \
  "%x = core::cast(%i) [dtype=f32]\n"                 \
  "%h = core::cast(%j) [dtype=f32]\n"                 \
  "%l = core::cast(%k) [dtype=f32]\n"                 \
  "%g = core::clamp(%h) [lo=-8.0, hi=8.0]\n"          \
  "%z = const f32[] {-1.0}\n%t = const f32[] {6.0}\n" \
  "%v = const f32[4] {1, -2, 3, 0.5}\n"               \
  "%u = core::reshape(%v) [shape=[4,1,1,1]]\n"        \
  "%w = core::expand(%u) [shape=[4,1,1,64]]\n"        \
  "%b = const f32[4] {4, -6, 1, 0}\n" body "\nreturn %y }"
#define X "1,64,64,64"
#define GATED "%m = core::mul(%x, %g)\n"
#define CONV "%y = core::conv(%m, %w, %b) [lo=-99.0]"
#define TAKEN(x, body) \
  { M(x, body), " : f32[4,1,1,64]", "core::mul(%x", 0 }
#define LEFT(x, body) \
  { M(x, body), "core::mul(%x", "core::conv(%m", 1 }
#define BY(gate) gate "%m = core::mul(%x, %n)\n" CONV

static const pass_row rows[] = {
    TAKEN(X, GATED CONV),
    TAKEN(X, "%m = core::mul(%g, %x)\n" CONV),
    TAKEN(X, GATED "%y = core::conv(%m, %w, %b, %b, %v) [stride=2]"),
    TAKEN(X, BY("%n = core::clamp(%l) [lo=-8.0, hi=8.0]\n")),
    // Limited otherwise.
    TAKEN(X, BY("%q = core::maximum(%h, %z)\n%r = core::minimum(%t, %q)\n"
                "%n = core::mul(%r, %t)\n")),
    TAKEN(X, BY("%q = core::add(%h, %t) [lo=0.0, hi=9.0]\n"
                "%n = core::div(%q, %z)\n")),
    TAKEN(X, BY("%q = core::minimum(%g, %h)\n%n = core::maximum(%q, %z)\n")),
    // From one side, or by what may be any number.
    LEFT(X, BY("%n = core::maximum(%h, %z)\n")),
    LEFT(X, BY("%n = core::clamp(%h) [lo=0.0]\n")),
    LEFT(X, BY("%n = core::clamp(%h) [lo=0.0, hi=1e9]\n")),
    LEFT(X, BY("%q = core::minimum(%h, %t)\n%n = core::mul(%q, %t)\n")),
    LEFT(X, BY("%n = core::mul(%g, %h)\n")),
    LEFT(X, BY("%q = const f32[] {0}\n%n = core::div(%g, %q)\n")),
    LEFT(X, "%m = core::mul(%x, %h)\n" CONV),
    // Several images, an image that is small, gates of something else.
    LEFT("2,64,64,64", GATED CONV),
    LEFT("1,32,32,64", GATED CONV),
    LEFT(X,
         "%q = core::slice(%x) [begin=[0,0,0,0], size=[1,64,1,64], "
         "step=[1,1,1,1]]\n%n = core::clamp(%q) [lo=0.0, hi=1.0]\n"
         "%m = core::mul(%x, %n)\n" CONV),
    // Limits between, somebody else who reads, more taps, weights of a run.
    LEFT(X, "%m = core::mul(%x, %g) [lo=0.0]\n" CONV),
    LEFT(X, GATED "%o = core::conv(%m, %w, %b)\n"
                  "%p = core::slice(%m) [begin=[0,0,0,0], size=[1,64,64,4], "
                  "step=[1,1,1,1]]\n%y = core::add(%o, %p)"),
    LEFT(X, "%q = core::expand(%u) [shape=[4,2,1,64]]\n" GATED
            "%y = core::conv(%m, %q)"),
    LEFT(X, "%q = core::expand(%l) [shape=[4,1,1,64]]\n" GATED
            "%y = core::conv(%m, %q)"),
    LEFT(X, "%q = core::expand(%u) [shape=[4,1,1,32]]\n" GATED
            "%y = core::conv(%m, %q) [groups=2]"),
    // More weights than a third of the image.
    LEFT(X,
         "%q = const f32[] {2.0}\n"
         "%n = core::expand(%q) [shape=[1366,1,1,64]]\n" GATED
         "%y = core::conv(%m, %n)"),
    // Weights with which products could be infinite.
    LEFT(X,
         "%q = const f32[] {1e20}\n"
         "%n = core::expand(%q) [shape=[4,1,1,64]]\n" GATED
         "%y = core::conv(%m, %n)"),
};

static const char pipeline[] = NO_PASSES ",fold,gates,dce";

static void multiplies_weights(void **state) {
  (void)state;
  check_rows(pipeline, rows, COUNT(rows));
}

static void gives_the_same_sums(void **state) {
  (void)state;
  check_same_bits(pipeline, rows, COUNT(rows));
}

TEST_GROUP(gates, cmocka_unit_test(multiplies_weights),
           cmocka_unit_test(gives_the_same_sums))
