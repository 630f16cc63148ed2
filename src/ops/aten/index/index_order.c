// Operators that order elements, count them, or look for them.
#include <math.h>
#include <string.h>

#include "ops/aten/index/index_op.h"

// x with a dimension, and the one that is named.
static tenon_status line_of(tenon_rewriter *rw, const tenon_node *n,
                            tenon_value **x, int *axis) {
  *x = tenon_aten_in(rw, n, 0);
  return tenon_aten_axis_of(rw, n, "dim", *x, axis);
}

static bool has_rank(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return t && t->rank > 0;
}

// The first k of each line.
static void sort_first(tenon_rewriter *rw, tenon_value *x, int axis,
                       bool descending, tenon_dim k, tenon_value *out[2]) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const bool has = t && t->rank > 0;
  if (has && !k.symbol && !t->dims[axis].symbol && k.value >= 0 &&
      k.value < t->dims[axis].value) {
    tenon_aten_make_all(rw, "core::sort", &x, 1,
                        TENON_ARGS(tenon_arg_int("axis", axis),
                                   tenon_arg_bool("descending", descending),
                                   tenon_arg_int("keep", k.value)),
                        out, 2);
    return;
  }
  tenon_aten_sort(rw, x, axis, descending, out);
  for (int i = 0; i < 2 && has; ++i)
    out[i] = tenon_aten_cut(rw, out[i], axis, tenon_aten_fixed(0), k, 1);
}

// Sorted whether that is asked for or not: any order is right.
TENON_ATEN_LOWER(topk) {
  // They are sorted anyhow.
  tenon_aten_without_effect(rw, n, "sorted");
  tenon_value *x, *out[2] = {NULL, NULL};
  tenon_dim k = tenon_aten_dim(rw, n, "k", 0);
  int axis;
  TENON_TRY(line_of(rw, n, &x, &axis));
  sort_first(rw, x, axis, tenon_aten_bool(rw, n, "largest"), k, out);
  return rw->api->replace(rw, n, out, 2);
}

TENON_ATEN_LOWER(kthvalue) {
  tenon_value *x, *out[2] = {NULL, NULL};
  tenon_dim k = tenon_aten_dim(rw, n, "k", 0);
  int axis;
  TENON_TRY(line_of(rw, n, &x, &axis));
  tenon_aten_sort(rw, x, axis, false, out);
  k = tenon_aten_minus(rw, k, tenon_aten_fixed(1));
  for (int i = 0; i < 2 && has_rank(rw, x); ++i) {
    out[i] = tenon_aten_cut(rw, out[i], axis, k, tenon_aten_fixed(1), 1);
    if (!tenon_aten_bool(rw, n, "keepdim"))
      out[i] = tenon_aten_squeeze(rw, out[i], axis);
  }
  return rw->api->replace(rw, n, out, 2);
}

// --- median ------------------------------------------------------------------

// The lower of the middle ones.
static tenon_dim middle_place(tenon_rewriter *rw, tenon_value *x, int axis) {
  const tenon_dim last =
      tenon_aten_minus(rw, tenon_aten_size(rw, x, axis), tenon_aten_fixed(1));
  return rw->api->dim(rw, TENON_DIM_DIV, last, tenon_aten_fixed(2));
}

// Which element of a sorted line is the median: the lower of the middle ones;
// the first NaN where there is one, or the middle of the others.
static tenon_value *middle(tenon_rewriter *rw, tenon_value *x, int axis,
                           bool ignores_nan) {
  const tenon_dim size = tenon_aten_size(rw, x, axis);
  return tenon_aten_formula(
      rw,
      ignores_nan ? "x $size $middle @d: n = sum(s64(isnan(x)), d, 1);"
                    "maximum(like(size, n) - n - 1, 0) / 2"
                  : "x $size $middle @d: n = sum(s64(isnan(x)), d, 1);"
                    "at = like(size, n) - n; bool(n) ? at : middle",
      x, size, middle_place(rw, x, axis), (int)(1u << axis));
}

