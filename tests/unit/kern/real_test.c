// kern/num/real.h, trig.h, pow.h and gelu.h against the C library's double
// precision, over a sample of all floats (bench/functions.c takes all), and bit
// by bit at fixed places: these may never change.
#include "kern/num/real.h"

#include "kern/num/gelu.h"
#include "kern/num/pow.h"
#include "kern/num/trig.h"
#include "kern_fixture.h"

// The distance in units in the last place of the float nearest to `want`.
static double ulps(float got, double want) {
  int exponent;
  if (isnan(want)) return isnan(got) ? 0 : INFINITY;
  if (isinf((float)want)) return got == (float)want ? 0 : INFINITY;
  (void)frexp(want, &exponent);
  if (exponent < -125) exponent = -125;
  return fabs((double)got - want) / ldexp(1.0, exponent - 24);
}

static double logistic(double x) {
  return 1 / (1 + exp(-x));
}

static double gelu(double x) {
  return x < -40 ? -0.0 : 0.5 * x * erfc(-x * 0.70710678118654752440);
}

static double silu(double x) {
  return x / (1 + exp(-x));
}

static double softplus(double x) {
  return x > 40 ? x : log1p(exp(x));
}

// That of some C libraries is the processor's, far off for what is large.
static bool has_sine(void) {
  volatile double large = 1e22;  // a compiler knows better
  return fabs(sin(large) + 0.8522008497671888) < 1e-15;
}

static void stays_within_its_error(void **state) {
  static const struct {
    const char *name;
    float (*f)(float);
    double (*g)(double);
    double most;
  } rows[] = {{"exp", tenon_expf, exp, 1.25},
              {"exp2", tenon_exp2f, exp2, 1.1},
              {"expm1", tenon_expm1f, expm1, 1.1},
              {"log", tenon_logf, log, 0.9},
              {"log1p", tenon_log1pf, log1p, 0.9},
              {"log2", tenon_log2f, log2, 0.8},
              {"log10", tenon_log10f, log10, 0.8},
              {"tanh", tenon_tanhf, tanh, 1.55},
              {"logistic", tenon_logisticf, logistic, 2.0},
              {"erf", tenon_erff, erf, 1.45},
              {"sin", tenon_sinf, sin, 1.0},
              {"cos", tenon_cosf, cos, 1.0},
              {"gelu", tenon_geluf, gelu, 1.9},
              {"silu", tenon_siluf, silu, 2.0},
              {"softplus", tenon_softplusf, softplus, 1.9}};
  (void)state;
  EACH_ROW(i, rows) {
    if ((rows[i].g == sin || rows[i].g == cos) && !has_sine()) continue;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011) {
      float x = tenon_f32_of_bits((uint32_t)bits);
      CHECK(ulps(rows[i].f(x), rows[i].g((double)x)) <= rows[i].most,
            "%s(%a) = %a", rows[i].name, (double)x, (double)rows[i].f(x));
    }
  }
}

static void raises_to_powers(void **state) {
  static const float numbers[] = {
      0,        -0.0f,   1,     -1,    2,        -2,        0.5f,   -0.5f,
      3,        -3,      1e-3f, 17,    -17,      1e30f,     -1e30f, 1e-40f,
      16777215, 8388609, 2.5f,  -2.5f, INFINITY, -INFINITY, NAN,    1.0000001f,
      0.99999f, -7.25f,  88,    -151,  1e-30f,   0.0123f};
  (void)state;
  EACH_ROW(i, numbers) {
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 400031) {
      const float n = numbers[i], x = tenon_f32_of_bits((uint32_t)bits);
      CHECK(ulps(tenon_powf(x, n), pow((double)x, (double)n)) <= 1.3,
            "pow(%a, %a) = %a", (double)x, (double)n, (double)tenon_powf(x, n));
      CHECK(ulps(tenon_powf(n, x), pow((double)n, (double)x)) <= 1.3,
            "pow(%a, %a) = %a", (double)n, (double)x, (double)tenon_powf(n, x));
    }
    EACH_ROW(k, numbers) {
      const float x = numbers[i], y = numbers[k], got = tenon_powf(x, y);
      const double want = pow((double)x, (double)y);
      CHECK(ulps(got, want) <= 1.3 &&
                (isnan(want) || !signbit(got) == !signbit(want)),
            "pow(%a, %a) = %a", (double)x, (double)y, (double)got);
    }
  }
}

