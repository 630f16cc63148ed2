// Floats that packing proves to give what integers store.
#include "ops/core/fast/core_fast_line.h"

#include <math.h>

#include "kern/num/fixed.h"
#include "kern_fixture.h"

static int32_t limited(double y, const tenon_core_rescaled *r) {
  return y < r->lo ? r->lo : y > r->hi ? r->hi : (int32_t)y;
}

// Products of a sum of 25 bits and a float of 24 are exact in doubles, and what
// is added to them does not round either, above the factors that are tried.
static void check_line(const tenon_core_rescaled *r, const tenon_core_line *l) {
  const int64_t step = r->most > 100000 ? 3 : 1;
  for (int64_t x = -r->most; x <= r->most; x += step) {
    const int32_t sum = (int32_t)x;
    const int32_t y = tenon_requant_twice(sum, r->mult, r->shift) + r->zero;
    const double first = sum < l->split ? l->below : l->above;
    const double line = floor(sum * (double)l->factor + first);
    CHECK(limited(line, r) == limited(y, r), "%d * %d, %d: %g for %d", sum,
          r->mult, r->shift, line, y);
    if (limited(line, r) != limited(y, r)) return;
  }
}

static void check_straight(const tenon_core_rescaled *r,
                           const tenon_core_line *l) {
  const int64_t step = r->most > 100000 ? 3 : 1;
  for (int64_t x = -r->most; x <= r->most; x += step) {
    const int32_t sum = (int32_t)x;
    const int32_t y = tenon_requant_twice(sum, r->mult, r->shift) + r->zero;
    double line = floor(sum * (double)l->factor + l->above);
    line = (line < 0 ? 0 : line > 255 ? 255 : line) - 128;
    CHECK((int32_t)line == limited(y, r), "%d * %d, %d: %g for %d", sum,
          r->mult, r->shift, line, y);
    if ((int32_t)line != limited(y, r)) return;
  }
}

static tenon_core_rescaled random_rescaled(int i) {
  tenon_core_rescaled r;
  r.mult = (1 << 30) + (int32_t)(next_random() >> 2);
  r.shift = -(i % 11);
  r.zero = i % 3 == 0 ? -128 : (int32_t)(next_random() % 256) - 128;
  r.lo = i % 4 == 0 ? r.zero : -128;
  r.hi = i % 5 == 0 ? r.lo + (int32_t)(next_random() % (uint32_t)(128 - r.lo))
                    : 127;
  r.most = (int64_t)(next_random() % 400000);
  return r;
}

static void lines_are_what_integers_store(void **state) {
  int found = 0, tried = 0;
  (void)state;
  for (int i = 0; i < 220; ++i) {
    const tenon_core_rescaled r = random_rescaled(i);
    tenon_core_line l;
    if (r.hi - r.lo < 2 || r.shift < -9) continue;
    ++tried;
    if (!tenon_core_line_of(&r, &l)) continue;
    ++found;
    check_line(&r, &l);
  }
  CHECK(found * 20 > tried * 19, "%d of %d", found, tried);
}

static void one_value_suffices_where_negative_sums_are_limited(void **state) {
  int found = 0, tried = 0;
  (void)state;
  for (int i = 0; i < 220; ++i) {
    tenon_core_rescaled r = random_rescaled(i);
    tenon_core_line l;
    r.lo = r.zero = -128;
    r.hi = 127;
    if (r.shift < -9) continue;
    ++tried;
    if (!tenon_core_line_straight(&r, &l)) continue;
    ++found;
    check_straight(&r, &l);
  }
  CHECK(found * 20 > tried * 19, "%d of %d", found, tried);
  tenon_core_rescaled r = {1 << 30, -5, -127, -128, 127, 10000};
  tenon_core_line l;
  CHECK(!tenon_core_line_straight(&r, &l), "a negative sum has its own result");
  r.zero = -128;
  CHECK(tenon_core_line_straight(&r, &l), "none has");
  r.hi = 126;
  CHECK(!tenon_core_line_straight(&r, &l),
        "limits that are not those of bytes");
}

// What a float does not hold, or no sum below 2^30 makes.
static void some_have_no_line(void **state) {
  const tenon_core_rescaled plain = {1 << 30, -5, 0, -128, 127, 10000};
  tenon_core_line l;
  (void)state;
  CHECK(tenon_core_line_of(&plain, &l), "plain");
  tenon_core_rescaled r = plain;
  r.most = 1 << 24;
  CHECK(!tenon_core_line_of(&r, &l), "large sums");
  r = plain;
  r.shift = 1;
  CHECK(!tenon_core_line_of(&r, &l), "a factor above 1");
  r = plain;
  r.mult = 0;
  CHECK(!tenon_core_line_of(&r, &l), "no factor");
  r = plain;
  r.hi = r.lo + 1;
  CHECK(!tenon_core_line_of(&r, &l), "two results");
}

TEST_GROUP(line, cmocka_unit_test(lines_are_what_integers_store),
           cmocka_unit_test(one_value_suffices_where_negative_sums_are_limited),
           cmocka_unit_test(some_have_no_line))
