// Reading at indices: GATHER, GATHER_ND, EMBEDDING_LOOKUP, ONE_HOT and
// REVERSE_SEQUENCE. All are core::index or core::gather; an index outside of
// the tensor, a negative one included, is an error here as in LiteRT.
#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// GATHER
// ---------------------------------------------------------------------------

// Axis and number of batch dimensions, counted from the front.
static tenon_status gather_axes(tenon_infer *c, const tenon_type *x,
                                const tenon_type *at, int *axis, int *batch) {
  const tenon_tfl_gather_attrs *a = tenon_infer_attrs(c);
  int64_t b = a->batch_dims < 0 ? a->batch_dims + at->rank : a->batch_dims;
  TENON_TRY(tenon_tfl_axis(c, a->axis, x->rank, axis));
  if (b < 0 || b > *axis || b > at->rank)
    return tenon_infer_fail(c, "%lld batch dimensions before axis %d",
                            (long long)a->batch_dims, *axis);
  *batch = (int)b;
  for (int i = 0; i < b; ++i) {
    if (tenon_tfl_differ(x->dims[i], at->dims[i]))
      return tenon_infer_fail(c, "batches of %lld and %lld",
                              (long long)x->dims[i].value,
                              (long long)at->dims[i].value);
  }
  return TENON_OK;
}

tenon_status tenon_tfl_gather_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_infer_in(c, 1);
  int axis = 0, batch = 0;
  TENON_TRY(gather_axes(c, x, at, &axis, &batch));
  TENON_TRY(tenon_tfl_check_indices(c, 1, "indices", &x->dims[axis], 1));
  tenon_tfl_shape y = {.rank = x->rank - 1 + at->rank - batch};
  if (y.rank > TENON_MAX_RANK)
    return tenon_infer_fail(c, "%d dimensions, at most %d", y.rank,
                            TENON_MAX_RANK);
  for (int i = 0, n = 0; i < x->rank; ++i) {
    if (i != axis) y.dims[n++] = x->dims[i];
    for (int k = batch; i == axis && k < at->rank; ++k)
      y.dims[n++] = at->dims[k];
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// Product of fixed sizes [from, to); -1: one is open.
static int64_t gather_count_of(const tenon_type *t, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; ++i) {
    if (t->dims[i].symbol) return -1;
    n *= t->dims[i].value;
  }
  return n;
}

// x as [batch, axis, outer, inner] is indexed by the number of the batch and
// by the index; outer goes in front of what the indices made again.
static tenon_status in_batches(tenon_rewriter *rw, const tenon_node *node,
                               tenon_value *x, tenon_value *at, int axis,
                               int batch) {
  const tenon_type *t = tenon_rw_type(rw, x), *u = tenon_rw_type(rw, at);
  const int64_t b = gather_count_of(t, 0, batch),
                outer = gather_count_of(t, batch, axis);
  const int64_t n = gather_count_of(t, axis, axis + 1),
                m = gather_count_of(u, batch, u->rank);
  const int64_t inner = gather_count_of(t, axis + 1, t->rank);
  if (b < 0 || outer < 0 || n < 0 || m < 0 || inner < 0)
    return tenon_rw_fail(rw, "batches of open sizes are not supported");
  tenon_tfl_shape four = {{tenon_tfl_fixed(b), tenon_tfl_fixed(outer),
                           tenon_tfl_fixed(n), tenon_tfl_fixed(inner)},
                          4};
  tenon_tfl_shape two = {{tenon_tfl_fixed(b), tenon_tfl_fixed(m)}, 2};
  static const int64_t there[] = {0, 2, 1, 3}, back[] = {0, 2, 1, 3};
  x = tenon_tfl_permute(rw, tenon_tfl_reshape(rw, x, &four, NULL), there, 4);
  tenon_value *of = tenon_tfl_line(rw, two.dims[0], 2, 0, TENON_S32);
  of = tenon_tfl_expand(rw, of, &two);
  tenon_value *in[] = {of, tenon_tfl_reshape(rw, at, &two, NULL)};
  x = tenon_tfl_index(rw, x, in, 2, 0, NULL);
  x = tenon_tfl_permute(rw, x, back, 4);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, y));
}