static void has_ends(void **state) {
  (void)state;
  assert_true(tenon_expf(-INFINITY) == 0 && tenon_expf(INFINITY) == INFINITY);
  assert_true(tenon_expf(0) == 1 && isnan(tenon_expf(NAN)));
  assert_true(tenon_expf(-104) == 0 && tenon_expf(88.8f) == INFINITY);
  assert_true(tenon_logf(0) == -INFINITY && tenon_logf(INFINITY) == INFINITY);
  assert_true(isnan(tenon_logf(-1)) && tenon_logf(1) == 0);
  assert_true(tenon_tanhf(INFINITY) == 1 && tenon_tanhf(-INFINITY) == -1);
  assert_true(signbit(tenon_tanhf(-0.0f)) && isnan(tenon_tanhf(NAN)));
  assert_true(tenon_logisticf(-INFINITY) == 0 &&
              tenon_logisticf(INFINITY) == 1);
  assert_true(tenon_logisticf(0) == 0.5f && isnan(tenon_logisticf(NAN)));
  assert_true(tenon_erff(INFINITY) == 1 && tenon_erff(-5) == -1);
  assert_true(signbit(tenon_erff(-0.0f)) && isnan(tenon_erff(NAN)));
  assert_true(tenon_expm1f(-INFINITY) == -1 && signbit(tenon_expm1f(-0.0f)));
  assert_true(tenon_log1pf(-1) == -INFINITY && isnan(tenon_log1pf(-2)));
  assert_true(tenon_log1pf(INFINITY) == INFINITY &&
              signbit(tenon_log1pf(-0.0f)));
  assert_true(tenon_log2f(8) == 3 && tenon_log2f(0x1p-149f) == -149);
  assert_true(tenon_log10f(1000) == 3 && tenon_log10f(0) == -INFINITY);
  assert_true(isnan(tenon_sinf(INFINITY)) && isnan(tenon_cosf(NAN)));
  assert_true(tenon_cosf(0) == 1 && signbit(tenon_sinf(-0.0f)));
  assert_true(tenon_geluf(INFINITY) == INFINITY && isnan(tenon_geluf(NAN)));
  assert_true(tenon_siluf(INFINITY) == INFINITY && isnan(tenon_siluf(NAN)));
  assert_true(isnan(tenon_siluf(-INFINITY)) && signbit(tenon_siluf(-0.0f)));
  assert_true(tenon_softplusf(INFINITY) == INFINITY &&
              isnan(tenon_softplusf(NAN)));
  assert_true(tenon_softplusf(-INFINITY) == 0 &&
              !signbit(tenon_softplusf(-INFINITY)));
  assert_true(tenon_geluf(-INFINITY) == 0 && signbit(tenon_geluf(-0.0f)));
}

// A hash of results at 4096 places: the same on every machine.
static uint32_t hash(float (*f)(float)) {
  uint32_t h = 2166136261u;
  for (int i = -2048; i < 2048; ++i) {
    h ^= tenon_bits_of_f32(f((float)i * 0.0173f));
    h *= 16777619u;
  }
  return h;
}

static void never_changes(void **state) {
  (void)state;
  assert_int_equal(hash(tenon_expf), 0x7bd0d2bd);
  assert_int_equal(hash(tenon_tanhf), 0x150cd1ed);
  assert_int_equal(hash(tenon_geluf), 0xe3d8d983);
  assert_int_equal(hash(tenon_siluf), 0x276e8b47);
  assert_int_equal(hash(tenon_logisticf), 0x08445fb3);
}

TEST_GROUP(real, cmocka_unit_test(stays_within_its_error),
           cmocka_unit_test(raises_to_powers), cmocka_unit_test(has_ends),
           cmocka_unit_test(never_changes))
