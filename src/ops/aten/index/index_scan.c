// Operators that go along a dimension: running sums, differences, areas.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

static tenon_value *scan_along(tenon_rewriter *rw, const char *op,
                               tenon_value *x, int axis) {
  return tenon_rw_op(rw, op, &x, 1, TENON_ARGS(tenon_arg_int("axis", axis)));
}

// --- neighbours --------------------------------------------------------------

// All elements along an axis but the first, or but the last.
static void scan_neighbours(tenon_rewriter *rw, tenon_value *x, int axis,
                            tenon_value *out[2]) {
  tenon_dim one = tenon_aten_fixed(1);
  tenon_dim n = tenon_aten_minus(rw, tenon_aten_size(rw, x, axis), one);
  out[0] = tenon_nn_cut(rw, x, axis, 0, n);
  out[1] = tenon_aten_cut(rw, x, axis, one, n, 1);
}

TENON_ATEN_LOWER(diff) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[3], *two[2];
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  int64_t times = tenon_aten_int(rw, n, "n");
  int axis, count = 0;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (tenon_aten_known(rw, x)->rank == 0 || times < 0 || times > 64)
    return tenon_rw_fail(rw, "difference %lld of rank %d", (long long)times,
                         tenon_aten_known(rw, x)->rank);
  if (tenon_aten_in(rw, n, 1)) parts[count++] = tenon_aten_in(rw, n, 1);
  parts[count++] = x;
  if (tenon_aten_in(rw, n, 2)) parts[count++] = tenon_aten_in(rw, n, 2);
  for (int i = 0; i < count; ++i)
    if (tenon_aten_known(rw, parts[i])->dtype != t)
      return tenon_rw_fail(rw, "tensors of different types");
  if (times > 0) x = tenon_rw_concat(rw, parts, count, axis);
  for (; times > 0; --times) {
    if (tenon_aten_is(tenon_aten_size(rw, x, axis), 0)) break;
    scan_neighbours(rw, x, axis, two);
    x = tenon_rw_op2(rw, t == TENON_BOOL ? "core::ne" : "core::sub", two[1],
                     two[0]);
  }
  return tenon_rw_replace(rw, n, x);
}

// --- areas -------------------------------------------------------------------

// x times a Python number, which makes floats of integers.
static tenon_value *scan_times(tenon_rewriter *rw, tenon_value *x,
                               double number) {
  if (!tenon_aten_is_float(tenon_nn_type(rw, x)))
    x = tenon_aten_cast(rw, x, TENON_F32);
  return tenon_nn_times(rw, x, number);
}

// x in the type that it is summed in.
static tenon_value *scan_to_sum(tenon_rewriter *rw, tenon_value *x) {
  const bool is_float = tenon_aten_is_float(tenon_nn_type(rw, x));
  return is_float ? x : tenon_aten_cast(rw, x, TENON_S64);
}

// All of y less half of its ends.
static tenon_value *even_area(tenon_rewriter *rw, tenon_value *y, int axis,
                              double step) {
  const tenon_dim last =
      tenon_aten_minus(rw, tenon_aten_size(rw, y, axis), tenon_aten_fixed(1));
  tenon_value *ends = tenon_rw_op2(
      rw, "core::add", tenon_aten_select(rw, y, axis, tenon_aten_fixed(0)),
      tenon_aten_select(rw, y, axis, last));
  return tenon_aten_formula(
      rw, "y ends @d #step: (like(sum(y, d), ends) - ends) * step",
      scan_to_sum(rw, y), scan_times(rw, ends, 0.5), (int)(1u << axis), step);
}

// How far neighbours of `places` are apart, with as many dimensions as y.
static tenon_status distances(tenon_rewriter *rw, tenon_value *places,
                              tenon_value *y, int axis, tenon_value **out) {
  const int rank = tenon_nn_rank(rw, y);
  tenon_value *two[2];
  if (tenon_nn_rank(rw, places) == 1)
    places = tenon_nn_beside(rw, places, rank, axis);
  // Counted once: what could not be made does not grow.
  for (int i = tenon_nn_rank(rw, places); i < rank; ++i)
    places = tenon_aten_unsqueeze(rw, places, 0);
  if (tenon_nn_rank(rw, places) != rank)
    return tenon_rw_fail(rw, "places of more dimensions than values");
  if (!tenon_aten_same(tenon_nn_dim(rw, places, axis),
                       tenon_nn_dim(rw, y, axis)))
    return tenon_rw_fail(rw, "more or fewer places than values");
  if (tenon_nn_type(rw, places) == TENON_BOOL)
    return tenon_rw_fail(rw, "places that are bool");
  scan_neighbours(rw, places, axis, two);
  *out = tenon_nn_sub(rw, two[1], two[0]);
  return TENON_OK;
}

// "c" sums up to each place. With operand 1 the distances are its, else `dx`.
// In the order in which PyTorch rounds and promotes.
TENON_ATEN_LOWER(trapezoid) {
  const bool is_running = tenon_aten_user(rw) != NULL;
  const bool has_step = tenon_aten_arg(rw, n, "dx")->kind != 0;
  tenon_value *y = tenon_aten_in(rw, n, 0), *two[2], *apart = NULL, *area;
  const double step = tenon_aten_float(rw, n, "dx");
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", y, &axis));
  const tenon_dim size = tenon_aten_size(rw, y, axis);
  const tenon_type *stated = tenon_aten_stated(rw, n, 0);
  if (tenon_nn_rank(rw, y) == 0 || size.symbol ||
      tenon_nn_type(rw, y) == TENON_BOOL)
    return tenon_rw_fail(rw, "an area under %s, or of an open size",
                         tenon_dtype_name(tenon_nn_type(rw, y)));
  if (size.value == 0 && stated)  // no area, of the type that the file says
    return tenon_rw_replace(
        rw, n,
        tenon_nn_filled(rw, stated->dtype, stated->dims, stated->rank, 0));
  if (!has_step)
    TENON_TRY(distances(rw, tenon_aten_in(rw, n, 1), y, axis, &apart));
  if (has_step && !is_running)
    return tenon_rw_replace(rw, n, even_area(rw, y, axis, step));
  scan_neighbours(rw, y, axis, two);
  area = tenon_rw_op2(rw, "core::add", two[0], two[1]);
  if (has_step) {
    area = scan_times(rw, area, step / 2);
    return tenon_rw_replace(rw, n, scan_along(rw, "core::cumsum", area, axis));
  }
  area = scan_to_sum(rw, tenon_nn_multiply(rw, area, apart));
  area = is_running
             ? scan_along(rw, "core::cumsum", area, axis)
             : tenon_aten_reduce(rw, "core::sum", area, 1u << axis, false);
  return tenon_rw_replace(rw, n, scan_times(rw, area, 0.5));
}
