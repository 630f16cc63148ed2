// quant_fold.c - quantised programs on integer kernels.
//
// An export quantiser writes dequantize, an operator on floats, quantize. Nodes
// are lowered in order, so when a quantize is met, what stands before it is
// made of core operators: from it this walks up over what only moves or limits
// elements (a link) to one that computes, whose operands lead to dequantised
// values in the same way. All of it is then built again on the integers.
//
// The result is off by less than the kernels of quantised values round: a step.
// Whatever is not of this form stays on floats, which is always right.
#include "ops/quant/fold/quant_fold.h"

#include <math.h>
#include <string.h>

#include "kern/op/clamp.h"
#include "kern/op/move.h"
#include "ops/quant/fold/quant_conv.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/fold/quant_table.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_dynamic.h"
#include "ops/quant/quant_op.h"

#define MAX_CHANNELS 16384  // with a bias, which lies on the stack
enum { MOVING = TENON_QUANT_VIEWS | TENON_QUANT_MOVES };

// --- What computes -----------------------------------------------------------

typedef tenon_quant_folding fold;

// A bias in units of the product of scales, which may be off by half a step of
// the result. False: it is not of that form.
static bool quant_fold_bias_of(const tenon_quant_folding *f, tenon_value *bias,
                               tenon_value *x, tenon_value *w,
                               tenon_value **out) {
  int32_t stored[MAX_CHANNELS];
  tenon_rewriter *rw = f->rw;
  *out = NULL;
  if (!bias) return true;
  const tenon_type *b = tenon_aten_known(rw, bias);
  const tenon_quant *of_x = rw->api->type(rw, x)->quant;
  const tenon_quant *of_w = rw->api->type(rw, w)->quant;
  if (b->dtype != TENON_F32 || b->rank != 1 || b->dims[0].symbol ||
      b->dims[0].value > MAX_CHANNELS ||
      (of_w->channels > 1 && of_w->channels != b->dims[0].value))
    return false;
  const size_t n = (size_t)b->dims[0].value;
  for (size_t i = 0; i < n; ++i) {
    const double scale = (double)of_x->scale[0] *
                         (double)of_w->scale[of_w->channels > 1 ? i : 0];
    double v = 0;
    if (!tenon_quant_known(rw, bias, i, n, &v)) return false;
    const double whole = nearbyint(v / scale);
    if (!(fabs(whole) < 1e9) ||  // also of a scale that is zero
        fabs(whole * scale - v) > 0.5 * (double)f->quant->scale[0])
      return false;
    stored[i] = (int32_t)whole;
  }
  const tenon_type t = {.dims = b->dims, .dtype = TENON_S32, .rank = 1};
  *out = rw->api->literal(rw, &t, stored);
  return *out != NULL;
}

static bool quant_fold_limited(const tenon_quant_folding *f,
                               tenon_core_args *args) {
  tenon_core_range first, both;
  if (!tenon_core_take_args(f->rw, f->node, args) ||
      !tenon_core_get_limits(args, &first) ||
      !tenon_core_limit_both(first, f->range, &both))
    return false;
  tenon_core_set_limits(args, both);
  return true;
}

// A convolution or a product: operand 1 is weights, with channels along `axis`.
static tenon_value *weighted(const tenon_quant_folding *f, int axis,
                             const tenon_arg *args) {
  tenon_rewriter *rw = f->rw;
  tenon_value *in[3] = {tenon_quant_bytes(rw, rw->api->operand(rw, f->node, 0)),
                        NULL, NULL};
  if (!in[0]) return NULL;
  in[1] =
      tenon_quant_weights(rw, rw->api->operand(rw, f->node, 1), false, axis);
  int at = 0;
  tenon_value *bias = rw->api->group(rw, f->node, 2, &at) == 1
                          ? rw->api->operand(rw, f->node, at)
                          : NULL;
  if (!in[1] || !quant_fold_bias_of(f, bias, in[0], in[1], &in[2])) return NULL;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(rw, rw->api->op(rw, f->node), in, 3, args, &y);
}

static tenon_value *fold_weighted(const tenon_quant_folding *f, int axis) {
  tenon_core_args args;
  return quant_fold_limited(f, &args) ? weighted(f, axis, args.list) : NULL;
}

static tenon_value *fold_transposed(const tenon_quant_folding *f) {
  return tenon_quant_limit(f, weighted(f, 0, f->rw->api->args(f->rw, f->node)));
}

