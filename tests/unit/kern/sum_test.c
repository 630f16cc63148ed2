// Quantised sums that packing proves floats, or fewer integers, to give.
#include "ops/core/fast/core_fast_sum.h"

#include <math.h>

#include "kern_fixture.h"
#include "ops/core/element/core_factor.h"

static double random_scale(void) {
  return 0.01 + (double)next_random() / 4294967296.0;
}

static tenon_sum_s8 random_sum(int i) {
  const double a = random_scale(), b = random_scale(), y = random_scale();
  const double twice = 2 * (a > b ? a : b);
  tenon_sum_s8 s = {.is_proven = 0};
  tenon_add_s8 *p = &s.exact;
  p->left = 20;
  p->a_zero = (int32_t)(next_random() % 256) - 128;
  p->b_zero = (int32_t)(next_random() % 256) - 128;
  p->y_zero = (int32_t)(next_random() % 256) - 128;
  p->lo = i % 4 == 0 ? p->y_zero : -128;
  p->hi = 127;
  tenon_core_factor(a / twice, &p->a_mult, &p->a_shift);
  tenon_core_factor(b / twice, &p->b_mult, &p->b_shift);
  tenon_core_factor(twice / ((1 << 20) * y), &p->y_mult, &p->y_shift);
  return s;
}

static int wrong_pairs(const tenon_sum_s8 *s, int32_t sign) {
  const tenon_add_s8 *p = &s->exact;
  int wrong = 0;
  for (int32_t x = -128; x < 128; ++x)
    for (int32_t z = -128; z < 128; ++z) {
      const float sum = fmaf((float)z, s->b, fmaf((float)x, s->a, s->first));
      const float y = fminf(fmaxf(rintf(sum), (float)p->lo), (float)p->hi);
      wrong += (int32_t)y != tenon_add_stored(p, x, z, sign);
    }
  return wrong;
}

static void sums_are_what_integers_store(void **state) {
  int found = 0, tried = 0;
  (void)state;
  for (int i = 0; i < 60; ++i) {
    const int32_t sign = i % 2 ? -1 : 1;
    tenon_sum_s8 s = random_sum(i);
    if (s.exact.y_shift > 0) continue;
    ++tried;
    tenon_core_sum_s8_prove(&s, sign);
    if (!s.is_proven) continue;
    ++found;
    CHECK(wrong_pairs(&s, sign) == 0, "rule %d", i);
  }
  CHECK(found * 10 > tried * 8 && tried > 40, "%d of %d", found, tried);
}

// In 64 bits, which the kernel does not have.
static int wrong_of_fewer(const tenon_sum_s8_dot *s, int32_t sign) {
  const tenon_add_s8 *p = &s->sum.exact;
  int wrong = 0;
  for (int32_t x = -128; x < 128; ++x)
    for (int32_t z = -128; z < 128; ++z) {
      const int64_t sum = x * (int64_t)s->a + z * (int64_t)s->b + s->first;
      const int32_t y =
          tenon_clamp_s32((int32_t)(sum >> s->shift), p->lo, p->hi);
      wrong += y != tenon_add_stored(p, x, z, sign) || sum != (int32_t)sum;
    }
  return wrong;
}

static void fewer_integers_store_the_same(void **state) {
  const int32_t most = 1 << 23;
  int found = 0, tried = 0;
  (void)state;
  for (int i = 0; i < 60; ++i) {
    const int32_t sign = i % 2 ? -1 : 1;
    tenon_sum_s8_dot s = {.sum = random_sum(i)};
    if (s.sum.exact.y_shift > 0) continue;
    ++tried;
    tenon_core_sum_s8_dot_prove(&s, sign);
    if (!s.shift) continue;
    ++found;
    CHECK(s.shift > 16 && s.shift <= 24 && s.a < most && s.a >= -most &&
              s.b < most && s.b >= -most,
          "rule %d: %d, %d, %d", i, (int)s.a, (int)s.b, (int)s.shift);
    CHECK(wrong_of_fewer(&s, sign) == 0, "rule %d", i);
  }
  CHECK(found * 10 > tried * 6 && tried > 40, "%d of %d", found, tried);
}

static void sums_of_large_factors_are_not_proven(void **state) {
  tenon_sum_s8 s = random_sum(1);
  (void)state;
  s.exact.y_shift = 1;
  s.is_proven = 1;
  tenon_core_sum_s8_prove(&s, 1);
  CHECK(!s.is_proven, "a factor above 1");
}

TEST_GROUP(sum, cmocka_unit_test(sums_are_what_integers_store),
           cmocka_unit_test(fewer_integers_store_the_same),
           cmocka_unit_test(sums_of_large_factors_are_not_proven))
