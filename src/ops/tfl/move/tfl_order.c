// Operators that go along an axis in order: ARG_MAX, ARG_MIN, CUMSUM and
// TOPK_V2. 8-bit numbers are compared as they are stored.
#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// ARG_MAX, ARG_MIN
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_arg_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t value = 0;
  bool known;
  int axis;
  static const tenon_type s32 = {.dtype = TENON_S32};
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  TENON_TRY(tenon_tfl_one_int(c, 1, "axis", &value, &known));
  if (declared && declared->dtype != TENON_S32 && declared->dtype != TENON_S64)
    return tenon_infer_fail(c, "the result is %s, expected s32 or s64",
                            tenon_dtype_name(declared->dtype));
  if (!known) {
    const tenon_type whole = {.dtype = declared ? declared->dtype : TENON_S32,
                              .dims = x->dims,
                              .rank = x->rank};
    if (x->rank == 0) return tenon_infer_fail(c, "'x' has no dimension");
    return tenon_tfl_decided_reduction(c, &whole, tenon_infer_in(c, 1), false);
  }
  TENON_TRY(tenon_tfl_axis(c, value, x->rank, &axis));
  tenon_tfl_shape y = {.rank = 0};
  for (int i = 0; i < x->rank; ++i) {
    if (i != axis) y.dims[y.rank++] = x->dims[i];
  }
  return tenon_tfl_result(c, 0, &y, 0, &s32);
}

static tenon_status arg_computed(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape to, kept;
  tenon_value *x;
  TENON_TRY(tenon_tfl_reduced_last(rw, node, false, &x, &to, &kept));
  const int64_t last = kept.rank;
  x = tenon_tfl_stored(rw, x, NULL);
  x = tenon_rw_op(rw, (const char *)rw->api->user(rw), &x, 1,
                  TENON_ARGS(tenon_arg_ints("dims", &last, 1)));
  x = tenon_tfl_reshape(rw, x, &to, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_cast(rw, x, y->dtype));
}

tenon_status tenon_tfl_arg_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  int64_t axis;
  if (tenon_tfl_in_ints(rw, node, 1, &axis, 1) != 1)
    return arg_computed(rw, node);
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  x = tenon_tfl_stored(rw, x, NULL);
  const char *op = (const char *)rw->api->user(rw);
  tenon_value *y =
      tenon_rw_op(rw, op, &x, 1, TENON_ARGS(tenon_arg_ints("dims", &axis, 1)));
  return tenon_rw_replace(
      rw, node, tenon_tfl_cast(rw, y, rw->api->result(rw, node, 0)->dtype));
}

// ---------------------------------------------------------------------------
// CUMSUM
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_cumsum_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t value = 0;
  bool known;
  int axis;
  TENON_TRY(tenon_tfl_one_int(c, 1, "axis", &value, &known));
  if (known) TENON_TRY(tenon_tfl_axis(c, value, x->rank, &axis));
  return tenon_tfl_like(c, x);
}

static tenon_value *backwards(tenon_rewriter *rw, tenon_value *x, int axis) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || tenon_tfl_is(t->dims[axis], 0)) return x;
  return tenon_tfl_part(rw, x, axis, tenon_tfl_fixed(t->dims[axis].value - 1),
                        t->dims[axis], -1);
}

// A zero in front, and the last element off.
static tenon_value *moved_on(tenon_rewriter *rw, tenon_value *x, int axis) {
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t before[TENON_MAX_RANK] = {0};
  if (!t) return x;
  tenon_tfl_shape size = tenon_tfl_shape_of(t);
  before[axis] = 1;
  x = tenon_tfl_padded(rw, x, before, NULL, NULL);
  return tenon_tfl_slice(rw, x, NULL, size.dims, NULL, NULL);
}

static tenon_value *sums_along(tenon_rewriter *rw,
                               const tenon_tfl_cumsum_attrs *a, tenon_value *x,
                               int axis) {
  if (a->reverse) x = backwards(rw, x, axis);
  if (a->exclusive) x = moved_on(rw, x, axis);
  x = tenon_rw_op(rw, "core::cumsum", &x, 1,
                  TENON_ARGS(tenon_arg_int("axis", axis)));
  return a->reverse ? backwards(rw, x, axis) : x;
}

