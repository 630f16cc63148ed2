// u8 with a scale, the type of TensorFlow 1: the same operator on s8.
//
// A number of zero point z in unsigned bytes is one of zero point z - 128 in
// signed ones, with the upper bit the other way round. Where LiteRT's kernels
// for both compute the same integers, an operator here becomes itself on s8
// between conversions that core rewrites cancel wherever two meet
// (core_rewrites.c), so that a whole model runs on the kernels of s8. Operators
// that look at stored bytes, or round them otherwise, are listed and have
// lowerings of their own.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// By name, since most rows of tfl.def share their lowerings.
static const char *const own[] = {
    // Weights with zero points, which no file has in s8.
    "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV",
    // Other roundings: halves away from zero are others in unsigned bytes.
    "AVERAGE_POOL_2D", "RESIZE_BILINEAR", "L2_NORMALIZATION",
    // Scales that differ.
    "CONCATENATION", "PACK",
    // Stored bytes, or zeros among them.
    "CAST", "LSH_PROJECTION", "WHERE", "SCATTER_ND", "MATRIX_DIAG",
    "MATRIX_SET_DIAG", "SELECT", "SELECT_V2", "UNIQUE", "HASHTABLE_LOOKUP",
    "BITWISE_XOR", "RIGHT_SHIFT", "SUM", "MEAN", "REDUCE_PROD", "PADV2", "RANK",
    "SHAPE",
    // Zero points that it does not ask for.
    "LSTM_BASIC", "FULLY_CONNECTED_SHUFFLED"};

static bool is_unsigned(const tenon_type *t) {
  return t && t->dtype == TENON_U8 && t->quant && t->quant->channels == 1 &&
         !t->quant->block;
}

tenon_type tenon_tfl_signed_type(const tenon_type *t, tenon_quant *q,
                                 int32_t *zero) {
  tenon_type y = *t;
  if (!is_unsigned(t)) return y;
  *zero = (t->quant->zero ? t->quant->zero[0] : 0) - 128;
  *q = *t->quant;
  q->zero = zero;
  y.quant = q;
  y.dtype = TENON_S8;
  return y;
}

tenon_value *tenon_tfl_signed(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  tenon_quant q;
  int32_t zero;
  if (!is_unsigned(t)) return x;
  tenon_type y = tenon_tfl_signed_type(t, &q, &zero);
  return tenon_tfl_make(rw, "core::quantize", &x, 1, NULL, &y);
}

tenon_value *tenon_tfl_unsigned(tenon_rewriter *rw, tenon_value *x,
                                const tenon_type *y) {
  return is_unsigned(y) ? tenon_tfl_make(rw, "core::quantize", &x, 1, NULL, y)
                        : x;
}

tenon_status tenon_tfl_become_signed(tenon_rewriter *rw, const tenon_node *node,
                                     const char *op, tenon_value *const *in,
                                     uint32_t n_in, const tenon_arg *args) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_quant q;
  int32_t zero;
  tenon_type t = tenon_tfl_signed_type(y, &q, &zero);
  tenon_value *z = tenon_tfl_make(rw, op, in, n_in, args, &t);
  return tenon_rw_replace(rw, node, tenon_tfl_unsigned(rw, z, y));
}

static int tfl_unsigned_count_operands(tenon_rewriter *rw,
                                       const tenon_node *node) {
  int n = 0, first = 0;
  for (int arg = 0; arg < 32; ++arg) {
    int count = rw->api->group(rw, node, arg, &first);
    if (count > 0 && first + count > n) n = first + count;
  }
  return n;
}

bool tenon_tfl_is_unsigned(tenon_rewriter *rw, const tenon_node *node,
                           const char *name) {
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    if (strcmp(own[i], name) == 0) return false;
  for (int i = 0, n = tfl_unsigned_count_operands(rw, node); i < n; ++i) {
    tenon_value *x = tenon_tfl_in(rw, node, i);
    if (x && is_unsigned(tenon_rw_type(rw, x))) return true;
  }
  return is_unsigned(rw->api->result(rw, node, 0)) &&
         strcmp(name, "QUANTIZE") != 0;
}

