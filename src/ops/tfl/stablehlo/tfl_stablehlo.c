// Operators of STABLEHLO that are one core operator, or two: what is chosen,
// moved and multiplied. LiteRT runs none of these itself; converters leave them
// in files. STABLEHLO_CASE it runs.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

// What the file declares of a result whose shape nothing else says; null:
// nothing, or no shape.
static const tenon_type *shaped(tenon_infer *c, int i) {
  const tenon_type *y = tenon_tfl_declared(c, i);
  return y && !(y->flags & TENON_TYPE_UNRANKED) ? y : NULL;
}

static tenon_status no_shape(tenon_infer *c) {
  return tenon_infer_fail(c, "the result has no declared shape");
}

static tenon_status as_shaped(tenon_infer *c, const tenon_type *y,
                              tenon_dtype dtype, const tenon_type *like) {
  const tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  return tenon_tfl_result(c, 0, &shape, dtype, like);
}

// ---------------------------------------------------------------------------
// One element at a time
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_cbrt_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_dtype dtype = tenon_rw_type(rw, x)->dtype;
  if (dtype != TENON_F32 && dtype != TENON_F64)
    return tenon_tfl_refuse(rw, tenon_rw_type(rw, x));
  // The exponent has no exact float of 32 bits.
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(rw,
                         "x: wide = f64(x); "
                         "like(copysign(pow(abs(wide), 1 / 3), wide), x)",
                         x));
}

static const char *const directions[] = {"core::eq", "core::ne", "core::ge",
                                         "core::gt", "core::le", "core::lt"};

tenon_status tenon_tfl_stablehlo_compare_infer(tenon_infer *c) {
  const tenon_tfl_direction_attrs *a = tenon_infer_attrs(c);
  if (a->comparison_direction < 0 || a->comparison_direction > 5)
    return tenon_infer_fail(c, "comparison_direction is %lld",
                            (long long)a->comparison_direction);
  return tenon_tfl_shapes(c, NULL, "a[...], b a[...] -> bool[...]");
}

tenon_status tenon_tfl_stablehlo_compare_lower(tenon_rewriter *rw,
                                               const tenon_node *node) {
  enum { TOTAL_ORDER = 2 };
  const tenon_tfl_direction_attrs *a = tenon_rw_attrs(rw, node);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  if (a->compare_type == TOTAL_ORDER)
    return tenon_rw_fail(rw, "a total order of floats is not supported");
  return tenon_tfl_become_of(rw, node, directions[a->comparison_direction], 2,
                             NULL);
}

// Operands: least, x, most; limits have one element or those of x.
tenon_status tenon_tfl_stablehlo_clamp_infer(tenon_infer *c) {
  const tenon_type *lo = tenon_infer_in(c, 0), *x = tenon_infer_in(c, 1),
                   *hi = tenon_infer_in(c, 2);
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", lo, "lo"));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", hi, "hi"));
  if ((lo->rank && lo->rank != x->rank) || (hi->rank && hi->rank != x->rank))
    return tenon_infer_fail(c, "limits of %d and %d dimensions for %d",
                            lo->rank, hi->rank, x->rank);
  return tenon_tfl_like(c, x);
}

tenon_status tenon_tfl_stablehlo_clamp_lower(tenon_rewriter *rw,
                                             const tenon_node *node) {
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  tenon_value *x = tenon_rw_op2(rw, "core::maximum", tenon_tfl_in(rw, node, 1),
                                tenon_tfl_in(rw, node, 0));
  tenon_value *in[] = {x, tenon_tfl_in(rw, node, 2)};
  return tenon_tfl_become(rw, node, "core::minimum", in, 2, NULL);
}

tenon_status tenon_tfl_stablehlo_convert_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_tfl_declared(c, 0);
  if (!y) return tenon_infer_fail(c, "the result has no declared type");
  const tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &shape, y->dtype, NULL);
}

tenon_status tenon_tfl_stablehlo_convert_lower(tenon_rewriter *rw,
                                               const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  if (y->quant)
    return tenon_rw_fail(rw, "results with a scale are not supported");
  return tenon_rw_replace(
      rw, node, tenon_tfl_cast(rw, tenon_tfl_in(rw, node, 0), y->dtype));
}

