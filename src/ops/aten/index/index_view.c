// Operators that look at the same elements under another shape.
#include "ops/aten/index/index_op.h"

// The shape that is stated, or the argument's, in which one size may be -1.
// Whether `size` and `stride` are of elements one after the other.
static bool index_view_is_plain(tenon_rewriter *rw, const tenon_node *n) {
  tenon_dim size[TENON_MAX_RANK], stride[TENON_MAX_RANK], next;
  int rank = tenon_aten_dims(rw, n, "size", size);
  bool is = rank >= 0 && tenon_aten_dims(rw, n, "stride", stride) == rank;
  next = tenon_aten_fixed(1);
  for (int d = rank - 1; is && d >= 0; --d) {
    is = tenon_aten_is(size[d], 1) || tenon_aten_same(stride[d], next);
    next = rw->api->dim(rw, TENON_DIM_MUL, next, size[d]);
  }
  return is;
}

TENON_ATEN_LOWER(view) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const char *name = tenon_aten_user(rw);
  const tenon_type *stated = tenon_aten_stated(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], from[TENON_MAX_RANK];
  if (tenon_aten_arg(rw, n, "stride")->name && !index_view_is_plain(rw, n))
    return tenon_rw_fail(rw, "another order in memory is not supported");
  if (stated) {
    tenon_aten_without_effect(rw, n, name);
    return tenon_rw_replace(
        rw, n, tenon_aten_reshape(rw, x, stated->dims, stated->rank));
  }
  int rank = tenon_aten_dims(rw, n, name, dims), open = -1;
  if (rank < 0) return tenon_rw_fail(rw, "too many dimensions");
  for (int d = 0; d < rank; ++d) {
    if (!tenon_aten_is(dims[d], -1)) continue;
    if (open >= 0) return tenon_rw_fail(rw, "two sizes are -1");
    open = d;
    dims[d] = tenon_aten_fixed(1);
  }
  if (open >= 0)
    dims[open] = rw->api->dim(
        rw, TENON_DIM_DIV,
        tenon_aten_product(rw, from, tenon_aten_dims_of(rw, x, from)),
        tenon_aten_product(rw, dims, rank));
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, rank));
}

// The shape of operand 1.
TENON_ATEN_LOWER(view_as) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, tenon_aten_in(rw, n, 1), dims);
  return tenon_rw_replace(
      rw, n, tenon_aten_reshape(rw, tenon_aten_in(rw, n, 0), dims, rank));
}

TENON_ATEN_LOWER(flatten) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int first, last, rank = tenon_aten_dims_of(rw, x, dims);
  if (rank == 0) return tenon_rw_replace(rw, n, tenon_aten_flat(rw, x));
  TENON_TRY(tenon_aten_axis_of(rw, n, "start_dim", x, &first));
  TENON_TRY(tenon_aten_axis_of(rw, n, "end_dim", x, &last));
  if (last < first) return tenon_rw_fail(rw, "dimensions in reverse order");
  dims[first] = tenon_aten_product(rw, dims + first, last - first + 1);
  for (int d = last + 1; d < rank; ++d)
    dims[d - last + first] = dims[d];
  return tenon_rw_replace(rw, n,
                          tenon_aten_reshape(rw, x, dims, rank - last + first));
}

TENON_ATEN_LOWER(unflatten) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim from[TENON_MAX_RANK], sizes[TENON_MAX_RANK], dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, from), axis, at = 0;
  int parts = tenon_aten_dims(rw, n, "sizes", sizes);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (parts < 1 || rank - 1 + parts > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "%d dimensions", rank - 1 + parts);
  for (int d = 0; d < parts; ++d) {
    if (!tenon_aten_is(sizes[d], -1)) continue;
    sizes[d] = tenon_aten_fixed(1);
    sizes[d] = rw->api->dim(rw, TENON_DIM_DIV, from[axis],
                            tenon_aten_product(rw, sizes, parts));
  }
  for (int d = 0; d < axis; ++d)
    dims[at++] = from[d];
  for (int d = 0; d < parts; ++d)
    dims[at++] = sizes[d];
  for (int d = axis + 1; d < rank; ++d)
    dims[at++] = from[d];
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, at));
}