// Rows of integers times weights, limited as the links say.
static tenon_value *connected(const tenon_quant_folding *f,
                              tenon_value *const in[3]) {
  tenon_arg args[3];
  int n = 0;
  if (f->range.lo.has) args[n++] = tenon_arg_float("lo", f->range.lo.value);
  if (f->range.hi.has) args[n++] = tenon_arg_float("hi", f->range.hi.value);
  args[n] = (tenon_arg)TENON_END_ARGS;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(f->rw, "core::fully_connected", in, 3, args, &y);
}

// A product of matrices that both change, of which 32 bits hold each sum.
static tenon_value *quant_fold_multiplied(const tenon_quant_folding *f,
                                          const tenon_node *product,
                                          tenon_value *in[2]) {
  enum { MOST = INT32_MAX / (255 * 255) };
  tenon_rewriter *rw = f->rw;
  const tenon_type *a = rw->api->type(rw, in[0]);
  const tenon_dim depth = a->dims[a->rank - 1];
  if (depth.symbol || depth.value > MOST) return NULL;
  in[1] = tenon_quant_bytes(rw, rw->api->operand(rw, product, 1));
  if (!in[1]) return NULL;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_limit(
      f, tenon_quant_make(rw, "core::matmul", in, 2, NULL, &y));
}

// A product of matrices, the second of weights, with a bias or none.
static tenon_value *fold_matmul(const tenon_quant_folding *f,
                                const tenon_node *product, tenon_value *bias) {
  tenon_rewriter *rw = f->rw;
  tenon_value *in[3] = {tenon_quant_bytes(rw, rw->api->operand(rw, product, 0)),
                        NULL, NULL};
  const tenon_type *b = rw->api->type(rw, rw->api->operand(rw, product, 1));
  const tenon_type *of = bias ? rw->api->type(rw, bias) : NULL;
  if (!in[0] || !b || (of && of->rank != 1)) return NULL;
  if (b->rank != 2) return bias ? NULL : quant_fold_multiplied(f, product, in);
  in[1] = tenon_quant_weights(rw, rw->api->operand(rw, product, 1), true, 0);
  if (!in[1] && !bias) return quant_fold_multiplied(f, product, in);
  if (!in[1] || !quant_fold_bias_of(f, bias, in[0], in[1], &in[2])) return NULL;
  if (of && !tenon_aten_same(of->dims[0], b->dims[1])) return NULL;
  return connected(f, in);
}

// A product with scaled weights, of one scale per output.
static tenon_value *fold_weight_only(const tenon_quant_folding *f) {
  tenon_rewriter *rw = f->rw;
  tenon_value *given[5] = {0};
  int at = 0;
  for (int i = 0; i < 5; ++i)
    if (rw->api->group(rw, f->node, i, &at) == 1)
      given[i] = rw->api->operand(rw, f->node, at);
  const tenon_tensor *scale = given[2] ? rw->api->constant(rw, given[2]) : NULL;
  if (given[3] || !scale || !scale->data || scale->dims[1] != 1) return NULL;
  const tenon_quant quant = {(const float *)scale->data, NULL, scale->dims[0],
                             0, 0};
  const tenon_type w =
      tenon_quant_stored_as(rw->api->type(rw, given[1]), TENON_S8, &quant);
  tenon_value *in[3] = {tenon_quant_bytes(rw, given[0]), NULL, NULL};
  if (!in[0]) return NULL;
  in[1] = tenon_quant_make(rw, "core::reinterpret", &given[1], 1, NULL, &w);
  if (!in[1] || !quant_fold_bias_of(f, given[4], in[0], in[1], &in[2]))
    return NULL;
  return connected(f, in);
}