// Values and places of the medians along an axis, which stays with size 1. A
// run refuses a line that turns out to be empty.
static tenon_status median(tenon_rewriter *rw, tenon_value *x, int axis,
                           bool ignores_nan, tenon_value *out[2]) {
  tenon_dim size = tenon_aten_size(rw, x, axis);
  tenon_value *at = NULL;
  if (!size.symbol && size.value < 1)
    return tenon_rw_fail(rw, "the median of 0 elements");
  if (tenon_aten_is_float(tenon_aten_known(rw, x)->dtype))
    at = middle(rw, x, axis, ignores_nan);
  tenon_aten_sort(rw, x, axis, false, out);
  for (int i = 0; i < 2; ++i)
    out[i] = at ? tenon_aten_gather(rw, out[i], at, axis)
                : tenon_aten_cut(rw, out[i], axis, middle_place(rw, x, axis),
                                 tenon_aten_fixed(1), 1);
  return TENON_OK;
}

// "nan": NaN do not count.
TENON_ATEN_LOWER(median) {
  tenon_value *x = tenon_aten_flat(rw, tenon_aten_in(rw, n, 0)), *out[2];
  const tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  if (tenon_aten_is(tenon_aten_size(rw, x, 0), 0) && tenon_aten_is_float(t))
    return tenon_rw_replace(rw, n, tenon_aten_real(rw, t, NAN));
  TENON_TRY(median(rw, x, 0, tenon_aten_user(rw) != NULL, out));
  return tenon_rw_replace(rw, n, tenon_aten_squeeze(rw, out[0], 0));
}

TENON_ATEN_LOWER(median_dim) {
  tenon_value *x, *out[2];
  int axis;
  TENON_TRY(line_of(rw, n, &x, &axis));
  bool had = has_rank(rw, x);
  if (!had) x = tenon_aten_flat(rw, x);
  TENON_TRY(median(rw, x, axis, tenon_aten_user(rw) != NULL, out));
  for (int i = 0; i < 2; ++i)
    if (!had || !tenon_aten_bool(rw, n, "keepdim"))
      out[i] = tenon_aten_squeeze(rw, out[i], axis);
  return rw->api->replace(rw, n, out, 2);
}

// --- different elements ------------------------------------------------------

static void unique(tenon_rewriter *rw, tenon_value *rows, bool consecutive,
                   tenon_value *out[3]) {
  tenon_aten_make_all(rw, "core::unique", &rows, 1,
                      TENON_ARGS(tenon_arg_bool("consecutive", consecutive)),
                      out, 3);
}

// How many results the schema has decides whether counts are wanted. Results
// that are not asked for are empty.
static tenon_status replace_unique(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *out[3], bool has_inverse,
                                   bool has_counts) {
  const tenon_type none = {
      .dtype = TENON_S64, .rank = 1, .dims = (const tenon_dim[]){{0, 0}}};
  int64_t nothing = 0;
  bool has_third = tenon_aten_result(rw, n, 2) != NULL;
  if (!has_inverse) out[1] = rw->api->literal(rw, &none, &nothing);
  if (!has_counts) out[2] = rw->api->literal(rw, &none, &nothing);
  return rw->api->replace(rw, n, out, has_third ? 3 : 2);
}

// Of all elements; the row says "consecutive" or nothing.
TENON_ATEN_LOWER(unique) {
  // They are sorted anyhow.
  tenon_aten_without_effect(rw, n, "sorted");
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[3] = {NULL, NULL, NULL};
  bool consecutive = tenon_aten_user(rw) != NULL;
  const tenon_arg *dim = tenon_aten_arg(rw, n, "dim");
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims);
  if (dim->kind) return tenon_rw_fail(rw, "a dimension is not supported");
  bool wants_inverse = tenon_aten_bool(rw, n, "return_inverse");
  bool wants_counts = tenon_aten_bool(rw, n, "return_counts");
  if (tenon_aten_is(tenon_aten_product(rw, dims, rank), 0)) {
    out[0] = tenon_aten_flat(rw, x);
    out[1] = tenon_aten_cast(rw, x, TENON_S64);
    out[2] = tenon_aten_cast(rw, out[0], TENON_S64);
    return replace_unique(rw, n, out, wants_inverse, wants_counts);
  }
  unique(rw, tenon_aten_unsqueeze(rw, tenon_aten_flat(rw, x), 1), consecutive,
         out);
  out[0] = tenon_aten_squeeze(rw, out[0], 1);
  out[1] = tenon_aten_reshape(rw, out[1], dims, rank);
  // `_unique` sorted without being asked has both all the same.
  return replace_unique(rw, n, out, wants_inverse, wants_counts);
}

