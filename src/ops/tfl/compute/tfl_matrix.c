// Matrices: BATCH_MATMUL, MATRIX_DIAG, MATRIX_SET_DIAG.
#include "ops/tfl/tfl_op.h"

// ---------------------------------------------------------------------------
// BATCH_MATMUL
// ---------------------------------------------------------------------------

// 16 bits by 8 are products, too; with scales per channel LiteRT's reference
// kernel computes zeros.
static tenon_status check_stored(tenon_infer *c, const tenon_type *x,
                                 const tenon_type *w) {
  if (x->dtype != TENON_S16 || w->dtype != TENON_S8)
    return tenon_tfl_check_alike(c, x, "a", w, "b");
  const tenon_quant *q = w->quant;
  if (q && (q->channels != 1 || q->block))
    return tenon_infer_fail(c,
                            "'b' is s8 with %d scales beside an 'a' of s16, of "
                            "which LiteRT makes zeros; expected 1",
                            (int)q->channels);
  TENON_TRY(tenon_tfl_check_scale(c, x, "a"));
  TENON_TRY(tenon_tfl_check_scale(c, w, "b"));
  if (q && q->zero && q->zero[0] != 0)
    return tenon_infer_fail(c, "'b' is s8 with the zero point %d, expected 0",
                            (int)q->zero[0]);
  return TENON_OK;
}

tenon_status tenon_tfl_batch_matmul_infer(tenon_infer *c) {
  const tenon_tfl_batch_matmul_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  TENON_TRY(tenon_tfl_check_scale(c, x, "a"));
  if (x->rank < 2 || w->rank < 2)
    return tenon_infer_fail(c, "%d and %d dimensions, expected at least 2",
                            x->rank, w->rank);
  // Weights of 8 bits beside floats are quantised in LiteRT alone.
  if (x->dtype != TENON_F32 || w->dtype != TENON_S8)
    TENON_TRY(check_stored(c, x, w));
  tenon_dim depth = x->dims[x->rank - (a->adj_x ? 2 : 1)];
  tenon_dim other = w->dims[w->rank - (a->adj_y ? 1 : 2)];
  if (tenon_tfl_differ(depth, other))
    return tenon_infer_fail(c, "rows of %lld and columns of %lld",
                            (long long)depth.value, (long long)other.value);
  tenon_type p = *x, q = *w;
  tenon_tfl_shape y;
  p.rank = (uint8_t)(x->rank - 2);
  q.rank = (uint8_t)(w->rank - 2);
  TENON_TRY(tenon_tfl_broadcast(c, &p, &q, &y));
  y.dims[y.rank++] = x->dims[x->rank - (a->adj_x ? 1 : 2)];
  y.dims[y.rank++] = w->dims[w->rank - (a->adj_y ? 2 : 1)];
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  if (x->dtype == TENON_S8 && declared && declared->dtype == TENON_S32)
    return tenon_tfl_result(c, 0, &y, TENON_S32, declared);
  return tenon_tfl_number(c, &y, x);
}

static tenon_value *transposed(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t dims[TENON_MAX_RANK];
  for (int i = 0; i < t->rank; ++i)
    dims[i] = i < t->rank - 2 ? i : 2 * t->rank - 3 - i;
  return tenon_tfl_permute(rw, x, dims, t->rank);
}

// Matrices in front of the last two axes.
static int64_t count_matrices(const tenon_type *t, int *large) {
  int64_t n = 1;
  *large = 0;
  for (int d = 0; d < t->rank - 2; ++d) {
    n *= t->dims[d].value;
    *large += t->dims[d].value != 1;
  }
  return n;
}

// Which of its own matrices that of a broadcast one is.
static int64_t own_matrix(const tenon_type *own, const tenon_type *y,
                          int64_t i) {
  int64_t at = 0, step = 1;
  for (int d = own->rank - 3, e = y->rank - 3; e >= 0; --d, --e) {
    if (d >= 0) {
      at += own->dims[d].value == 1 ? 0 : i % y->dims[e].value * step;
      step *= own->dims[d].value;
    }
    i /= y->dims[e].value;
  }
  return at;
}

