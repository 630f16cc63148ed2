// Lists of integers that are known before the run: sizes, and what is computed
// of them.
//
// How: behind its rule an operator on such lists says what its result holds
// (tenon_infer_api.holds), so that SHAPE, STRIDED_SLICE, PACK, RESHAPE in a row
// are sizes and not data. What is not known is data: the rule of who wants it
// as a size leaves it to the run, and the lowering has a core::item find it
// out, in the same order (tenon_rewriter_api.number).
#include <string.h>

#include "ops/tfl/tfl_op.h"

#define MOST TFL_MAX_NUMBERS

static const tenon_dim unknown = {TENON_UNKNOWN, 0};

static bool is_known(tenon_dim d) {
  return d.symbol != 0 || d.value != TENON_UNKNOWN;
}

int tenon_tfl_list(const tenon_infer *c, int i, tenon_dim *out) {
  const tenon_type *t = tenon_infer_in(c, i);
  int64_t n = 1;
  if (!t || t->quant || (t->dtype != TENON_S32 && t->dtype != TENON_S64))
    return -1;
  for (int k = 0; k < t->rank; ++k) {
    if (t->dims[k].symbol || t->dims[k].value > MOST) return -1;
    n *= t->dims[k].value;
    if (n > MOST) return -1;
  }
  for (int k = 0; k < (int)n; ++k) {
    if (c->api->element(c, i, k, &out[k])) continue;
    // The least number of 64 bits is as good as the next where it is constant.
    out[k] = c->api->constant(c, i) ? tenon_tfl_fixed(INT64_MIN + 1) : unknown;
  }
  return (int)n;
}

void tenon_tfl_hold(tenon_infer *c, int result, const tenon_dim *list, int n) {
  for (int k = 0; k < n; ++k) {
    if (!is_known(list[k])) continue;
    c->api->holds(c, result, list, n);
    return;
  }
}

// ---------------------------------------------------------------------------
// What results hold
// ---------------------------------------------------------------------------

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

static tenon_dim computed(tenon_infer *c, arith op, tenon_dim a, tenon_dim b) {
  static const tenon_dim_op ops[] = {
      [ADD] = TENON_DIM_ADD, [SUB] = TENON_DIM_SUB, [MUL] = TENON_DIM_MUL,
      [MIN] = TENON_DIM_MIN, [MAX] = TENON_DIM_MAX,
  };
  if (!is_known(a) || !is_known(b)) return unknown;
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
    y[k] = computed(c, op, a[n == 1 ? 0 : k], b[m == 1 ? 0 : k]);
  tenon_tfl_hold(c, 0, y, most);
}

static void hold_fused(tenon_infer *c, arith op) {
  const tenon_tfl_fused_attrs *a =
      (const tenon_tfl_fused_attrs *)tenon_infer_attrs(c);
  if (a->fused_activation_function == TFL_ACT_NONE) hold_arith(c, op);
}

static void hold_reduced(tenon_infer *c, arith op) {
  tenon_dim list[MOST];
  int n = tenon_tfl_list(c, 0, list);
  if (n < 1 || tenon_infer_in(c, 0)->rank != 1 || !c->api->constant(c, 1))
    return;
  for (int k = 1; k < n; ++k)
    list[0] = computed(c, op, list[0], list[k]);
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

// ---------------------------------------------------------------------------
// Sizes
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_sizes(tenon_infer *c, int i, const char *name,
                             tenon_tfl_shape *y) {
  const tenon_type *t;
  TENON_TRY(tenon_tfl_operand(c, i, name, 1, &t));
  if (t->dtype != TENON_S32 && t->dtype != TENON_S64)
    return tenon_infer_fail(c, "'%s' is no list of integers", name);
  if (t->dims[0].symbol || t->dims[0].value > TENON_MAX_RANK)
    return tenon_infer_fail(
        c,
        "'%s' is no list of at most %d sizes, or its length is known in a "
        "run only",
        name, TENON_MAX_RANK);
  y->rank = (int)t->dims[0].value;
  for (int k = 0; k < y->rank; ++k) {
    tenon_dim *d = &y->dims[k];
    if (!c->api->element(c, i, k, d)) *d = c->api->decided(c, unknown);
    if (!d->symbol && (d->value < 0 || d->value > INT32_MAX))
      return tenon_infer_fail(c, "size %d of '%s' is %lld", k, name,
                              (long long)d->value);
  }
  return TENON_OK;
}

// Element k as a tensor of one.
static tenon_value *element(tenon_rewriter *rw, tenon_value *list, int64_t k) {
  const tenon_type *t = tenon_rw_type(rw, list);
  const tenon_tfl_shape none = {.rank = 0};
  const tenon_dim begin = tenon_tfl_fixed(k), one = tenon_tfl_fixed(1);
  const int64_t step = 1;
  tenon_tfl_shape row = {{tenon_tfl_fixed(1)}, 1};
  if (t->rank == 0) return list;
  for (int i = 0; t->rank > 1 && i < t->rank; ++i)
    row.dims[0].value *= t->dims[i].value;
  if (t->rank > 1) list = tenon_tfl_reshape(rw, list, &row, NULL);
  t = tenon_rw_type(rw, list);
  list = tenon_tfl_slice(rw, list, &begin, &one, &step, t);
  return tenon_tfl_reshape(rw, list, &none, NULL);
}

tenon_dim tenon_tfl_number_in(tenon_rewriter *rw, tenon_value *list, int k) {
  tenon_dim d;
  if (rw->api->element(rw, list, k, &d)) return d;
  return rw->api->number(rw, element(rw, list, k));
}

tenon_value *tenon_tfl_element(tenon_rewriter *rw, tenon_value *list, int k) {
  return tenon_tfl_cast(rw, element(rw, list, k), TENON_S64);
}

int tenon_tfl_sizes_in(tenon_rewriter *rw, tenon_value *list, tenon_dim *out) {
  int n = (int)tenon_rw_type(rw, list)->dims[0].value;
  for (int k = 0; k < n; ++k)
    out[k] = tenon_tfl_number_in(rw, list, k);
  return n;
}

tenon_value *tenon_tfl_size(tenon_rewriter *rw, tenon_dim d, tenon_dtype t) {
  tenon_arg type = {"dtype", TENON_KIND_DTYPE, {0}};
  tenon_tfl_args args = {0};
  type.as.i = t;
  tenon_tfl_arg(&args, tenon_arg_dims("value", &d, 1));
  tenon_tfl_arg(&args, type);
  const tenon_type y = {.dtype = t};
  return tenon_tfl_make(rw, "core::number", NULL, 0, &args, &y);
}