// The node again, on other forms of its operands and results.
typedef struct form {
  tenon_value *(*in)(tenon_rewriter *, tenon_value *x);
  tenon_type (*type)(const tenon_type *y, tenon_quant *q, int32_t *zero);
  tenon_value *(*out)(tenon_rewriter *, tenon_value *x, const tenon_type *y);
} form;

static tenon_status tfl_unsigned_again(tenon_rewriter *rw,
                                       const tenon_node *node, const char *op,
                                       const form *f) {
  tenon_value *in[TFL_MAX_TENSORS], *out[TFL_MAX_TENSORS];
  tenon_type types[TFL_MAX_TENSORS];
  const tenon_type *list[TFL_MAX_TENSORS], *y;
  tenon_quant quants[TFL_MAX_TENSORS];
  int32_t zeros[TFL_MAX_TENSORS];
  int n_in = tfl_unsigned_count_operands(rw, node), n_out = 0;
  if (n_in > TFL_MAX_TENSORS)
    return tenon_rw_fail(rw, "%d operands, at most %d", n_in, TFL_MAX_TENSORS);
  for (int i = 0; i < n_in; ++i)
    in[i] = f->in(rw, tenon_tfl_in(rw, node, i));
  for (; n_out < TFL_MAX_TENSORS; ++n_out) {
    y = rw->api->result(rw, node, n_out);
    if (!y) break;
    types[n_out] = f->type(y, &quants[n_out], &zeros[n_out]);
    list[n_out] = &types[n_out];
  }
  tenon_rw_build(rw, op, in, (uint32_t)n_in, rw->api->args(rw, node), out,
                 (uint32_t)n_out, list);
  for (int i = 0; i < n_out; ++i)
    out[i] = f->out(rw, out[i], rw->api->result(rw, node, i));
  return rw->api->replace(rw, node, out, n_out);
}

tenon_status tenon_tfl_as_signed(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op) {
  static const form bytes = {tenon_tfl_signed, tenon_tfl_signed_type,
                             tenon_tfl_unsigned};
  return tfl_unsigned_again(rw, node, op, &bytes);
}

// ---------------------------------------------------------------------------
// Operators on what is stored
// ---------------------------------------------------------------------------

// LiteRT's kernels of these see no scale, in whatever type: what the operands
// store they move, compare with zero, or compute with.
static const char *const stored[] = {
    "SELECT",      "SELECT_V2",       "WHERE",      "UNIQUE",
    "MATRIX_DIAG", "MATRIX_SET_DIAG", "SCATTER_ND", "BITWISE_XOR",
    "RIGHT_SHIFT", "FLOOR_DIV",       "FLOOR_MOD",  "NEG"};

bool tenon_tfl_is_stored(tenon_rewriter *rw, const tenon_node *node,
                         const char *name) {
  bool is_listed = false;
  for (size_t i = 0; !is_listed && i < sizeof stored / sizeof *stored; ++i)
    is_listed = strcmp(stored[i], name) == 0;
  for (int i = 0, n = tfl_unsigned_count_operands(rw, node); is_listed && i < n;
       ++i) {
    tenon_value *x = tenon_tfl_in(rw, node, i);
    if (x && tenon_rw_type(rw, x)->quant) return true;
  }
  return is_listed && rw->api->result(rw, node, 0)->quant;
}

static tenon_value *plain_in(tenon_rewriter *rw, tenon_value *x) {
  return x ? tenon_tfl_stored(rw, x, NULL) : x;
}

static tenon_type plain_type(const tenon_type *y, tenon_quant *q,
                             int32_t *zero) {
  tenon_type plain = *y;
  (void)q;
  (void)zero;
  plain.quant = NULL;
  return plain;
}

static tenon_value *plain_out(tenon_rewriter *rw, tenon_value *x,
                              const tenon_type *y) {
  return y->quant ? tenon_tfl_stored(rw, x, y->quant) : x;
}

tenon_status tenon_tfl_as_stored(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op) {
  static const form plain = {plain_in, plain_type, plain_out};
  return tfl_unsigned_again(rw, node, op, &plain);
}
