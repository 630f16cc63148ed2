// Which products pass `strassen` takes, and what it leaves.
#include "pass_rows.h"

#define M(x, w, body)                \
  "module { %x = input f32[" x       \
  "]\n%k = const f32[] {0.5}\n"      \
  "%w = core::expand(%k) [shape=[" w \
  "]]\n%b = const f32[] {1.0}\n"     \
  "%v = core::expand(%b) [shape=[128]]\n" body "\nreturn %y }"
#define X "2,512,128"
#define W "128,128"
#define PRODUCT "%y = core::fully_connected(%x, %w)"
// Some rows of weights of 1, then others of another size.
#define UNEVEN(ones, others, size)                  \
  "%i = const f32[] {1.0}\n%j = const f32[] {" size \
  "}\n"                                             \
  "%p = core::expand(%i) [shape=[" ones             \
  "]]\n"                                            \
  "%q = core::expand(%j) [shape=[" others           \
  "]]\n"                                            \
  "%r = core::concat([%p, %q]) [axis=0]\n"          \
  "%y = core::fully_connected(%x, %r)"
#define TAP "%y = core::conv(%x, %w)"

#define WIDE(parts)                                                \
  "%e = core::concat([%w, %w, %w, %w, %w, %w, %w, %w]) [axis=0]\n" \
  "%f = core::concat([" parts                                      \
  "]) [axis=0]\n"                                                  \
  "%y = core::fully_connected(%x, %f)"

static void takes_large_products(void **state) {
  static const char made[] = "core::fully_connected_strassen";
  static const char left[] = "core::fully_connected(", conv[] = "core::conv(";
  static const pass_row rows[] = {
      {M(X, W, PRODUCT), "f32[2,512,128]", made, 1},
      {M(X, W, "%y = core::fully_connected(%x, %w, %v, %v, %v) [hi=6.0]"),
       "[hi=6.0]", made, 1},
      {M("1,32,32,128", "128,1,1,128", "%y = core::conv(%x, %w, %v) [lo=0.0]"),
       "f32[1,32,32,128]", made, 1},
      // Values, channels or rows that are few, or all of it.
      {M("4096,96", "128,96", PRODUCT), left, made, 0},
      {M("4096,128", "96,128", PRODUCT), left, made, 0},
      {M("31,128", W, PRODUCT), left, made, 0},
      {M("511,128", W, PRODUCT), left, made, 0},
      // Beside constants of 4 MB; a result that is most of what is in memory.
      {M("511,128", W,
         "%c = core::fully_connected(%x, %w)\n"
         "%e = core::concat([%w, %w, %w, %w, %w, %w, %w, %w]) [axis=0]\n"
         "%f = core::concat([%e, %e, %e, %e, %e, %e, %e, %e]) [axis=0]\n"
         "%y = core::concat([%c, %f]) [axis=0]"),
       "f32[8703,128]", made, 1},
      {M("64,128", "64,128", WIDE("%e, %e, %e, %e")), "f32[64,2048]", made, 1},
      {M("64,128", "64,128", WIDE("%e, %e, %e, %e, %w")), left, made, 0},
      // Convolutions that are no products.
      {M("1,32,64,128", "128,1,1,128", TAP " [stride=[1,2]]"), conv, made, 0},
      {M("1,32,32,128", "128,1,1,128", TAP " [pad=[0,0,1,0]]"), conv, made, 0},
      {M("1,32,64,64", "128,2,1,64", TAP), conv, made, 0},
      {M("1,32,32,256", "128,1,1,128", TAP " [groups=2]"), conv, made, 0},
      // Weights that are no numbers, or that a run gives; an open size.
      {M(X, W,
         "%i = const f32[] {inf}\n%j = core::expand(%i) [shape=[" W "]]\n"
         "%y = core::fully_connected(%x, %j)"),
       left, made, 0},
      // Channels that are beside larger ones: 16 times, more, and zeros; what
      // is not paired is of any size.
      {M(X, W, UNEVEN("32,128", "96,128", "16.0")), X, made, 1},
      {M(X, W, UNEVEN("32,128", "96,128", "0.0625")), X, made, 1},
      {M(X, W, UNEVEN("32,128", "96,128", "16.01")), left, made, 0},
      {M(X, W, UNEVEN("32,128", "96,128", "0.0624")), left, made, 0},
      {M(X, W, UNEVEN("32,128", "96,128", "0.0")), left, made, 0},
      {M(X, W, UNEVEN("64,128", "64,128", "1000.0")), X, made, 1},
      {M(X, W, UNEVEN("128,128", "16,128", "1000.0")), X, made, 1},
      {M(X, W, UNEVEN("128,128", "16,128", "nan")), left, made, 0},
      {M(X, W, UNEVEN("128,128", "32,128", "1000.0")), X, made, 1},
      {M(X, W, UNEVEN("144,128", "16,128", "1000.0")), left, made, 0},
      {"module { %x = input f32[" X "]\n%w = input f32[" W "]\n" PRODUCT
       "\nreturn %y }",
       left, made, 0},
      {"module { dim n = 64..4096\n%x = input f32[?n,128]\n"
       "%k = const f32[] {0.5}\n%w = core::expand(%k) [shape=[" W "]]\n" PRODUCT
       "\nreturn %y }",
       left, made, 0},
  };
  (void)state;
  check_rows("fold,strassen,dce", rows, COUNT(rows));
}

TEST_GROUP(strassen, cmocka_unit_test(takes_large_products))
