// Shapes and types of FULLY_CONNECTED, also with a result of 16 bits from uint8
// and with weights in the order of a kernel (tfl_dense_words.c).
#include "ops/tfl/tfl_op.h"

// The rows of x: its elements by k. Where the known sizes divide, open ones
// stay as they are written.
static tenon_status dense_rows_of(tenon_infer *c, const tenon_type *x,
                                  int64_t k, tenon_dim *out) {
  tenon_dim open;
  int64_t fixed = tenon_tfl_product(c, x->dims, x->rank, &open);
  if (tenon_tfl_is(open, 1) && fixed % k != 0)
    return tenon_infer_fail(c, "'x' has %lld elements, no multiple of %lld",
                            (long long)fixed, (long long)k);
  *out = tenon_tfl_quotient(c, fixed, open, k);
  return TENON_OK;
}

static tenon_status dense_shape(tenon_infer *c, tenon_tfl_shape *out) {
  const tenon_tfl_dense_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *w;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 2, &w));
  TENON_TRY(
      tenon_tfl_check_dense_types(c, x, w, 0, a->fused_activation_function));
  if (a->weights_format != 0 && a->weights_format != 1)
    return tenon_infer_fail(c, "unknown weights_format %lld",
                            (long long)a->weights_format);
  int64_t k = w->dims[1].value;
  if (w->dims[1].symbol || k < 1 || x->rank < 1)
    return tenon_infer_fail(c, "'x' has %d dimensions, 'w' has rows of %lld",
                            x->rank, (long long)k);
  tenon_tfl_shape y = {.rank = 2};
  if (a->keep_num_dims) {
    if (tenon_tfl_differ(x->dims[x->rank - 1], w->dims[1]))
      return tenon_infer_fail(c, "rows of 'x' have %lld elements, 'w' has %lld",
                              (long long)x->dims[x->rank - 1].value,
                              (long long)k);
    y = tenon_tfl_shape_of(x);
  } else {
    TENON_TRY(dense_rows_of(c, x, k, &y.dims[0]));
  }
  y.dims[y.rank - 1] = w->dims[0];
  *out = y;
  return TENON_OK;
}

static tenon_status words_result(tenon_infer *c, const tenon_tfl_shape *shape) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1),
                   *y = tenon_tfl_declared(c, 0);
  // LiteRT reads it without looking whether it is there.
  if (!tenon_infer_in(c, 2)) return tenon_infer_fail(c, "'bias' is absent");
  if (!y || y->dtype != TENON_S16 || x->dtype != TENON_U8 ||
      w->dtype != TENON_U8)
    return tenon_infer_fail(c, "'x' is %s, 'w' is %s and the result %s",
                            tenon_dtype_name(x->dtype),
                            tenon_dtype_name(w->dtype),
                            y ? tenon_dtype_name(y->dtype) : "not said");
  TENON_TRY(tenon_tfl_check_scale(c, y, "result"));
  return tenon_tfl_result(c, 0, shape, TENON_S16, y);
}

tenon_status tenon_tfl_dense_infer(tenon_infer *c) {
  tenon_tfl_shape y;
  TENON_TRY(dense_shape(c, &y));
  const tenon_type *x = tenon_infer_in(c, 0);
  return tenon_tfl_is_of_words(x, tenon_tfl_declared(c, 0))
             ? words_result(c, &y)
             : tenon_tfl_number(c, &y, x);
}

tenon_status tenon_tfl_shuffled_infer(tenon_infer *c) {
  const tenon_tfl_dense_attrs *a = tenon_infer_attrs(c);
  const tenon_type *given = tenon_tfl_declared(c, 1);
  tenon_tfl_shape y, order = {.rank = 2};
  tenon_dim open;
  if (a->weights_format != 1)
    return tenon_infer_fail(c, "weights_format is %lld, expected 1",
                            (long long)a->weights_format);
  TENON_TRY(dense_shape(c, &y));
  TENON_TRY(words_result(c, &y));
  const tenon_type *w = tenon_infer_in(c, 1);
  const int64_t rows = tenon_tfl_product(c, y.dims, y.rank - 1, &open),
                n = w->dims[0].value, k = w->dims[1].value;
  if (!tenon_tfl_is(open, 1) || (rows != 1 && rows != 4))
    return tenon_infer_fail(c,
                            "x has %lld rows; with weights in this order "
                            "LiteRT computes 1 or 4, whose number is fixed",
                            (long long)rows);
  if (w->dims[0].symbol || n % TENON_TFL_BLOCK_ROWS != 0 ||
      k % TENON_TFL_BLOCK_COLUMNS != 0)
    return tenon_infer_fail(c,
                            "'w' is [%lld, %lld], expected multiples of "
                            "[4, 16]",
                            (long long)n, (long long)k);
  order.dims[0] = tenon_tfl_fixed(rows);
  order.dims[1] = tenon_tfl_fixed(k);
  if (given) {
    order = tenon_tfl_shape_of(given);
    const int64_t bytes = tenon_tfl_product(c, order.dims, order.rank, &open);
    if (!tenon_tfl_is(open, 1) || bytes != rows * k)
      return tenon_infer_fail(c,
                              "the result for x in another order has %lld "
                              "elements, expected %lld",
                              (long long)bytes, (long long)(rows * k));
  }
  const tenon_type bytes = {.dtype = TENON_U8};
  return tenon_tfl_result(c, 1, &order, TENON_U8, &bytes);
}
