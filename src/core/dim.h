// core/dim.h - sizes as numbers: what one can be, and arithmetic. Expressions
// of symbols are in core/symbol/symbol.h.
#ifndef TENON_CORE_DIM_H
#define TENON_CORE_DIM_H

#include "tenon/ext/lower.h"
// What a size can be; INT64_MIN and INT64_MAX: no bound.
typedef struct tenon_range {
  int64_t min, max;
} tenon_range;
// Operands and result of FADD, FMUL, FDIV, operands of FLOOR and ROUND, and the
// result of FLOAT are floats.
TENON_INLINE bool tenon_dim_op_is_float(tenon_dim_op op) {
  return op >= TENON_DIM_FLOAT && op <= TENON_DIM_ROUND;
}
TENON_INLINE bool tenon_dim_op_makes_float(tenon_dim_op op) {
  return op >= TENON_DIM_FLOAT && op <= TENON_DIM_FDIV;
}
// Its name in texts: "fmul"; null: it is no operation on floats.
const char *tenon_dim_op_name(tenon_dim_op op);
// A float that is fixed. Zero has no sign.
tenon_dim tenon_dim_real(double value);
double tenon_dim_real_of(int64_t bits);
tenon_range tenon_range_apply(tenon_dim_op op, tenon_range a, tenon_range b);
// Of numbers; false on overflow, division by zero, and floats that are not
// finite.
bool tenon_dim_compute(tenon_dim_op op, int64_t a, int64_t b, int64_t *out);

TENON_INLINE tenon_dim tenon_dim_fixed(int64_t value) {
  tenon_dim d = {value, 0};
  return d;
}
TENON_INLINE bool tenon_dim_is_integer(tenon_dim d) {
  return d.symbol == 0 || d.value == 0;
}
TENON_INLINE bool tenon_dim_is_fixed(tenon_dim d) {
  return d.symbol == 0;
}
// What overflow and lack of memory give.
#define TENON_DIM_NONE ((tenon_dim){TENON_UNKNOWN, 0})
TENON_INLINE bool tenon_dim_is_none(tenon_dim d) {
  return d.symbol == 0 && d.value == TENON_UNKNOWN;
}
TENON_INLINE bool tenon_dim_equals(tenon_dim a, tenon_dim b) {
  return a.symbol == b.symbol && (a.symbol != 0 || a.value == b.value);
}

bool tenon_floor_div(int64_t a, int64_t b, int64_t *out);
int64_t tenon_floor_mod(int64_t a, int64_t b);

// Of floats (symbol_real.c); as tenon_range_apply and tenon_dim_compute.
tenon_range tenon_real_range(tenon_dim_op op, tenon_range a, tenon_range b);
bool tenon_real_compute(tenon_dim_op op, int64_t a, int64_t b, int64_t *out);

bool tenon_relation_holds(uint32_t relation, int64_t a, int64_t b);
// "eq", "ne", "lt", "le"; null: no relation.
const char *tenon_relation_name(uint32_t relation);

#endif  // TENON_CORE_DIM_H