static tenon_value *matrix_at(tenon_rewriter *rw, tenon_value *x, int64_t i) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const int r = t->rank;
  tenon_tfl_shape two = {{t->dims[r - 2], t->dims[r - 1]}, 2};
  x = tenon_tfl_part(rw, x, 0, tenon_tfl_fixed(i), tenon_tfl_fixed(1), 1);
  return tenon_tfl_reshape(rw, x, &two, NULL);
}

// x as matrices along one axis.
static tenon_value *matrices_along_one_axis(tenon_rewriter *rw, tenon_value *x,
                                            int64_t n) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape three = {
      {tenon_tfl_fixed(n), t->dims[t->rank - 2], t->dims[t->rank - 1]}, 3};
  return tenon_tfl_reshape(rw, x, &three, NULL);
}

// Floats by bytes: LiteRT quantises rows of a in the run, as FULLY_CONNECTED.
// Where both have several matrices, each product is one of its own.
static tenon_status lower_hybrid(tenon_rewriter *rw, const tenon_node *node,
                                 const tenon_tfl_batch_matmul_attrs *a) {
  enum { MOST_MATRICES = 64 };
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *w = tenon_tfl_in(rw, node, 1);
  if (a->adj_x) x = transposed(rw, x);
  if (!a->adj_y) w = transposed(rw, w);
  const tenon_type *t = tenon_rw_type(rw, x), *u = tenon_rw_type(rw, w);
  if (!tenon_tfl_is_fixed(t) || !tenon_tfl_is_fixed(u))
    return tenon_rw_fail(rw,
                         "a product of floats and bytes of open sizes is "
                         "not supported");
  if (!u->quant || u->quant->block ||
      (u->quant->channels > 1 && (u->rank > 2 || u->quant->axis != 0)))
    return tenon_rw_fail(rw,
                         "bytes without one scale, or one for each column "
                         "of one matrix, are not supported");
  int large_x, large_w;
  const int64_t n_x = count_matrices(t, &large_x),
                n_w = count_matrices(u, &large_w);
  const bool is_joined = !a->adj_x && t->rank > 2 && u->rank > 2 &&
                         tenon_tfl_is(u->dims[u->rank - 3], 1);
  if (is_joined && !tenon_tfl_is(t->dims[t->rank - 3], 1)) --large_x;
  if (large_x > 1 || (large_w > 1 && a->asymmetric_quantize_inputs))
    return tenon_rw_fail(rw,
                         "matrices along several axes, of which LiteRT "
                         "mistakes the scales, are not supported");
  int64_t n = 1;
  for (int d = 0; d < y->rank - 2; ++d)
    n *= y->dims[d].value;
  if (n_w > 1 && n > MOST_MATRICES)
    return tenon_rw_fail(rw, "%lld products of floats and bytes, more than %d",
                         (long long)n, MOST_MATRICES);
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args,
                tenon_arg_bool("asymmetric", a->asymmetric_quantize_inputs));
  const tenon_tfl_shape whole = tenon_tfl_shape_of(y);
  tenon_value *out;
  if (n_w == 1) {
    tenon_tfl_shape rows = {{tenon_tfl_fixed(n_x * t->dims[t->rank - 2].value),
                             t->dims[t->rank - 1]},
                            2};
    tenon_value *in[] = {
        tenon_tfl_reshape(rw, x, &rows, NULL),
        u->rank == 2 ? w : matrix_at(rw, matrices_along_one_axis(rw, w, 1), 0),
        NULL};
    out = tenon_rw_op(rw, "core::fully_connected", in, 3, args.list);
  } else {
    tenon_value *parts[MOST_MATRICES];
    const tenon_type xs = *t, ws = *u;
    x = matrices_along_one_axis(rw, x, n_x);
    w = matrices_along_one_axis(rw, w, n_w);
    for (int64_t i = 0; i < n; ++i) {
      tenon_value *in[] = {matrix_at(rw, x, own_matrix(&xs, y, i)),
                           matrix_at(rw, w, own_matrix(&ws, y, i)), NULL};
      parts[i] = tenon_rw_op(rw, "core::fully_connected", in, 3, args.list);
    }
    out = tenon_tfl_join(rw, parts, (uint32_t)n, 0, NULL);
  }
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, out, &whole, NULL));
}

