// quant_stored.c - constant integers that a program dequantises, as the weights
// of kernels of integers: views are made again, and scales follow their
// dimension.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/fold/quant_links.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_dynamic.h"

enum { MAX_SCALES = 16384 };  // that a view repeats: they lie on the stack

typedef struct stored {
  tenon_rewriter *rw;
  tenon_value *w;     // plain, of s8
  tenon_quant quant;  // one scale, or some along its axis
  float repeated[MAX_SCALES];
} stored;

// The dimension of scales behind a view that joins it with those before it: the
// scales are repeated, as groups share them.
static bool stored_join(stored *s, const tenon_type *before,
                        const tenon_type *after) {
  int64_t times = 0;
  const int axis =
      tenon_quant_axis_joined(before, after, s->quant.axis, &times);
  const int32_t n = s->quant.channels;
  if (axis < 0 || times > MAX_SCALES / n) return false;
  memmove(s->repeated, s->quant.scale, (size_t)n * sizeof s->repeated[0]);
  for (int64_t i = n; i < n * times; ++i)
    s->repeated[i] = s->repeated[i - n];
  s->quant.scale = s->repeated;
  s->quant.channels = (int32_t)(n * times);
  s->quant.axis = axis;
  return true;
}

static bool stored_follow(stored *s, const tenon_quant_links *l) {
  tenon_rewriter *rw = s->rw;
  for (int i = l->n; i-- > 0;) {
    const tenon_type *before = rw->api->type(rw, s->w);
    const tenon_type *after = rw->api->type(rw, l->made[i]);
    if (s->quant.channels > 1) {
      const int axis =
          tenon_quant_axis_behind(rw, l->node[i], before, after, s->quant.axis);
      if (axis >= 0)
        s->quant.axis = axis;
      else if (tenon_quant_is_op(rw, l->node[i], "core::permute") ||
               !stored_join(s, before, after))
        return false;
    }
    const tenon_type y = tenon_quant_stored_as(after, TENON_S8, NULL);
    s->w = tenon_quant_make(rw, rw->api->op(rw, l->node[i]), &s->w, 1,
                            rw->api->args(rw, l->node[i]), &y);
    if (!s->w) return false;
  }
  return true;
}

// Zero points have to be zero, those of u8 128.
static bool stored_take(stored *s, tenon_value *v) {
  tenon_rewriter *rw = s->rw;
  const tenon_node *p = rw->api->producer(rw, v);
  if (!tenon_quant_is_op(rw, p, "core::dequantize")) return false;
  tenon_value *q = rw->api->operand(rw, p, 0);
  const tenon_type *t = rw->api->type(rw, q);
  p = rw->api->producer(rw, q);
  const int32_t none = t->dtype == TENON_U8 ? 128 : 0;
  if ((t->dtype != TENON_S8 && t->dtype != TENON_U8) || !t->quant ||
      t->quant->block || !tenon_quant_is_op(rw, p, "core::reinterpret"))
    return false;
  s->quant = *t->quant;
  for (int i = 0; i < s->quant.channels; ++i)
    if ((s->quant.zero ? s->quant.zero[i] : 0) != none) return false;
  s->quant.zero = NULL;
  s->w = rw->api->operand(rw, p, 0);
  if (!rw->api->constant(rw, s->w)) return false;
  // Bytes without a sign become s8 without a zero point.
  if (none)
    s->w = tenon_aten_cast(rw, tenon_quant_less_128(rw, s->w, TENON_S16),
                           TENON_S8);
  return true;
}

static bool stored_turn(stored *s) {
  static const int64_t swap[] = {1, 0};
  const tenon_type *t = s->rw->api->type(s->rw, s->w);
  if (t->rank != 2) return false;
  const tenon_dim dims[] = {t->dims[1], t->dims[0]};
  tenon_type y = tenon_quant_stored_as(t, TENON_S8, NULL);
  y.dims = dims;
  s->w = tenon_quant_make(s->rw, "core::permute", &s->w, 1,
                          TENON_ARGS(tenon_arg_ints("dims", swap, 2)), &y);
  if (s->quant.channels > 1) s->quant.axis = 1 - s->quant.axis;
  return s->w != NULL;
}

tenon_value *tenon_quant_weights(tenon_rewriter *rw, tenon_value *v,
                                 bool turned, int wanted) {
  tenon_quant_links l;
  stored s = {.rw = rw};
  v = tenon_quant_climb(rw, v, TENON_QUANT_VIEWS, false, &l);
  if (!stored_take(&s, v) || !stored_follow(&s, &l) ||
      (turned && !stored_turn(&s)) ||
      (s.quant.channels > 1 && s.quant.axis != wanted))
    return NULL;
  if (s.quant.channels == 1) s.quant.axis = 0;
  const tenon_type y =
      tenon_quant_stored_as(rw->api->type(rw, s.w), TENON_S8, &s.quant);
  return tenon_quant_make(rw, "core::reinterpret", &s.w, 1, NULL, &y);
}