// The same with rows of one scale, which integers multiplied already.
static tenon_value *fold_dynamic(const tenon_quant_folding *f) {
  tenon_rewriter *rw = f->rw;
  tenon_value *given[6] = {0};
  int at = 0;
  for (int i = 0; i < 6; ++i)
    if (rw->api->group(rw, f->node, i, &at) == 1)
      given[i] = rw->api->operand(rw, f->node, at);
  const tenon_tensor *of_x = tenon_quant_constant(rw, given[2]);
  const tenon_tensor *zero = tenon_quant_constant(rw, given[3]);
  const tenon_tensor *scale = tenon_quant_constant(rw, given[4]);
  double least = 0;
  if (!of_x || tenon_count(of_x) != 1 || (given[3] && !zero) ||
      (zero &&
       (tenon_count(zero) != 1 || !tenon_quant_is_within(zero, -128, 127) ||
        !tenon_quant_element(zero, 0, &least))) ||
      !scale || scale->rank != 2 || scale->dims[1] != 1)
    return NULL;
  tenon_quant_scale as;
  tenon_quant_scale_set(&as, *(const float *)of_x->data, (int32_t)least);
  const tenon_quant quant = {(const float *)scale->data, NULL, scale->dims[0],
                             0, 0};
  const tenon_type x =
      tenon_quant_stored_as(rw->api->type(rw, given[0]), TENON_S8, &as.quant);
  const tenon_type w =
      tenon_quant_stored_as(rw->api->type(rw, given[1]), TENON_S8, &quant);
  tenon_value *in[3] = {
      tenon_quant_make(rw, "core::reinterpret", &given[0], 1, NULL, &x),
      tenon_quant_make(rw, "core::reinterpret", &given[1], 1, NULL, &w), NULL};
  if (!in[0] || !in[1] ||
      !quant_fold_bias_of(f, given[5], in[0], in[1], &in[2]))
    return NULL;
  return connected(f, in);
}

static tenon_value *fold_pair(const tenon_quant_folding *f) {
  tenon_rewriter *rw = f->rw;
  for (int i = 0; i < 2 && tenon_quant_is_op(rw, f->node, "core::add"); ++i) {
    tenon_value *a = rw->api->operand(rw, f->node, i);
    const tenon_node *p = rw->api->producer(rw, a);
    if (tenon_quant_is_op(rw, p, "core::matmul") && rw->api->uses(rw, a) == 1)
      return fold_matmul(f, p, rw->api->operand(rw, f->node, 1 - i));
  }
  tenon_core_args args;
  if (!quant_fold_limited(f, &args)) return NULL;
  tenon_value *in[2] = {tenon_quant_bytes(rw, rw->api->operand(rw, f->node, 0)),
                        NULL};
  if (in[0]) in[1] = tenon_quant_bytes(rw, rw->api->operand(rw, f->node, 1));
  if (!in[1]) return NULL;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(rw, rw->api->op(rw, f->node), in, 2, args.list, &y);
}

static tenon_value *fold_concat(const tenon_quant_folding *f) {
  tenon_rewriter *rw = f->rw;
  tenon_value *in[TENON_QUANT_MAX_PARTS];
  int at = 0, n = rw->api->group(rw, f->node, 0, &at);
  if (n < 1 || n > TENON_QUANT_MAX_PARTS) return NULL;
  for (int i = 0; i < n; ++i) {
    in[i] = tenon_quant_bytes(rw, rw->api->operand(rw, f->node, at + i));
    if (in[i]) in[i] = tenon_quant_rescaled(rw, in[i], f->quant);
    if (!in[i]) return NULL;
  }
  return tenon_quant_limit(
      f, tenon_quant_concatenated(rw, f->node, in, n, f->y, f->quant));
}

static tenon_value *fold_convolution(const tenon_quant_folding *f) {
  return fold_weighted(f, 0);
}

static tenon_value *fold_depthwise(const tenon_quant_folding *f) {
  return fold_weighted(f, 3);
}

static tenon_value *fold_product(const tenon_quant_folding *f) {
  return fold_matmul(f, f->node, NULL);
}

