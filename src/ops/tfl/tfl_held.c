// What the results of operators on lists of integers hold.
//
// How: behind its rule an operator on such lists says what its result holds
// (tenon_infer_api.holds), so that SHAPE, STRIDED_SLICE, PACK, RESHAPE in a row
// are sizes and not data.
#include <string.h>

#include "ops/tfl/tfl_op.h"

#define MOST TFL_MAX_NUMBERS

static const tenon_dim unknown = {TENON_UNKNOWN, 0};

static void hold_sizes(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_tfl_hold(c, 0, x->dims, x->rank);
}

static void hold_rank(tenon_infer *c) {
  const tenon_dim rank = tenon_tfl_fixed(tenon_infer_in(c, 0)->rank);
  tenon_tfl_hold(c, 0, &rank, 1);
}

// The same elements, in another shape or type.
static void hold_same(tenon_infer *c) {
  tenon_dim list[MOST];
  tenon_tfl_hold(c, 0, list, tenon_tfl_list(c, 0, list));
}

// One list behind the other, along the first axis.
static void hold_joined(tenon_infer *c, int64_t axis) {
  tenon_dim all[MOST], one[MOST];
  int first = 0, n = 0, count = c->api->group(c, 0, &first);
  const tenon_type *x = count > 0 ? tenon_infer_in(c, first) : NULL;
  if (!x || (axis != 0 && !(x->rank <= 1 && axis == -1))) return;
  for (int i = 0; i < count; ++i) {
    int k = tenon_tfl_list(c, first + i, one);
    if (k < 0 || n + k > MOST) return;
    memcpy(all + n, one, (size_t)k * sizeof *one);
    n += k;
  }
  tenon_tfl_hold(c, 0, all, n);
}

static void hold_concat(tenon_infer *c) {
  hold_joined(c, ((const tenon_tfl_concat_attrs *)tenon_infer_attrs(c))->axis);
}

static void hold_pack(tenon_infer *c) {
  int64_t axis = ((const tenon_tfl_pack_attrs *)tenon_infer_attrs(c))->axis;
  const tenon_type *x = tenon_infer_in(c, 0);
  // Numbers have one axis to be stacked along; lists have two.
  if (axis == -1 && x && x->rank > 0) return;
  hold_joined(c, axis);
}

static void hold_unpack(tenon_infer *c) {
  tenon_dim list[MOST];
  int n = tenon_tfl_list(c, 0, list);
  if (n > 0 && tenon_infer_in(c, 0)->rank == 1)
    for (int k = 0; k < n; ++k)
      tenon_tfl_hold(c, k, &list[k], 1);
}

static void hold_gather(tenon_infer *c) {
  tenon_dim list[MOST], at[MOST], y[MOST];
  int n = tenon_tfl_list(c, 0, list), m = tenon_tfl_list(c, 1, at);
  if (n < 0 || m < 0 || tenon_infer_in(c, 0)->rank != 1) return;
  for (int k = 0; k < m; ++k) {
    bool is_inside =
        !at[k].symbol && at[k].value >= 0 && at[k].value < n;  // or not known
    y[k] = is_inside ? list[at[k].value] : unknown;
  }
  tenon_tfl_hold(c, 0, y, m);
}

// --- Arithmetic --------------------------------------------------------------

typedef enum arith { ADD, SUB, MUL, DIV, FLOOR_DIV, MOD, MIN, MAX } arith;

