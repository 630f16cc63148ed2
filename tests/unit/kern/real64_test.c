// kern/num/real64.h, trig64.h and special64.h against the C library's long
// double where that is wider, and bit by bit at fixed places: these may never
// change.
#include <float.h>

#include "kern/num/power.h"
#include "kern/num/quarter.h"
#include "kern/num/round.h"
#include "kern/num/special64.h"
#include "kern_fixture.h"

typedef struct function {
  const char *name;
  double (*f)(double);
  long double (*g)(long double);
  double low, high;
  uint32_t hash;
} function;

static const function rows[] = {
    {"exp", tenon_exp, expl, -700, 700, 0x7f323ad1u},
    {"exp2", tenon_exp2, exp2l, -1000, 1000, 0xbe1750ceu},
    {"expm1", tenon_expm1, expm1l, -2, 2, 0x659938bau},
    {"log", tenon_log, logl, 0, 4, 0x06b35932u},
    {"log2", tenon_log2, log2l, 0, 1e9, 0x24683c1au},
    {"log10", tenon_log10, log10l, 0, 1e-300, 0x8ddebfcfu},
    {"log1p", tenon_log1p, log1pl, -1, 1, 0x0aa74a5au},
    {"sinh", tenon_sinh, sinhl, -30, 30, 0xef285490u},
    {"cosh", tenon_cosh, coshl, -700, 700, 0xc6887206u},
    {"tanh", tenon_tanh, tanhl, -3, 3, 0x6ef6e5d2u},
    {"asinh", tenon_asinh, asinhl, -10, 10, 0xc7f61f35u},
    {"acosh", tenon_acosh, acoshl, 1, 3, 0xf9c6aa5fu},
    {"atanh", tenon_atanh, atanhl, -1, 1, 0xea0e7d02u},
    {"sin", tenon_sin, sinl, -1e4, 1e4, 0x461843edu},
    {"cos", tenon_cos, cosl, -1e15, 1e15, 0x82cf0a72u},
    {"tan", tenon_tan, tanl, -100, 100, 0x1d309f35u},
    {"asin", tenon_asin, asinl, -1, 1, 0x224838c2u},
    {"acos", tenon_acos, acosl, -1, 1, 0x773d58d6u},
    {"atan", tenon_atan, atanl, -5, 5, 0x2acac1fbu},
    {"erf", tenon_erf, erfl, -5, 5, 0x60a7cd88u},
    {"erfc", tenon_erfc, erfcl, -5, 20, 0xe6668d57u},
    {"lgamma", tenon_lgamma, lgammal, 10, 100, 0xe8ab2116u},
};

static double place(const function *r, int i) {
  return r->low + (r->high - r->low) * ((double)i + 0.37) / 4096;
}

// That of some C libraries is the processor's, far off for what is large.
static bool has_sine(void) {
  volatile long double large = 1e22L;  // a compiler knows better
  return fabsl(sinl(large) + 0.8522008497671888L) < 1e-15L;
}

static void stays_within_its_error(void **state) {
  (void)state;
  if (LDBL_MANT_DIG < 64) return;
  EACH_ROW(i, rows) for (int k = 0; k < 4096; ++k) {
    double x = place(&rows[i], k), got = rows[i].f(x);
    bool is_sine = rows[i].g == sinl || rows[i].g == cosl || rows[i].g == tanl;
    if (is_sine && !has_sine()) break;
    long double want = rows[i].g((long double)x);
    long double error = fabsl((long double)got - want);
    CHECK((double)error <= 2e-15 * (double)fabsl(want), "%s(%a) = %a",
          rows[i].name, x, got);
  }
}

static uint32_t hash(const function *r) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < 4096; ++i) {
    uint64_t bits = tenon_bits_of_f64(r->f(place(r, i)));
    h = (h ^ (uint32_t)bits) * 16777619u;
    h = (h ^ (uint32_t)(bits >> 32)) * 16777619u;
  }
  return h;
}

static void never_changes(void **state) {
  (void)state;
  EACH_ROW(i, rows)
  CHECK(hash(&rows[i]) == rows[i].hash, "%s: 0x%08xu", rows[i].name,
        hash(&rows[i]));
}