// Along every axis, since the run says which.
static tenon_status cumsum_computed(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_cumsum_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *y = NULL;
  const int rank = tenon_rw_type(rw, x)->rank;
  tenon_value *axis = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 1), 0);
  tenon_value *in = tenon_aten_formula(
      rw, "axis @rank: axis >= -rank & axis < rank", axis, rank);
  TENON_TRY(tenon_tfl_require(rw, in, "an axis that is none"));
  axis = tenon_tfl_by(rw, "core::remainder", axis, rank);
  for (int i = 0; i < rank; ++i) {
    tenon_value *sums = sums_along(rw, a, x, i);
    y = y ? tenon_rw_where(rw, tenon_tfl_by(rw, "core::eq", axis, i), sums, y)
          : sums;
  }
  return tenon_rw_replace(rw, node, y);
}

tenon_status tenon_tfl_cumsum_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_cumsum_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t axis;
  TENON_TRY(tenon_tfl_refuse_scale(rw, t));
  const bool is_computed = tenon_tfl_in_ints(rw, node, 1, &axis, 1) != 1;
  if (!is_computed && axis < 0) axis += t->rank;
  for (int i = 0; a->reverse && i < t->rank; ++i)
    if (t->dims[i].symbol && (is_computed || i == axis))
      return tenon_rw_fail(rw, "an open size along the axis is not supported");
  if (is_computed)
    return t->rank ? cumsum_computed(rw, node)
                   : tenon_rw_fail(rw, "an axis of no dimension");
  return tenon_rw_replace(rw, node, sums_along(rw, a, x, (int)axis));
}

// ---------------------------------------------------------------------------
// TOPK_V2
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_topk_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_tfl_declared(c, 1);
  static const tenon_type s32 = {.dtype = TENON_S32};
  tenon_dim count = tenon_tfl_fixed(TENON_UNKNOWN);
  if (x->rank >= 1) count = x->dims[x->rank - 1];
  TENON_TRY(tenon_tfl_one_size(c, 1, "k", count, &count));
  if (x->rank < 1) return tenon_infer_fail(c, "'x' has no dimension");
  if (at && at->dtype != TENON_S32)
    return tenon_infer_fail(c, "the places are %s, expected s32",
                            tenon_dtype_name(at->dtype));
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  tenon_dim *last = &y.dims[x->rank - 1];
  if ((!count.symbol && count.value < 0) ||
      !c->api->require(c, TENON_RELATION_LE, count, *last))
    return tenon_infer_fail(c, "the %lld largest of %lld",
                            (long long)count.value, (long long)last->value);
  *last = count;
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  return tenon_tfl_result(c, 1, &y, TENON_S32, &s32);
}

tenon_status tenon_tfl_topk_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *out[2] = {NULL, NULL};
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape part = tenon_tfl_shape_of(y);
  part.dims[y->rank - 1] =
      tenon_tfl_number_in(rw, tenon_tfl_in(rw, node, 1), 0);
  x = tenon_tfl_stored(rw, x, NULL);
  const tenon_dim all = tenon_rw_type(rw, x)->dims[y->rank - 1];
  const tenon_dim k = part.dims[y->rank - 1];
  const bool is_known = !all.symbol && !k.symbol && k.value <= all.value;
  tenon_rw_build(rw, "core::sort", &x, 1,
                 TENON_ARGS(tenon_arg_bool("descending", true),
                            is_known ? tenon_arg_int("keep", k.value)
                                     : (tenon_arg)TENON_END_ARGS),
                 out, 2, NULL);
  for (int i = 0; i < 2 && !is_known; ++i)
    out[i] = tenon_tfl_slice(rw, out[i], NULL, part.dims, NULL, NULL);
  out[0] = tenon_tfl_stored(rw, out[0], y->quant);
  out[1] = tenon_tfl_cast(rw, out[1], TENON_S32);
  return rw->api->replace(rw, node, out, 2);
}
