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
#include "ops/quant/quant_fold.h"

#include <math.h>
#include <string.h>

#include "kern/clamp.h"
#include "kern/move.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_conv.h"
#include "ops/quant/quant_dynamic.h"
#include "ops/quant/quant_folding.h"
#include "ops/quant/quant_links.h"
#include "ops/quant/quant_op.h"
#include "ops/quant/quant_table.h"

#define MAX_CHANNELS 16384  // with a bias, which lies on the stack
enum {
  MAX_PARTS = 16,  // of a concatenation
  MAX_DEPTH = 4,   // of borders and concatenations within each other
  MOVING = TENON_QUANT_VIEWS | TENON_QUANT_MOVES
};

// --- Types -------------------------------------------------------------------

// One scale for all.
typedef struct per_tensor {
  tenon_quant quant;
  float scale;
  int32_t zero;
} per_tensor;

static void per_tensor_set(per_tensor *p, float scale, int32_t zero) {
  p->scale = scale;
  p->zero = zero;
  p->quant = (tenon_quant){&p->scale, &p->zero, 1, 0, 0};
}

// Values of type s8 with one scale, brought to another.
tenon_value *tenon_quant_rescaled(tenon_rewriter *rw, tenon_value *v,
                                  const tenon_quant *quant) {
  const tenon_type *t = v ? rw->api->type(rw, v) : NULL;
  if (!t) return NULL;
  const tenon_type y = tenon_quant_stored_as(t, TENON_S8, quant);
  return tenon_core_same_type(t, &y)
             ? v
             : tenon_quant_make(rw, "core::quantize", &v, 1, NULL, &y);
}

// --- Upwards -----------------------------------------------------------------

static tenon_value *dequantised(tenon_rewriter *rw, tenon_value *v) {
  const tenon_node *p = rw->api->producer(rw, v);
  return tenon_quant_is_op(rw, p, "core::dequantize")
             ? rw->api->operand(rw, p, 0)
             : NULL;
}

// What concatenation n makes of floats, of s8 in one scale.
static tenon_value *concatenated(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *const *in, int parts,
                                 tenon_value *like, const tenon_quant *quant) {
  const uint16_t groups[] = {0, (uint16_t)parts};
  const tenon_type y =
      tenon_quant_stored_as(rw->api->type(rw, like), TENON_S8, quant);
  const tenon_type *type = &y;
  tenon_value *out = NULL;
  const tenon_build b = {.struct_size = sizeof b,
                         .n_in = (uint32_t)parts,
                         .n_out = 1,
                         .op = "core::concat",
                         .args = rw->api->args(rw, n),
                         .in = in,
                         .in_group = groups,
                         .out = &out,
                         .types = &type};
  return rw->api->build(rw, &b);
}

// A border of a number that integers of this scale stand for exactly.
static bool holds_border(tenon_rewriter *rw, const tenon_node *pad,
                         const tenon_quant *quant) {
  const double value =
      ((const tenon_pad_attrs *)rw->api->attrs(rw, pad))->value;
  const double at = value / (double)quant->scale[0];
  const double whole = nearbyint(at);
  return fabs(at - whole) < 1e-3 && whole + quant->zero[0] >= -128 &&
         whole + quant->zero[0] <= 127;
}

// Parts of one scale beside each other, as a border that repeats is made.
static tenon_value *joined(tenon_rewriter *rw, const tenon_node *n,
                           tenon_value *v, int depth);

// Below links.
static tenon_value *source(tenon_rewriter *rw, tenon_value *v, int depth) {
  const tenon_node *p = rw->api->producer(rw, v);
  if (tenon_quant_is_op(rw, p, "core::concat")) return joined(rw, p, v, depth);
  if (tenon_quant_is_op(rw, p, "core::pad")) {
    tenon_quant_links above;
    tenon_value *q = tenon_quant_climb(rw, rw->api->operand(rw, p, 0), MOVING,
                                       false, &above);
    q = depth < MAX_DEPTH ? source(rw, q, depth + 1) : NULL;
    q = q ? tenon_quant_follow(rw, &above, q) : NULL;
    const tenon_quant *quant = q ? rw->api->type(rw, q)->quant : NULL;
    if (!quant || !holds_border(rw, p, quant)) return NULL;
    const tenon_type y =
        tenon_quant_stored_as(rw->api->type(rw, v), TENON_S8, quant);
    return tenon_quant_make(rw, "core::pad", &q, 1, rw->api->args(rw, p), &y);
  }
  tenon_value *q = dequantised(rw, v);
  const tenon_type *t = q ? rw->api->type(rw, q) : NULL;
  if (!t || !t->quant || t->quant->channels != 1 || t->quant->block)
    return NULL;
  per_tensor as;
  int32_t zero = t->quant->zero ? t->quant->zero[0] : 0;
  if (t->dtype != TENON_S8 && t->dtype != TENON_U8) return NULL;
  per_tensor_set(&as, t->quant->scale[0],
                 t->dtype == TENON_U8 ? zero - 128 : zero);
  return tenon_quant_rescaled(rw, q, &as.quant);
}