// A size that is a symbol is not one: the file says so where it is.
TENON_ATEN_LOWER(squeeze) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_arg *dim = tenon_aten_arg(rw, n, "dim");
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims), at = 0;
  uint32_t axes = (1u << rank) - 1;
  if (dim->kind == TENON_KIND_INT) {
    int axis;
    TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
    axes = 1u << axis;
  } else if (dim->kind == TENON_KIND_INTS) {
    TENON_TRY(tenon_aten_axes(rw, dim->as.ints, rank, false, &axes));
  }
  for (int d = 0; d < rank; ++d)
    if (!(axes >> d & 1) || !tenon_aten_is(dims[d], 1)) dims[at++] = dims[d];
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, at));
}

TENON_ATEN_LOWER(unsqueeze) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims), axis;
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), rank + 1, &axis));
  return tenon_rw_replace(rw, n, tenon_aten_unsqueeze(rw, x, axis));
}

// --- repeated without a copy -------------------------------------------------

// Sizes that are -1 stay; those in front are new.
TENON_ATEN_LOWER(expand) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], from[TENON_MAX_RANK];
  int had = tenon_aten_dims_of(rw, x, from);
  int rank = tenon_aten_dims(rw, n, "size", dims);
  if (rank < had) return tenon_rw_fail(rw, "fewer sizes than dimensions");
  for (int d = 0; d < rank; ++d)
    if (tenon_aten_is(dims[d], -1) && d >= rank - had)
      dims[d] = from[d - rank + had];
  return tenon_rw_replace(rw, n, tenon_aten_expand(rw, x, dims, rank));
}

TENON_ATEN_LOWER(expand_as) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, tenon_aten_in(rw, n, 1), dims);
  return tenon_rw_replace(
      rw, n, tenon_aten_expand(rw, tenon_aten_in(rw, n, 0), dims, rank));
}

enum { MOST_TENSORS = 64 };

TENON_ATEN_LOWER(broadcast_tensors) {
  int first = 0, count = rw->api->group(rw, n, 0, &first), rank = 0;
  tenon_dim dims[TENON_MAX_RANK], next[TENON_MAX_RANK];
  tenon_value *out[MOST_TENSORS];
  if (count > MOST_TENSORS) return tenon_rw_fail(rw, "%d tensors", count);
  for (int i = 0; i < count; ++i) {
    tenon_type all = {.dims = dims, .rank = (uint8_t)rank};
    const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, first + i));
    TENON_TRY(tenon_aten_broadcast(rw, &all, t, next, &rank));
    for (int d = 0; d < rank; ++d)
      dims[d] = next[d];
  }
  for (int i = 0; i < count; ++i)
    out[i] = tenon_aten_expand(rw, tenon_aten_in(rw, n, first + i), dims, rank);
  return rw->api->replace(rw, n, out, count);
}

// Of the same sizes, or of one element: beyond that, which element stands where
// hangs on strides that a file does not have, and new ones are of any value.
TENON_ATEN_LOWER(resize) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = tenon_aten_result(rw, n, 0);
  if (!t || !y) return tenon_rw_replace(rw, n, x);
  if (tenon_aten_has(rw, n, "memory_format"))
    return tenon_rw_fail(rw, "a memory format, which puts elements elsewhere");
  // The type says it.
  if (tenon_aten_user(rw))
    (void)tenon_aten_in(rw, n, 1);
  else
    tenon_aten_without_effect(rw, n, "size");
  bool is_same = t->rank == y->rank;
  for (int d = 0; is_same && d < t->rank; ++d)
    is_same = tenon_aten_same(t->dims[d], y->dims[d]);
  if (!is_same &&
      !(tenon_aten_is(tenon_aten_product(rw, t->dims, t->rank), 1) &&
        tenon_aten_is(tenon_aten_product(rw, y->dims, y->rank), 1)))
    return tenon_rw_fail(
        rw, "to other sizes: its elements hang on strides, or are new");
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, y->dims, y->rank));
}
