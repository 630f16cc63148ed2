// What pass `fuse` makes of factors between casts of 16-bit floats: one
// operator, with limits and a cast behind it; and that it has the same bits.
#include "pass_rows.h"

#define M(t, body)                                        \
  "module { %x = input f32[2,3,5]\n"                      \
  "%a = const f32[1,1,5] {1.5, -2, 0.333, 1e-3, 70000}\n" \
  "%b = const f32[5] {0.1, 3, -0.0, 1e-7, 1}\n"           \
  "%c = const f32[3,1] {1, 2, 3}\n"                       \
  "%h = core::cast(%x) [dtype=" t "]\n" body "\nreturn %y }"
#define WIDE "%w = core::cast(%h) [dtype=f32]\n"
#define SUM "%m = core::mul(%w, %a)\n%s = core::add(%m, %b)\n"
#define NARROW(t) "%y = core::cast(%s) [dtype=" t "]"
#define ROUNDED(t) "%n = core::cast(%s) [dtype=" t "]\n"
#define TAKEN(t, body, part) \
  { M(t, body), "core::round_affine", part, 1 }
#define LEFT(t, body) \
  { M(t, body), "core::mul", "core::round_affine", 0 }

static const pass_row rows[] = {
    TAKEN("f16", WIDE SUM NARROW("f16"), "through=f16, dtype=f16"),
    TAKEN("bf16", WIDE SUM NARROW("bf16"), "through=bf16, dtype=bf16"),
    TAKEN("f16",
          WIDE SUM ROUNDED("f16") "%y = core::clamp(%n) [lo=0.0, hi=6.0]",
          "lo=0"),
    TAKEN("bf16",
          WIDE SUM ROUNDED("bf16") "%y = core::clamp(%n) [lo=0.1, hi=0.7]",
          "hi=0.7"),
    TAKEN("f16", WIDE SUM ROUNDED("f16") "%y = core::cast(%n) [dtype=f32]",
          "through=f16, dtype=f32"),
    TAKEN("bf16",
          WIDE SUM ROUNDED("bf16") "%l = core::clamp(%n) [lo=-0.3]\n"
                                   "%y = core::cast(%l) [dtype=f32]",
          "through=bf16, dtype=f32"),
    TAKEN("bf16",
          WIDE SUM ROUNDED("bf16") "%l = core::silu(%n)\n"
                                   "%y = core::cast(%l) [dtype=f32]",
          "dtype=f32, silu=true"),
    TAKEN("f16",
          WIDE SUM ROUNDED("f16") "%l = core::clamp(%n) [lo=-2.0]\n"
                                  "%y = core::silu(%l)",
          "silu=true"),
    // Limits behind the function.
    {M("f16", WIDE SUM ROUNDED("f16") "%l = core::silu(%n)\n"
                                      "%y = core::clamp(%l) [lo=-0.1]"),
     "silu=true", "core::clamp", 1},
    // Another type, and somebody else who reads what is between.
    LEFT("bf16", WIDE SUM NARROW("f16")),
    LEFT("f16", WIDE SUM "%n = core::add(%s, %m)\n"
                         "%y = core::cast(%n) [dtype=f16]"),
    LEFT("f16", WIDE SUM ROUNDED("f16") "%o = core::cast(%n) [dtype=f32]\n"
                                        "%y = core::add(%o, %w)"),
    // Limits between, a factor of each row, a term alone.
    LEFT("f16", WIDE "%m = core::mul(%w, %a)\n"
                     "%s = core::add(%m, %b) [lo=0.0]\n" NARROW("f16")),
    LEFT("f16",
         WIDE "%m = core::mul(%w, %c)\n%s = core::add(%m, %b)\n" NARROW("f16")),
};

static const char pipeline[] = NO_PASSES ",fuse,dce";

static void factors_become_one(void **state) {
  (void)state;
  check_rows(pipeline, rows, COUNT(rows));
}

static void factors_have_the_same_bits(void **state) {
  (void)state;
  check_same_bits(pipeline, rows, COUNT(rows));
}

TEST_GROUP(affine, cmocka_unit_test(factors_become_one),
           cmocka_unit_test(factors_have_the_same_bits))
