// STABLEHLO_GATHER, STABLEHLO_SCATTER, STABLEHLO_DYNAMIC_SLICE and
// STABLEHLO_DYNAMIC_UPDATE_SLICE.
//
// How: the first two compute, for each element of the result or of the updates,
// its place among the elements of the operand, in s64, and index the operand as
// one line. What a scatter puts outside goes to an element behind the line.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// Different numbers from 0 to n - 1.
static bool hlo_index_are_dims(tenon_ints list, int64_t n) {
  for (size_t i = 0; i < list.count; ++i) {
    const tenon_ints before = {list.data, i};
    if (list.data[i] < 0 || list.data[i] >= n ||
        tenon_tfl_holds(before, list.data[i]))
      return false;
  }
  return true;
}

static bool are_rising(tenon_ints list) {
  for (size_t i = 1; i < list.count; ++i)
    if (list.data[i] <= list.data[i - 1]) return false;
  return true;
}

static int64_t hlo_index_count_of(const tenon_type *t) {
  int64_t n = 1;
  for (int i = 0; i < t->rank; ++i)
    n *= t->dims[i].value;
  return n;
}

// How a gather or scatter maps dimensions. `many` is what has an element for
// each place: the result of a gather, the updates of a scatter.
typedef struct places {
  tenon_rewriter *rw;
  tenon_value *at;
  const tenon_type *x, *many;
  tenon_ints windows;   // dimensions of `many` that walk along x
  tenon_ints dropped;   // dimensions of x that none walks along
  tenon_ints map;       // dimension of x of each number of an index
  int64_t vector;       // dimension of the indices that holds an index
  const int64_t *size;  // of a window, by dimensions of x; null: not brought in
} places;

// Number k of each index, s64, as it broadcasts to `many`.
static tenon_value *hlo_index_start(const places *p, int k) {
  const tenon_type *t = tenon_rw_type(p->rw, p->at);
  tenon_value *at = p->at;
  tenon_tfl_shape y = {.rank = p->many->rank};
  if (p->vector < t->rank)
    at = tenon_tfl_part(p->rw, at, (int)p->vector, tenon_tfl_fixed(k),
                        tenon_tfl_fixed(1), 1);
  for (int i = 0, from = 0; i < y.rank; ++i) {
    y.dims[i] = tenon_tfl_fixed(1);
    if (tenon_tfl_holds(p->windows, i)) continue;
    if (from == p->vector) ++from;
    y.dims[i] = t->dims[from++];
  }
  return tenon_tfl_cast(p->rw, tenon_tfl_reshape(p->rw, at, &y, NULL),
                        TENON_S64);
}

// 0, 1, ... along one dimension of `many`, s64.
static tenon_value *hlo_index_walk(const places *p, int64_t dim) {
  return tenon_tfl_line(p->rw, p->many->dims[dim], p->many->rank, (int)dim,
                        TENON_S64);
}

// The place in dimension d of x; a gather brings its start within x.
static tenon_value *place_in(const places *p, int d, int window) {
  tenon_value *at = NULL;
  for (size_t k = 0; k < p->map.count; ++k)
    if (p->map.data[k] == d) at = hlo_index_start(p, (int)k);
  if (at && p->size) {
    const int64_t most = p->x->dims[d].value - p->size[d];
    at = tenon_aten_formula(p->rw, "at #most: maximum(minimum(at, most), 0)",
                            at, (double)most);
  }
  if (window >= 0) {
    tenon_value *more = hlo_index_walk(p, p->windows.data[window]);
    at = at ? tenon_rw_op2(p->rw, "core::add", at, more) : more;
  }
  return at ? at : tenon_rw_scalar(p->rw, TENON_S64, 0);
}

