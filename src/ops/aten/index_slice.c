// Operators that take parts of a tensor: windows, and lists of them.
#include "ops/aten/index_op.h"

enum { MOST_PARTS = 256 };

// An optional size: what `name` says, or `none`.
static tenon_dim size_or(tenon_rewriter *rw, const tenon_node *n,
                         const char *name, tenon_dim none) {
  return tenon_aten_has(rw, n, name) ? tenon_aten_dim(rw, n, name, 0) : none;
}

// Where start, end and step of a slice of this size lead.
static tenon_status slice_of(tenon_rewriter *rw, const tenon_node *n,
                             tenon_dim whole, tenon_dim *begin, tenon_dim *size,
                             int64_t *step) {
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

// What is stated wins where it is a number: a guard of the file has decided.
static tenon_dim stated_size(tenon_rewriter *rw, const tenon_node *n, int axis,
                             tenon_dim size) {
  const tenon_type *t = tenon_aten_stated(rw, n, 0);
  if (size.symbol && t && axis < t->rank && !t->dims[axis].symbol)
    return t->dims[axis];
  return size;
}

tenon_status tenon_aten_slice_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim begin, size;
  int64_t step;
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  TENON_TRY(
      slice_of(rw, n, tenon_aten_size(rw, x, axis), &begin, &size, &step));
  size = stated_size(rw, n, axis, size);
  return tenon_rw_replace(rw, n,
                          tenon_aten_cut(rw, x, axis, begin, size, step));
}

static tenon_status check_place(tenon_rewriter *rw, tenon_dim at,
                                tenon_dim size) {
  if (!at.symbol && !size.symbol &&
      (at.value < -size.value || at.value >= size.value))
    return tenon_rw_fail(rw, "index %lld of a dimension of %lld",
                         (long long)at.value, (long long)size.value);
  return TENON_OK;
}

tenon_status tenon_aten_select_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim at = tenon_aten_dim(rw, n, "index", 0), size;
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  size = tenon_aten_size(rw, x, axis);
  TENON_TRY(check_place(rw, at, size));
  at = tenon_aten_place(rw, at, size);
  return tenon_rw_replace(rw, n, tenon_aten_select(rw, x, axis, at));
}

tenon_status tenon_aten_narrow_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim begin = tenon_aten_dim(rw, n, "start", 0);
  tenon_dim size = tenon_aten_dim(rw, n, "length", 0);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  begin = tenon_aten_place(rw, begin, tenon_aten_size(rw, x, axis));
  return tenon_rw_replace(rw, n, tenon_aten_cut(rw, x, axis, begin, size, 1));
}

// --- lists of parts ----------------------------------------------------------

// Replaces by parts that lie one after the other; the last has what is left.
static tenon_status replace_parts(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *x, int axis,
                                  const tenon_dim *sizes, int count) {
  tenon_value *parts[MOST_PARTS];
  tenon_dim at = tenon_aten_fixed(0);
  for (int i = 0; i < count; ++i) {
    parts[i] = tenon_aten_cut(rw, x, axis, at, sizes[i], 1);
    at = tenon_aten_plus(rw, at, sizes[i]);
  }
  return rw->api->replace(rw, n, parts, count);
}

// Number of results: as the file has it.
static int count_results(tenon_rewriter *rw, const tenon_node *n) {
  int count = 0;
  while (count < MOST_PARTS && tenon_aten_result(rw, n, count))
    ++count;
  return count;
}

// Runs of `each` elements; 0 runs: as many as there are.
static tenon_status replace_runs(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x, int axis, tenon_dim each) {
  tenon_dim whole = tenon_aten_size(rw, x, axis), sizes[MOST_PARTS];
  int64_t count = count_results(rw, n);
  if (!whole.symbol && !each.symbol)
    count = each.value > 0 ? (whole.value + each.value - 1) / each.value : 1;
  if (count < 1) count = 1;
  if (count > MOST_PARTS)
    return tenon_rw_fail(rw, "%lld parts, at most %d are possible",
                         (long long)count, MOST_PARTS);
  for (int i = 0; i < count; ++i) {
    tenon_dim at = tenon_aten_times(rw, each, tenon_aten_fixed(i));
    sizes[i] = i + 1 < count ? each : tenon_aten_minus(rw, whole, at);
  }
  return replace_parts(rw, n, x, axis, sizes, (int)count);
}

