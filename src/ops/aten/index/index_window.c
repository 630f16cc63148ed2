// Operators that look, or write, through windows of other strides.
#include "ops/aten/nn/aten_nn.h"

// An optional size: what `name` says, or `none`.
static tenon_dim size_or(tenon_rewriter *rw, const tenon_node *n,
                         const char *name, tenon_dim none) {
  return tenon_aten_has(rw, n, name) ? tenon_aten_dim(rw, n, name, 0) : none;
}

// Where start, end and step of a slice of this size lead.
tenon_status tenon_aten_slice_of(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_dim whole, tenon_dim *begin,
                                 tenon_dim *size, int64_t *step) {
  tenon_dim end;
  *step = tenon_aten_int(rw, n, "step");
  if (*step < 1 || *step > INT32_MAX)
    return tenon_rw_fail(rw, "a step of %lld", (long long)*step);
  *begin =
      tenon_aten_place(rw, size_or(rw, n, "start", tenon_aten_fixed(0)), whole);
  end = size_or(rw, n, "end", whole);
  if (!end.symbol && end.value > INT32_MAX) end = whole;
  end = tenon_aten_place(rw, end, whole);
  *size = tenon_aten_minus(rw, end, *begin);
  *size = tenon_aten_plus(rw, *size, tenon_aten_fixed(*step - 1));
  *size = rw->api->dim(rw, TENON_DIM_DIV, *size, tenon_aten_fixed(*step));
  *size = rw->api->dim(rw, TENON_DIM_MAX, *size, tenon_aten_fixed(0));
  return TENON_OK;
}

tenon_status tenon_aten_check_place(tenon_rewriter *rw, tenon_dim at,
                                    tenon_dim size) {
  if (!at.symbol && !size.symbol &&
      (at.value < -size.value || at.value >= size.value))
    return tenon_rw_fail(rw, "index %lld of a dimension of %lld",
                         (long long)at.value, (long long)size.value);
  return TENON_OK;
}

TENON_ATEN_LOWER(unfold) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK + 1], steps[TENON_MAX_RANK + 1];
  int64_t size = tenon_aten_int(rw, n, "size");
  int64_t step = tenon_aten_int(rw, n, "step");
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dimension", x, &axis));
  if (step < 1 || size < 0 || rank >= TENON_MAX_RANK || (rank == 0 && size > 1))
    return tenon_rw_fail(rw, "windows of %lld, %lld apart, of rank %d",
                         (long long)size, (long long)step, rank);
  if (rank == 0) {
    dims[0] = tenon_aten_fixed(size);
    x = tenon_aten_unsqueeze(rw, x, 0);
    return tenon_rw_replace(rw, n, tenon_nn_cut(rw, x, 0, 0, dims[0]));
  }
  tenon_aten_steps(rw, x, steps);
  steps[rank] = steps[axis];
  steps[axis] = tenon_aten_times(rw, steps[axis], tenon_aten_fixed(step));
  dims[rank] = tenon_aten_fixed(size);
  dims[axis] = tenon_aten_plus(rw, dims[axis], tenon_aten_fixed(-size));
  dims[axis] =
      rw->api->dim(rw, TENON_DIM_DIV, dims[axis], tenon_aten_fixed(step));
  dims[axis] = tenon_aten_plus(rw, dims[axis], tenon_aten_fixed(1));
  return tenon_rw_replace(
      rw, n,
      tenon_aten_window(rw, x, dims, steps, rank + 1, tenon_aten_fixed(0)));
}

// Of elements in the order of their indices: where a file says that PyTorch has
// another one in memory, its reader has brought them into that.
TENON_ATEN_LOWER(as_strided) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
  int rank = tenon_aten_dims(rw, n, "size", dims);
  if (rank < 0 || tenon_aten_dims(rw, n, "stride", steps) != rank)
    return tenon_rw_fail(rw, "sizes and strides differ in number");
  return tenon_rw_replace(
      rw, n,
      tenon_aten_window(rw, x, dims, steps, rank,
                        size_or(rw, n, "storage_offset", tenon_aten_fixed(0))));
}