static int64_t floored(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Quotients of what may be below zero are rounded towards zero, which no
// expression says.
static tenon_dim quotient(tenon_infer *c, arith op, tenon_dim a, tenon_dim b) {
  if (b.symbol || b.value <= 0) return unknown;
  if (!a.symbol)
    return tenon_tfl_fixed(op == DIV ? a.value / b.value
                           : op == FLOOR_DIV
                               ? floored(a.value, b.value)
                               : a.value - b.value * floored(a.value, b.value));
  tenon_dim least = c->api->dim(c, TENON_DIM_MAX, a, tenon_tfl_fixed(0));
  if (op == DIV && !tenon_tfl_same(least, a)) return unknown;
  return c->api->dim(c, op == MOD ? TENON_DIM_MOD : TENON_DIM_DIV, a, b);
}

static tenon_dim held_computed(tenon_infer *c, arith op, tenon_dim a,
                               tenon_dim b) {
  static const tenon_dim_op ops[] = {
      [ADD] = TENON_DIM_ADD, [SUB] = TENON_DIM_SUB, [MUL] = TENON_DIM_MUL,
      [MIN] = TENON_DIM_MIN, [MAX] = TENON_DIM_MAX,
  };
  if (!tenon_tfl_is_known(a) || !tenon_tfl_is_known(b)) return unknown;
  if (op == DIV || op == FLOOR_DIV || op == MOD) return quotient(c, op, a, b);
  tenon_dim y = c->api->dim(c, ops[op], a, b);
  return y.symbol || (y.value >= INT32_MIN && y.value <= INT32_MAX) ? y
                                                                    : unknown;
}

static void hold_arith(tenon_infer *c, arith op) {
  tenon_dim a[MOST], b[MOST], y[MOST];
  int n = tenon_tfl_list(c, 0, a), m = tenon_tfl_list(c, 1, b);
  if (n < 0 || m < 0 || (n != m && n != 1 && m != 1)) return;
  if (tenon_infer_in(c, 0)->rank > 1 || tenon_infer_in(c, 1)->rank > 1) return;
  int most = n == 1 ? m : n;
  for (int k = 0; k < most; ++k)
    y[k] = held_computed(c, op, a[n == 1 ? 0 : k], b[m == 1 ? 0 : k]);
  tenon_tfl_hold(c, 0, y, most);
}

static void hold_fused(tenon_infer *c, arith op) {
  const tenon_tfl_fused_attrs *a = tenon_infer_attrs(c);
  if (a->fused_activation_function == TFL_ACT_NONE) hold_arith(c, op);
}

static void hold_reduced(tenon_infer *c, arith op) {
  tenon_dim list[MOST];
  int n = tenon_tfl_list(c, 0, list);
  if (n < 1 || tenon_infer_in(c, 0)->rank != 1 || !c->api->constant(c, 1))
    return;
  for (int k = 1; k < n; ++k)
    list[0] = held_computed(c, op, list[0], list[k]);
  tenon_tfl_hold(c, 0, list, 1);
}

#define HELD(name, rule, hold)                            \
  tenon_status tenon_tfl_##name##_infer(tenon_infer *c) { \
    TENON_TRY(tenon_tfl_##rule##_infer(c));               \
    hold;                                                 \
    return TENON_OK;                                      \
  }
HELD(held_shape, shape, hold_sizes(c))
HELD(held_rank, rank, hold_rank(c))
HELD(held_cast, cast, hold_same(c))
HELD(held_reshape, reshape, hold_same(c))
HELD(held_squeeze, squeeze, hold_same(c))
HELD(held_expand_dims, expand_dims, hold_same(c))
HELD(held_concat, concat, hold_concat(c))
HELD(held_pack, pack, hold_pack(c))
HELD(held_unpack, unpack, hold_unpack(c))
HELD(held_gather, gather, hold_gather(c))
HELD(held_add, sum, hold_fused(c, ADD))
HELD(held_sub, sum, hold_fused(c, SUB))
HELD(held_mul, fused, hold_fused(c, MUL))
HELD(held_div, div, hold_fused(c, DIV))
HELD(held_floor_div, stored_two, hold_arith(c, FLOOR_DIV))
HELD(held_floor_mod, stored_two, hold_arith(c, MOD))
HELD(held_minimum, binary, hold_arith(c, MIN))
HELD(held_maximum, binary, hold_arith(c, MAX))
HELD(held_sum, reduce, hold_reduced(c, ADD))
HELD(held_prod, reduce, hold_reduced(c, MUL))
HELD(held_amax, reduce, hold_reduced(c, MAX))
HELD(held_amin, reduce, hold_reduced(c, MIN))