// Whether result i holds what was computed, asked for or not: PyTorch gives
// both on processors, and exports for other devices say that there is nothing.
static bool index_order_is_given(tenon_rewriter *rw, const tenon_node *n, int i,
                                 const char *asked) {
  const tenon_type *t = tenon_aten_result(rw, n, i);
  bool is_empty = t && t->rank == 1 && tenon_aten_is(t->dims[0], 0);
  return tenon_aten_bool(rw, n, asked) || !is_empty;
}

// Of slices along a dimension.
TENON_ATEN_LOWER(unique_dim) {
  // They are sorted anyhow.
  tenon_aten_without_effect(rw, n, "sorted");
  tenon_value *x, *out[3] = {NULL, NULL, NULL};
  tenon_dim dims[TENON_MAX_RANK], rows[2];
  int axis, rank;
  TENON_TRY(line_of(rw, n, &x, &axis));
  x = tenon_aten_move(rw, x, axis, 0);
  rank = tenon_aten_dims_of(rw, x, dims);
  if (rank == 0) return tenon_rw_fail(rw, "needs a dimension");
  rows[0] = dims[0];
  rows[1] = tenon_aten_product(rw, dims + 1, rank - 1);
  unique(rw, tenon_aten_reshape(rw, x, rows, 2), tenon_aten_user(rw) != NULL,
         out);
  dims[0] = tenon_aten_size(rw, out[0], 0);
  out[0] = tenon_aten_reshape(rw, out[0], dims, rank);
  out[0] = tenon_aten_move(rw, out[0], 0, axis);
  return replace_unique(rw, n, out,
                        index_order_is_given(rw, n, 1, "return_inverse"),
                        index_order_is_given(rw, n, 2, "return_counts"));
}

// --- counting, looking up ----------------------------------------------------

// Weights that are no floats are counted in f64.
TENON_ATEN_LOWER(bincount) {
  tenon_value *in[] = {tenon_aten_in(rw, n, 0), tenon_aten_in(rw, n, 1)};
  tenon_aten_args a = {0};
  if (in[1] && tenon_aten_known(rw, in[1])->dtype != TENON_F32)
    in[1] = tenon_aten_cast(rw, in[1], TENON_F64);
  tenon_aten_add(
      &a, tenon_arg_int("minlength", tenon_aten_int(rw, n, "minlength")));
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::bincount", in, 2, a.list));
}

// The row says which operand is the sorted line. `side` is the newer word for
// `right`.
TENON_ATEN_LOWER(searchsorted) {
  bool is_bucketize = tenon_aten_user(rw) != NULL;
  const char *side = tenon_aten_str(rw, n, "side");
  tenon_scalar s = tenon_aten_scalar(rw, n, "self");
  // bucketize has the values first, if they are a tensor.
  tenon_value *line = tenon_aten_in(rw, n, is_bucketize && !s.kind ? 1 : 0), *v;
  bool right = tenon_aten_bool(rw, n, "right") || (side && side[0] == 'r');
  tenon_aten_promotion p = {0};
  tenon_aten_promote_value(rw, &p, line);
  tenon_value *sorter = NULL;
  if (s.kind) {
    tenon_aten_promote_scalar(&p, s);
    v = tenon_aten_number(rw, tenon_aten_promoted(&p), s);
    if (!is_bucketize) sorter = tenon_aten_in(rw, n, 1);
  } else {
    v = tenon_aten_in(rw, n, is_bucketize ? 0 : 1);
    tenon_aten_promote_value(rw, &p, v);
    if (!is_bucketize) sorter = tenon_aten_in(rw, n, 2);
  }
  const tenon_dtype t = tenon_aten_promoted(&p);
  if (!t) return tenon_rw_fail(rw, "the element types do not go together");
  line = tenon_aten_cast(rw, line, t);
  v = tenon_aten_cast(rw, v, t);
  if (sorter)
    line = tenon_aten_gather(rw, line, sorter,
                             tenon_aten_known(rw, line)->rank - 1);
  tenon_value *in[] = {line, v};
  v = tenon_rw_op(rw, "core::searchsorted", in, 2,
                  TENON_ARGS(tenon_arg_bool("right", right)));
  if (tenon_aten_bool(rw, n, "out_int32"))
    v = tenon_aten_cast(rw, v, TENON_S32);
  return tenon_rw_replace(rw, n, v);
}