static tenon_value *integers_within(tenon_rewriter *rw, tenon_value *v,
                                    int depth) {
  tenon_quant_links l;
  v = tenon_quant_climb(rw, v, MOVING, false, &l);
  v = source(rw, v, depth);
  return v ? tenon_quant_follow(rw, &l, v) : NULL;
}

static tenon_value *joined(tenon_rewriter *rw, const tenon_node *n,
                           tenon_value *v, int depth) {
  tenon_value *in[MAX_PARTS];
  int at = 0;
  const int parts = rw->api->group(rw, n, 0, &at);
  if (depth == MAX_DEPTH || parts < 1 || parts > MAX_PARTS) return NULL;
  for (int i = 0; i < parts; ++i) {
    in[i] = integers_within(rw, rw->api->operand(rw, n, at + i), depth + 1);
    if (!in[i] || !tenon_core_same_scales(rw->api->type(rw, in[i])->quant,
                                          rw->api->type(rw, in[0])->quant))
      return NULL;
  }
  return concatenated(rw, n, in, parts, v, rw->api->type(rw, in[0])->quant);
}

tenon_value *tenon_quant_bytes(tenon_rewriter *rw, tenon_value *v) {
  return integers_within(rw, v, 0);
}

// --- What computes -----------------------------------------------------------

typedef tenon_quant_folding fold;

