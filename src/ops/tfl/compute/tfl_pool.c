// AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.
#include <math.h>
#include <string.h>

#include "ops/tfl/tfl_op.h"

static void tfl_pool_windows_of(const tenon_type *x,
                                const tenon_tfl_pool_attrs *a,
                                tenon_tfl_window *h, tenon_tfl_window *w) {
  *h = (tenon_tfl_window){x->dims[1], a->filter_height, a->stride_h, 1,
                          a->padding};
  *w = (tenon_tfl_window){x->dims[2], a->filter_width, a->stride_w, 1,
                          a->padding};
}

// LiteRT pools stored numbers, so scales must agree; converters leave them a
// rounding apart.
static tenon_status check_scales_alike(tenon_infer *c, const tenon_type *x) {
  const tenon_type *y = tenon_tfl_declared(c, 0);
  if (!x->quant || !y || !y->quant) return TENON_OK;
  const tenon_quant *p = x->quant, *q = y->quant;
  if (fabsf(p->scale[0] - q->scale[0]) > 1e-6f ||
      (p->zero ? p->zero[0] : 0) != (q->zero ? q->zero[0] : 0))
    return tenon_infer_fail(c, "'x' has the scale %g, the result %g",
                            (double)p->scale[0], (double)q->scale[0]);
  return TENON_OK;
}

// A window that is larger than the image by less than a step has no place,
// which is no fault.
static tenon_status tfl_pool_places_of(tenon_infer *c, const char *direction,
                                       const tenon_tfl_window *w,
                                       tenon_dim *out) {
  if (w->padding == TFL_VALID && !w->in.symbol && w->in.value > 0 &&
      w->size > w->in.value && w->size - w->stride <= w->in.value) {
    *out = tenon_tfl_fixed(0);
    return tenon_tfl_window_check(c, direction, w);
  }
  return tenon_tfl_window_out(c, direction, w, out);
}

tenon_status tenon_tfl_pool_infer(tenon_infer *c) {
  const tenon_tfl_pool_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  tenon_tfl_window h, w;
  tfl_pool_windows_of(x, a, &h, &w);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  TENON_TRY(tfl_pool_places_of(c, "height", &h, &y.dims[1]));
  TENON_TRY(tfl_pool_places_of(c, "width", &w, &y.dims[2]));
  TENON_TRY(tenon_tfl_number(c, &y, x));
  return check_scales_alike(c, x);
}

// The attributes of a pool.
typedef struct pool {
  int64_t window[2], stride[2], pad[4];
  tenon_tfl_args args;
} pool;

static tenon_status pool_of(tenon_rewriter *rw, const tenon_node *node,
                            pool *p) {
  const tenon_tfl_pool_attrs *a = tenon_rw_attrs(rw, node);
  tenon_tfl_window h, w;
  tfl_pool_windows_of(tenon_tfl_type(rw, node, 0), a, &h, &w);
  if (!tenon_tfl_window_pad(&h, &p->pad[0], &p->pad[2]) ||
      !tenon_tfl_window_pad(&w, &p->pad[1], &p->pad[3]))
    return tenon_rw_fail(
        rw, "padding SAME with a stride is not supported for open sizes");
  p->window[0] = a->filter_height;
  p->window[1] = a->filter_width;
  p->stride[0] = a->stride_h;
  p->stride[1] = a->stride_w;
  tenon_tfl_arg(&p->args, tenon_arg_ints("window", p->window, 2));
  tenon_tfl_arg(&p->args, tenon_arg_ints("stride", p->stride, 2));
  tenon_tfl_arg(&p->args, tenon_arg_ints("pad", p->pad, 4));
  return TENON_OK;
}

// Nothing of x, where a window has no place.
static bool is_nowhere(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  return tenon_tfl_is(y->dims[1], 0) || tenon_tfl_is(y->dims[2], 0);
}

static tenon_status tfl_pool_nothing(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_slice(rw, tenon_tfl_in(rw, node, 0), NULL, y->dims, NULL, y));
}

tenon_status tenon_tfl_pool_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_pool_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  pool p = {.args = {.n = 0}};
  if (is_nowhere(rw, node)) return tfl_pool_nothing(rw, node);
  TENON_TRY(pool_of(rw, node, &p));
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &p.args));
  const char *op = (const char *)rw->api->user(rw);
  if (tenon_tfl_is_float(tenon_rw_type(rw, x)) &&
      strcmp(op, "core::max_pool") == 0)
    tenon_tfl_arg(&p.args, tenon_arg_bool("skip_nan", true));
  return tenon_tfl_become(rw, node, op, &x, 1, p.args.list);
}

tenon_status tenon_tfl_l2_pool_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  const tenon_tfl_pool_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  pool p = {.args = {.n = 0}};
  tenon_tfl_args limits = {0};
  if (!tenon_tfl_is_float(tenon_rw_type(rw, x)))
    return tenon_tfl_refuse(rw, tenon_rw_type(rw, x));
  if (is_nowhere(rw, node)) return tfl_pool_nothing(rw, node);
  TENON_TRY(pool_of(rw, node, &p));
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &limits));
  x = tenon_rw_op2(rw, "core::mul", x, x);
  x = tenon_rw_op(rw, "core::avg_pool", &x, 1, p.args.list);
  x = tenon_rw_op1(rw, "core::sqrt", x);
  if (limits.n) x = tenon_rw_op(rw, "core::clamp", &x, 1, limits.list);
  return tenon_rw_replace(rw, node, x);
}