tenon_status tenon_tfl_batch_matmul_lower(tenon_rewriter *rw,
                                          const tenon_node *node) {
  const tenon_tfl_batch_matmul_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[] = {tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1)};
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (x->dtype == TENON_F32 && w->dtype == TENON_S8)
    return lower_hybrid(rw, node, a);
  if (x->dtype == TENON_S16 && w->dtype == TENON_S8) {
    tenon_type wide = *w;  // the same numbers
    wide.dtype = TENON_S16;
    in[1] = tenon_tfl_make(rw, "core::quantize", &in[1], 1, NULL, &wide);
    w = tenon_rw_type(rw, in[1]);
  }
  if (x->dtype != w->dtype || rw->api->result(rw, node, 0)->dtype != x->dtype)
    return tenon_rw_fail(rw, "a product of %s and %s is not supported",
                         tenon_dtype_name(x->dtype),
                         tenon_dtype_name(w->dtype));
  if (a->adj_x) in[0] = transposed(rw, in[0]);
  if (a->adj_y) in[1] = transposed(rw, in[1]);
  return tenon_tfl_become(rw, node, "core::matmul", in, 2, NULL);
}

// ---------------------------------------------------------------------------
// MATRIX_DIAG, MATRIX_SET_DIAG
// ---------------------------------------------------------------------------

// Whether an element lies on the diagonal: bool[rows, columns].
static tenon_value *tfl_matrix_diagonal(tenon_rewriter *rw, tenon_dim rows,
                                        tenon_dim columns) {
  return tenon_rw_op2(rw, "core::eq", tenon_tfl_line(rw, rows, 2, 0, TENON_S32),
                      tenon_tfl_count(rw, columns));
}

tenon_status tenon_tfl_matrix_diag_infer(tenon_infer *c) {
  return tenon_tfl_shapes(c, NULL, "x[...,n] -> x[...,n,n]");
}

tenon_status tenon_tfl_matrix_diag_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape rows = tenon_tfl_shape_of(t);
  tenon_dim n = t->dims[t->rank - 1];
  rows.dims[t->rank - 1] = tenon_tfl_fixed(1);
  rows.dims[rows.rank++] = n;
  tenon_value *in[] = {tfl_matrix_diagonal(rw, n, n),
                       tenon_tfl_reshape(rw, x, &rows, NULL),
                       tenon_rw_scalar(rw, t->dtype, 0)};
  return tenon_tfl_become(rw, node, "core::where", in, 3, NULL);
}

tenon_status tenon_tfl_matrix_set_diag_infer(tenon_infer *c) {
  tenon_shapes s = {.n_names = 0};
  TENON_TRY(
      tenon_tfl_shapes(c, &s, "x[...,m,n], diagonal x[...,k] -> x[...,m,n]"));
  const tenon_dim m = tenon_shapes_get(&s, "m"), n = tenon_shapes_get(&s, "n"),
                  k = tenon_shapes_get(&s, "k");
  if (!m.symbol && !n.symbol && !k.symbol &&
      k.value != (m.value < n.value ? m.value : n.value))
    return tenon_infer_fail(c, "a diagonal of %lld for [%lld, %lld]",
                            (long long)k.value, (long long)m.value,
                            (long long)n.value);
  return TENON_OK;
}

// Element i of the diagonal stands in all rows of column i, and is taken in
// row i.
tenon_status tenon_tfl_matrix_set_diag_lower(tenon_rewriter *rw,
                                             const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *d = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, x), *u = tenon_rw_type(rw, d);
  tenon_dim m = t->dims[t->rank - 2], n = t->dims[t->rank - 1];
  if (m.symbol || n.symbol)
    return tenon_rw_fail(rw, "matrices of open sizes are not supported");
  tenon_tfl_shape rows = tenon_tfl_shape_of(u);
  int64_t after[TENON_MAX_RANK] = {0};
  if (m.value < n.value) {
    after[u->rank - 1] = n.value - m.value;
    d = tenon_tfl_padded(rw, d, NULL, after, NULL);
  }
  rows.dims[rows.rank - 1] = tenon_tfl_fixed(1);
  rows.dims[rows.rank++] = n;
  tenon_value *in[] = {tfl_matrix_diagonal(rw, m, n),
                       tenon_tfl_reshape(rw, d, &rows, NULL), x};
  return tenon_tfl_become(rw, node, "core::where", in, 3, NULL);
}