// A bias in units of the product of scales, which may be off by half a step of
// the result. False: it is not of that form.
static bool bias_of(const fold *f, tenon_value *bias, tenon_value *x,
                    tenon_value *w, tenon_value **out) {
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

static bool limited(const fold *f, tenon_core_args *args) {
  tenon_core_range first, both;
  if (!tenon_core_take_args(f->rw, f->node, args) ||
      !tenon_core_get_limits(args, &first) ||
      !tenon_core_limit_both(first, f->range, &both))
    return false;
  tenon_core_set_limits(args, both);
  return true;
}

tenon_type tenon_quant_result_type(const fold *f) {
  return tenon_quant_stored_as(f->rw->api->type(f->rw, f->y), TENON_S8,
                               f->quant);
}

// A convolution or a product: operand 1 is weights, with channels along `axis`.
static tenon_value *weighted(const fold *f, int axis, const tenon_arg *args) {
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
  if (!in[1] || !bias_of(f, bias, in[0], in[1], &in[2])) return NULL;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(rw, rw->api->op(rw, f->node), in, 3, args, &y);
}

static tenon_value *fold_weighted(const fold *f, int axis) {
  tenon_core_args args;
  return limited(f, &args) ? weighted(f, axis, args.list) : NULL;
}

// The type's own limits are where a relu ends whose result is quantised for it;
// others are a step of their own.
tenon_value *tenon_quant_limit(const fold *f, tenon_value *q) {
  const bool is_least = f->range.lo.has && f->range.lo.value == 0 &&
                        f->quant->zero && f->quant->zero[0] == -128;
  tenon_arg args[3];
  int n = 0;
  if (f->range.lo.has && !is_least)
    args[n++] = tenon_arg_float("lo", f->range.lo.value);
  if (f->range.hi.has) args[n++] = tenon_arg_float("hi", f->range.hi.value);
  if (!q || n == 0) return q;
  args[n] = (tenon_arg)TENON_END_ARGS;
  const tenon_type y =
      tenon_quant_stored_as(f->rw->api->type(f->rw, q), TENON_S8, f->quant);
  return tenon_quant_make(f->rw, "core::clamp", &q, 1, args, &y);
}

static tenon_value *fold_transposed(const fold *f) {
  return tenon_quant_limit(f, weighted(f, 0, f->rw->api->args(f->rw, f->node)));
}

// Rows of integers times weights, limited as the links say.
static tenon_value *connected(const fold *f, tenon_value *const in[3]) {
  tenon_arg args[3];
  int n = 0;
  if (f->range.lo.has) args[n++] = tenon_arg_float("lo", f->range.lo.value);
  if (f->range.hi.has) args[n++] = tenon_arg_float("hi", f->range.hi.value);
  args[n] = (tenon_arg)TENON_END_ARGS;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(f->rw, "core::fully_connected", in, 3, args, &y);
}

// A product of matrices that both change, of which 32 bits hold each sum.
static tenon_value *multiplied(const fold *f, const tenon_node *product,
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
static tenon_value *fold_matmul(const fold *f, const tenon_node *product,
                                tenon_value *bias) {
  tenon_rewriter *rw = f->rw;
  tenon_value *in[3] = {tenon_quant_bytes(rw, rw->api->operand(rw, product, 0)),
                        NULL, NULL};
  const tenon_type *b = rw->api->type(rw, rw->api->operand(rw, product, 1));
  const tenon_type *of = bias ? rw->api->type(rw, bias) : NULL;
  if (!in[0] || !b || (of && of->rank != 1)) return NULL;
  if (b->rank != 2) return bias ? NULL : multiplied(f, product, in);
  in[1] = tenon_quant_weights(rw, rw->api->operand(rw, product, 1), true, 0);
  if (!in[1] && !bias) return multiplied(f, product, in);
  if (!in[1] || !bias_of(f, bias, in[0], in[1], &in[2])) return NULL;
  if (of && !tenon_aten_same(of->dims[0], b->dims[1])) return NULL;
  return connected(f, in);
}

// A product with scaled weights, of one scale per output.
static tenon_value *fold_weight_only(const fold *f) {
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
  if (!in[1] || !bias_of(f, given[4], in[0], in[1], &in[2])) return NULL;
  return connected(f, in);
}

// The same with rows of one scale, which integers multiplied already.
static tenon_value *fold_dynamic(const fold *f) {
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
  per_tensor as;
  per_tensor_set(&as, *(const float *)of_x->data, (int32_t)least);
  const tenon_quant quant = {(const float *)scale->data, NULL, scale->dims[0],
                             0, 0};
  const tenon_type x =
      tenon_quant_stored_as(rw->api->type(rw, given[0]), TENON_S8, &as.quant);
  const tenon_type w =
      tenon_quant_stored_as(rw->api->type(rw, given[1]), TENON_S8, &quant);
  tenon_value *in[3] = {
      tenon_quant_make(rw, "core::reinterpret", &given[0], 1, NULL, &x),
      tenon_quant_make(rw, "core::reinterpret", &given[1], 1, NULL, &w), NULL};
  if (!in[0] || !in[1] || !bias_of(f, given[5], in[0], in[1], &in[2]))
    return NULL;
  return connected(f, in);
}

static tenon_value *fold_pair(const fold *f) {
  tenon_rewriter *rw = f->rw;
  for (int i = 0; i < 2 && tenon_quant_is_op(rw, f->node, "core::add"); ++i) {
    tenon_value *a = rw->api->operand(rw, f->node, i);
    const tenon_node *p = rw->api->producer(rw, a);
    if (tenon_quant_is_op(rw, p, "core::matmul") && rw->api->uses(rw, a) == 1)
      return fold_matmul(f, p, rw->api->operand(rw, f->node, 1 - i));
  }
  tenon_core_args args;
  if (!limited(f, &args)) return NULL;
  tenon_value *in[2] = {tenon_quant_bytes(rw, rw->api->operand(rw, f->node, 0)),
                        NULL};
  if (in[0]) in[1] = tenon_quant_bytes(rw, rw->api->operand(rw, f->node, 1));
  if (!in[1]) return NULL;
  const tenon_type y = tenon_quant_result_type(f);
  return tenon_quant_make(rw, rw->api->op(rw, f->node), in, 2, args.list, &y);
}

static tenon_value *fold_concat(const fold *f) {
  tenon_rewriter *rw = f->rw;
  tenon_value *in[MAX_PARTS];
  int at = 0, n = rw->api->group(rw, f->node, 0, &at);
  if (n < 1 || n > MAX_PARTS) return NULL;
  for (int i = 0; i < n; ++i) {
    in[i] = tenon_quant_bytes(rw, rw->api->operand(rw, f->node, at + i));
    if (in[i]) in[i] = tenon_quant_rescaled(rw, in[i], f->quant);
    if (!in[i]) return NULL;
  }
  return tenon_quant_limit(f, concatenated(rw, f->node, in, n, f->y, f->quant));
}

static tenon_value *fold_convolution(const fold *f) {
  return fold_weighted(f, 0);
}

static tenon_value *fold_depthwise(const fold *f) {
  return fold_weighted(f, 3);
}

static tenon_value *fold_product(const fold *f) {
  return fold_matmul(f, f->node, NULL);
}

static tenon_value *fold_node(const fold *f) {
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
  q = fold_node(&f);
  return q ? tenon_quant_follow(rw, &l, q) : NULL;
}

// --- The lowerings -----------------------------------------------------------

static bool is_zero_of(int64_t zero, tenon_dtype dtype) {
  return dtype == TENON_S8 ? zero >= -128 && zero <= 127
                           : dtype == TENON_U8 && zero >= 0 && zero <= 255;
}

tenon_status tenon_quant_fold_result(tenon_rewriter *rw, const tenon_node *n,
                                     double scale, int64_t zero,
                                     const char *idle) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_aten_type(rw, x);
  const int shift = y && y->dtype == TENON_U8 ? 128 : 0;
  if (!y || !t || t->dtype != TENON_F32 || !is_zero_of(zero, y->dtype) ||
      !(scale > 1e-30 && scale < 1e30))
    return TENON_OK;
  per_tensor as, of;
  per_tensor_set(&as, (float)scale, (int32_t)zero - shift);
  per_tensor_set(&of, (float)scale, (int32_t)zero);
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

// What an overload says in arguments or in operands, which are constants then.
typedef struct numbers {
  double scale, zero, least, most;
} numbers;

static bool is_form(tenon_rewriter *rw, const char *form) {
  const char *user = (const char *)rw->api->user(rw);
  return user && strcmp(user, form) == 0;
}

static bool find_number(tenon_rewriter *rw, const tenon_node *n, int i,
                        double *out) {
  const tenon_tensor *t = tenon_quant_constant(rw, tenon_aten_in(rw, n, i));
  return t && tenon_count(t) == 1 && tenon_quant_element(t, 0, out);
}

static bool find_numbers(tenon_rewriter *rw, const tenon_node *n, numbers *v) {
  if (is_form(rw, "tensor2")) {
    if (!find_number(rw, n, 3, &v->least) || !find_number(rw, n, 4, &v->most))
      return false;
  } else {
    v->least = (double)tenon_aten_int(rw, n, "quant_min");
    v->most = (double)tenon_aten_int(rw, n, "quant_max");
  }
  if (rw->api->user(rw))
    return find_number(rw, n, 1, &v->scale) &&
           find_number(rw, n, 2, &v->zero) && v->zero == floor(v->zero) &&
           fabs(v->zero) <= 255;
  v->scale = tenon_aten_float(rw, n, "scale");
  v->zero = (double)tenon_aten_int(rw, n, "zero_point");
  return fabs(v->zero) <= 255;
}

static tenon_status quantize(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  const int shift = y && y->dtype == TENON_U8 ? 128 : 0;
  numbers v;
  if (!find_numbers(rw, n, &v) || v.least != shift - 128 ||
      v.most != shift + 127)
    return TENON_OK;
  return tenon_quant_fold_result(rw, n, v.scale, (int64_t)v.zero,
                                 "dtype");  // the result's
}

tenon_status tenon_quant_as_core(tenon_rewriter *rw, const tenon_node *n,
                                 const tenon_quant *quant, const char *idle) {
  tenon_aten_without_effect(rw, n, idle);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type y = tenon_quant_stored_as(
      tenon_aten_type(rw, x), tenon_aten_type(rw, x)->dtype, quant);
  x = tenon_quant_make(rw, "core::reinterpret", &x, 1, NULL, &y);
  return tenon_rw_replace(rw, n, tenon_aten_one(rw, "core::dequantize", x));
}

// The numbers lie within the limits and have their type.
static tenon_status dequantize_as(tenon_rewriter *rw, const tenon_node *n,
                                  const tenon_quant *quant) {
  return tenon_quant_as_core(rw, n, quant,
                             "quant_min quant_max dtype out_dtype");
}

static bool gives_f32(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  return y && y->dtype == TENON_F32;
}

static tenon_status dequantize(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_aten_type(rw, tenon_aten_in(rw, n, 0));
  numbers v;
  per_tensor of;
  if (!t || !find_numbers(rw, n, &v)) return TENON_OK;
  const float scale = (float)v.scale;
  const int64_t zero = (int64_t)v.zero;
  if (t->dtype != tenon_aten_dtype(rw, n, "dtype") || !gives_f32(rw, n) ||
      !is_zero_of(zero, t->dtype) || !(scale > 1e-30f && scale < 1e30f))
    return TENON_OK;
  per_tensor_set(&of, scale, (int32_t)zero);
  return dequantize_as(rw, n, &of.quant);
}

// All zero, or absent.
static bool has_no_zeros(tenon_rewriter *rw, tenon_value *v) {
  const tenon_tensor *t = v ? rw->api->constant(rw, v) : NULL;
  if (!v) return true;
  if (!t || !t->data || (t->dtype != TENON_S64 && t->dtype != TENON_S32))
    return false;
  const size_t size =
      tenon_count(t) *
      (t->dtype == TENON_S64 ? sizeof(int64_t) : sizeof(int32_t));
  for (size_t i = 0; i < size; ++i)
    if (((const unsigned char *)t->data)[i] != 0) return false;
  return true;
}

static tenon_status dequantize_axis(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_aten_type(rw, tenon_aten_in(rw, n, 0));
  const tenon_tensor *scale = rw->api->constant(rw, tenon_aten_in(rw, n, 1));
  int axis = 0;
  if (!t || t->dtype != TENON_S8 ||
      tenon_aten_dtype(rw, n, "dtype") != TENON_S8 || !gives_f32(rw, n) ||
      !scale || !scale->data || scale->dtype != TENON_F32 ||
      !has_no_zeros(rw, tenon_aten_in(rw, n, 2)))
    return TENON_OK;
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "axis"), t->rank, &axis));
  const size_t channels = tenon_count(scale);
  if (!tenon_aten_is(t->dims[axis], (int64_t)channels)) return TENON_OK;
  const tenon_quant quant = {(const float *)scale->data, NULL,
                             (int32_t)channels, channels > 1 ? axis : 0, 0};
  return dequantize_as(rw, n, &quant);
}