tenon_status tenon_tfl_gather_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_gather_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *at = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, x), *u = tenon_rw_type(rw, at);
  int64_t axis = a->axis < 0 ? a->axis + t->rank : a->axis;
  int64_t batch = a->batch_dims < 0 ? a->batch_dims + u->rank : a->batch_dims;
  if (u->dtype == TENON_S16) at = tenon_tfl_cast(rw, at, TENON_S32);
  if (batch) return in_batches(rw, node, x, at, (int)axis, (int)batch);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_index(rw, x, &at, 1, axis, rw->api->result(rw, node, 0)));
}

// ---------------------------------------------------------------------------
// GATHER_ND
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_gather_nd_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_infer_in(c, 1);
  int64_t n = at->rank ? at->dims[at->rank - 1].value : 0;
  if (at->rank < 1 || at->dims[at->rank - 1].symbol || n < 1 || n > x->rank)
    return tenon_infer_fail(c, "rows of %lld indices for %d dimensions",
                            (long long)n, x->rank);
  TENON_TRY(tenon_tfl_check_indices(c, 1, "indices", x->dims, (int)n));
  tenon_tfl_shape y = {.rank = at->rank - 1 + x->rank - (int)n};
  if (y.rank > TENON_MAX_RANK)
    return tenon_infer_fail(c, "%d dimensions, at most %d", y.rank,
                            TENON_MAX_RANK);
  for (int i = 0; i < at->rank - 1; ++i)
    y.dims[i] = at->dims[i];
  for (int i = (int)n; i < x->rank; ++i)
    y.dims[at->rank - 1 + i - n] = x->dims[i];
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

int tenon_tfl_columns(tenon_rewriter *rw, tenon_value *at,
                      tenon_value **columns) {
  const tenon_type *given = tenon_rw_type(rw, at);
  if (given && given->dtype == TENON_S16)
    at = tenon_tfl_cast(rw, at, TENON_S32);
  const tenon_type *t = tenon_rw_type(rw, at);
  if (!t) return 0;
  tenon_tfl_shape y = tenon_tfl_shape_of(t);
  int last = t->rank - 1, n = (int)t->dims[last].value;
  y.rank = last;
  for (int i = 0; i < n; ++i) {
    columns[i] =
        tenon_tfl_part(rw, at, last, tenon_tfl_fixed(i), tenon_tfl_fixed(1), 1);
    columns[i] = tenon_tfl_reshape(rw, columns[i], &y, NULL);
  }
  return n;
}

tenon_status tenon_tfl_gather_nd_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *columns[TENON_MAX_RANK], *x = tenon_tfl_in(rw, node, 0);
  int n = tenon_tfl_columns(rw, tenon_tfl_in(rw, node, 1), columns);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_index(rw, x, columns, n, 0, rw->api->result(rw, node, 0)));
}

// ---------------------------------------------------------------------------
// EMBEDDING_LOOKUP
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_embedding_infer(tenon_infer *c) {
  const tenon_type *at, *w = tenon_infer_in(c, 1),
                        *declared = tenon_tfl_declared(c, 0);
  TENON_TRY(tenon_tfl_operand(c, 0, "indices", 1, &at));
  if (w->rank < 1) return tenon_infer_fail(c, "'w' has no dimension");
  TENON_TRY(tenon_tfl_check_indices(c, 0, "indices", w->dims, 1));
  tenon_tfl_shape y = tenon_tfl_shape_of(w);
  y.dims[0] = at->dims[0];
  // Rows of quantised tables may come out as floats.
  if (declared && declared->dtype == TENON_F32 && w->quant)
    return tenon_tfl_result(c, 0, &y, TENON_F32, w);
  return tenon_tfl_result(c, 0, &y, w->dtype, w);
}

