// Writing at indices: SCATTER_ND, SEGMENT_SUM, UNSORTED_SEGMENT_* and
// DYNAMIC_UPDATE_SLICE. An index outside of the result is an error.
#include <float.h>

#include "ops/tfl/tfl_op.h"

// One number everywhere.
static tenon_value *filled(tenon_rewriter *rw, const tenon_type *t, double v) {
  tenon_tfl_shape shape = tenon_tfl_shape_of(t);
  return tenon_tfl_expand(rw, tenon_rw_scalar(rw, t->dtype, v), &shape);
}

// ---------------------------------------------------------------------------
// SCATTER_ND
// ---------------------------------------------------------------------------

// Updates have the axes of the indices but the last, then those of the result
// that the indices leave.
static tenon_status check_updates(tenon_infer *c, const tenon_type *at,
                                  const tenon_type *u, const tenon_tfl_shape *y,
                                  int n) {
  bool fits = u->rank == at->rank - 1 + y->rank - n;
  for (int i = 0; fits && i < at->rank - 1; ++i)
    fits = !tenon_tfl_differ(u->dims[i], at->dims[i]);
  for (int i = n; fits && i < y->rank; ++i)
    fits = !tenon_tfl_differ(u->dims[at->rank - 1 + i - n], y->dims[i]);
  return fits ? TENON_OK
              : tenon_infer_fail(c, "'updates' is not what the indices select");
}

tenon_status tenon_tfl_scatter_nd_infer(tenon_infer *c) {
  const tenon_type *at = tenon_infer_in(c, 0), *u = tenon_infer_in(c, 1);
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_sizes(c, 2, "shape", &y));
  int64_t n = at->rank ? at->dims[at->rank - 1].value : 0;
  if (at->rank < 1 || at->dims[at->rank - 1].symbol || n < 1 || n > y.rank)
    return tenon_infer_fail(c, "rows of %lld indices for %d dimensions",
                            (long long)n, y.rank);
  TENON_TRY(tenon_tfl_check_indices(c, 0, "indices", y.dims, (int)n));
  TENON_TRY(check_updates(c, at, u, &y, (int)n));
  return tenon_tfl_result(c, 0, &y, u->dtype, u);
}

tenon_status tenon_tfl_scatter_nd_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *columns[TENON_MAX_RANK], *u = tenon_tfl_in(rw, node, 1);
  tenon_type y = *rw->api->result(rw, node, 0);
  tenon_dim dims[TENON_MAX_RANK];
  y.rank = (uint8_t)tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 2), dims);
  y.dims = dims;
  int n = tenon_tfl_columns(rw, tenon_tfl_in(rw, node, 0), columns);
  tenon_value *zeros = filled(rw, &y, 0);
  return tenon_rw_replace(
      rw, node, tenon_tfl_index_put(rw, zeros, u, columns, n, TFL_PUT_ADD));
}

// ---------------------------------------------------------------------------
// SEGMENT_SUM, UNSORTED_SEGMENT_*
// ---------------------------------------------------------------------------

// The result has `count` rows like those of x behind the axes of the ids.
static tenon_status segments(tenon_infer *c, const tenon_type *x,
                             const tenon_type *ids, tenon_dim count) {
  tenon_tfl_shape y = {.rank = 1 + x->rank - ids->rank};
  if (!count.symbol && (count.value < 0 || count.value > INT32_MAX))
    return tenon_infer_fail(c, "%lld segments", (long long)count.value);
  y.dims[0] = count;
  TENON_TRY(tenon_tfl_check_indices(c, 1, "ids", y.dims, 1));
  for (int i = ids->rank; i < x->rank; ++i)
    y.dims[1 + i - ids->rank] = x->dims[i];
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

static tenon_status check_ids(tenon_infer *c, const tenon_type **x,
                              const tenon_type **ids) {
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, x));
  TENON_TRY(tenon_tfl_operand(c, 1, "ids", -1, ids));
  bool fits = (*ids)->rank >= 1 && (*ids)->rank <= (*x)->rank;
  for (int i = 0; fits && i < (*ids)->rank; ++i)
    fits = !tenon_tfl_differ((*x)->dims[i], (*ids)->dims[i]);
  return fits ? TENON_OK
              : tenon_infer_fail(c, "'ids' is no index of 'x' by its axes");
}