// What is dequantised is the same number either way.
#define FOLD(ident, function, its_flags, its_name, its_op, form) \
  static const tenon_lowering_desc ident = {                     \
      .struct_size = sizeof(tenon_lowering_desc),                \
      .flags = its_flags,                                        \
      .priority = 10,                                            \
      .name = its_name,                                          \
      .op = its_op,                                              \
      .to = TENON_QUANT_FOLD_BUILDS,                             \
      .lower = function,                                         \
      .user = form}

#define QUANTIZE(ident, form, suffix)           \
  FOLD(ident, quantize, TENON_LOWERING_INEXACT, \
       "quant operators to integers" suffix,    \
       "quantized_decomposed::quantize_per_tensor" suffix, form)
#define DEQUANTIZE(ident, form, suffix)                         \
  FOLD(ident, dequantize, 0, "quant dequantize to core" suffix, \
       "quantized_decomposed::dequantize_per_tensor" suffix, form)
QUANTIZE(fold_quantize, NULL, "");
QUANTIZE(fold_quantize_tensor, "tensor", ".tensor");
QUANTIZE(fold_quantize_tensor2, "tensor2", ".tensor2");
DEQUANTIZE(fold_dequantize, NULL, "");
DEQUANTIZE(fold_dequantize_tensor, "tensor", ".tensor");
DEQUANTIZE(fold_dequantize_tensor2, "tensor2", ".tensor2");
FOLD(fold_dequantize_axis, dequantize_axis, 0,
     "quant dequantize by channel to core",
     "quantized_decomposed::dequantize_per_channel", NULL);

const tenon_lowering_desc *const tenon_quant_folds[] = {
    &fold_quantize,
    &fold_quantize_tensor,
    &fold_quantize_tensor2,
    &fold_dequantize,
    &fold_dequantize_tensor,
    &fold_dequantize_tensor2,
    &fold_dequantize_axis,
    &tenon_quant_fold_quantize_affine,
    &tenon_quant_fold_dequantize_affine,
    &tenon_quant_rows_linear,
    &tenon_quant_rows_mm,
    &tenon_quant_rows_matmul,
    &tenon_quant_rows_addmm,
    &tenon_quant_integer_conv,
    &tenon_quant_integer_depthwise,
    &tenon_quant_integer_conv3d,
    &tenon_quant_integer_transposed,
    &tenon_quant_embedding,
    &tenon_quant_weight_linear,
    &tenon_quant_weight_mm,
    &tenon_quant_weight_matmul,
    &tenon_quant_weight_addmm,
    &tenon_quant_wide_linear,
    &tenon_quant_wide_mm,
    &tenon_quant_wide_matmul,
    &tenon_quant_wide_addmm,
    NULL};
