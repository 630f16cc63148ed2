// Operators that take parts of a tensor: windows, and lists of them.
#include "ops/aten/index/index_op.h"

enum { MOST_PARTS = 256 };

// What is stated wins where it is a number: a guard of the file has decided.
static tenon_dim stated_size(tenon_rewriter *rw, const tenon_node *n, int axis,
                             tenon_dim size) {
  const tenon_type *t = tenon_aten_stated(rw, n, 0);
  if (size.symbol && t && axis < t->rank && !t->dims[axis].symbol)
    return t->dims[axis];
  return size;
}

TENON_ATEN_LOWER(slice) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim begin, size;
  int64_t step;
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  TENON_TRY(tenon_aten_slice_of(rw, n, tenon_aten_size(rw, x, axis), &begin,
                                &size, &step));
  size = stated_size(rw, n, axis, size);
  return tenon_rw_replace(rw, n,
                          tenon_aten_cut(rw, x, axis, begin, size, step));
}

TENON_ATEN_LOWER(select) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim at = tenon_aten_dim(rw, n, "index", 0), size;
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  size = tenon_aten_size(rw, x, axis);
  TENON_TRY(tenon_aten_check_place(rw, at, size));
  at = tenon_aten_place(rw, at, size);
  return tenon_rw_replace(rw, n, tenon_aten_select(rw, x, axis, at));
}

TENON_ATEN_LOWER(narrow) {
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
static int index_slice_count_results(tenon_rewriter *rw, const tenon_node *n) {
  int count = 0;
  while (count < MOST_PARTS && tenon_aten_result(rw, n, count))
    ++count;
  return count;
}

// Runs of `each` elements; 0 runs: as many as there are.
static tenon_status replace_runs(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x, int axis, tenon_dim each) {
  tenon_dim whole = tenon_aten_size(rw, x, axis), sizes[MOST_PARTS];
  int64_t count = index_slice_count_results(rw, n);
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

TENON_ATEN_LOWER(split) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  return replace_runs(rw, n, x, axis, tenon_aten_dim(rw, n, "split_size", 0));
}

// The dimension that is named, or the one that the row's letter stands for:
// hsplit, vsplit, dsplit.
static tenon_status split_axis(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value *x, int *axis) {
  const char *how = tenon_aten_user(rw);
  int rank = tenon_aten_known(rw, x)->rank;
  if (!how) return tenon_aten_axis_of(rw, n, "dim", x, axis);
  *axis = *how == 'v' ? 0 : *how == 'd' ? 2 : rank > 1 ? 1 : 0;
  return *axis < rank ? TENON_OK : tenon_rw_fail(rw, "rank %d", rank);
}

static tenon_dim index_slice_round_up(tenon_rewriter *rw, tenon_dim size,
                                      int64_t by) {
  size = tenon_aten_plus(rw, size, tenon_aten_fixed(by - 1));
  return rw->api->dim(rw, TENON_DIM_DIV, size, tenon_aten_fixed(by));
}

TENON_ATEN_LOWER(chunk) {
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
  return replace_runs(rw, n, x, axis, index_slice_round_up(rw, whole, chunks));
}

TENON_ATEN_LOWER(split_with_sizes) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const char *name = tenon_aten_user(rw);
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
static tenon_status split_in(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *x, int axis, int64_t sections) {
  tenon_dim whole = tenon_aten_size(rw, x, axis), sizes[MOST_PARTS];
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
static tenon_status split_at(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *x, int axis, const tenon_dim *places,
                             size_t count) {
  tenon_value *parts[MOST_PARTS];
  tenon_dim whole = tenon_aten_size(rw, x, axis), at = tenon_aten_fixed(0);
  for (size_t i = 0; i <= count; ++i) {
    tenon_dim end = tenon_aten_place(rw, i < count ? places[i] : whole, whole);
    tenon_dim size = tenon_aten_minus(rw, end, at);
    size = rw->api->dim(rw, TENON_DIM_MAX, size, tenon_aten_fixed(0));
    parts[i] = tenon_aten_cut(rw, x, axis, at, size, 1);
    at = end;
  }
  return rw->api->replace(rw, n, parts, (int)count + 1);
}

TENON_ATEN_LOWER(tensor_split) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int axis;
  TENON_TRY(split_axis(rw, n, x, &axis));
  return split_in(rw, n, x, axis, tenon_aten_int(rw, n, "sections"));
}

TENON_ATEN_LOWER(split_at) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  size_t count = tenon_aten_ints(rw, n, "indices").count;
  tenon_dim places[MOST_PARTS];
  int axis;
  TENON_TRY(split_axis(rw, n, x, &axis));
  if (count >= MOST_PARTS) return tenon_rw_fail(rw, "%zu parts", count + 1);
  for (size_t i = 0; i < count; ++i)
    places[i] = tenon_aten_dim(rw, n, "indices", (int)i);
  return split_at(rw, n, x, axis, places, count);
}