tenon_status tenon_tfl_segment_sum_infer(tenon_infer *c) {
  const tenon_type *x, *ids;
  int64_t id = -1, last = -1;
  TENON_TRY(check_ids(c, &x, &ids));
  if (ids->rank != 1)
    return tenon_infer_fail(c, "'ids' has %d dimensions, expected 1",
                            ids->rank);
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant)
    return segments(c, x, ids,
                    c->api->decided(c, tenon_tfl_fixed(TENON_UNKNOWN)));
  for (size_t i = 0; i < tenon_count(constant); ++i, last = id) {
    if (!tenon_tfl_int(constant, i, &id) || id < last)
      return tenon_infer_fail(c, "'ids' are no integers in ascending order");
  }
  return segments(c, x, ids, tenon_tfl_fixed(last + 1));
}

tenon_status tenon_tfl_segments_infer(tenon_infer *c) {
  const tenon_type *x, *ids;
  tenon_dim n = tenon_tfl_fixed(TENON_UNKNOWN);
  TENON_TRY(check_ids(c, &x, &ids));
  TENON_TRY(tenon_tfl_one_size(c, 2, "count", n, &n));
  return segments(c, x, ids, n);
}

// What no row was put into, by mode.
static double scatter_nothing(tenon_dtype dtype, int64_t mode) {
  double most = dtype == TENON_F32   ? (double)FLT_MAX
                : dtype == TENON_S32 ? (double)INT32_MAX
                                     : 0;
  switch (mode) {
    case TFL_PUT_MUL:
      return 1;
    case TFL_PUT_MAX:
      return dtype == TENON_S32 ? (double)INT32_MIN : -most;
    case TFL_PUT_MIN:
      return most;
    default:
      return 0;
  }
}

// How many segments: an operand, or one more than the last id, which is the
// largest.
static tenon_status count_in(tenon_rewriter *rw, const tenon_node *node,
                             tenon_dim *n) {
  tenon_value *ids = tenon_tfl_in(rw, node, 1),
              *count = tenon_tfl_in(rw, node, 2);
  const tenon_type *t = tenon_rw_type(rw, ids);
  if (count) {
    *n = tenon_tfl_number_in(rw, count, 0);
    return TENON_OK;
  }
  if (!n->symbol) return TENON_OK;
  if (t->dims[0].symbol)
    return tenon_rw_fail(rw, "ids of an open size are not supported");
  if (tenon_tfl_is(t->dims[0], 0)) {
    *n = tenon_tfl_fixed(0);
    return TENON_OK;
  }
  tenon_value *last = tenon_tfl_element(rw, ids, (int)(t->dims[0].value - 1));
  last = tenon_tfl_by(rw, "core::add", last, 1);
  *n = rw->api->number(rw, last);
  return TENON_OK;
}

tenon_status tenon_tfl_segments_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  const char *modes = "=+*><";
  const char *how = (const char *)rw->api->user(rw);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *ids = tenon_tfl_in(rw, node, 1);
  const tenon_type *y = rw->api->result(rw, node, 0);
  if (y->dtype != TENON_F32 && y->dtype != TENON_S32)
    return tenon_tfl_refuse(rw, y);
  TENON_TRY(tenon_tfl_refuse_scale(rw, y));
  tenon_type whole = *y;
  tenon_dim dims[TENON_MAX_RANK];
  for (int i = 0; i < y->rank; ++i)
    dims[i] = y->dims[i];
  TENON_TRY(count_in(rw, node, &dims[0]));
  whole.dims = dims;
  int mode = 0;
  while (modes[mode] != *how)
    ++mode;
  tenon_value *empty = filled(rw, &whole, scatter_nothing(y->dtype, mode));
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_index_put(rw, empty, x, &ids, 1, (tenon_tfl_put)mode));
}

