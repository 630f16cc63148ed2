// EMBEDDING_LOOKUP_SPARSE: rows of a table, weighted, and those with the same
// place in a sparse tensor added up.
#include "ops/tfl/tfl_op.h"

// Operands, and how rows of one place become one.
enum { IDS, INDICES, SHAPE, WEIGHTS, VALUE, ALL };
enum { COMBINE_SUM, COMBINE_MEAN, COMBINE_SQRTN };

tenon_status tenon_tfl_sparse_embedding_infer(tenon_infer *c) {
  const tenon_tfl_combiner_attrs *a = tenon_infer_attrs(c);
  const tenon_type *value = tenon_infer_in(c, VALUE);
  tenon_shapes s = {.n_names = 0};
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_shapes(c, &s,
                             "ids s32[n], indices s32[n,k], shape s32[_], "
                             "weights f32[n], value f32"));
  if (a->combiner < COMBINE_SUM || a->combiner > COMBINE_SQRTN)
    return tenon_infer_fail(c, "unknown combiner %lld", (long long)a->combiner);
  const tenon_dim columns = tenon_shapes_get(&s, "k");
  if (columns.symbol || columns.value < 1 || value->rank < 2 ||
      columns.value + value->rank - 2 > TENON_MAX_RANK)
    return tenon_infer_fail(
        c, "indices of %lld columns for a table of %d dimensions",
        (long long)columns.value, value->rank);
  TENON_TRY(tenon_tfl_sizes(c, SHAPE, "shape", &y));
  if (y.rank != columns.value)
    return tenon_infer_fail(c, "'shape' has %d sizes, 'indices' %lld columns",
                            y.rank, (long long)columns.value);
  --y.rank;
  for (int i = 1; i < value->rank; ++i)
    y.dims[y.rank++] = value->dims[i];
  return tenon_tfl_result(c, 0, &y, TENON_F32, value);
}

// The place of each row, in the order of the result's; `n` is how many places
// there are.
static tenon_value *embedding_sparse_places_of(tenon_rewriter *rw,
                                               const tenon_node *node,
                                               const tenon_dim *sizes, int rank,
                                               tenon_dim *n) {
  tenon_value *columns[TENON_MAX_RANK];
  tenon_value *at = tenon_tfl_cast(rw, tenon_tfl_in(rw, node, IDS), TENON_S64);
  at = tenon_tfl_by(rw, "core::mul", at, 0);
  *n = tenon_tfl_fixed(1);
  (void)tenon_tfl_columns(rw, tenon_tfl_in(rw, node, INDICES), columns);
  for (int i = 0; i < rank; ++i) {
    at = tenon_aten_formula(rw, "at $size column: at * size + s64(column)", at,
                            sizes[i], columns[i]);
    *n = rw->api->dim(rw, TENON_DIM_MUL, *n, sizes[i]);
  }
  return at;
}

// LiteRT divides when the next place is another: of places that come again it
// divides what has been divided.
static tenon_status require_order(tenon_rewriter *rw, tenon_value *at) {
  const tenon_type *t = tenon_rw_type(rw, at);
  if (t->dims[0].symbol)
    return tenon_rw_fail(rw,
                         "a mean of an open number of rows is not "
                         "supported");
  return tenon_tfl_require_order(rw, at, "core::le",
                                 "indices that do not ascend");
}

static tenon_value *added(tenon_rewriter *rw, tenon_value *rows,
                          tenon_value *at, tenon_dim n) {
  tenon_tfl_shape all = tenon_tfl_shape_of(tenon_rw_type(rw, rows));
  all.dims[0] = n;
  tenon_value *zeros =
      tenon_tfl_expand(rw, tenon_rw_scalar(rw, TENON_F32, 0), &all);
  return tenon_tfl_index_put(rw, zeros, rows, &at, 1, TFL_PUT_ADD);
}

tenon_status tenon_tfl_sparse_embedding_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_combiner_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *value = tenon_tfl_in(rw, node, VALUE);
  tenon_value *ids = tenon_tfl_in(rw, node, IDS);
  tenon_value *w = tenon_tfl_in(rw, node, WEIGHTS);
  tenon_dim sizes[TENON_MAX_RANK], n;
  const int rank =
      tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, SHAPE), sizes) - 1;
  tenon_value *at = embedding_sparse_places_of(rw, node, sizes, rank, &n);
  const tenon_type *t = tenon_rw_type(rw, value);
  tenon_tfl_shape to = {.rank = rank};
  tenon_tfl_shape column =
      tenon_tfl_along(t->rank, 0, tenon_rw_type(rw, w)->dims[0]);
  tenon_value *rows = tenon_tfl_index(rw, value, &ids, 1, 0, NULL);
  rows = tenon_rw_op2(rw, "core::mul", rows,
                      tenon_tfl_reshape(rw, w, &column, NULL));
  tenon_value *y = added(rw, rows, at, n);
  if (a->combiner != COMBINE_SUM) {
    TENON_TRY(require_order(rw, at));
    const tenon_tfl_shape ids_shape = {{column.dims[0]}, 1};
    tenon_value *one = tenon_rw_scalar(rw, TENON_F32, 1);
    tenon_value *count =
        added(rw, tenon_tfl_expand(rw, one, &ids_shape), at, n);
    const bool is_mean = a->combiner == COMBINE_MEAN;
    tenon_value *by =
        added(rw, is_mean ? w : tenon_rw_op2(rw, "core::mul", w, w), at, n);
    // Places without rows stay 0.
    by = tenon_aten_formula(
        rw, "by count @is_mean: count > 0 ? if(is_mean, by, sqrt(by)) : 1", by,
        count, (int)is_mean);
    column.dims[0] = n;
    y = tenon_rw_op2(rw, "core::div", y,
                     tenon_tfl_reshape(rw, by, &column, NULL));
  }
  for (int i = 0; i < rank; ++i)
    to.dims[i] = sizes[i];
  for (int i = 1; i < t->rank; ++i)
    to.dims[to.rank++] = t->dims[i];
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, y, &to, NULL));
}
