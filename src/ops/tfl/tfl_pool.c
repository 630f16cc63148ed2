// AVERAGE_POOL_2D and MAX_POOL_2D.
#include <math.h>

#include "ops/tfl/tfl_op.h"

static void windows_of(const tenon_type *x, const tenon_tfl_pool_attrs *a,
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

tenon_status tenon_tfl_pool_infer(tenon_infer *c) {
  const tenon_tfl_pool_attrs *a =
      (const tenon_tfl_pool_attrs *)tenon_infer_attrs(c);
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  TENON_TRY(tenon_tfl_check_activation(c, a->fused_activation_function));
  tenon_tfl_window h, w;
  windows_of(x, a, &h, &w);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  TENON_TRY(tenon_tfl_window_out(c, "height", &h, &y.dims[1]));
  TENON_TRY(tenon_tfl_window_out(c, "width", &w, &y.dims[2]));
  TENON_TRY(tenon_tfl_number(c, &y, x));
  return check_scales_alike(c, x);
}

tenon_status tenon_tfl_pool_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_pool_attrs *a =
      (const tenon_tfl_pool_attrs *)tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_tfl_window h, w;
  int64_t pad[4];
  windows_of(tenon_rw_type(rw, x), a, &h, &w);
  if (!tenon_tfl_window_pad(&h, &pad[0], &pad[2]) ||
      !tenon_tfl_window_pad(&w, &pad[1], &pad[3]))
    return tenon_rw_fail(
        rw, "padding SAME with a stride is not supported for open sizes");
  const int64_t window[] = {a->filter_height, a->filter_width};
  const int64_t stride[] = {a->stride_h, a->stride_w};
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("window", window, 2));
  tenon_tfl_arg(&args, tenon_arg_ints("stride", stride, 2));
  tenon_tfl_arg(&args, tenon_arg_ints("pad", pad, 4));
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  return tenon_tfl_become(rw, node, (const char *)rw->api->user(rw), &x, 1,
                          &args);
}
