// core/symbol/symbol_range.c - what sizes can be, and what they are.
//
// Ranges are intervals that saturate: the ends of int64 mean "unbounded".
#include "base/size.h"
#include "core/dim.h"

static const tenon_range any_size = {INT64_MIN, INT64_MAX};

bool tenon_floor_div(int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  int64_t quotient = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --quotient;
  *out = quotient;
  return true;
}

int64_t tenon_floor_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t clamped_add(int64_t a, int64_t b) {
  int64_t sum = a < 0 ? INT64_MIN : INT64_MAX;
  if (a == INT64_MIN || a == INT64_MAX) return a;
  if (b == INT64_MIN || b == INT64_MAX) return b;
  (void)tenon_int_add(a, b, &sum);
  return sum;
}

static int64_t clamped_mul(int64_t a, int64_t b) {
  int64_t product = (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  bool is_unbounded =
      a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX;
  if (a == 0 || b == 0) return 0;
  if (!is_unbounded) (void)tenon_int_mul(a, b, &product);
  return product;
}

static void range_widen(tenon_range *r, int64_t value) {
  if (value < r->min) r->min = value;
  if (value > r->max) r->max = value;
}

// Of what is monotonic in each number: the ends are at corners.
static tenon_range range_corners(int64_t (*compute)(int64_t a, int64_t b),
                                 tenon_range a, tenon_range b) {
  const int64_t first = compute(a.min, b.min);
  tenon_range r = {first, first};
  range_widen(&r, compute(a.min, b.max));
  range_widen(&r, compute(a.max, b.min));
  range_widen(&r, compute(a.max, b.max));
  return r;
}

static int64_t clamped_div(int64_t a, int64_t b) {
  int64_t quotient = a;
  if (a != INT64_MIN && a != INT64_MAX) (void)tenon_floor_div(a, b, &quotient);
  return quotient;
}

// A divisor that may be 0 counts from 1: a run that divides by 0 fails.
static tenon_range div_range(tenon_range a, tenon_range b) {
  if (b.min < 0 || b.max < 1) return any_size;
  if (b.min == 0) b.min = 1;
  return range_corners(clamped_div, a, b);
}

static tenon_range mod_range(tenon_range a, tenon_range b) {
  if (b.min < 0 || b.max < 1) return any_size;
  tenon_range r = {0, b.max == INT64_MAX ? INT64_MAX : b.max - 1};
  if (a.min >= 0 && a.max < r.max) r.max = a.max;
  return r;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

tenon_range tenon_range_apply(tenon_dim_op op, tenon_range a, tenon_range b) {
  tenon_range r = any_size;
  if (tenon_dim_op_is_float(op)) return tenon_real_range(op, a, b);
  switch (op) {
    case TENON_DIM_ADD:
      r.min = clamped_add(a.min, b.min);
      r.max = clamped_add(a.max, b.max);
      break;
    case TENON_DIM_MUL:
      return range_corners(clamped_mul, a, b);
    case TENON_DIM_DIV:
      return div_range(a, b);
    case TENON_DIM_MOD:
      return mod_range(a, b);
    case TENON_DIM_MIN:
      r.min = smaller(a.min, b.min);
      r.max = smaller(a.max, b.max);
      break;
    case TENON_DIM_MAX:
      r.min = larger(a.min, b.min);
      r.max = larger(a.max, b.max);
      break;
    default:  // a subtraction is an addition by now
      break;
  }
  return r;
}

bool tenon_dim_compute(tenon_dim_op op, int64_t a, int64_t b, int64_t *out) {
  bool divides = op == TENON_DIM_DIV || op == TENON_DIM_MOD;
  if (divides && b == 0) return false;
  if (tenon_dim_op_is_float(op)) return tenon_real_compute(op, a, b, out);
  switch (op) {
    case TENON_DIM_ADD:
      return tenon_int_add(a, b, out);
    case TENON_DIM_SUB:
      return b != INT64_MIN && tenon_int_add(a, -b, out);
    case TENON_DIM_MUL:
      return tenon_int_mul(a, b, out);
    case TENON_DIM_DIV:
      return tenon_floor_div(a, b, out);
    case TENON_DIM_MOD:
      *out = tenon_floor_mod(a, b);
      return true;
    case TENON_DIM_MIN:
      *out = smaller(a, b);
      return true;
    case TENON_DIM_MAX:
      *out = larger(a, b);
      return true;
    default:
      return false;
  }
}

bool tenon_relation_holds(uint32_t relation, int64_t a, int64_t b) {
  switch (relation) {
    case TENON_RELATION_EQ:
      return a == b;
    case TENON_RELATION_NE:
      return a != b;
    case TENON_RELATION_LT:
      return a < b;
    default:
      return a <= b;
  }
}

const char *tenon_relation_name(uint32_t relation) {
  static const char *const names[] = {NULL, "eq", "ne", "lt", "le"};
  return relation < sizeof names / sizeof *names ? names[relation] : NULL;
}
