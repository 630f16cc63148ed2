// FULLY_CONNECTED of uint8 with a result of 16 bits, also with weights that the
// converter has put in the order of a kernel ("shuffled"): blocks of 4 rows by
// 16 columns, the top bit of each byte turned over. Beside its result that one
// gives x in such an order.
//
// How: sums of products of signed bytes, by a factor in double, as all of
// LiteRT's FULLY_CONNECTED of 8 bits has it; in the other order by one of 31
// bits and rounded twice, as QUANTIZE from 32 bits.
#include "ops/tfl/tfl_op.h"

// s32 by a factor in double, halves away from zero.
static tenon_value *words_rescale_once(tenon_rewriter *rw, tenon_value *x,
                                       double factor) {
  // Within what is stored: a double beyond an integer's limits has no cast.
  x = tenon_aten_formula(
      rw,
      "x #factor: x = f64(x) * factor; whole = trunc(x); rest = x - whole; "
      "minimum(maximum(whole + trunc(rest + rest), -32768), 32767)",
      x, factor);
  return tenon_tfl_cast(rw, x, TENON_S32);
}

// Sums of products of bytes, with a bias, as 16 bits of their own scale.
static tenon_value *words_of(tenon_rewriter *rw, tenon_value *x,
                             const tenon_type *tx, const tenon_type *tw,
                             tenon_value *bias, int64_t activation, bool once,
                             const tenon_type *y) {
  // The product of scales is rounded where the factor is one of 31 bits.
  const float sx = tx->quant->scale[0], sw = tw->quant->scale[0];
  const double scale = once ? (double)sx * (double)sw : (double)(sx * sw);
  const double factor = scale / (double)y->quant->scale[0];
  const tenon_tfl_shape row = {{tw->dims[0]}, 1};
  tenon_tfl_args args = {0};
  bias = tenon_tfl_reshape(rw, tenon_tfl_stored(rw, bias, NULL), &row, NULL);
  x = tenon_rw_op2(rw, "core::add", x, bias);
  x = once ? words_rescale_once(rw, x, factor)
           : tenon_tfl_rescale(rw, x, factor);
  x = tenon_tfl_to_stored(rw, x, y);
  if (activation == TFL_ACT_NONE) return x;
  (void)tenon_tfl_clamp(rw, activation, &args);
  return tenon_tfl_make(rw, "core::clamp", &x, 1, args.list, y);
}

static tenon_value *words_sum(tenon_rewriter *rw, tenon_value *x) {
  return tenon_aten_formula(rw, "x: sum(s32(x), 2, 1)", x);
}

// By zero points zx and zw, of signed bytes: the sum of w x, less zw times that
// of x, less zx times that of w, and zx zw for each product.
static tenon_value *words_products(tenon_rewriter *rw, tenon_value *x,
                                   tenon_value *w, int64_t zx, int64_t zw) {
  tenon_value *sum = tenon_rw_op2(rw, "core::integer_linear", x, w);
  const tenon_dim *dims = tenon_rw_type(rw, w)->dims;
  if (zw)
    sum = tenon_aten_formula(rw, "sum x #zw: sum - x * zw", sum,
                             words_sum(rw, x), (double)zw);
  if (zx) {
    const tenon_tfl_shape row = {{dims[0]}, 1};
    tenon_value *sums = tenon_tfl_reshape(rw, words_sum(rw, w), &row, NULL);
    sum =
        tenon_aten_formula(rw, "sum w #zx #all: sum - (w * zx - all)", sum,
                           sums, (double)zx, (double)(dims[1].value * zx * zw));
  }
  return sum;
}

// The bytes of u8 less 128.
static tenon_value *words_signed(tenon_rewriter *rw, tenon_value *x) {
  return tenon_tfl_stored(rw, tenon_tfl_signed(rw, x), NULL);
}

static int64_t words_zero(const tenon_type *t) {
  return (t->quant->zero ? t->quant->zero[0] : 0) - 128;
}

static tenon_value *words_rows(tenon_rewriter *rw, tenon_value *x, tenon_dim k,
                               tenon_dim rows) {
  const tenon_tfl_shape shape = {{rows, k}, 2};
  return tenon_tfl_reshape(rw, x, &shape, NULL);
}