// The places in x as one line, as large as `many`; where `inside` is not null,
// what is not within x is behind its end.
static tenon_value *line_places(const places *p, bool has_outside) {
  tenon_value *sum = tenon_rw_scalar(p->rw, TENON_S64, 0);
  tenon_value *inside = tenon_rw_scalar(p->rw, TENON_BOOL, 1);
  const tenon_tfl_shape all = tenon_tfl_shape_of(p->many);
  int64_t stride = hlo_index_count_of(p->x);
  for (int d = 0, window = 0; d < p->x->rank; ++d) {
    const int64_t n = p->x->dims[d].value;
    stride = n ? stride / n : 0;
    tenon_value *at =
        place_in(p, d, tenon_tfl_holds(p->dropped, d) ? -1 : window++);
    sum = tenon_aten_formula(p->rw, "sum at #stride: sum + at * stride", sum,
                             at, (double)stride);
    if (has_outside)
      inside =
          tenon_aten_formula(p->rw, "inside at #n: inside & at >= 0 & at < n",
                             inside, at, (double)n);
  }
  if (has_outside)
    sum = tenon_aten_formula(p->rw, "inside sum #behind: inside ? sum : behind",
                             inside, sum, (double)hlo_index_count_of(p->x));
  return tenon_tfl_expand(p->rw, sum, &all);
}

// As many numbers in an index as the map has.
static tenon_status check_map(tenon_infer *c, const tenon_type *x,
                              const tenon_type *at, tenon_ints map,
                              int64_t vector) {
  if (vector < 0 || vector > at->rank || !hlo_index_are_dims(map, x->rank))
    return tenon_infer_fail(c,
                            "index_vector_dim %lld and dimensions that the "
                            "operands have not",
                            (long long)vector);
  const tenon_dim n = vector < at->rank ? at->dims[vector] : tenon_tfl_fixed(1);
  if (tenon_tfl_differ(n, tenon_tfl_fixed((int64_t)map.count)))
    return tenon_infer_fail(c, "indices of %lld numbers for %zu dimensions",
                            (long long)n.value, map.count);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// STABLEHLO_GATHER
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_stablehlo_gather_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_gather_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_infer_in(c, 1);
  TENON_TRY(tenon_tfl_check_whole(c, at, "indices"));
  TENON_TRY(check_map(c, x, at, a->start_index_map, a->index_vector_dim));
  tenon_tfl_shape y = {.rank = (int)a->offset_dims.count + at->rank -
                               (a->index_vector_dim < at->rank)};
  if (a->slice_sizes.count != x->rank || y.rank > TENON_MAX_RANK ||
      !hlo_index_are_dims(a->collapsed_slice_dims, x->rank) ||
      !hlo_index_are_dims(a->offset_dims, y.rank) ||
      !are_rising(a->offset_dims) ||
      a->offset_dims.count + a->collapsed_slice_dims.count != x->rank)
    return tenon_infer_fail(c,
                            "%zu sizes, %zu offset and %zu collapsed "
                            "dimensions for %d dimensions",
                            a->slice_sizes.count, a->offset_dims.count,
                            a->collapsed_slice_dims.count, x->rank);
  for (int d = 0; d < x->rank; ++d) {
    const int64_t n = a->slice_sizes.data[d];
    const bool is_one = tenon_tfl_holds(a->collapsed_slice_dims, d);
    if (n < 0 || (is_one && n != 1) ||
        (!x->dims[d].symbol && n > x->dims[d].value))
      return tenon_infer_fail(c, "a slice of %lld in dimension %d",
                              (long long)n, d);
  }
  for (int i = 0, d = 0, from = 0; i < y.rank; ++i) {
    if (tenon_tfl_holds(a->offset_dims, i)) {
      while (tenon_tfl_holds(a->collapsed_slice_dims, d))
        ++d;
      y.dims[i] = tenon_tfl_fixed(a->slice_sizes.data[d++]);
      continue;
    }
    if (from == a->index_vector_dim) ++from;
    y.dims[i] = at->dims[from++];
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_gather_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_stablehlo_gather_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 0), NULL);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const places p = {rw,
                    tenon_tfl_in(rw, node, 1),
                    tenon_rw_type(rw, x),
                    y,
                    a->offset_dims,
                    a->collapsed_slice_dims,
                    a->start_index_map,
                    a->index_vector_dim,
                    a->slice_sizes.data};
  if (!tenon_tfl_is_fixed(p.x) || !tenon_tfl_is_fixed(y))
    return tenon_rw_fail(rw, "open sizes are not supported");
  tenon_value *at = line_places(&p, false);
  x = tenon_tfl_index(rw, tenon_tfl_row(rw, x), &at, 1, 0, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

// ---------------------------------------------------------------------------
// STABLEHLO_SCATTER
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_stablehlo_scatter_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_scatter_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_infer_in(c, 1),
                   *u = tenon_infer_in(c, 2);
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", u, "updates"));
  TENON_TRY(tenon_tfl_check_whole(c, at, "indices"));
  TENON_TRY(check_map(c, x, at, a->scatter_dims_to_operand_dims,
                      a->index_vector_dim));
  const int rows = at->rank - (a->index_vector_dim < at->rank);
  if (!hlo_index_are_dims(a->update_window_dims, u->rank) ||
      !are_rising(a->update_window_dims) ||
      !hlo_index_are_dims(a->inserted_window_dims, x->rank) ||
      a->update_window_dims.count + a->inserted_window_dims.count != x->rank ||
      (int)a->update_window_dims.count + rows != u->rank)
    return tenon_infer_fail(c,
                            "%zu window and %zu inserted dimensions for "
                            "updates of %d",
                            a->update_window_dims.count,
                            a->inserted_window_dims.count, u->rank);
  for (int i = 0, from = 0; i < u->rank; ++i) {
    if (tenon_tfl_holds(a->update_window_dims, i)) continue;
    if (from == a->index_vector_dim) ++from;
    if (tenon_tfl_differ(u->dims[i], at->dims[from++]))
      return tenon_infer_fail(c,
                              "dimension %d of 'updates' is none of the "
                              "indices",
                              i);
  }
  return tenon_tfl_like(c, x);
}