tenon_status tenon_aten_split_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  return replace_runs(rw, n, x, axis, tenon_aten_dim(rw, n, "split_size", 0));
}

static tenon_dim round_up(tenon_rewriter *rw, tenon_dim size, int64_t by) {
  size = tenon_aten_plus(rw, size, tenon_aten_fixed(by - 1));
  return rw->api->dim(rw, TENON_DIM_DIV, size, tenon_aten_fixed(by));
}

tenon_status tenon_aten_chunk_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int64_t chunks = tenon_aten_int(rw, n, "chunks");
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (chunks < 1) return tenon_rw_fail(rw, "%lld chunks", (long long)chunks);
  tenon_dim whole = tenon_aten_size(rw, x, axis), sizes[MOST_PARTS];
  if (tenon_aten_is(whole, 0) && chunks <= MOST_PARTS) {
    for (int i = 0; i < chunks; ++i)
      sizes[i] = whole;
    return replace_parts(rw, n, x, axis, sizes, (int)chunks);
  }
  return replace_runs(rw, n, x, axis, round_up(rw, whole, chunks));
}

tenon_status tenon_aten_split_with_sizes_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const char *name = (const char *)rw->api->user(rw);
  tenon_ints list = tenon_aten_ints(rw, n, name);
  tenon_dim sizes[MOST_PARTS];
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (list.count > MOST_PARTS)
    return tenon_rw_fail(rw, "%zu parts", list.count);
  for (size_t i = 0; i < list.count; ++i)
    sizes[i] = tenon_aten_dim(rw, n, name, (int)i);
  return replace_parts(rw, n, x, axis, sizes, (int)list.count);
}

// The first (size mod sections) parts have one element more.
tenon_status tenon_aten_tensor_split_lower(tenon_rewriter *rw,
                                           const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int64_t sections = tenon_aten_int(rw, n, "sections");
  tenon_dim whole, sizes[MOST_PARTS];
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  whole = tenon_aten_size(rw, x, axis);
  if (sections < 1 || sections > MOST_PARTS)
    return tenon_rw_fail(rw, "%lld sections", (long long)sections);
  for (int64_t i = 0; i < sections; ++i) {
    tenon_dim left =
        tenon_aten_plus(rw, whole, tenon_aten_fixed(sections - 1 - i));
    sizes[i] =
        rw->api->dim(rw, TENON_DIM_DIV, left, tenon_aten_fixed(sections));
  }
  return replace_parts(rw, n, x, axis, sizes, (int)sections);
}

// From one index to the next, as slices are taken.
tenon_status tenon_aten_split_at_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[MOST_PARTS];
  tenon_ints list = tenon_aten_ints(rw, n, "indices");
  tenon_dim whole, at = tenon_aten_fixed(0);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  whole = tenon_aten_size(rw, x, axis);
  if (list.count >= MOST_PARTS)
    return tenon_rw_fail(rw, "%zu parts", list.count + 1);
  for (size_t i = 0; i <= list.count; ++i) {
    tenon_dim end =
        i < list.count ? tenon_aten_dim(rw, n, "indices", (int)i) : whole;
    end = tenon_aten_place(rw, end, whole);
    tenon_dim size = tenon_aten_minus(rw, end, at);
    size = rw->api->dim(rw, TENON_DIM_MAX, size, tenon_aten_fixed(0));
    parts[i] = tenon_aten_cut(rw, x, axis, at, size, 1);
    at = end;
  }
  return rw->api->replace(rw, n, parts, (int)list.count + 1);
}