// How many rows a result has.
static tenon_dim words_count(tenon_rewriter *rw, const tenon_type *y) {
  tenon_dim n = tenon_tfl_fixed(1);
  for (int i = 0; i + 1 < y->rank; ++i)
    n = rw->api->dim(rw, TENON_DIM_MUL, n, y->dims[i]);
  return n;
}

tenon_status tenon_tfl_words_lower(tenon_rewriter *rw, const tenon_node *node,
                                   int64_t activation) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *w = tenon_tfl_in(rw, node, 1);
  const tenon_type *tx = tenon_rw_type(rw, x), *tw = tenon_rw_type(rw, w);
  const tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  x = words_rows(rw, words_signed(rw, x), tw->dims[1], words_count(rw, y));
  w = words_signed(rw, w);
  tenon_value *sum = words_products(rw, x, w, words_zero(tx), words_zero(tw));
  sum =
      words_of(rw, sum, tx, tw, tenon_tfl_in(rw, node, 2), activation, true, y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, sum, &shape, NULL));
}

// ---------------------------------------------------------------------------
// In another order
// ---------------------------------------------------------------------------

// Blocks of rows by columns, and back.
static tenon_value *words_from_blocks(tenon_rewriter *rw, tenon_value *w,
                                      tenon_dim n, tenon_dim k) {
  static const int64_t order[] = {0, 2, 1, 3};
  const tenon_tfl_shape blocks = {
      {tenon_tfl_fixed(n.value / TENON_TFL_BLOCK_ROWS),
       tenon_tfl_fixed(k.value / TENON_TFL_BLOCK_COLUMNS),
       tenon_tfl_fixed(TENON_TFL_BLOCK_ROWS),
       tenon_tfl_fixed(TENON_TFL_BLOCK_COLUMNS)},
      4};
  w = tenon_tfl_reshape(rw, w, &blocks, NULL);
  return words_rows(rw, tenon_tfl_permute(rw, w, order, 4), k, n);
}

static tenon_value *words_to_blocks(tenon_rewriter *rw, tenon_value *x,
                                    tenon_dim rows, tenon_dim k) {
  static const int64_t order[] = {1, 0, 2};
  const tenon_tfl_shape blocks = {
      {rows, tenon_tfl_fixed(k.value / TENON_TFL_BLOCK_COLUMNS),
       tenon_tfl_fixed(TENON_TFL_BLOCK_COLUMNS)},
      3};
  x = tenon_tfl_reshape(rw, x, &blocks, NULL);
  return tenon_tfl_permute(rw, x, order, 3);
}

tenon_status tenon_tfl_shuffled_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  const tenon_tfl_dense_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0),
                   *given = rw->api->result(rw, node, 1);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *w = tenon_tfl_in(rw, node, 1);
  const tenon_type *tx = tenon_rw_type(rw, x), *tw = tenon_rw_type(rw, w);
  const tenon_tfl_shape shape = tenon_tfl_shape_of(y),
                        order = tenon_tfl_shape_of(given);
  const tenon_dim rows = words_count(rw, y), n = tw->dims[0], k = tw->dims[1];
  // The kernel reads both as signed bytes, whatever their zero points.
  x = tenon_tfl_by(rw, "core::bitwise_xor", tenon_tfl_stored(rw, x, NULL),
                   0x80);
  tenon_value *turned = words_rows(rw, x, k, rows);
  w = tenon_tfl_cast(rw, tenon_tfl_stored(rw, w, NULL), TENON_S8);
  w = words_from_blocks(rw, w, n, k);
  tenon_value *sum =
      words_products(rw, tenon_tfl_cast(rw, turned, TENON_S8), w, 0, 0);
  sum = words_of(rw, sum, tx, tw, tenon_tfl_in(rw, node, 2),
                 a->fused_activation_function, false, y);
  x = tenon_tfl_reshape(rw, words_to_blocks(rw, turned, rows, k), &order, NULL);
  tenon_value *out[] = {tenon_tfl_reshape(rw, sum, &shape, NULL),
                        tenon_tfl_stored(rw, x, given->quant)};
  return rw->api->replace(rw, node, out, 2);
}