static bool put_of(const char *body, tenon_tfl_put *out) {
  static const struct {
    const char *name;
    tenon_tfl_put mode;
  } rows[] = {{"second", TFL_PUT_SET},
              {"STABLEHLO_ADD", TFL_PUT_ADD},
              {"STABLEHLO_MULTIPLY", TFL_PUT_MUL},
              {"STABLEHLO_MAXIMUM", TFL_PUT_MAX},
              {"STABLEHLO_MINIMUM", TFL_PUT_MIN}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    *out = rows[i].mode;
    if (strcmp(rows[i].name, body) == 0) return true;
  }
  return false;
}

tenon_status tenon_tfl_stablehlo_scatter_lower(tenon_rewriter *rw,
                                               const tenon_node *node) {
  const tenon_tfl_stablehlo_scatter_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 0), NULL);
  tenon_value *u = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 2), NULL);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_put mode;
  const places p = {rw,
                    tenon_tfl_in(rw, node, 1),
                    tenon_rw_type(rw, x),
                    tenon_rw_type(rw, u),
                    a->update_window_dims,
                    a->inserted_window_dims,
                    a->scatter_dims_to_operand_dims,
                    a->index_vector_dim,
                    NULL};
  if (!put_of(a->body, &mode))
    return tenon_rw_fail(rw,
                         "a computation other than one of the second operand, "
                         "STABLEHLO_ADD, MULTIPLY, MAXIMUM and MINIMUM is not "
                         "supported");
  if (!tenon_tfl_is_fixed(p.x) || !tenon_tfl_is_fixed(p.many))
    return tenon_rw_fail(rw, "open sizes are not supported");
  const tenon_tfl_shape all = tenon_tfl_shape_of(p.x),
                        one = {{tenon_tfl_fixed(1)}, 1};
  const tenon_dim count = tenon_tfl_fixed(hlo_index_count_of(p.x));
  tenon_value *at = line_places(&p, true);
  tenon_value *parts[] = {
      tenon_tfl_row(rw, x),
      tenon_tfl_expand(rw, tenon_rw_scalar(rw, p.x->dtype, 0), &one)};
  const tenon_type *line_like = tenon_rw_type(rw, parts[0]);
  tenon_value *line = tenon_tfl_join(rw, parts, 2, 0, NULL);
  line = tenon_tfl_index_put(rw, line, tenon_tfl_row(rw, u),
                             (tenon_value *[]){tenon_tfl_row(rw, at)}, 1, mode);
  line = tenon_tfl_slice(rw, line, NULL, &count, NULL, line_like);
  x = tenon_tfl_reshape(rw, line, &all, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

// ---------------------------------------------------------------------------
// STABLEHLO_DYNAMIC_SLICE, STABLEHLO_DYNAMIC_UPDATE_SLICE
// ---------------------------------------------------------------------------

// Operands from number `first` on: a number for each dimension of x.
static tenon_status check_begin(tenon_infer *c, int arg, int rank) {
  int first = 0;
  const tenon_type *t;
  const int n = c->api->group(c, arg, &first);
  if (n != rank)
    return tenon_infer_fail(c, "%d indices for %d dimensions", n, rank);
  for (int i = 0; i < n; ++i) {
    TENON_TRY(tenon_tfl_operand(c, first + i, "begin", 0, &t));
    TENON_TRY(tenon_tfl_check_whole(c, t, "indices"));
  }
  return TENON_OK;
}

// The operands of argument `arg` as one list, s64.
static tenon_value *begin_of(tenon_rewriter *rw, const tenon_node *node,
                             int arg) {
  int first = 0;
  const int n = rw->api->group(rw, node, arg, &first);
  tenon_value *parts[TENON_MAX_RANK];
  for (int i = 0; i < n; ++i)
    parts[i] = tenon_tfl_cast(rw, tenon_tfl_in(rw, node, first + i), TENON_S64);
  return tenon_tfl_listed(rw, parts, n);
}

tenon_status tenon_tfl_stablehlo_dynamic_slice_infer(tenon_infer *c) {
  const tenon_tfl_slice_sizes_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(check_begin(c, 1, x->rank));
  tenon_tfl_shape y = {.rank = x->rank};
  if (a->slice_sizes.count != x->rank)
    return tenon_infer_fail(c, "%zu sizes for %d dimensions",
                            a->slice_sizes.count, x->rank);
  for (int i = 0; i < x->rank; ++i) {
    y.dims[i] = tenon_tfl_fixed(a->slice_sizes.data[i]);
    if (y.dims[i].value < 0 ||
        (!x->dims[i].symbol && y.dims[i].value > x->dims[i].value))
      return tenon_infer_fail(c, "a slice of %lld in dimension %d",
                              (long long)y.dims[i].value, i);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_dynamic_slice_lower(tenon_rewriter *rw,
                                                     const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape to = tenon_tfl_shape_of(y);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  x = tenon_tfl_window_at(rw, x, begin_of(rw, node, 1), &to, y);
  return tenon_rw_replace(rw, node, x);
}

tenon_status tenon_tfl_stablehlo_dynamic_update_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *u;
  TENON_TRY(tenon_tfl_operand(c, 1, "update", x->rank, &u));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", u, "update"));
  TENON_TRY(check_begin(c, 2, x->rank));
  for (int i = 0; i < x->rank; ++i)
    if (!x->dims[i].symbol && !u->dims[i].symbol &&
        u->dims[i].value > x->dims[i].value)
      return tenon_infer_fail(c, "an update of %lld in dimension %d of %lld",
                              (long long)u->dims[i].value, i,
                              (long long)x->dims[i].value);
  return tenon_tfl_like(c, x);
}

tenon_status tenon_tfl_stablehlo_dynamic_update_lower(tenon_rewriter *rw,
                                                      const tenon_node *node) {
  const int rank = rw->api->result(rw, node, 0)->rank;
  tenon_value *x = tenon_tfl_in(rw, node, 0), *u = tenon_tfl_in(rw, node, 1);
  if (!tenon_tfl_same_scale(tenon_rw_type(rw, x), tenon_rw_type(rw, u)))
    return tenon_rw_fail(rw, "an update of another scale is not supported");
  u = tenon_tfl_update_at(rw, x, u, begin_of(rw, node, 2), rank);
  return tenon_rw_replace(rw, node, u);
}