static tenon_value *quant_fold_node(const tenon_quant_folding *f) {
  static const struct {
    const char *op;
    tenon_value *(*function)(const fold *);
  } rows[] = {{"core::conv", fold_convolution},
              {"core::fully_connected", fold_convolution},
              {"core::depthwise_conv", fold_depthwise},
              {"core::conv_transpose3d", fold_transposed},
              {"core::matmul", fold_product},
              {"core::weight_only_linear", fold_weight_only},
              {"core::dynamic_linear", fold_dynamic},
              {"core::add", fold_pair},
              {"core::sub", fold_pair},
              {"core::mul", fold_pair},
              {"core::max_pool", tenon_quant_fold_pool},
              {"core::avg_pool", tenon_quant_fold_pool},
              {"core::max_pool3d", tenon_quant_fold_planes},
              {"core::avg_pool3d", tenon_quant_fold_planes},
              {"core::mean", tenon_quant_fold_mean},
              {"core::sum", tenon_quant_fold_mean},
              {"core::amax", tenon_quant_fold_extreme},
              {"core::amin", tenon_quant_fold_extreme},
              {"core::maximum", tenon_quant_fold_extreme},
              {"core::minimum", tenon_quant_fold_extreme},
              {"core::concat", fold_concat}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (tenon_quant_is_op(f->rw, f->node, rows[i].op))
      return rows[i].function(f);
  return NULL;
}

// --- Links behind it ---------------------------------------------------------

static bool add_limit(tenon_rewriter *rw, const tenon_node *n,
                      tenon_core_range *range) {
  tenon_core_range own = {{0, true}, {6, true}}, both;
  if (tenon_quant_is_op(rw, n, "core::relu")) own.hi.has = false;
  if (tenon_quant_is_op(rw, n, "core::clamp")) {
    const tenon_clamp_attrs *a =
        (const tenon_clamp_attrs *)rw->api->attrs(rw, n);
    own.lo = a->lo;
    own.hi = a->hi;
  }
  if (!tenon_core_limit_both(own, *range, &both)) return false;
  *range = both;
  return true;
}

// The links with those that limit taken out, whose limits are `range`.
static bool take_limits(tenon_rewriter *rw, tenon_quant_links *l,
                        tenon_core_range *range) {
  int kept = 0;
  memset(range, 0, sizeof *range);
  for (int i = 0; i < l->n; ++i) {
    if (tenon_quant_is_link(rw, l->node[i], MOVING)) {
      l->node[kept] = l->node[i];
      l->made[kept++] = l->made[i];
    } else if (!add_limit(rw, l->node[i], range)) {
      return false;
    }
  }
  l->n = kept;
  return true;
}

// The float v as s8 of this scale, by integers alone; null: it is not so.
static tenon_value *folded(tenon_rewriter *rw, tenon_value *v,
                           const tenon_quant *quant) {
  tenon_quant_links l;
  fold f = {.rw = rw, .quant = quant};
  f.y = tenon_quant_climb(rw, v, MOVING | TENON_QUANT_LIMITS, true, &l);
  tenon_value *q = tenon_quant_bytes(rw, f.y);
  if (q) return tenon_quant_follow(rw, &l, tenon_quant_rescaled(rw, q, quant));
  f.node = rw->api->producer(rw, f.y);
  if (!f.node || rw->api->uses(rw, f.y) != 1 || !take_limits(rw, &l, &f.range))
    return NULL;
  q = quant_fold_node(&f);
  return q ? tenon_quant_follow(rw, &l, q) : NULL;
}

// --- Results
// ------------------------------------------------------------------

bool tenon_quant_is_zero(int64_t zero, tenon_dtype dtype) {
  return dtype == TENON_S8 ? zero >= -128 && zero <= 127
                           : dtype == TENON_U8 && zero >= 0 && zero <= 255;
}

tenon_status tenon_quant_fold_result(tenon_rewriter *rw, const tenon_node *n,
                                     double scale, int64_t zero,
                                     const char *idle) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const int shift = y && y->dtype == TENON_U8 ? 128 : 0;
  if (!y || !t || t->dtype != TENON_F32 ||
      !tenon_quant_is_zero(zero, y->dtype) || !(scale > 1e-30 && scale < 1e30))
    return TENON_OK;
  tenon_quant_scale as, of;
  tenon_quant_scale_set(&as, (float)scale, (int32_t)zero - shift);
  tenon_quant_scale_set(&of, (float)scale, (int32_t)zero);
  tenon_value *q = folded(rw, x, &as.quant);
  tenon_value *byte =
      q ? NULL : tenon_quant_table(rw, x, y->dtype, scale, zero);
  if (!q && !byte) return TENON_OK;
  tenon_aten_without_effect(rw, n, idle);
  if (byte) return tenon_rw_replace(rw, n, byte);
  const tenon_type to = tenon_quant_stored_as(y, y->dtype, &of.quant);
  if (shift) q = tenon_quant_make(rw, "core::quantize", &q, 1, NULL, &to);
  const tenon_type plain = tenon_quant_stored_as(y, y->dtype, NULL);
  return tenon_rw_replace(
      rw, n, tenon_quant_make(rw, "core::reinterpret", &q, 1, NULL, &plain));
}

tenon_status tenon_quant_as_core(tenon_rewriter *rw, const tenon_node *n,
                                 const tenon_quant *quant, const char *idle) {
  tenon_aten_without_effect(rw, n, idle);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type y = tenon_quant_stored_as(
      tenon_rw_type(rw, x), tenon_rw_type(rw, x)->dtype, quant);
  x = tenon_quant_make(rw, "core::reinterpret", &x, 1, NULL, &y);
  return tenon_rw_replace(rw, n, tenon_rw_op1(rw, "core::dequantize", x));
}