// Where slices of `whole` elements begin and end whose places are numbers of a
// run: from the end where they are negative, and never outside.
static tenon_value *index_slice_places_of(tenon_rewriter *rw, tenon_value *by,
                                          tenon_dim whole) {
  return tenon_aten_formula(
      rw, "by $size: minimum(maximum(by < 0 ? by + size : by, 0), size)", by,
      whole);
}

// From one number of a run to the next. How many elements a part has is then
// what its mask finds.
static tenon_status split_by_data(tenon_rewriter *rw, const tenon_node *n,
                                  tenon_value *x, int axis, tenon_value *by) {
  const tenon_type *t = tenon_aten_known(rw, by);
  tenon_value *parts[MOST_PARTS];
  if (t->rank != 1 || t->dtype != TENON_S64 || t->dims[0].symbol)
    return tenon_rw_fail(rw, "the number of parts is left to the data");
  const int64_t count = t->dims[0].value;
  if (count >= MOST_PARTS)
    return tenon_rw_fail(rw, "%lld parts", (long long)count + 1);
  const tenon_dim whole = tenon_aten_size(rw, x, axis);
  tenon_value *at = tenon_aten_ramp(rw, TENON_S64, whole), *end = NULL;
  by = index_slice_places_of(rw, by, whole);
  for (int64_t i = 0; i <= count; ++i) {
    tenon_value *mask = NULL, *begin = end;
    end = i == count ? NULL
                     : tenon_aten_cut(rw, by, 0, tenon_aten_fixed(i),
                                      tenon_aten_fixed(1), 1);
    if (begin) mask = tenon_rw_op2(rw, "core::ge", at, begin);
    if (end) {
      tenon_value *is_before = tenon_rw_op2(rw, "core::lt", at, end);
      mask = mask ? tenon_rw_op2(rw, "core::bitwise_and", mask, is_before)
                  : is_before;
    }
    parts[i] = mask ? tenon_aten_masked(rw, x, axis, mask) : x;
  }
  return rw->api->replace(rw, n, parts, (int)count + 1);
}

TENON_ATEN_LOWER(split_by) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_value *data = tenon_aten_in(rw, n, 1);
  const tenon_tensor *by = rw->api->constant(rw, data);
  tenon_dim places[MOST_PARTS];
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (!by || !by->data || by->dtype != TENON_S64)
    return split_by_data(rw, n, x, axis, data);
  if (by->rank == 0)
    return split_in(rw, n, x, axis, *(const int64_t *)by->data);
  size_t count = tenon_count(by);
  if (count >= MOST_PARTS) return tenon_rw_fail(rw, "%zu parts", count + 1);
  for (size_t i = 0; i < count; ++i)
    places[i] = tenon_aten_fixed(((const int64_t *)by->data)[i]);
  return split_at(rw, n, x, axis, places, count);
}

TENON_ATEN_LOWER(unbind) {
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