// Elements of less than 8 bits as bytes of the same scale.
static tenon_value *gather_bytes_of(tenon_rewriter *rw, tenon_value *w) {
  tenon_type wide = *tenon_rw_type(rw, w);
  if (wide.dtype != TENON_S4 && wide.dtype != TENON_S2) return w;
  wide.dtype = TENON_S8;
  return tenon_tfl_make(rw, "core::quantize", &w, 1, NULL, &wide);
}

// Rows of a table that has a scale for each of them: what is stored is looked
// up, and the scales beside it. With a scale for each block the table is one of
// floats before anything runs.
static tenon_status scaled_rows(tenon_rewriter *rw, const tenon_node *node,
                                tenon_value *w, tenon_value *at) {
  const float one = 1.0f;
  const tenon_quant plain = {&one, NULL, 1, 0, 0};
  const tenon_type *t = tenon_rw_type(rw, w), *y = rw->api->result(rw, node, 0);
  const tenon_quant *q = t->quant;
  if (y->dtype != TENON_F32 || (!q->block && q->axis != 0))
    return tenon_rw_fail(rw, "a table with several scales is not supported");
  for (int32_t i = 0; q->zero && i < q->channels; ++i)
    if (q->zero[i])
      return tenon_rw_fail(rw, "a table with zero points is not supported");
  if (q->block) {
    w = tenon_rw_op1(rw, "core::dequantize", w);
    return tenon_rw_replace(rw, node, tenon_tfl_index(rw, w, &at, 1, 0, NULL));
  }
  const tenon_tfl_shape rows = tenon_tfl_along(t->rank, 0, t->dims[0]);
  const tenon_type scales = {rows.dims, NULL, TENON_F32, t->rank, 0};
  tenon_value *by = rw->api->literal(rw, &scales, q->scale);
  w = tenon_tfl_stored(rw, gather_bytes_of(rw, w), &plain);
  w = tenon_tfl_index(rw, w, &at, 1, 0, NULL);
  w = tenon_rw_op1(rw, "core::dequantize", w);
  by = tenon_tfl_index(rw, by, &at, 1, 0, NULL);
  return tenon_rw_replace(rw, node, tenon_rw_op2(rw, "core::mul", w, by));
}

tenon_status tenon_tfl_embedding_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *at = tenon_tfl_in(rw, node, 0), *w = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, w), *y = rw->api->result(rw, node, 0);
  if (tenon_rw_type(rw, at)->dtype == TENON_S16)
    at = tenon_tfl_cast(rw, at, TENON_S32);
  if (t->quant && (t->quant->channels != 1 || t->quant->block))
    return scaled_rows(rw, node, w, at);
  if (y->dtype == t->dtype)
    return tenon_rw_replace(rw, node, tenon_tfl_index(rw, w, &at, 1, 0, y));
  tenon_value *rows =
      tenon_tfl_index(rw, gather_bytes_of(rw, w), &at, 1, 0, NULL);
  return tenon_tfl_become(rw, node, "core::dequantize", &rows, 1, NULL);
}

// ---------------------------------------------------------------------------
// ONE_HOT
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_one_hot_infer(tenon_infer *c) {
  const tenon_tfl_axis_attrs *a = tenon_infer_attrs(c);
  const tenon_type *at = tenon_infer_in(c, 0), *on = tenon_infer_in(c, 2),
                   *off = tenon_infer_in(c, 3);
  tenon_dim count = tenon_tfl_fixed(TENON_UNKNOWN);
  int axis;
  TENON_TRY(tenon_tfl_one_size(c, 1, "depth", count, &count));
  TENON_TRY(tenon_tfl_check_alike(c, on, "on", off, "off"));
  TENON_TRY(tenon_tfl_check_whole(c, at, "indices"));
  if (on->rank > 1 || off->rank > 1)
    return tenon_infer_fail(c, "'on' and 'off' are single elements");
  if ((!count.symbol && (count.value < 0 || count.value > INT32_MAX)) ||
      at->rank == TENON_MAX_RANK)
    return tenon_infer_fail(c, "depth %lld of %d dimensions",
                            (long long)(count.symbol ? 0 : count.value),
                            at->rank);
  TENON_TRY(tenon_tfl_axis(c, a->axis, at->rank + 1, &axis));
  tenon_tfl_shape y = {.rank = at->rank + 1};
  for (int i = 0; i < y.rank; ++i)
    y.dims[i] = i == axis ? count : at->dims[i - (i > axis)];
  return tenon_tfl_result(c, 0, &y, on->dtype, on);
}

