// Real factors as integers, and limits as they are stored.
#include "ops/core/element/core_factor.h"

#include <inttypes.h>
#include <math.h>

#include "kern_fixture.h"

static void factors_are_normal(void **state) {
  static const struct {
    double factor;
    int32_t mult, shift;
  } rows[] = {
      {1, 1 << 30, 1},
      {0.5, 1 << 30, 0},
      {0.75, 1610612736, 0},
      {3, 1610612736, 2},
      {0, 0, 0},
      {0x1.fffffffffp-1, 1 << 30, 1},  // rounds up to the next power of two
      {0x1p-32, 1 << 30, -31},
      {0x1p-33, 0, 0},
      {0x1p29, 1 << 30, 30},
      {0x1p30, INT32_MAX, 30},
      {INFINITY, INT32_MAX, 30},
  };
  (void)state;
  EACH_ROW(i, rows) {
    int32_t mult, shift;
    tenon_core_factor(rows[i].factor, &mult, &shift);
    CHECK(mult == rows[i].mult && shift == rows[i].shift, "row %zu: %d, %d", i,
          mult, shift);
  }
}

static void factors_are_near(void **state) {
  (void)state;
  for (int i = 0; i < 1000; ++i) {
    double factor = ldexp(1 + (double)next_random() / 4294967296.0, -i % 30);
    int32_t mult, shift;
    tenon_core_factor(factor, &mult, &shift);
    CHECK(mult >= 1 << 30 && near(ldexp(mult, shift - 31) / factor, 1, 0x1p-30),
          "%g", factor);
  }
}

// (1 + 2^-11) * (1 - 2^-13) in float has lost what lies below 2^-24.
static void products_are_rounded_to_float_where_asked(void **state) {
  const float x = 1 + 0x1p-11f, w[] = {3, 1 - 0x1p-13f};
  const float y = 2 * (1 + 0x1p-11f - 0x1p-13f);
  const tenon_quant qx = {&x, NULL, 1, 0, 0}, qy = {&y, NULL, 1, 0, 0};
  const tenon_quant qw = {w, NULL, 2, 0, 0}, one = {&w[1], NULL, 1, 0, 0};
  const tenon_tensor tx = {.quant = &qx}, ty = {.quant = &qy};
  const tenon_tensor tw = {.quant = &qw}, all = {.quant = &one};
  (void)state;
  CHECK(tenon_core_product_factor(&tx, &tw, 1, &ty, true) == 0.5, "rounded");
  CHECK(tenon_core_product_factor(&tx, &all, 1, &ty, true) == 0.5, "one scale");
  const double exact = (double)x * (double)w[1] / (double)y;
  CHECK(exact < 0.5 &&
            tenon_core_product_factor(&tx, &tw, 1, &ty, false) == exact,
        "in double");
}

// Small factors have results far apart, near which a factor of 31 bits is not
// always enough: some are kept as doubles, and none is wrong.
static void small_factors_are_exact(void **state) {
  (void)state;
  int doubles = 0;
  for (int i = 0; i < 4000; ++i) {
    const double factor = ldexp(1 + next_random() / 4294967296.0, -10 - i % 18);
    int32_t mult, shift;
    tenon_core_factor_once(factor, &mult, &shift);
    doubles += shift > 31;
    for (int k = -256; k < 256; ++k) {
      const double at = (k + 0.5) / factor;
      if (fabs(at) > 0x1p31 - 4) continue;
      for (int64_t x = llround(at) - 2; x <= llround(at) + 2; ++x)
        CHECK(tenon_requant_once((int32_t)x, mult, shift) ==
                  (int32_t)round((double)x * factor),
              "%a: %" PRId64, factor, x);
    }
  }
  CHECK(doubles > 0, "no factor needs a double");
}

// A factor within 2^-27 and 1/4: any, of simple ratios, of few bits.
static double next_factor(int i) {
  const double any = ldexp(1 + next_random() / 4294967296.0, -3 - i % 25);
  if (i % 4 == 0)
    return ldexp((1 + next_random() % 99) / (100.0 + next_random() % 99),
                 -2 - i % 14);
  return i % 4 == 1 ? ldexp(floor(ldexp(any, 34)), -34) : any;
}

// Of two words: near every middle of two results the sum is rounded as in
// doubles, or the factor is not taken. Few are not.
static void long_factors_are_as_doubles(void **state) {
  (void)state;
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    const double factor = next_factor(i);
    const int32_t most = INT32_MAX >> i % 9;
    int32_t high, low, shift;
    if (!tenon_core_factor_long(factor, most, &high, &low, &shift)) {
      ++refused;
      continue;
    }
    for (int k = 0; k <= INT16_MAX; k += 1 + (int)(next_random() % 16)) {
      const double at = (k + 0.5) / factor;
      if (at > most - 3) break;
      for (int32_t x = (int32_t)llround(at) - 1; x < at + 2; ++x)
        for (int sign = -1; sign <= 1; sign += 2)
          CHECK(tenon_requant_long(sign * x, high, low, shift) ==
                    (int32_t)round((double)sign * x * factor),
                "%a: %d", factor, sign * x);
    }
  }
  CHECK(refused > 0 && refused < 25, "%d refused", refused);
  int32_t part[3];
  CHECK(!tenon_core_factor_long(0.25, 1, part, part + 1, part + 2),
        "above 1/4");
  CHECK(!tenon_core_factor_long(0x1p-32, 1, part, part + 1, part + 2), "small");
  CHECK(!tenon_core_factor_long(NAN, 1, part, part + 1, part + 2), "no number");
}

