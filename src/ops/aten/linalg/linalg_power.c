// Powers and exponentials of matrices, equations of tensors, and small things.
#include <math.h>

#include "ops/aten/linalg/linalg_op.h"

static tenon_value *matrix_power_times(tenon_rewriter *rw, tenon_value *a,
                                       tenon_value *b) {
  return tenon_rw_op2(rw, "core::matmul", a, b);
}

TENON_ATEN_LOWER(matrix_power) {
  int64_t power = tenon_aten_int(rw, n, "n");
  tenon_value *x = NULL, *y = NULL, *out[2] = {NULL, NULL};
  tenon_aten_args args = {0};
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  if (power == TENON_UNKNOWN || power < -1024 || power > 1024)
    return tenon_rw_fail(rw, "the power is open, or beyond 1024");
  const tenon_type *t = tenon_rw_type(rw, x);
  if (power == 0) {
    y = tenon_linalg_unit(rw, t->dtype, t->dims[t->rank - 1]);
    return tenon_rw_replace(rw, n, tenon_aten_expand(rw, y, t->dims, t->rank));
  }
  if (power < 0) {
    tenon_aten_add(&args, tenon_arg_bool("check", true));
    tenon_aten_make_all(rw, "core::inverse", &x, 1, args.list, out, 2);
    x = out[0];
    power = -power;
  }
  for (; power; power >>= 1) {
    if (power & 1) y = y ? matrix_power_times(rw, y, x) : x;
    if (power > 1) x = matrix_power_times(rw, x, x);
  }
  return tenon_rw_replace(rw, n, y);
}

// Taylor's series of a 4096th part, in f64, squared twelve times. Rows whose
// sum is beyond 4096 are refused in the run.
TENON_ATEN_LOWER(matrix_exp) {
  tenon_value *x = NULL;
  TENON_TRY(tenon_linalg_read(rw, n, 0, &x));
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dtype given = t->dtype;
  const int rank = t->rank;
  x = tenon_aten_cast(rw, x, TENON_F64);
  tenon_aten_check(rw,
                   tenon_aten_formula(rw, "x @d: sum(abs(x), d) <= 4096", x,
                                      (int)(1u << (rank - 1))),
                   "matrix_exp of a row whose sum is above 4096");
  x = tenon_nn_times(rw, x, 1.0 / 4096);
  tenon_value *unit = tenon_linalg_unit(rw, TENON_F64, tenon_nn_dim(rw, x, -1));
  tenon_value *y =
      tenon_aten_formula(rw, "unit x: unit + x * (1 / 12)", unit, x);
  for (int k = 11; k > 0; --k)
    y = tenon_aten_formula(rw, "unit x y #part: unit + matmul(x * part, y)",
                           unit, x, y, 1.0 / k);
  for (int k = 0; k < 12; ++k)
    y = matrix_power_times(rw, y, y);
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, y, given));
}

TENON_ATEN_LOWER(tensorinv) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[2] = {NULL, NULL};
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  int64_t ind = tenon_aten_int(rw, n, "ind");
  if (!t || !y || ind < 1 || ind >= t->rank)
    return tenon_rw_fail(rw, "ind is %lld", (long long)ind);
  const tenon_dim dims[2] = {
      tenon_aten_product(rw, t->dims, (int)ind),
      tenon_aten_product(rw, t->dims + ind, t->rank - (int)ind)};
  x = tenon_aten_reshape(rw, x, dims, 2);
  tenon_aten_make_all(rw, "core::inverse", &x, 1,
                      TENON_ARGS(tenon_arg_bool("check", true)), out, 2);
  return tenon_rw_replace(rw, n,
                          tenon_aten_reshape(rw, out[0], y->dims, y->rank));
}

TENON_ATEN_LOWER(tensorsolve) {
  tenon_value *a = tenon_aten_in(rw, n, 0), *b = tenon_aten_in(rw, n, 1);
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  tenon_ints moved = tenon_aten_ints(rw, n, "dims");
  const int rank = tenon_nn_rank(rw, a);
  uint32_t bits = 0;
  if (!y) return tenon_rw_fail(rw, "the file does not say its result");
  if (moved.data) {
    int64_t order[TENON_MAX_RANK];
    int at = 0;
    TENON_TRY(tenon_aten_axes(rw, moved, rank, false, &bits));
    for (int d = 0; d < rank; ++d)
      if (!(bits >> d & 1)) order[at++] = d;
    for (size_t i = 0; i < moved.count; ++i)
      order[at++] = moved.data[i] < 0 ? moved.data[i] + rank : moved.data[i];
    a = tenon_aten_permute(rw, a, order, rank);
  }
  const tenon_type *tb = tenon_rw_type(rw, b);
  if (!tb) return tenon_rw_replace(rw, n, b);
  tenon_dim size = tenon_aten_product(rw, tb->dims, tb->rank);
  const tenon_dim square[2] = {size, size};
  const tenon_dim column[2] = {size, tenon_aten_fixed(1)};
  tenon_linalg_lu f =
      tenon_linalg_factor(rw, tenon_aten_reshape(rw, a, square, 2), true);
  b = tenon_linalg_solved(rw, &f, tenon_aten_reshape(rw, b, column, 2));
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, b, y->dims, y->rank));
}

TENON_ATEN_LOWER(vecdot) {
  tenon_value *y =
      tenon_nn_mul(rw, tenon_nn_in(rw, n, 0), tenon_nn_in(rw, n, 1));
  int axis = 0;
  TENON_TRY(tenon_nn_need_float(rw, y));
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"),
                            tenon_nn_rank(rw, y), &axis));
  return tenon_nn_give(
      rw, n, tenon_aten_reduce(rw, "core::sum", y, 1u << axis, false));
}

// Powers 0 to N - 1 of each element; the row says "falling" where the largest
// comes first, unless `increasing` is set.
TENON_ATEN_LOWER(vander) {
  // The result's type says it.
  tenon_aten_without_effect(rw, n, "N");
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  const bool is_falling =
      tenon_aten_user(rw) && !tenon_aten_bool(rw, n, "increasing");
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[2];
  tenon_aten_args args = {0};
  if (!y || y->rank < 1 || y->dims[y->rank - 1].symbol)
    return tenon_rw_fail(rw, "an open size");
  const int rank = y->rank;
  const int64_t powers = y->dims[rank - 1].value;
  tenon_dim dims[TENON_MAX_RANK];
  if (powers < 1)
    return tenon_rw_replace(rw, n,
                            tenon_nn_filled(rw, y->dtype, y->dims, rank, 1));
  x = tenon_aten_cast(rw, x, y->dtype);
  // One number is a row of one. Counted once: what could not be made does not
  // grow.
  for (int i = tenon_nn_rank(rw, x); i < rank - 1; ++i)
    x = tenon_aten_unsqueeze(rw, x, 0);
  x = tenon_aten_unsqueeze(rw, x, rank - 1);
  for (int d = 0; d < rank; ++d)
    dims[d] = d == rank - 1 ? tenon_aten_fixed(powers - 1) : y->dims[d];
  parts[1] = tenon_aten_expand(rw, x, dims, rank);
  dims[rank - 1] = tenon_aten_fixed(1);
  parts[0] = tenon_nn_filled(rw, y->dtype, dims, rank, 1);
  tenon_aten_add(&args, tenon_arg_int("axis", rank - 1));
  x = tenon_rw_concat(rw, parts, 2, rank - 1);
  x = tenon_rw_op(rw, "core::cumprod", &x, 1, args.list);
  return tenon_rw_replace(rw, n,
                          is_falling ? tenon_aten_flip(rw, x, rank - 1) : x);
}