static void has_ends(void **state) {
  (void)state;
  assert_true(tenon_exp(-INFINITY) == 0 && tenon_exp(710) == INFINITY);
  assert_true(tenon_exp(-745) > 0 && isnan(tenon_exp(NAN)));
  assert_true(tenon_log(0) == -INFINITY && isnan(tenon_log(-1)));
  assert_true(tenon_log2(8) == 3 && tenon_exp2(10) == 1024);
  assert_true(tenon_sin(0) == 0 && signbit(tenon_sin(-0.0)));
  assert_true(isnan(tenon_sin(INFINITY)) && tenon_cos(0) == 1);
  assert_true(tenon_atan2(0, -1) > 3.14 && tenon_atan2(-0.0, -1) < -3.14);
  assert_true(tenon_erfinv(1) == INFINITY && tenon_erfinv(0) == 0);
  assert_true(tenon_pow(-2, 3) == -8 && isnan(tenon_pow(-2, 0.5)));
  assert_true(tenon_pow(0, -1) == INFINITY && tenon_pow(NAN, 0) == 1);
  assert_true(tenon_lgamma(-3) == INFINITY && tenon_lgamma(1) == 0);
  assert_true(near(tenon_erfinv(tenon_erf(0.7)), 0.7, 1e-15));
  assert_true(near(tenon_digamma(1), -0.5772156649015329, 1e-15));
  assert_true(near(tenon_i0(1), 1.2660658777520084, 1e-15));
  assert_true(near(tenon_hypot(3e300, 4e300) / 5e300, 1, 1e-15));
}

static void rounds(void **state) {
  (void)state;
  assert_true(tenon_round_f32(2.5f) == 2 && tenon_round_f32(3.5f) == 4);
  assert_true(tenon_round_f64(-0.5) == 0 && signbit(tenon_round_f64(-0.5)));
  assert_true(tenon_floor_quotient_f64(-7, 2) == -4);
  assert_true(tenon_floor_rest_f32(-7, 2) == 1);
  assert_true(tenon_next_f32(0, -1) < 0 && tenon_next_f64(1, 2) > 1);
  assert_true(tenon_power_s64(3, 4) == 81 && tenon_power_s64(-1, -3) == -1);
  assert_true(tenon_shift_right_s64(-8, 1, 32) == -4);
  assert_true(tenon_shift_left(1, 70, 64) == 0);
}

// Every pattern of an 8-bit float is the nearest one of its own value.
static void quarters_go_round(void **state) {
  static const tenon_dtype kinds[] = {TENON_F8E4M3FN, TENON_F8E5M2,
                                      TENON_F8E4M3FNUZ, TENON_F8E5M2FNUZ,
                                      TENON_F8E8M0FNU};
  (void)state;
  EACH_ROW(i, kinds) for (int bits = 0; bits < 256; ++bits) {
    float value = tenon_f32_of_f8((uint8_t)bits, kinds[i]);
    if (isnan(value) || isinf(value)) continue;
    CHECK(tenon_f8_of_f32(value, kinds[i]) == bits, "kind %zu, %d: %a", i, bits,
          (double)value);
  }
}

// Sums, means and largest of rows in doubles: of 2^53 and ones, which floats
// lose.
static void bags_hold_doubles(void **state) {
  static const double big = 9007199254740992;
  const double table[] = {big, -1, 1, 2, 2, -8};
  const int64_t index[] = {0, 2, 1, 1}, offset[] = {0, 2};
  static const struct {
    const char *attrs;
    double want[4];
  } bags[] = {
      {"mode=0 padding=-1", {big + 2, -9, 2, 4}},
      {"mode=1 padding=-1", {(big + 2) / 2, -4.5, 1, 2}},
      {"mode=2 padding=-1", {big, -1, 1, 2}},
  };
  (void)state;
  EACH_ROW(i, bags) {
    double y[4] = {0};
    const tenon_tensor in[] = {TENSOR(TENON_F64, table, 3, 2),
                               TENSOR(TENON_S64, index, 4),
                               TENSOR(TENON_S64, offset, 2),
                               {0}};
    tenon_tensor out = TENSOR(TENON_F64, y, 2, 2);
    assert_int_equal(
        run_kernel("tenon_k_embedding_bag_f64_ref", bags[i].attrs, in, 4, &out),
        0);
    for (int k = 0; k < 4; ++k)
      CHECK(near(y[k], bags[i].want[k], 0), "row %zu, element %d: %a", i, k,
            y[k]);
  }
}

TEST_GROUP(real64, cmocka_unit_test(bags_hold_doubles),
           cmocka_unit_test(stays_within_its_error),
           cmocka_unit_test(never_changes), cmocka_unit_test(has_ends),
           cmocka_unit_test(rounds), cmocka_unit_test(quarters_go_round))