tenon_status tenon_aten_unbind_lower(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[MOST_PARTS];
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  tenon_dim size = tenon_aten_size(rw, x, axis);
  if (size.symbol || size.value > MOST_PARTS)
    return tenon_rw_fail(rw, "%lld parts, at most %d are possible",
                         (long long)size.value, MOST_PARTS);
  for (int i = 0; i < size.value; ++i)
    parts[i] = tenon_aten_select(rw, x, axis, tenon_aten_fixed(i));
  return rw->api->replace(rw, n, parts, (int)size.value);
}

// --- windows of other strides ------------------------------------------------

tenon_status tenon_aten_unfold_lower(tenon_rewriter *rw, const tenon_node *n) {
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
    return tenon_rw_replace(
        rw, n, tenon_aten_cut(rw, x, 0, tenon_aten_fixed(0), dims[0], 1));
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

// A tensor that was not just read may lie in any order in PyTorch's memory,
// which the file does not say.
tenon_status tenon_aten_as_strided_lower(tenon_rewriter *rw,
                                         const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
  int rank = tenon_aten_dims(rw, n, "size", dims);
  if (rw->api->producer(rw, x))
    return tenon_rw_fail(rw, "the order of what it looks at is not known");
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

tenon_status tenon_aten_diagonal_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  TENON_TRY(diagonal_of(rw, n, x, dims, steps, &offset));
  return tenon_rw_replace(
      rw, n,
      tenon_aten_window(rw, x, dims, steps, tenon_aten_type(rw, x)->rank - 1,
                        offset));
}

// --- written through a window ------------------------------------------------

// Writes a source of these sizes, broadcast and with x's type.
static tenon_status replace_window(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *x, tenon_value *src,
                                   const tenon_dim *dims,
                                   const tenon_dim *steps, int rank,
                                   tenon_dim offset) {
  src = tenon_aten_cast(rw, src, tenon_aten_type(rw, x)->dtype);
  src = tenon_aten_expand(rw, src, dims, rank);
  return tenon_rw_replace(rw, n,
                          tenon_aten_update(rw, x, src, steps, rank, offset));
}

tenon_status tenon_aten_diagonal_scatter_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  TENON_TRY(diagonal_of(rw, n, x, dims, steps, &offset));
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps,
                        tenon_aten_type(rw, x)->rank - 1, offset);
}

tenon_status tenon_aten_slice_scatter_lower(tenon_rewriter *rw,
                                            const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], begin, offset;
  int64_t step;
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (rank == 0) return tenon_rw_fail(rw, "needs a dimension");
  TENON_TRY(slice_of(rw, n, dims[axis], &begin, &dims[axis], &step));
  tenon_aten_steps(rw, x, steps);
  offset = tenon_aten_times(rw, begin, steps[axis]);
  steps[axis] = tenon_aten_times(rw, steps[axis], tenon_aten_fixed(step));
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps, rank,
                        offset);
}

tenon_status tenon_aten_select_scatter_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], offset;
  tenon_dim at = tenon_aten_dim(rw, n, "index", 0);
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (rank == 0) return tenon_rw_fail(rw, "needs a dimension");
  TENON_TRY(check_place(rw, at, dims[axis]));
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

tenon_status tenon_aten_as_strided_scatter_lower(tenon_rewriter *rw,
                                                 const tenon_node *n) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK];
  int rank = tenon_aten_dims(rw, n, "size", dims);
  if (rw->api->producer(rw, x))
    return tenon_rw_fail(rw, "the order of what it looks at is not known");
  if (rank < 0 || tenon_aten_dims(rw, n, "stride", steps) != rank)
    return tenon_rw_fail(rw, "sizes and strides differ in number");
  return replace_window(rw, n, x, tenon_aten_in(rw, n, 1), dims, steps, rank,
                        size_or(rw, n, "storage_offset", tenon_aten_fixed(0)));
}
