// quant_bytes.c - the integers behind floats, and what all that computes on
// them is built with.
//
// From a float this walks up over what only moves elements (a link) to what is
// dequantised, through borders and concatenations, and makes the same of the
// integers.
#include <math.h>

#include "kern/op/move.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_op.h"

enum {
  MAX_DEPTH = 4,  // of borders and concatenations within each other
  MOVING = TENON_QUANT_VIEWS | TENON_QUANT_MOVES
};

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

tenon_type tenon_quant_result_type(const tenon_quant_folding *f) {
  return tenon_quant_stored_as(f->rw->api->type(f->rw, f->y), TENON_S8,
                               f->quant);
}

// The type's own limits are where a relu ends whose result is quantised for it;
// others are a step of their own.
tenon_value *tenon_quant_limit(const tenon_quant_folding *f, tenon_value *q) {
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

// What concatenation n makes of floats, of s8 in one scale.
tenon_value *tenon_quant_concatenated(tenon_rewriter *rw, const tenon_node *n,
                                      tenon_value *const *in, int parts,
                                      tenon_value *like,
                                      const tenon_quant *quant) {
  const uint16_t groups[] = {0, (uint16_t)parts};
  const tenon_type y =
      tenon_quant_stored_as(rw->api->type(rw, like), TENON_S8, quant);
  return tenon_rw_op_as(rw, "core::concat", in, (uint32_t)parts, groups,
                        rw->api->args(rw, n), &y);
}

// --- Upwards -----------------------------------------------------------------

static tenon_value *dequantised(tenon_rewriter *rw, tenon_value *v) {
  const tenon_node *p = rw->api->producer(rw, v);
  return tenon_quant_is_op(rw, p, "core::dequantize")
             ? rw->api->operand(rw, p, 0)
             : NULL;
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
static tenon_value *quant_bytes_joined(tenon_rewriter *rw, const tenon_node *n,
                                       tenon_value *v, int depth);

// Below links.
static tenon_value *source(tenon_rewriter *rw, tenon_value *v, int depth) {
  const tenon_node *p = rw->api->producer(rw, v);
  if (tenon_quant_is_op(rw, p, "core::concat"))
    return quant_bytes_joined(rw, p, v, depth);
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
  tenon_quant_scale as;
  int32_t zero = t->quant->zero ? t->quant->zero[0] : 0;
  if (t->dtype != TENON_S8 && t->dtype != TENON_U8) return NULL;
  tenon_quant_scale_set(&as, t->quant->scale[0],
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

static tenon_value *quant_bytes_joined(tenon_rewriter *rw, const tenon_node *n,
                                       tenon_value *v, int depth) {
  tenon_value *in[TENON_QUANT_MAX_PARTS];
  int at = 0;
  const int parts = rw->api->group(rw, n, 0, &at);
  if (depth == MAX_DEPTH || parts < 1 || parts > TENON_QUANT_MAX_PARTS)
    return NULL;
  for (int i = 0; i < parts; ++i) {
    in[i] = integers_within(rw, rw->api->operand(rw, n, at + i), depth + 1);
    if (!in[i] || !tenon_core_same_scales(rw->api->type(rw, in[i])->quant,
                                          rw->api->type(rw, in[0])->quant))
      return NULL;
  }
  return tenon_quant_concatenated(rw, n, in, parts, v,
                                  rw->api->type(rw, in[0])->quant);
}

tenon_value *tenon_quant_bytes(tenon_rewriter *rw, tenon_value *v) {
  return integers_within(rw, v, 0);
}