// Every third of a power of two has products that become ties in double, and
// others as near to one that do not.
static void long_factors_are_proven(void **state) {
  (void)state;
  int proven = 0;
  for (int i = 3; i < 26; ++i) {
    const double factor = ldexp(1, -i) / 3;
    int32_t high, low, shift;
    if (!tenon_core_factor_long(factor, INT32_MAX, &high, &low, &shift))
      continue;
    ++proven;
    for (int k = 0; k <= INT16_MAX; ++k) {
      const double at = (k + 0.5) / factor;
      if (at > INT32_MAX - 1) break;
      const int32_t x = (int32_t)llround(at);
      CHECK(tenon_requant_long(x, high, low, shift) ==
                (int32_t)round((double)x * factor),
            "%a: %d", factor, x);
    }
  }
  CHECK(proven == 23, "%d proven", proven);
}

// Of scales of simple ratios and of any: every sum of which a byte has the
// result is rounded as in doubles, halves away from zero.
static void sums_are_rounded_as_in_doubles(void **state) {
  static const float ratios[][3] = {
      {0.5f, 0.5f, 1},       {0.5f, 0.5f, 8}, {0.015625f, 0.04f, 0.03f},
      {0.1f, 0.02f, 0.3f},   {1, 1, 3},       {0.25f, 0.125f, 96},
      {0.05f, 0.01f, 0.03f}, {2, 3, 4},       {0.003f, 0.007f, 0.9f},
      {0.375f, 0.25f, 3},    {5, 0.0625f, 7}};
  (void)state;
  for (size_t i = 0; i < 60; ++i) {
    float s[3] = {0};
    for (int k = 0; k < 3; ++k)
      s[k] = i < sizeof ratios / sizeof *ratios
                 ? ratios[i][k]
                 : (float)ldexp(1 + next_random() / 4294967296.0,
                                -(int)(next_random() % 6));
    const double factor = (double)s[0] * (double)s[1] / (double)s[2];
    int32_t mult, shift;
    tenon_core_factor_once(factor, &mult, &shift);
    const int32_t last = (int32_t)(256 / factor);
    for (int32_t x = -last; x <= last; ++x)
      CHECK(tenon_requant_once(x, mult, shift) == (int32_t)round(x * factor),
            "row %zu: %d", i, x);
  }
}

static void limits_are_stored(void **state) {
  static const struct {
    tenon_dtype dtype;
    float scale;
    int32_t zero;
    tenon_opt_float lo, hi;
    int32_t least, most;
  } rows[] = {
      {TENON_S8, 1, 0, {0, false}, {0, false}, -128, 127},
      {TENON_U8, 1, 0, {0, false}, {0, false}, 0, 255},
      {TENON_S16, 1, 0, {0, false}, {0, false}, -32768, 32767},
      {TENON_S8, 0.05f, -3, {0, true}, {6, true}, -3, 117},
      {TENON_S8, 0.01f, -128, {0, true}, {6, true}, -128, 127},
      {TENON_S8, 4, 0, {-2, true}, {2, true}, -1, 1},  // halves away from zero
      {TENON_S8, 1, 0, {-1e30, true}, {1e30, true}, -128, 127},
      {TENON_S8, 1, 0, {-INFINITY, true}, {INFINITY, true}, -128, 127},
  };
  (void)state;
  EACH_ROW(i, rows) {
    tenon_quant q = {&rows[i].scale, &rows[i].zero, 1, 0, 0};
    tenon_tensor y = QUANT_TENSOR(rows[i].dtype, NULL, &q, 1);
    int32_t least, most;
    tenon_core_limits(&y, rows[i].lo, rows[i].hi, &least, &most);
    CHECK(least == rows[i].least && most == rows[i].most, "row %zu: %d, %d", i,
          least, most);
  }
}

TEST_GROUP(factor, cmocka_unit_test(factors_are_normal),
           cmocka_unit_test(factors_are_near),
           cmocka_unit_test(products_are_rounded_to_float_where_asked),
           cmocka_unit_test(sums_are_rounded_as_in_doubles),
           cmocka_unit_test(small_factors_are_exact),
           cmocka_unit_test(long_factors_are_as_doubles),
           cmocka_unit_test(long_factors_are_proven),
           cmocka_unit_test(limits_are_stored))
