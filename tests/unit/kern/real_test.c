// kern/real.h against the C library's double precision, over a sample of all
// floats, and bit by bit at fixed places: these may never change.
#include "kern/real.h"

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

static void stays_within_its_error(void **state) {
  static const struct {
    const char *name;
    float (*f)(float);
    double (*g)(double);
    double most;
  } rows[] = {{"exp", tenon_expf, exp, 0.8},
              {"log", tenon_logf, log, 0.9},
              {"tanh", tenon_tanhf, tanh, 1.4},
              {"logistic", tenon_logisticf, logistic, 2.5}};
  (void)state;
  EACH_ROW(i, rows) {
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011) {
      float x = tenon_f32_of_bits((uint32_t)bits);
      CHECK(ulps(rows[i].f(x), rows[i].g((double)x)) <= rows[i].most,
            "%s(%a) = %a", rows[i].name, (double)x, (double)rows[i].f(x));
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
  assert_int_equal(hash(tenon_expf), 0x7c66ca0f);
  assert_int_equal(hash(tenon_tanhf), 0x57294265);
  assert_int_equal(hash(tenon_logisticf), 0xa5fd9afa);
}

TEST_GROUP(real, cmocka_unit_test(stays_within_its_error),
           cmocka_unit_test(has_ends), cmocka_unit_test(never_changes))
