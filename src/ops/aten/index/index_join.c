// Operators that put tensors together, and repeat them.
#include "ops/aten/index/index_op.h"

tenon_status tenon_aten_tensors(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value **xs, int *count) {
  tenon_aten_promotion p = {0};
  int first = 0;
  *count = rw->api->group(rw, n, 0, &first);
  if (*count < 1 || *count > TENON_ATEN_TENSORS)
    return tenon_rw_fail(rw, "%d tensors, at most %d are possible", *count,
                         TENON_ATEN_TENSORS);
  for (int i = 0; i < *count; ++i) {
    xs[i] = tenon_aten_in(rw, n, first + i);
    tenon_aten_promote_value(rw, &p, xs[i]);
  }
  tenon_dtype t = tenon_aten_promoted(&p);
  if (!t) return tenon_rw_fail(rw, "the element types do not go together");
  for (int i = 0; i < *count; ++i)
    xs[i] = tenon_aten_cast(rw, xs[i], t);
  return TENON_OK;
}

// Tensors of one dimension without elements do not count.
static int drop_empty(tenon_rewriter *rw, tenon_value **xs, int count) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const tenon_type *t = tenon_rw_type(rw, xs[i]);
    bool is_empty = t && t->rank == 1 && tenon_aten_is(t->dims[0], 0);
    if (!is_empty || (kept == 0 && i == count - 1)) xs[kept++] = xs[i];
  }
  return kept;
}

TENON_ATEN_LOWER(cat) {
  tenon_value *xs[TENON_ATEN_TENSORS];
  int count, axis;
  TENON_TRY(tenon_aten_tensors(rw, n, xs, &count));
  count = drop_empty(rw, xs, count);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", xs[0], &axis));
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, xs, count, axis));
}

TENON_ATEN_LOWER(stack) {
  tenon_value *xs[TENON_ATEN_TENSORS];
  int count, axis;
  TENON_TRY(tenon_aten_tensors(rw, n, xs, &count));
  int rank = tenon_aten_known(rw, xs[0])->rank;
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), rank + 1, &axis));
  for (int i = 0; i < count; ++i)
    xs[i] = tenon_aten_unsqueeze(rw, xs[i], axis);
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, xs, count, axis));
}

// x with at least `least` dimensions; `how` says where the new ones go: 'h' and
// 'v' in front, 'd' around, 'c' behind.
static tenon_value *at_least(tenon_rewriter *rw, tenon_value *x, char how) {
  int least = how == 'h' ? 1 : how == 'd' ? 3 : 2;
  const tenon_type *t = tenon_rw_type(rw, x);
  for (int rank = t ? t->rank : least; rank < least; ++rank) {
    bool is_behind = how == 'c' || (how == 'd' && rank != 0 && rank != 1);
    x = tenon_aten_unsqueeze(rw, x, is_behind ? rank : 0);
  }
  return x;
}

TENON_ATEN_LOWER(stacked) {
  const char how = *tenon_aten_user(rw);
  tenon_value *xs[TENON_ATEN_TENSORS];
  int count, axis = how == 'v' ? 0 : how == 'd' ? 2 : 1;
  TENON_TRY(tenon_aten_tensors(rw, n, xs, &count));
  for (int i = 0; i < count; ++i)
    xs[i] = at_least(rw, xs[i], how);
  if (how == 'h' && tenon_aten_known(rw, xs[0])->rank == 1) axis = 0;
  count = drop_empty(rw, xs, count);
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, xs, count, axis));
}

TENON_ATEN_LOWER(at_least) {
  tenon_value *xs[TENON_ATEN_TENSORS];
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  if (count > TENON_ATEN_TENSORS) return tenon_rw_fail(rw, "%d tensors", count);
  for (int i = 0; i < count; ++i)
    xs[i] = at_least(rw, tenon_aten_in(rw, n, first + i), *tenon_aten_user(rw));
  return rw->api->replace(rw, n, xs, count);
}

// --- repeated ----------------------------------------------------------------

// Each run of `inner` elements of dimension `axis` `times` times: with the
// whole dimension as run, x after x; with an element, each one again.
static tenon_value *index_join_repeat(tenon_rewriter *rw, tenon_value *x,
                                      int axis, tenon_dim times, bool each) {
  tenon_dim dims[TENON_MAX_RANK], four[4], wide[4];
  int rank = tenon_aten_dims_of(rw, x, dims);
  if (tenon_aten_is(times, 1)) return x;
  four[0] = tenon_aten_product(rw, dims, each ? axis + 1 : axis);
  four[1] = tenon_aten_fixed(1);
  four[2] = each ? tenon_aten_product(rw, dims + axis + 1, rank - axis - 1)
                 : tenon_aten_product(rw, dims + axis, rank - axis);
  wide[0] = four[0];
  wide[1] = times;
  wide[2] = four[2];
  dims[axis] = tenon_aten_times(rw, dims[axis], times);
  x = tenon_aten_expand(rw, tenon_aten_reshape(rw, x, four, 3), wide, 3);
  return tenon_aten_reshape(rw, x, dims, rank);
}

// `tile` repeats the last dimensions where there are fewer numbers.
TENON_ATEN_LOWER(repeat) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const char *name = tenon_aten_user(rw);
  tenon_dim times[TENON_MAX_RANK];
  int rank = tenon_aten_known(rw, x)->rank;
  int count = tenon_aten_dims(rw, n, name, times), added = count - rank;
  if (count < 0) return tenon_rw_fail(rw, "too many dimensions");
  for (int d = 0; d < added; ++d)
    x = tenon_aten_unsqueeze(rw, x, 0);
  for (int d = 0; d < count; ++d)
    x = index_join_repeat(rw, x, added < 0 ? d - added : d, times[d], false);
  return tenon_rw_replace(rw, n, x);
}

