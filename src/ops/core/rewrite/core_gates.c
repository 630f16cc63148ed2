// core_gates.c - the rewrite of pass `gates`: an image whose channels are
// multiplied by gates, as those of squeeze and excitation are, and then
// convolved by one tap, is convolved by weights that are multiplied by them.
//
// Where an image has many more pixels than the convolution has outputs, that is
// fewer products by as many times, and the image is not read and written once
// more. Of one image only: each image of a batch has gates of its own. Products
// are rounded in another order.
#include <string.h>

#include "kern/product/conv.h"
#include "ops/core/core_rule.h"
#include "ops/core/rewrite/core_rewrite.h"

// Products of an image for one of weights, at least: what is saved is two ways
// through the second-level cache, and weights are packed in each run besides.
enum { GATE_LEAST = 3, GATE_REACH = 8 };

// Gates stay below 2^40 and weights below 2^64, so that their products neither
// overflow nor, from what floats hold, differ by more than rounding.
#define GATE_MOST_WEIGHT 0x1p64f

// Whether a constant has numbers of at least `least` and at most 1e6.
static bool gate_has_size(const tenon_tensor *t, float least) {
  const float *v = t->data;
  for (int64_t i = 0; i < (int64_t)tenon_count(t); ++i) {
    const float size = v[i] < 0 ? -v[i] : v[i];
    if (!(size >= least && size <= 1e6f)) return false;
  }
  return true;
}

static bool gate_is_limit(double limit) {
  return limit >= -1e6 && limit <= 1e6;
}

// Whether what a node of the graph computes is limited from below, or above.
static bool gate_is_limited(tenon_rewriter *rw, tenon_value *v, bool is_above,
                            int reach) {
  const tenon_tensor *c = rw->api->constant(rw, v);
  if (c) return gate_has_size(c, 0);
  const tenon_node *n = rw->api->producer(rw, v);
  if (!n || reach == 0 || !tenon_core_is_plain_f32(tenon_rw_type(rw, v)))
    return false;
  const char *op = rw->api->op(rw, n);
  tenon_value *a = tenon_rw_operand(rw, n, 0), *b = tenon_rw_operand(rw, n, 1);
  tenon_core_args args;
  tenon_core_range range;
  if (strcmp(op, "core::logistic") == 0) return true;
  const bool is_least = strcmp(op, "core::minimum") == 0;
  if (is_least || strcmp(op, "core::maximum") == 0) {
    const bool one = gate_is_limited(rw, a, is_above, reach - 1);
    const bool other = gate_is_limited(rw, b, is_above, reach - 1);
    return is_least == is_above ? one || other : one && other;
  }
  if (tenon_core_take_args(rw, n, &args) &&
      tenon_core_get_limits(&args, &range)) {
    const tenon_opt_float limit = is_above ? range.hi : range.lo;
    if (limit.has && gate_is_limit(limit.value)) return true;
  }
  // By a number: of either sign.
  const bool is_div = strcmp(op, "core::div") == 0;
  if (!is_div && strcmp(op, "core::mul") != 0) return false;
  const tenon_tensor *by = rw->api->constant(rw, b);
  return by && gate_has_size(by, is_div ? 1e-6f : 0) &&
         gate_is_limited(rw, a, false, reach / 2) &&
         gate_is_limited(rw, a, true, reach / 2);
}

// A number for each channel of an image, which a run computes within limits.
static bool is_gate(tenon_rewriter *rw, tenon_value *v, const tenon_type *x) {
  const tenon_type *t = tenon_rw_type(rw, v);
  return tenon_core_is_plain_f32(t) && t->rank >= 1 && t->rank <= 4 &&
         !rw->api->constant(rw, v) &&
         tenon_core_type_count(t) == x->dims[3].value &&
         t->dims[t->rank - 1].value == x->dims[3].value &&
         gate_is_limited(rw, v, false, GATE_REACH) &&
         gate_is_limited(rw, v, true, GATE_REACH);
}

static bool gate_has_weights(tenon_rewriter *rw, const tenon_value *w) {
  const float *most = rw->api->largest(rw, w);
  for (int64_t i = 0; most && i < tenon_rw_type(rw, w)->dims[0].value; ++i)
    if (!(most[i] < GATE_MOST_WEIGHT)) return false;
  return most != NULL;
}

CORE_LOWER(gate_weights) {
  enum { X, W, OPERANDS = 5 };
  tenon_value *in[OPERANDS];
  tenon_core_args own, args;
  for (int i = 0; i < OPERANDS; ++i)
    in[i] = tenon_rw_operand(rw, n, i);
  const tenon_conv_attrs *a = tenon_rw_attrs(rw, n);
  const tenon_type *x = tenon_rw_type(rw, in[X]), *w = tenon_rw_type(rw, in[W]);
  const tenon_node *p = rw->api->producer(rw, in[X]);
  const int64_t image = tenon_core_type_count(x);
  if (!p || strcmp(rw->api->op(rw, p), "core::mul") != 0 ||
      rw->api->uses(rw, in[X]) != 1 || !tenon_core_is_plain_f32(x) ||
      !tenon_core_is_plain_f32(w) || image < 0 || x->dims[0].value != 1 ||
      a->groups != 1 || w->dims[1].value != 1 || w->dims[2].value != 1 ||
      image < GATE_LEAST * tenon_core_type_count(w) ||
      !tenon_core_is_large(rw, image) || !gate_has_weights(rw, in[W]) ||
      !tenon_core_take_args(rw, n, &own) ||
      !tenon_core_take_unlimited(rw, p, &args))
    return TENON_OK;
  for (int i = 0; i < 2; ++i) {
    tenon_value *gate = tenon_rw_operand(rw, p, 1 - i);
    tenon_value *from = tenon_rw_operand(rw, p, i);
    if (!tenon_core_same_type(tenon_rw_type(rw, from), x) ||
        !is_gate(rw, gate, x))
      continue;
    in[X] = from;
    in[W] = tenon_rw_op2(rw, "core::mul", in[W], gate);
    return tenon_core_rewrite_as(rw, n, "core::conv", in, OPERANDS, own.list);
  }
  return TENON_OK;
}