// ---------------------------------------------------------------------------
// DYNAMIC_UPDATE_SLICE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_dynamic_update_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *u, *at;
  TENON_TRY(tenon_tfl_operand(c, 1, "update", x->rank, &u));
  TENON_TRY(tenon_tfl_operand(c, 2, "begin", 1, &at));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", u, "update"));
  TENON_TRY(tenon_tfl_check_whole(c, at, "begin"));
  for (int i = 0; i < x->rank; ++i) {
    if (!x->dims[i].symbol && !u->dims[i].symbol &&
        u->dims[i].value > x->dims[i].value)
      return tenon_infer_fail(c, "an update of %lld in dimension %d of %lld",
                              (long long)u->dims[i].value, i,
                              (long long)x->dims[i].value);
  }
  return tenon_tfl_like(c, x);
}

tenon_status tenon_tfl_dynamic_update_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1),
                       tenon_tfl_in(rw, node, 2)};
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  if (!tenon_tfl_same_scale(x, tenon_rw_type(rw, in[1])))
    return tenon_rw_fail(rw, "an update of another scale is not supported");
  return tenon_rw_replace(
      rw, node, tenon_tfl_update_at(rw, in[0], in[1], in[2], x->rank));
}

// ---------------------------------------------------------------------------
// SPARSE_TO_DENSE
// ---------------------------------------------------------------------------

// Operands: indices [], [n] or [n, rank], shape, values [] or [n], default [].
tenon_status tenon_tfl_sparse_infer(tenon_infer *c) {
  const tenon_type *at = tenon_infer_in(c, 0), *values = tenon_infer_in(c, 2),
                   *other;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_sizes(c, 1, "shape", &y));
  TENON_TRY(tenon_tfl_operand(c, 3, "default", 0, &other));
  TENON_TRY(tenon_tfl_check_alike(c, values, "values", other, "default"));
  const int n = at->rank == 2 ? (int)at->dims[1].value : 1;
  if (at->rank > 2 || values->rank > 1 || n != y.rank ||
      (at->rank == 2 && at->dims[1].symbol))
    return tenon_infer_fail(c, "indices of %d dimensions for %d", n, y.rank);
  const tenon_dim rows = at->rank ? at->dims[0] : tenon_tfl_fixed(1);
  if (values->rank == 1 && tenon_tfl_differ(values->dims[0], rows))
    return tenon_infer_fail(c, "%lld values for %lld indices",
                            (long long)values->dims[0].value,
                            (long long)rows.value);
  TENON_TRY(
      tenon_tfl_check_indices(c, 0, "indices", y.dims, at->rank == 2 ? n : 1));
  return tenon_tfl_result(c, 0, &y, values->dtype, values);
}

tenon_status tenon_tfl_sparse_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *at = tenon_tfl_in(rw, node, 0), *columns[TENON_MAX_RANK];
  // LiteRT moves what is stored, whatever the scales say.
  tenon_value *values = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 2), NULL);
  const tenon_type *t = tenon_rw_type(rw, at),
                   *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape all = {.rank = 0};
  tenon_tfl_shape rows = {
      {t->rank ? t->dims[0] : tenon_tfl_fixed(1), tenon_tfl_fixed(1)}, 2};
  all.rank = tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 1), all.dims);
  if (t->rank < 2) at = tenon_tfl_reshape(rw, at, &rows, NULL);
  const int n = tenon_tfl_columns(rw, at, columns);
  rows.rank = 1;
  values = tenon_rw_type(rw, values)->rank
               ? tenon_tfl_reshape(rw, values, &rows, NULL)
               : tenon_tfl_expand(rw, values, &rows);
  tenon_value *all_same = tenon_tfl_expand(
      rw, tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 3), NULL), &all);
  values = tenon_tfl_index_put(rw, all_same, values, columns, n, TFL_PUT_SET);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, values, y->quant));
}