// ---------------------------------------------------------------------------
// Moving
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_stablehlo_reshape_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = shaped(c, 0);
  tenon_dim open_x, open_y;
  if (!y) return no_shape(c);
  const int64_t n = tenon_tfl_product(c, x->dims, x->rank, &open_x);
  const int64_t m = tenon_tfl_product(c, y->dims, y->rank, &open_y);
  if (!open_x.symbol && !open_y.symbol && n != m)
    return tenon_infer_fail(c, "%lld elements become %lld", (long long)n,
                            (long long)m);
  return as_shaped(c, y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_transpose_infer(tenon_infer *c) {
  const tenon_tfl_permutation_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_tfl_shape y = {.rank = 0};
  uint32_t seen = 0;
  for (size_t i = 0; i < a->permutation.count; ++i) {
    const int64_t d = a->permutation.data[i];
    if (a->permutation.count != x->rank || d < 0 || d >= x->rank ||
        (seen >> d & 1))
      return tenon_infer_fail(c, "'permutation' is none of %d dimensions",
                              x->rank);
    seen |= UINT32_C(1) << d;
    y.dims[y.rank++] = x->dims[d];
  }
  if (y.rank != x->rank)
    return tenon_infer_fail(c, "'permutation' is none of %d dimensions",
                            x->rank);
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_transpose_lower(tenon_rewriter *rw,
                                                 const tenon_node *node) {
  const tenon_tfl_permutation_attrs *a = tenon_rw_attrs(rw, node);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_permute(rw, tenon_tfl_in(rw, node, 0), a->permutation.data,
                        a->permutation.count));
}

tenon_status tenon_tfl_stablehlo_concat_infer(tenon_infer *c) {
  const tenon_tfl_dimension_attrs *a = tenon_infer_attrs(c);
  int first = 0, axis = (int)a->dimension;
  const int n = c->api->group(c, 0, &first);
  const tenon_type *x, *t;
  if (n < 1 || n > TFL_MAX_TENSORS)
    return tenon_infer_fail(c, "%d operands", n);
  TENON_TRY(tenon_tfl_operand(c, first, "xs", -1, &x));
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  if (a->dimension < 0 || a->dimension >= x->rank)
    return tenon_infer_fail(c, "dimension %lld of %d", (long long)a->dimension,
                            x->rank);
  for (int i = 1; i < n; ++i) {
    TENON_TRY(tenon_tfl_operand(c, first + i, "xs", x->rank, &t));
    TENON_TRY(tenon_tfl_check_alike(c, x, "xs", t, "xs"));
    for (int k = 0; k < x->rank; ++k)
      if (k != axis && tenon_tfl_differ(x->dims[k], t->dims[k]))
        return tenon_infer_fail(c, "dimension %d is %lld, then %lld", k,
                                (long long)x->dims[k].value,
                                (long long)t->dims[k].value);
    y.dims[axis] = c->api->dim(c, TENON_DIM_ADD, y.dims[axis], t->dims[axis]);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_concat_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_dimension_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS];
  int first = 0;
  const int n = rw->api->group(rw, node, 0, &first);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  for (int i = 0; i < n; ++i)
    in[i] = tenon_tfl_in(rw, node, first + i);
  return tenon_rw_replace(
      rw, node, tenon_tfl_join(rw, in, (uint32_t)n, a->dimension, NULL));
}

tenon_status tenon_tfl_stablehlo_slice_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_slice_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_tfl_shape y = {.rank = x->rank};
  if (a->start_indices.count != x->rank || a->limit_indices.count != x->rank ||
      a->strides.count != x->rank)
    return tenon_infer_fail(c, "the options are not of %d dimensions", x->rank);
  for (int i = 0; i < x->rank; ++i) {
    const int64_t from = a->start_indices.data[i];
    const int64_t to = a->limit_indices.data[i], by = a->strides.data[i];
    if (from < 0 || to < from || by < 1 || to > INT32_MAX || by > INT32_MAX ||
        (!x->dims[i].symbol && to > x->dims[i].value))
      return tenon_infer_fail(c, "from %lld to %lld by %lld in dimension %d",
                              (long long)from, (long long)to, (long long)by, i);
    y.dims[i] = tenon_tfl_fixed((to - from + by - 1) / by);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_stablehlo_slice_lower(tenon_rewriter *rw,
                                             const tenon_node *node) {
  const tenon_tfl_stablehlo_slice_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_dim begin[TENON_MAX_RANK];
  for (int i = 0; i < y->rank; ++i)
    begin[i] = tenon_tfl_fixed(a->start_indices.data[i]);
  return tenon_rw_replace(
      rw, node, tenon_tfl_slice(rw, x, begin, y->dims, a->strides.data, y));
}

tenon_status tenon_tfl_broadcast_in_infer(tenon_infer *c) {
  const tenon_tfl_broadcast_in_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *y = shaped(c, 0);
  if (!y) return no_shape(c);
  bool fits = a->broadcast_dimensions.count == x->rank;
  for (int i = 0; fits && i < x->rank; ++i) {
    const int64_t d = a->broadcast_dimensions.data[i];
    // In ascending order, as converters write them.
    fits = d >= 0 && d < y->rank &&
           (i == 0 || d > a->broadcast_dimensions.data[i - 1]) &&
           (tenon_tfl_is(x->dims[i], 1) ||
            !tenon_tfl_differ(x->dims[i], y->dims[d]));
  }
  if (!fits)
    return tenon_infer_fail(c,
                            "'broadcast_dimensions' do not fit 'x' and the "
                            "result");
  return as_shaped(c, y, x->dtype, x);
}

tenon_status tenon_tfl_broadcast_in_lower(tenon_rewriter *rw,
                                          const tenon_node *node) {
  const tenon_tfl_broadcast_in_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape all = tenon_tfl_shape_of(y);
  tenon_tfl_shape in = tenon_tfl_along(y->rank, -1, tenon_tfl_fixed(1));
  for (int i = 0; i < t->rank; ++i)
    in.dims[a->broadcast_dimensions.data[i]] = t->dims[i];
  x = tenon_tfl_reshape(rw, x, &in, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_expand(rw, x, &all));
}

tenon_status tenon_tfl_iota_infer(tenon_infer *c) {
  const tenon_tfl_iota_attrs *a = tenon_infer_attrs(c);
  const tenon_type *y = shaped(c, 0);
  if (!y) return no_shape(c);
  if (a->iota_dimension < 0 || a->iota_dimension >= y->rank)
    return tenon_infer_fail(
        c, "'iota_dimension' is %lld, expected one of the %d of the result",
        (long long)a->iota_dimension, y->rank);
  return as_shaped(c, y, y->dtype, NULL);
}

tenon_status tenon_tfl_iota_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_iota_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape all = tenon_tfl_shape_of(y);
  if (y->quant)
    return tenon_rw_fail(rw, "results with a scale are not supported");
  tenon_value *x = tenon_tfl_line(rw, y->dims[a->iota_dimension], y->rank,
                                  (int)a->iota_dimension, y->dtype);
  return tenon_rw_replace(rw, node, tenon_tfl_expand(rw, x, &all));
}

// ---------------------------------------------------------------------------
// STABLEHLO_DOT_GENERAL
// ---------------------------------------------------------------------------

// Dimensions of one operand: batches, what is left, what is summed over.
typedef struct dot_side {
  int64_t order[TENON_MAX_RANK];
  int rest;             // how many are left
  int64_t batch, m, k;  // products of sizes
} dot_side;

static bool are_dims(tenon_ints list, int rank) {
  for (size_t i = 0; i < list.count; ++i) {
    const tenon_ints before = {list.data, i};
    if (list.data[i] < 0 || list.data[i] >= rank ||
        tenon_tfl_holds(before, list.data[i]))
      return false;
  }
  return true;
}

static dot_side side_of(const tenon_type *t, tenon_ints batch, tenon_ints sum) {
  dot_side s = {.batch = 1, .m = 1, .k = 1};
  int n = 0;
  for (size_t i = 0; i < batch.count; ++i) {
    s.order[n++] = batch.data[i];
    s.batch *= t->dims[batch.data[i]].value;
  }
  for (int i = 0; i < t->rank; ++i) {
    if (tenon_tfl_holds(batch, i) || tenon_tfl_holds(sum, i)) continue;
    s.order[n++] = i;
    s.m *= t->dims[i].value;
    ++s.rest;
  }
  for (size_t i = 0; i < sum.count; ++i) {
    s.order[n++] = sum.data[i];
    s.k *= t->dims[sum.data[i]].value;
  }
  return s;
}

tenon_status tenon_tfl_dot_infer(tenon_infer *c) {
  const tenon_tfl_stablehlo_dot_attrs *d = tenon_infer_attrs(c);
  const tenon_ints ab = d->lhs_batching_dimensions,
                   bb = d->rhs_batching_dimensions,
                   as = d->lhs_contracting_dimensions,
                   bs = d->rhs_contracting_dimensions;
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  tenon_tfl_shape y = {.rank = 0};
  TENON_TRY(tenon_tfl_check_alike(c, a, "a", b, "b"));
  bool fits = ab.count == bb.count && as.count == bs.count &&
              are_dims(ab, a->rank) && are_dims(as, a->rank) &&
              are_dims(bb, b->rank) && are_dims(bs, b->rank);
  for (size_t i = 0; fits && i < ab.count; ++i) {
    fits = !tenon_tfl_holds(as, ab.data[i]) &&
           !tenon_tfl_holds(bs, bb.data[i]) &&
           !tenon_tfl_differ(a->dims[ab.data[i]], b->dims[bb.data[i]]);
    if (fits) y.dims[y.rank++] = a->dims[ab.data[i]];
  }
  for (size_t i = 0; fits && i < as.count; ++i)
    fits = !tenon_tfl_differ(a->dims[as.data[i]], b->dims[bs.data[i]]);
  if (!fits ||
      a->rank + b->rank - (int)(ab.count + 2 * as.count) > TENON_MAX_RANK)
    return tenon_infer_fail(c, "the dimensions of 'a' and 'b' do not fit");
  for (int i = 0; i < a->rank; ++i)
    if (!tenon_tfl_holds(ab, i) && !tenon_tfl_holds(as, i))
      y.dims[y.rank++] = a->dims[i];
  for (int i = 0; i < b->rank; ++i)
    if (!tenon_tfl_holds(bb, i) && !tenon_tfl_holds(bs, i))
      y.dims[y.rank++] = b->dims[i];
  return tenon_tfl_result(c, 0, &y, 0, a);
}

static tenon_value *hlo_as_matrices(tenon_rewriter *rw, tenon_value *x,
                                    const dot_side *s) {
  const tenon_tfl_shape y = {
      {tenon_tfl_fixed(s->batch), tenon_tfl_fixed(s->m), tenon_tfl_fixed(s->k)},
      3};
  const int rank = tenon_rw_type(rw, x)->rank;
  if (rank > 1) x = tenon_tfl_permute(rw, x, s->order, (size_t)rank);
  return tenon_tfl_reshape(rw, x, &y, NULL);
}

tenon_status tenon_tfl_dot_lower(tenon_rewriter *rw, const tenon_node *node) {
  static const int64_t swap[] = {0, 2, 1};
  const tenon_tfl_stablehlo_dot_attrs *d = tenon_rw_attrs(rw, node);
  tenon_value *a = tenon_tfl_in(rw, node, 0), *b = tenon_tfl_in(rw, node, 1);
  const tenon_type *ta = tenon_rw_type(rw, a), *tb = tenon_rw_type(rw, b);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape all = tenon_tfl_shape_of(y);
  TENON_TRY(tenon_tfl_refuse_scale(rw, tenon_tfl_type(rw, node, 0)));
  if (tb->quant || y->quant)
    return tenon_rw_fail(rw, "operands with a scale are not supported");
  if (!tenon_tfl_is_fixed(ta) || !tenon_tfl_is_fixed(tb))
    return tenon_rw_fail(rw, "open sizes are not supported");
  const dot_side sa =
      side_of(ta, d->lhs_batching_dimensions, d->lhs_contracting_dimensions);
  const dot_side sb =
      side_of(tb, d->rhs_batching_dimensions, d->rhs_contracting_dimensions);
  a = tenon_tfl_cast(rw, hlo_as_matrices(rw, a, &sa), y->dtype);
  b = tenon_tfl_cast(rw, hlo_as_matrices(rw, b, &sb), y->dtype);
  tenon_value *z =
      tenon_rw_op2(rw, "core::matmul", a, tenon_tfl_permute(rw, b, swap, 3));
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, z, &all, NULL));
}

