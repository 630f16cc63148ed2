// Fixed-point arithmetic against its definition in wider numbers.
#include "kern/num/fixed.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kern_fixture.h"

static const int32_t edges[] = {0,
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                -3,
                                1 << 29,
                                1 << 30,
                                -(1 << 30),
                                INT32_MAX,
                                INT32_MIN,
                                12345678,
                                -12345678,
                                INT32_MAX - 1,
                                INT32_MIN + 1};

// x / 2^n, ties away from zero.
static int64_t divided(int64_t x, int n) {
  int64_t half = n ? INT64_C(1) << (n - 1) : 0;
  return x < 0 ? -((-x + half) >> n) : (x + half) >> n;
}

// a * b / 2^31, ties up.
static int64_t high(int64_t a, int64_t b) {
  return (a * b + (1 << 30)) >> 31;
}

static void divides_with_ties_away_from_zero(void **state) {
  static const struct {
    int32_t x, n, want;
  } rows[] = {{5, 1, 3},       {-5, 1, -3},        {6, 2, 2},
              {-6, 2, -2},     {5, 2, 1},          {-5, 2, -1},
              {7, 0, 7},       {-7, 0, -7},        {1, 1, 1},
              {-1, 1, -1},     {INT32_MAX, 31, 1}, {INT32_MIN, 31, -1},
              {1 << 30, 31, 1}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_div_pow2_s32(rows[i].x, rows[i].n) == rows[i].want, "row %zu", i);
  EACH_ROW(i, edges)
  for (int n = 0; n < 32; ++n)
    CHECK(tenon_div_pow2_s32(edges[i], n) == divided(edges[i], n),
          "row %zu by 2^%d", i, n);
}

static void multiplies_the_high_half(void **state) {
  (void)state;
  EACH_ROW(i, edges) EACH_ROW(j, edges) {
    int64_t want = high(edges[i], edges[j]);
    if (want > INT32_MAX) want = INT32_MAX;  // -1 by -1 alone
    CHECK(tenon_mul_high_s32(edges[i], edges[j]) == want, "%zu by %zu", i, j);
  }
}

static void rounds_twice_and_once(void **state) {
  (void)state;
  for (int i = 0; i < 200000; ++i) {
    int32_t x = (int32_t)next_random() >> (i % 20);
    int32_t mult = (int32_t)(next_random() >> 2) | 1 << 30;
    int32_t shift = -(int32_t)(next_random() % 31);
    int64_t twice = divided(high(x, mult), -shift);
    int64_t once =
        ((int64_t)x * mult + (INT64_C(1) << (30 - shift))) >> (31 - shift);
    CHECK(tenon_requant_twice(x, mult, shift) == twice, "%d", i);
    CHECK(tenon_requant_once(x, mult, shift) == once, "%d", i);
  }
  // The two differ, and how: 0.5 - 2^-31 of what is left is rounded up first.
  assert_int_equal(tenon_requant_twice(-1, 1 << 30, 0), 0);
  assert_int_equal(tenon_requant_twice(-3, 1 << 30, -1), -1);
  assert_int_equal(tenon_requant_once(-2, 1 << 30, -1), 0);
  assert_int_equal(tenon_requant_twice(-2, 1 << 30, -1), -1);
}

// Random sums and factors, and sums near the middle of two results, where the
// product in double may be rounded to the middle or away from it.
static void rounds_as_doubles(void **state) {
  (void)state;
  for (int i = 0; i < 300000; ++i) {
    double factor = ldexp(1 + next_random() / 4294967296.0, -(i % 63) + 20);
    if (i % 3 == 0)  // of simple ratios
      factor =
          ldexp((1 + next_random() % 9) / (1.0 + next_random() % 9), -(i % 40));
    const uint64_t bits =
        (uint64_t)next_random() << 32 | (uint32_t)next_random();
    int64_t x = (int64_t)bits >> (16 + i % 47);
    const double middle = ((int32_t)next_random() >> (15 + i % 16)) + 0.5;
    if (i % 4 && fabs(middle / factor) < 0x1p47)
      x = llround(middle / factor) + i % 4 - 2;
    const double y = round((double)x * factor);
    int32_t want = y > INT32_MAX ? INT32_MAX : y < -INT32_MAX ? -INT32_MAX : 0;
    if (want == 0) want = (int32_t)y;
    uint64_t halves;
    memcpy(&halves, &factor, sizeof halves);
    CHECK(tenon_requant_double(x, (int32_t)(uint32_t)halves,
                               (int32_t)(halves >> 32)) == want,
          "%d: %" PRId64 " * %a is %g", i, x, factor, y);
  }
  assert_int_equal(tenon_requant_double(INT64_MIN, 0, 0), 0);
  assert_int_equal(tenon_requant_once(-3, 0, 0x3FE00000), -2);
}

static void shifts_left_first(void **state) {
  (void)state;
  assert_int_equal(tenon_requant_twice(100, 1 << 30, 3), 400);
  assert_int_equal(tenon_requant_once(100, 1 << 30, 3), 400);
  assert_int_equal(tenon_requant_once(INT32_MAX, INT32_MAX, 30), INT32_MAX);
  assert_int_equal(tenon_requant_once(INT32_MIN, INT32_MAX, 30), INT32_MIN);
  assert_int_equal(tenon_mul_pow2_s32(1 << 20, 11), INT32_MAX);
  assert_int_equal(tenon_mul_pow2_s32(-(1 << 20), 12), INT32_MIN);
}

static void rounds_floats_to_integers(void **state) {
  static const struct {
    float x;
    int32_t want;
  } rows[] = {{0.5f, 1},      {-0.5f, -1},     {1.5f, 2},       {2.5f, 3},
              {-2.5f, -3},    {127.4f, 127},   {127.5f, 127},   {1e30f, 127},
              {-1e30f, -128}, {-128.5f, -128}, {0.49999997f, 0}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_round_s32(rows[i].x, -128, 127) == rows[i].want, "row %zu", i);
  assert_int_equal(tenon_round_s32(NAN, -128, 127), -128);
  assert_int_equal(tenon_round_s32(INFINITY, -128, 127), 127);
}

static void limits_wide_sums(void **state) {
  static const struct {
    int64_t x;
    int32_t shift, want;
  } rows[] = {{INT64_C(1) << 46, -31, 16384},
              {INT64_MAX, -31, 32768},
              {INT64_MIN, -31, -32768},
              {INT64_MAX, 0, INT32_MAX},
              {INT64_MIN, 7, INT32_MIN}};
  (void)state;
  EACH_ROW(i, rows)
  CHECK(tenon_requant_wide(rows[i].x, 1 << 30, rows[i].shift) == rows[i].want,
        "row %zu", i);
}

TEST_GROUP(fixed, cmocka_unit_test(divides_with_ties_away_from_zero),
           cmocka_unit_test(multiplies_the_high_half),
           cmocka_unit_test(rounds_twice_and_once),
           cmocka_unit_test(rounds_as_doubles),
           cmocka_unit_test(shifts_left_first),
           cmocka_unit_test(limits_wide_sums),
           cmocka_unit_test(rounds_floats_to_integers))
