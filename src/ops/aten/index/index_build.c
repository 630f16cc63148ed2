// How: one core operator each; what would change nothing is not built.
#include "ops/aten/index/index_op.h"

// at - size * floor(at / 2^31) is at + size where at is negative: sizes are
// less than 2^31, so the quotient is -1 or 0. It folds only where the file says
// that they are, and is left out where `at` is known to be none that counts
// from the end.
tenon_dim tenon_aten_place(tenon_rewriter *rw, tenon_dim at, tenon_dim size) {
  tenon_dim positive = rw->api->dim(rw, TENON_DIM_MAX, at, tenon_aten_fixed(0));
  tenon_dim sign = tenon_aten_same(positive, at)
                       ? tenon_aten_fixed(0)
                       : rw->api->dim(rw, TENON_DIM_DIV, at,
                                      tenon_aten_fixed(INT64_C(1) << 31));
  if (!at.symbol) sign = tenon_aten_fixed(at.value < 0 ? -1 : 0);
  at = tenon_aten_minus(rw, at, tenon_aten_times(rw, size, sign));
  at = rw->api->dim(rw, TENON_DIM_MAX, at, tenon_aten_fixed(0));
  return rw->api->dim(rw, TENON_DIM_MIN, at, size);
}

tenon_status tenon_aten_axis_of(tenon_rewriter *rw, const tenon_node *n,
                                const char *name, tenon_value *x, int *axis) {
  const tenon_type *t = tenon_rw_type(rw, x);
  *axis = 0;
  if (!t) return TENON_OK;
  return tenon_aten_axis(rw, tenon_aten_int(rw, n, name), t->rank, axis);
}

tenon_status tenon_aten_axes_of(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *x, uint32_t *axes) {
  const tenon_arg *a = tenon_aten_arg(rw, n, "dim");
  const bool is_one = a->kind == TENON_KIND_INT;
  const tenon_ints one = {&a->as.i, 1}, none = {NULL, 0};
  return tenon_aten_axes(rw,
                         is_one                       ? one
                         : a->kind == TENON_KIND_INTS ? a->as.ints
                                                      : none,
                         tenon_aten_known(rw, x)->rank, true, axes);
}

const tenon_type *tenon_aten_stated(tenon_rewriter *rw, const tenon_node *n,
                                    int i) {
  const tenon_type *t = tenon_aten_result(rw, n, i);
  return t && t->dtype ? t : NULL;
}

int tenon_aten_dims_of(tenon_rewriter *rw, tenon_value *x, tenon_dim *dims) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return 0;
  for (int d = 0; d < t->rank; ++d)
    dims[d] = t->dims[d];
  return t->rank;
}

tenon_dim tenon_aten_size(tenon_rewriter *rw, tenon_value *x, int d) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return t && d < t->rank ? t->dims[d] : tenon_aten_fixed(1);
}

tenon_value *tenon_aten_size_as(tenon_rewriter *rw, tenon_dim size,
                                tenon_dtype t) {
  return tenon_rw_op(rw, "core::number", NULL, 0,
                     TENON_ARGS(tenon_arg_dims("value", &size, 1),
                                tenon_arg_dtype("dtype", t)));
}

// --- views -------------------------------------------------------------------

tenon_value *tenon_aten_cut(tenon_rewriter *rw, tenon_value *x, int axis,
                            tenon_dim begin, tenon_dim size, int64_t step) {
  tenon_dim starts[TENON_MAX_RANK], sizes[TENON_MAX_RANK];
  int64_t steps[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, sizes);
  if (rank == 0 || (step == 1 && tenon_aten_is(begin, 0) &&
                    tenon_aten_same(size, sizes[axis])))
    return x;
  for (int d = 0; d < rank; ++d) {
    starts[d] = tenon_aten_fixed(0);
    steps[d] = 1;
  }
  starts[axis] = begin;
  sizes[axis] = size;
  steps[axis] = step;
  return tenon_rw_op(rw, "core::slice", &x, 1,
                     TENON_ARGS(tenon_arg_dims("begin", starts, (size_t)rank),
                                tenon_arg_dims("size", sizes, (size_t)rank),
                                tenon_arg_ints("step", steps, (size_t)rank)));
}

tenon_value *tenon_aten_select(tenon_rewriter *rw, tenon_value *x, int axis,
                               tenon_dim at) {
  return tenon_aten_squeeze(
      rw, tenon_aten_cut(rw, x, axis, at, tenon_aten_fixed(1), 1), axis);
}

tenon_value *tenon_aten_expand(tenon_rewriter *rw, tenon_value *x,
                               const tenon_dim *dims, int rank) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || tenon_aten_has_dims(t, dims, rank)) return x;
  return tenon_rw_op(rw, "core::expand", &x, 1,
                     TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)));
}

tenon_value *tenon_aten_window(tenon_rewriter *rw, tenon_value *x,
                               const tenon_dim *dims, const tenon_dim *strides,
                               int rank, tenon_dim offset) {
  return tenon_rw_op(rw, "core::as_strided", &x, 1,
                     TENON_ARGS(tenon_arg_dims("size", dims, (size_t)rank),
                                tenon_arg_dims("stride", strides, (size_t)rank),
                                tenon_arg_dims("offset", &offset, 1)));
}

tenon_value *tenon_aten_flat(tenon_rewriter *rw, tenon_value *x) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims);
  dims[0] = tenon_aten_product(rw, dims, rank);
  return tenon_aten_reshape(rw, x, dims, 1);
}

