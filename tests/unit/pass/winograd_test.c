// Which convolutions pass `winograd` takes, and what it leaves.
#include "pass_rows.h"

#define M(x, w, body)                \
  "module { %x = input f32[" x       \
  "]\n%k = const f32[] {0.5}\n"      \
  "%w = core::expand(%k) [shape=[" w \
  "]]\n%b = const f32[] {1.0}\n"     \
  "%v = core::expand(%b) [shape=[32]]\n" body "\nreturn %y }"
#define X "1,64,64,32"
#define W "32,3,3,32"
// Beside constants of so many times 512 KB.
#define BESIDE(times)                                              \
  "%c = core::conv(%x, %w) [pad=[1,1,1,1]]\n"                      \
  "%e = core::expand(%k) [shape=[1,8,64,32]]\n"                    \
  "%f = core::concat([%e, %e, %e, %e, %e, %e, %e, %e]) [axis=1]\n" \
  "%g = core::concat([" times                                      \
  "]) [axis=1]\n"                                                  \
  "%y = core::concat([%c, %g]) [axis=1]"
// In a small program, in front of what takes more memory than the layer.
#define FOUR "%c, %c, %c, %c"
#define SMALL(pad, times)        \
  "%c = core::conv(%x, %w) " pad \
  "\n"                           \
  "%y = core::concat([" times "]) [axis=1]"
// By more weights than tiles of 4 take for few of them.
#define MANY                                       \
  "%n = core::concat([%w, %w, %w, %w]) [axis=0]\n" \
  "%m = core::concat([%n, %n, %n, %n]) [axis=3]\n" \
  "%y = core::conv(%x, %m)"