tenon_status tenon_tfl_one_hot_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_tfl_axis_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *at = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, at),
                   *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape index = {.rank = t->rank + 1}, one = {.rank = 0};
  const tenon_dim depth = tenon_tfl_number_in(rw, tenon_tfl_in(rw, node, 1), 0);
  int axis = (int)(a->axis < 0 ? a->axis + index.rank : a->axis);
  for (int i = 0; i < index.rank; ++i)
    index.dims[i] = i == axis ? tenon_tfl_fixed(1) : t->dims[i - (i > axis)];
  tenon_value *count = tenon_tfl_line(rw, depth, index.rank, axis, t->dtype);
  tenon_value *hit = tenon_rw_op2(
      rw, "core::eq", tenon_tfl_reshape(rw, at, &index, NULL), count);
  // Which of two is a choice of what they store.
  tenon_value *in[] = {hit, tenon_tfl_in(rw, node, 2),
                       tenon_tfl_in(rw, node, 3)};
  for (int i = 1; i < 3; ++i)
    in[i] =
        tenon_tfl_reshape(rw, tenon_tfl_stored(rw, in[i], NULL), &one, NULL);
  tenon_type plain = *y;
  plain.quant = NULL;
  tenon_value *chosen = tenon_tfl_make(rw, "core::where", in, 3, NULL, &plain);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, chosen, y->quant));
}

// ---------------------------------------------------------------------------
// REVERSE_SEQUENCE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_reverse_sequence_infer(tenon_infer *c) {
  const tenon_tfl_reverse_sequence_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *n;
  int seq, batch;
  TENON_TRY(tenon_tfl_operand(c, 1, "lengths", 1, &n));
  TENON_TRY(tenon_tfl_axis(c, a->seq_dim, x->rank, &seq));
  TENON_TRY(tenon_tfl_axis(c, a->batch_dim, x->rank, &batch));
  if (seq == batch || tenon_tfl_differ(n->dims[0], x->dims[batch]))
    return tenon_infer_fail(c, "%lld lengths for axis %d, along axis %d",
                            (long long)n->dims[0].value, batch, seq);
  TENON_TRY(tenon_tfl_check_whole(c, n, "lengths"));
  return tenon_tfl_like(c, x);
}

// Element i of a line is taken from length - 1 - i where that is not below 0.
tenon_status tenon_tfl_reverse_sequence_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  const tenon_tfl_reverse_sequence_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *n = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_dtype dtype = tenon_rw_type(rw, n)->dtype;
  int64_t rank = t->rank, seq = a->seq_dim < 0 ? a->seq_dim + rank : a->seq_dim;
  int64_t batch = a->batch_dim < 0 ? a->batch_dim + rank : a->batch_dim;
  const tenon_tfl_shape lengths =
      tenon_tfl_along(t->rank, (int)batch, t->dims[batch]);
  tenon_value *at = tenon_tfl_line(rw, t->dims[seq], t->rank, (int)seq, dtype);
  n = tenon_tfl_reshape(rw, n, &lengths, NULL);
  tenon_value *from =
      tenon_rw_op2(rw, "core::sub", n, tenon_rw_scalar(rw, dtype, 1));
  from = tenon_rw_op2(rw, "core::sub", from, at);
  tenon_value *places =
      tenon_rw_where(rw, tenon_rw_op2(rw, "core::lt", at, n), from, at);
  tenon_tfl_shape whole = tenon_tfl_shape_of(t);
  tenon_value *both[] = {x, tenon_tfl_expand(rw, places, &whole)};
  return tenon_tfl_become(rw, node, "core::gather", both, 2,
                          TENON_ARGS(tenon_arg_int("axis", seq)));
}