// One number for all elements.
TENON_ATEN_LOWER(repeat_each) {
  // The result's type says it.
  tenon_aten_without_effect(rw, n, "output_size");
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim times = tenon_aten_dim(rw, n, "repeats", 0);
  int axis = 0;
  if (!tenon_aten_has(rw, n, "dim"))
    x = tenon_aten_flat(rw, x);
  else
    TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (tenon_aten_known(rw, x)->rank == 0) x = tenon_aten_flat(rw, x);
  return tenon_rw_replace(rw, n, index_join_repeat(rw, x, axis, times, true));
}

static tenon_value *repeats_of(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t && t->dtype != TENON_S32 && t->dtype != TENON_S64)
    x = tenon_aten_cast(rw, x, TENON_S64);
  return x;
}

// As many places as the call says: behind how many ends of runs each lies.
static tenon_value *places_within(tenon_rewriter *rw, tenon_value *by,
                                  tenon_dim size) {
  by = tenon_aten_cast(rw, by, TENON_S64);
  tenon_aten_check(rw, tenon_aten_formula(rw, "by: all(by >= 0)", by),
                   "repeat_interleave: less than no repetitions");
  tenon_aten_check(
      rw, tenon_aten_formula(rw, "by $size: sum(by) == size", by, size),
      "repeat_interleave: not as many repetitions as output_size");
  return tenon_aten_formula(
      rw, "by at: searchsorted(cumsum(by, 0), at, right=true)", by,
      tenon_aten_ramp(rw, TENON_S64, size));
}

// Each place as often as the numbers say. They must add up to `output_size`,
// where that is given: a run checks it.
static tenon_value *index_join_places_of(tenon_rewriter *rw,
                                         const tenon_node *n, tenon_value *by) {
  by = repeats_of(rw, by);
  return tenon_aten_has(rw, n, "output_size")
             ? places_within(rw, by, tenon_aten_dim(rw, n, "output_size", 0))
             : tenon_rw_op1(rw, "core::repeat_interleave", by);
}

TENON_ATEN_LOWER(repeat_places) {
  tenon_value *by = tenon_aten_in(rw, n, 0);
  const tenon_dtype t = tenon_aten_known(rw, by)->dtype;
  return tenon_rw_replace(
      rw, n, tenon_aten_cast(rw, index_join_places_of(rw, n, by), t));
}

// A number for each element.
TENON_ATEN_LOWER(repeat_by) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *by = tenon_aten_in(rw, n, 1);
  tenon_dim size;
  int axis = 0;
  if (!tenon_aten_has(rw, n, "dim"))
    x = tenon_aten_flat(rw, x);
  else
    TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  size = tenon_aten_size(rw, x, axis);
  by = tenon_aten_flat(rw, by);
  if (tenon_aten_is(tenon_aten_size(rw, by, 0), 1))
    by = tenon_aten_expand(rw, by, &size, 1);
  by = index_join_places_of(rw, n, by);
  return tenon_rw_replace(
      rw, n, tenon_aten_index(rw, x, &by, 1, axis, TENON_ATEN_FROM_START));
}

// --- grids -------------------------------------------------------------------

// Vector i along dimension i of a grid.
static void grid_of(tenon_rewriter *rw, tenon_value **xs, int count) {
  tenon_dim dims[TENON_MAX_RANK], one[TENON_MAX_RANK];
  for (int i = 0; i < count; ++i) {
    xs[i] = tenon_aten_flat(rw, xs[i]);
    dims[i] = tenon_aten_size(rw, xs[i], 0);
    one[i] = tenon_aten_fixed(1);
  }
  for (int i = 0; i < count; ++i) {
    one[i] = dims[i];
    xs[i] = tenon_aten_expand(rw, tenon_aten_reshape(rw, xs[i], one, count),
                              dims, count);
    one[i] = tenon_aten_fixed(1);
  }
}

// With "xy" the first two dimensions change places.
TENON_ATEN_LOWER(meshgrid) {
  const char *indexing = tenon_aten_str(rw, n, "indexing");
  bool is_xy = indexing && indexing[0] == 'x';
  tenon_value *xs[TENON_MAX_RANK];
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  if (count < 1 || count > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "%d tensors", count);
  const int swapped = is_xy && count > 1;
  for (int i = 0; i < count; ++i)
    xs[i < 2 ? i ^ swapped : i] = tenon_aten_in(rw, n, first + i);
  grid_of(rw, xs, count);
  if (swapped) {
    tenon_value *x0 = xs[0];
    xs[0] = xs[1];
    xs[1] = x0;
  }
  return rw->api->replace(rw, n, xs, count);
}

TENON_ATEN_LOWER(cartesian_prod) {
  tenon_value *xs[TENON_ATEN_TENSORS];
  int count;
  TENON_TRY(tenon_aten_tensors(rw, n, xs, &count));
  if (count > TENON_MAX_RANK) return tenon_rw_fail(rw, "%d tensors", count);
  if (count == 1) return tenon_rw_replace(rw, n, xs[0]);
  grid_of(rw, xs, count);
  for (int i = 0; i < count; ++i)
    xs[i] = tenon_aten_unsqueeze(rw, tenon_aten_flat(rw, xs[i]), 1);
  return tenon_rw_replace(rw, n, tenon_rw_concat(rw, xs, count, 1));
}
