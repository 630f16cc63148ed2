// core/symbol/symbol_apply.c - operations on sizes: folded where they can have
// one value only, brought to one form by symbol_sum.c, floats as they stand.
#include "core/symbol/symbol_sum.h"

static bool is_real(tenon_dim d) {
  return d.symbol == 0 || d.value == TENON_KIND_FLOAT;
}

static tenon_dim apply_real(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                            tenon_dim b) {
  int64_t value = 0;
  bool is_unary =
      op == TENON_DIM_FLOAT || op == TENON_DIM_FLOOR || op == TENON_DIM_ROUND;
  if (op == TENON_DIM_FLOAT ? !tenon_dim_is_integer(a) : !is_real(a))
    return TENON_DIM_NONE;
  if (!is_real(b) || (is_unary && b.symbol != 0)) return TENON_DIM_NONE;
  if (a.symbol == 0 && b.symbol == 0)
    return tenon_dim_compute(op, a.value, b.value, &value)
               ? tenon_dim_fixed(value)
               : TENON_DIM_NONE;
  tenon_dim d = tenon_symbols_node(s, op, a, b);
  if (d.symbol == 0 || !tenon_dim_op_makes_float(op))
    return tenon_symbols_folded(s, d);
  s->data[d.symbol].kind = TENON_KIND_FLOAT;
  d.value = TENON_KIND_FLOAT;
  return d;
}

tenon_dim tenon_symbols_apply(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                              tenon_dim b) {
  if (tenon_dim_is_none(a) || tenon_dim_is_none(b)) return TENON_DIM_NONE;
  if (tenon_dim_op_is_float(op)) return apply_real(s, op, a, b);
  if (!tenon_dim_is_integer(a) || !tenon_dim_is_integer(b))
    return TENON_DIM_NONE;
  bool by_zero = tenon_dim_is_fixed(b) && b.value == 0;
  switch (op) {
    case TENON_DIM_ADD:
      return tenon_symbols_folded(s, tenon_sum_add(s, a, b, 1));
    case TENON_DIM_SUB:
      return tenon_symbols_folded(s, tenon_sum_add(s, a, b, -1));
    case TENON_DIM_MUL:
      return tenon_symbols_folded(s, tenon_sum_mul(s, a, b));
    case TENON_DIM_DIV:
      return by_zero ? b : tenon_symbols_folded(s, tenon_sum_div(s, a, b));
    case TENON_DIM_MOD:
      return by_zero ? b : tenon_symbols_folded(s, tenon_sum_mod(s, a, b));
    case TENON_DIM_MIN:
    case TENON_DIM_MAX:
      return tenon_symbols_folded(s, tenon_sum_extreme(s, op, a, b));
    default:
      return TENON_DIM_NONE;
  }
}