// Size and first element of a diagonal of dimensions a and b.
static tenon_status diagonal_of(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *x, tenon_dim *dims,
                                tenon_dim *steps, tenon_dim *offset) {
  tenon_dim from[TENON_MAX_RANK], all[TENON_MAX_RANK], height, width;
  int rank = tenon_aten_dims_of(rw, x, from), a, b, at = 0;
  int64_t k = tenon_aten_int(rw, n, "offset");
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim1", x, &a));
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim2", x, &b));
  if (a == b || rank < 2) return tenon_rw_fail(rw, "needs two dimensions");
  tenon_aten_steps(rw, x, all);
  height = tenon_aten_plus(rw, from[a], tenon_aten_fixed(k < 0 ? k : 0));
  width = tenon_aten_plus(rw, from[b], tenon_aten_fixed(k > 0 ? -k : 0));
  *offset = tenon_aten_times(rw, all[k < 0 ? a : b],
                             tenon_aten_fixed(k < 0 ? -k : k));
  for (int d = 0; d < rank; ++d) {
    if (d == a || d == b) continue;
    dims[at] = from[d];
    steps[at++] = all[d];
  }
  dims[at] = rw->api->dim(rw, TENON_DIM_MIN, height, width);
  dims[at] = rw->api->dim(rw, TENON_DIM_MAX, dims[at], tenon_aten_fixed(0));
  steps[at] = tenon_aten_plus(rw, all[a], all[b]);
  if (tenon_aten_is(dims[at], 0)) *offset = tenon_aten_fixed(0);
  return TENON_OK;
}

TENON_ATEN_LOWER(diagonal) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  TENON_TRY(diagonal_of(rw, n, x, dims, steps, &offset));
  return tenon_rw_replace(
      rw, n,
      tenon_aten_window(rw, x, dims, steps, tenon_aten_known(rw, x)->rank - 1,
                        offset));
}

// --- written through a window ------------------------------------------------

// Writes a source of these sizes, broadcast and with x's type.
static tenon_status replace_window(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *x, tenon_value *src,
                                   const tenon_dim *dims,
                                   const tenon_dim *steps, int rank,
                                   tenon_dim offset) {
  src = tenon_aten_cast(rw, src, tenon_aten_known(rw, x)->dtype);
  src = tenon_aten_expand(rw, src, dims, rank);
  return tenon_rw_replace(rw, n,
                          tenon_aten_update(rw, x, src, steps, rank, offset));
}

TENON_ATEN_LOWER(diagonal_scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  TENON_TRY(diagonal_of(rw, n, x, dims, steps, &offset));
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps,
                        tenon_aten_known(rw, x)->rank - 1, offset);
}

TENON_ATEN_LOWER(slice_scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], begin, offset;
  int64_t step;
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (rank == 0) return tenon_rw_fail(rw, "needs a dimension");
  TENON_TRY(tenon_aten_slice_of(rw, n, dims[axis], &begin, &dims[axis], &step));
  tenon_aten_steps(rw, x, steps);
  offset = tenon_aten_times(rw, begin, steps[axis]);
  steps[axis] = tenon_aten_times(rw, steps[axis], tenon_aten_fixed(step));
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps, rank,
                        offset);
}

TENON_ATEN_LOWER(select_scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  tenon_dim at = tenon_aten_dim(rw, n, "index", 0);
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (rank == 0) return tenon_rw_fail(rw, "needs a dimension");
  TENON_TRY(tenon_aten_check_place(rw, at, dims[axis]));
  tenon_aten_steps(rw, x, steps);
  offset =
      tenon_aten_times(rw, tenon_aten_place(rw, at, dims[axis]), steps[axis]);
  for (int d = axis; d + 1 < rank; ++d) {
    dims[d] = dims[d + 1];
    steps[d] = steps[d + 1];
  }
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps,
                        rank - 1, offset);
}

TENON_ATEN_LOWER(as_strided_scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
  int rank = tenon_aten_dims(rw, n, "size", dims);
  if (rank < 0 || tenon_aten_dims(rw, n, "stride", steps) != rank)
    return tenon_rw_fail(rw, "sizes and strides differ in number");
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps, rank,
                        size_or(rw, n, "storage_offset", tenon_aten_fixed(0)));
}
