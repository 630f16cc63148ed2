// core_fast_line.c - floats that give what integers store, proven sum by sum.
//
// Both rise with the sum. So they agree on all sums if they do where the stored
// result becomes another one: at the least sum of each result, and at the sum
// before it. A factor of 24 bits leaves an interval of what may be added, which
// these sums bound; doubles compute its ends without rounding.
//
// What is added has two values: halves are rounded away from zero, and where no
// negative sum matters, the factor's error is less in each half of the sums.
#include "ops/core/fast/core_fast_line.h"

#include <math.h>

#include "kern/num/fixed.h"

enum { LINE_RESULTS = 256, LINE_TRIES = 4 };

// Floats hold smaller sums.
#define LINE_MOST (INT64_C(1) << 24)

static int64_t line_ceil(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}

// The least sum whose result before the zero point is added is y or more:
// kern/opt/near.h has the formula.
static int64_t line_least(const tenon_core_rescaled *r, int32_t y) {
  const int32_t right = -r->shift;
  const int64_t half = right ? INT64_C(1) << (30 + right) : 0;
  const int64_t at = y * (INT64_C(1) << (31 + right)) - (1 << 30) - half;
  if (y > 0) return line_ceil(at, r->mult);
  const int64_t x = line_ceil(at + (right ? INT64_C(1) << 31 : 0), r->mult);
  return x < 0 ? x : 0;
}

static bool line_reaches(const tenon_core_rescaled *r, int64_t sum, int32_t y) {
  return tenon_requant_twice((int32_t)sum, r->mult, r->shift) >= y;
}

// What may be added to the product of a sum: from lo on, less than hi.
typedef struct line_span {
  double lo, hi;
} line_span;

static void line_from(line_span *s, int32_t y, int32_t x, double factor) {
  const double first = y - x * factor;
  if (first > s->lo) s->lo = first;
}
static void line_until(line_span *s, int32_t y, int32_t x, double factor) {
  const double end = y - x * factor;
  if (end < s->hi) s->hi = end;
}

static bool line_pick(line_span s, double factor, float *to) {
  if (s.lo == -HUGE_VAL) s.lo = s.hi - factor;
  if (s.hi == HUGE_VAL) s.hi = s.lo + factor;
  *to = (float)((s.lo + s.hi) / 2);
  return (double)*to >= s.lo && (double)*to < s.hi;
}

static bool line_try(const tenon_core_rescaled *r, const int32_t *least,
                     float factor, tenon_core_line *line) {
  line_span below = {-HUGE_VAL, HUGE_VAL}, above = below;
  const int32_t split = line->split;
  for (int32_t y = r->lo + 1; y <= r->hi; ++y) {
    const int32_t x = least[y - r->lo];
    // Where both meet, either has to be on its side of every result.
    if (x <= split)
      line_from(&above, y, split, factor);
    else
      line_until(&above, y, x - 1, factor);
    if (x < split)
      line_from(&below, y, x, factor);
    else
      line_until(&below, y, split - 1, factor);
    if (x <= r->most && x > split) line_from(&above, y, x, factor);
    if (x > -r->most && x <= split) line_until(&below, y, x - 1, factor);
  }
  line->factor = factor;
  return below.lo < below.hi && above.lo < above.hi &&
         line_pick(below, factor, &line->below) &&
         line_pick(above, factor, &line->above);
}

// The same with one value for all sums, which makes what is to be stored above
// `lo`.
static bool line_try_straight(const tenon_core_rescaled *r,
                              const int32_t *least, float factor,
                              tenon_core_line *line) {
  line_span all = {-HUGE_VAL, HUGE_VAL};
  for (int32_t y = 1; y <= r->hi - r->lo; ++y) {
    const int32_t x = least[y];
    if (x <= r->most) line_from(&all, y, x, factor);
    if (x > -r->most) line_until(&all, y, x - 1, factor);
  }
  line->factor = factor;
  return all.lo < all.hi && line_pick(all, factor, &line->above);
}

typedef bool line_try_fn(const tenon_core_rescaled *, const int32_t *, float,
                         tenon_core_line *);

// With the factor, or a float next to it.
static bool line_any(const tenon_core_rescaled *r, const int32_t *least,
                     line_try_fn *try, tenon_core_line *line) {
  const float nearest = (float)ldexp(r->mult, r->shift - 31);
  float more = nearest, less = nearest;
  if (try(r, least, nearest, line)) return true;
  for (int i = 0; i < LINE_TRIES; ++i) {
    more = nextafterf(more, 2);
    less = nextafterf(less, 0);
    if (try(r, least, more, line) || try(r, least, less, line)) return true;
  }
  return false;
}

// least[i]: the least sum whose result is lo + i or more, or one more than
// there are. False where that is not known.
static bool line_results(const tenon_core_rescaled *r, int32_t *least) {
  if (r->mult <= 0 || r->shift > 0 || r->shift < -21 || r->most >= LINE_MOST ||
      r->lo < -128 || r->hi > 127 || r->hi - r->lo < 2)
    return false;
  for (int32_t y = r->lo + 1; y <= r->hi; ++y) {
    const int32_t result = y - r->zero;
    int64_t x = line_least(r, result);
    // Sums that there are not need not agree.
    if (x < -r->most) x = -r->most;
    if (x > r->most + 1) x = r->most + 1;
    if ((x <= r->most && !line_reaches(r, x, result)) ||
        (x > -r->most && line_reaches(r, x - 1, result)))
      return false;
    least[y - r->lo] = (int32_t)x;
  }
  return true;
}

bool tenon_core_line_of(const tenon_core_rescaled *r, tenon_core_line *line) {
  int32_t least[LINE_RESULTS];
  if (!line_results(r, least)) return false;
  line->split = r->lo < r->zero ? 0 : least[(r->hi - r->lo) / 2];
  return line_any(r, least, line_try, line);
}

bool tenon_core_line_straight(const tenon_core_rescaled *r,
                              tenon_core_line *line) {
  int32_t least[LINE_RESULTS];
  if (r->zero > r->lo || r->lo != -128 || r->hi != 127 ||
      !line_results(r, least))
    return false;
  line->below = 0;
  line->split = 0;
  return line_any(r, least, line_try_straight, line);
}