// ---------------------------------------------------------------------------
// STABLEHLO_RNG_BIT_GENERATOR
// ---------------------------------------------------------------------------

enum { ALGORITHM_DEFAULT, ALGORITHM_PHILOX, ALGORITHM_THREEFRY };

tenon_status tenon_tfl_random_bits_infer(tenon_infer *c) {
  const tenon_tfl_algorithm_attrs *a = tenon_infer_attrs(c);
  const tenon_type *state, *y = shaped(c, 1);
  TENON_TRY(tenon_tfl_operand(c, 0, "state", 1, &state));
  if (a->algorithm < ALGORITHM_DEFAULT || a->algorithm > ALGORITHM_THREEFRY)
    return tenon_infer_fail(c, "algorithm is %lld", (long long)a->algorithm);
  if (!y) return no_shape(c);
  const tenon_tfl_shape words = tenon_tfl_shape_of(state),
                        bits = tenon_tfl_shape_of(y);
  TENON_TRY(tenon_tfl_result(c, 0, &words, state->dtype, state));
  return tenon_tfl_result(c, 1, &bits, y->dtype, NULL);
}

tenon_status tenon_tfl_random_bits_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  const tenon_tfl_algorithm_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 1);
  tenon_value *state = tenon_tfl_in(rw, node, 0), *out[2] = {NULL};
  tenon_arg dtype = {"dtype", TENON_KIND_DTYPE, {0}};
  dtype.as.i = y->dtype;
  tenon_rw_build(rw, "core::random_bits", &state, 1,
                 TENON_ARGS(tenon_arg_dims("size", y->dims, y->rank), dtype,
                            tenon_arg_bool("threefry",
                                           a->algorithm == ALGORITHM_THREEFRY)),
                 out, 2, NULL);
  tenon_value *in_order[] = {out[1], out[0]};
  return rw->api->replace(rw, node, in_order, 2);
}