static void takes_large_floats_of_stride_one(void **state) {
  static const char made[] = "core::conv_winograd", left[] = "core::conv(";
  static const pass_row rows[] = {
      {M(X, W, "%y = core::conv(%x, %w)"), "f32[1,62,62,32]", made, 1},
      {M(X, W, "%y = core::conv(%x, %w, %v, %v, %v) [pad=[1,0,2,1], hi=6.0]"),
       "[pad=[1, 0, 2, 1], tile=4, hi=6.0]", made, 1},
      // Tiles of 4 outputs cover these badly, or are too few for the weights.
      {M("1,4,2000,32", W, "%y = core::conv(%x, %w)"),
       "core::conv_winograd(%x, %w) :", made, 1},
      {M("1,16,16,128", W, MANY), "core::conv_winograd(%x, %m) :", made, 1},
      {M("1,26,26,128", W, MANY), "tile=4", made, 1},
      {M("1,14,18,256", W,
         "%m = core::concat([%w, %w, %w, %w, %w, %w, %w, %w]) [axis=3]\n"
         "%y = core::conv(%x, %m)"),
       "tile=4", made, 1},
      {M("2,32,64,32", W, "%y = core::conv(%x, %w)"), "f32[2,30,62,32]", made,
       1},
      // Another stride, distance of taps, or number of groups or taps.
      {M(X, W, "%y = core::conv(%x, %w) [stride=[1,2]]"), left, made, 0},
      {M(X, W, "%y = core::conv(%x, %w) [dilation=2]"), left, made, 0},
      {M(X, "32,3,3,16", "%y = core::conv(%x, %w) [groups=2]"), left, made, 0},
      {M(X, "32,3,1,32", "%y = core::conv(%x, %w)"), left, made, 0},
      // Registers of which a part is used, and one that is not full.
      {M("1,64,64,40", "17,3,3,40", "%y = core::conv(%x, %w)"),
       "f32[1,62,62,17]", made, 1},
      {M("1,128,128,16", "16,3,3,16", "%y = core::conv(%x, %w)"),
       "f32[1,126,126,16]", made, 1},
      {M("1,128,128,15", "32,3,3,15", "%y = core::conv(%x, %w)"), left, made,
       0},
      {M("1,128,128,32", "15,3,3,32", "%y = core::conv(%x, %w)"), left, made,
       0},
      // Small programs: tiles of 4 that cover not much more than the image.
      {M("1,10,10,32", W, SMALL("", FOUR ", " FOUR)), "tile=4", made, 1},
      {M("1,9,10,32", W, SMALL("", FOUR ", " FOUR)), left, made, 0},
      {M("1,15,15,32", W, SMALL("", FOUR)), left, made, 0},
      {M("1,16,16,32", W, SMALL("", FOUR)), "tile=4", made, 1},
      {M("1,16,16,15", "32,3,3,15", SMALL("", FOUR)), left, made, 0},
      // Scratch takes 41,600 bytes, of which 65,536 are free meanwhile, or
      // 32,768, or as many where the image lives on.
      {M("1,16,16,32", W, SMALL("[pad=[1,1,1,1]]", "%c, %c, %c")), "tile=4",
       made, 1},
      {M("1,16,16,32", W, SMALL("[pad=[1,1,1,1]]", "%c, %c")), left, made, 0},
      {M("1,16,16,32", W, SMALL("[pad=[1,1,1,1]]", "%c, %x")), "tile=4", made,
       1},
      {M("1,58,64,32", W, "%y = core::conv(%x, %w)"), left, made, 0},
      {M("1,58,64,32", W, SMALL("", "%c, %c")), "tile=4", made, 1},
      // The same in a program that is large.
      {M("1,5,64,32", W, BESIDE("%f, %f, %f, %f, %f, %f, %f")), left, made, 0},
      {M("1,5,64,32", W, BESIDE("%f, %f, %f, %f, %f, %f, %f, %f")), "tile=4",
       made, 1},
      {M("1,58,64,32", W, BESIDE("%f, %f, %f, %f, %f, %f, %f, %f")),
       "f32[1,570,64,32]", made, 1},
      {M("1,3,2000,32", W, "%y = core::conv(%x, %w)"), "f32[1,1,1998,32]", made,
       1},
      {M("1,3,30,1600", "32,3,3,32",
         "%s = core::slice(%x) [begin=[0,0,0,0], size=[1,3,30,32], "
         "step=[1,1,1,1]]\n%y = core::conv(%s, %w)"),
       left, made, 0},
      // Weights that are no numbers, or that a run gives.
      {M(X, W,
         "%i = const f32[] {inf}\n%j = core::expand(%i) [shape=[" W "]]\n"
         "%y = core::conv(%x, %j)"),
       left, made, 0},
      {"module { %x = input f32[" X "]\n%w = input f32[" W "]\n"
       "%y = core::conv(%x, %w)\nreturn %y }",
       left, made, 0},
      {"module { dim n = 1..9\n%x = input f32[?n,64,64,32]\n"
       "%k = const f32[] {0.5}\n%w = core::expand(%k) [shape=[" W "]]\n"
       "%y = core::conv(%x, %w)\nreturn %y }",
       left, made, 0},
  };
  (void)state;
  check_rows("fold,winograd,dce", rows, COUNT(rows));
}

static void stripes_are_direct_sums_in_small_programs(void **state) {
  static const char made[] = "core::conv_winograd", left[] = "core::conv(";
  static const pass_row rows[] = {
      {M("1,16,16,32", W,
         "%c = core::conv(%x, %w, %v, %v, %v) [pad=[1,0,2,1], hi=6.0]\n"
         "%y = core::concat([" FOUR "]) [axis=1]"),
       left, made, 0},
      {M(X, W, "%y = core::conv(%x, %w)"), made, left, 0},
  };
  (void)state;
  check_rows("fold,winograd,stripe,dce", rows, COUNT(rows));
}

TEST_GROUP(winograd, cmocka_unit_test(takes_large_floats_of_stride_one),
           cmocka_unit_test(stripes_are_direct_sums_in_small_programs))