tenon_value *tenon_aten_unsqueeze(tenon_rewriter *rw, tenon_value *x,
                                  int axis) {
  tenon_dim dims[TENON_MAX_RANK + 1];
  int rank = tenon_aten_dims_of(rw, x, dims);
  for (int d = rank; d > axis; --d)
    dims[d] = dims[d - 1];
  dims[axis] = tenon_aten_fixed(1);
  return tenon_aten_reshape(rw, x, dims, rank + 1);
}

tenon_value *tenon_aten_squeeze(tenon_rewriter *rw, tenon_value *x, int axis) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims);
  if (rank == 0) return x;
  for (int d = axis; d + 1 < rank; ++d)
    dims[d] = dims[d + 1];
  return tenon_aten_reshape(rw, x, dims, rank - 1);
}

tenon_value *tenon_aten_flip(tenon_rewriter *rw, tenon_value *x, int axis) {
  tenon_dim n = tenon_aten_size(rw, x, axis);
  tenon_dim last = tenon_aten_minus(rw, n, tenon_aten_fixed(1));
  if (tenon_aten_is(n, 0) || tenon_aten_is(n, 1)) return x;
  return tenon_aten_cut(rw, x, axis, last, n, -1);
}

tenon_value *tenon_aten_move(tenon_rewriter *rw, tenon_value *x, int from,
                             int to) {
  int64_t order[TENON_MAX_RANK];
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims), k = 0;
  for (int d = 0; d < rank; ++d) {
    if (k == from) ++k;
    order[d] = d == to ? from : k++;
  }
  return tenon_aten_permute(rw, x, order, rank);
}

void tenon_aten_steps(tenon_rewriter *rw, tenon_value *x, tenon_dim *steps) {
  tenon_dim dims[TENON_MAX_RANK], step = tenon_aten_fixed(1);
  for (int d = tenon_aten_dims_of(rw, x, dims) - 1; d >= 0; --d) {
    steps[d] = step;
    step = tenon_aten_times(rw, step, dims[d]);
  }
}

// --- new tensors -------------------------------------------------------------

tenon_value *tenon_aten_update(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *src, const tenon_dim *strides,
                               int rank, tenon_dim offset) {
  tenon_value *in[] = {x, src};
  return tenon_rw_op(rw, "core::strided_update", in, 2,
                     TENON_ARGS(tenon_arg_dims("stride", strides, (size_t)rank),
                                tenon_arg_dims("offset", &offset, 1)));
}

// An operator whose last operands are indices.
static tenon_value *build_indexed(tenon_rewriter *rw, const char *op,
                                  tenon_value *const *first, int n_first,
                                  tenon_value *const *indices, int n,
                                  const tenon_arg *args) {
  tenon_value *in[2 + TENON_MAX_RANK];
  uint16_t group[4];
  for (int i = 0; i < n_first; ++i) {
    in[i] = first[i];
    group[i] = (uint16_t)i;
  }
  for (int i = 0; i < n; ++i)
    in[n_first + i] = indices[i];
  group[n_first] = (uint16_t)n_first;
  group[n_first + 1] = (uint16_t)(n_first + n);
  return tenon_rw_op_of_lists(rw, op, in, (uint32_t)(n_first + n), group, args);
}

tenon_value *tenon_aten_index(tenon_rewriter *rw, tenon_value *x,
                              tenon_value *const *indices, int n, int axis,
                              tenon_aten_reach reach) {
  return build_indexed(
      rw, "core::index", &x, 1, indices, n,
      TENON_ARGS(tenon_arg_int("axis", axis),
                 tenon_arg_bool("wrap", reach == TENON_ATEN_FROM_END)));
}

tenon_value *tenon_aten_put(tenon_rewriter *rw, tenon_value *x,
                            tenon_value *values, tenon_value *const *indices,
                            int n, int axis, int mode, bool include_self,
                            tenon_aten_reach reach) {
  tenon_value *in[] = {x, values};
  return build_indexed(
      rw, "core::index_put", in, 2, indices, n,
      TENON_ARGS(tenon_arg_int("axis", axis), tenon_arg_int("mode", mode),
                 tenon_arg_bool("include_self", include_self),
                 tenon_arg_bool("wrap", reach == TENON_ATEN_FROM_END)));
}

tenon_value *tenon_aten_gather(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *index, int axis) {
  tenon_value *in[] = {x, index};
  return tenon_rw_op(rw, "core::gather", in, 2,
                     TENON_ARGS(tenon_arg_int("axis", axis)));
}

tenon_value *tenon_aten_reduce(tenon_rewriter *rw, const char *op,
                               tenon_value *x, uint32_t axes, bool keepdim) {
  int64_t dims[TENON_MAX_RANK];
  size_t n = 0;
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (axes >> d & 1) dims[n++] = d;
  return tenon_rw_op(rw, op, &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, n),
                                tenon_arg_bool("keepdim", keepdim)));
}

void tenon_aten_check(tenon_rewriter *rw, tenon_value *condition,
                      const char *message) {
  tenon_aten_args args = {0};
  if (message) tenon_aten_add(&args, tenon_arg_str("message", message));
  tenon_aten_make_all(rw, "core::check", &condition, 1, args.list, NULL, 0);
}

void tenon_aten_sort(tenon_rewriter *rw, tenon_value *x, int axis,
                     bool descending, tenon_value *out[2]) {
  tenon_aten_make_all(rw, "core::sort", &x, 1,
                      TENON_ARGS(tenon_arg_int("axis", axis),
                                 tenon_arg_bool("descending", descending)),
                      out, 2);
}
