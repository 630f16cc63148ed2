// core/symbol/symbol_real.c - floats within sizes: int(0.3 * n) as Python
// computes it.
//
// Each operation rounds once, so that what the file's Python gave comes out
// again. Ranges are of doubles; rounding keeps their order, so the ends of a
// range are those of what is rounded.
#include <math.h>
#include <string.h>

#include "core/dim.h"

#define MOST 9223372036854775808.0  // 2^63

double tenon_dim_real_of(int64_t bits) {
  double value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t real_bits_of(double value) {
  int64_t bits = 0;
  if (value != 0) memcpy(&bits, &value, sizeof bits);
  return bits;
}

tenon_dim tenon_dim_real(double value) {
  return tenon_dim_fixed(real_bits_of(value));
}

const char *tenon_dim_op_name(tenon_dim_op op) {
  static const char *const names[] = {"float", "fadd",  "fmul",
                                      "fdiv",  "floor", "round"};
  return tenon_dim_op_is_float(op) ? names[op - TENON_DIM_FLOAT] : NULL;
}

// To the nearest integer, of two as near the even one.
static double to_even(double x) {
  double low = floor(x), rest = x - low;
  bool is_odd = fmod(low, 2) != 0;
  return rest > 0.5 || (rest == 0.5 && is_odd) ? low + 1 : low;
}

static double real_apply(tenon_dim_op op, double a, double b) {
  return op == TENON_DIM_FADD ? a + b : op == TENON_DIM_FMUL ? a * b : a / b;
}

bool tenon_real_compute(tenon_dim_op op, int64_t a, int64_t b, int64_t *out) {
  double x = tenon_dim_real_of(a), y = tenon_dim_real_of(b), value;
  if (op == TENON_DIM_FLOAT) {
    *out = real_bits_of((double)a);
    return true;
  }
  if (op == TENON_DIM_FLOOR || op == TENON_DIM_ROUND) {
    value = op == TENON_DIM_FLOOR ? floor(x) : to_even(x);
    if (!(value >= -MOST && value < MOST)) return false;
    *out = (int64_t)value;
    return true;
  }
  if (op == TENON_DIM_FDIV && y == 0) return false;
  value = real_apply(op, x, y);
  *out = real_bits_of(value);
  return isfinite(value);
}

// ---------------------------------------------------------------------------
// Ranges
// ---------------------------------------------------------------------------

typedef struct reals {
  double min, max;
} reals;

static const reals any_real = {-HUGE_VAL, HUGE_VAL};

// A leaf without bounds has those of integers.
static reals reals_of(tenon_range r) {
  reals out = {tenon_dim_real_of(r.min), tenon_dim_real_of(r.max)};
  bool is_any = r.min == INT64_MIN && r.max == INT64_MAX;
  return is_any || !(out.min <= out.max) ? any_real : out;
}

static tenon_range real_range_of(reals r) {
  return (tenon_range){real_bits_of(r.min), real_bits_of(r.max)};
}

static tenon_range integers_of(tenon_dim_op op, reals r) {
  if (op == TENON_DIM_ROUND) r = (reals){to_even(r.min), to_even(r.max)};
  double low = floor(r.min), high = floor(r.max);
  tenon_range out = {INT64_MIN, INT64_MAX};
  if (low >= -MOST && low < MOST) out.min = (int64_t)low;
  if (high >= -MOST && high < MOST) out.max = (int64_t)high;
  return out;
}

static reals corners(tenon_dim_op op, reals a, reals b) {
  const double x[] = {a.min, a.max}, y[] = {b.min, b.max};
  reals r = {HUGE_VAL, -HUGE_VAL};
  if (op == TENON_DIM_FDIV && b.min <= 0 && b.max >= 0) return any_real;
  for (int i = 0; i < 4; ++i) {
    double value = real_apply(op, x[i / 2], y[i % 2]);
    // Zero times what has no bound, and the like.
    if (isnan(value)) return any_real;
    if (value < r.min) r.min = value;
    if (value > r.max) r.max = value;
  }
  return r;
}

tenon_range tenon_real_range(tenon_dim_op op, tenon_range a, tenon_range b) {
  if (op == TENON_DIM_FLOAT) {
    reals r = {a.min == INT64_MIN ? -HUGE_VAL : (double)a.min,
               a.max == INT64_MAX ? HUGE_VAL : (double)a.max};
    return real_range_of(r);
  }
  if (op == TENON_DIM_FLOOR || op == TENON_DIM_ROUND)
    return integers_of(op, reals_of(a));
  if (op == TENON_DIM_FADD) {
    reals x = reals_of(a), y = reals_of(b);
    reals r = {x.min + y.min, x.max + y.max};
    return real_range_of(isnan(r.min) || isnan(r.max) ? any_real : r);
  }
  return real_range_of(corners(op, reals_of(a), reals_of(b)));
}
