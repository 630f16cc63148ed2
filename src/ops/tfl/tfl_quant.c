// Between element types: QUANTIZE, DEQUANTIZE, CAST.
#include "ops/tfl/tfl_op.h"

// A scale per channel is fine here; the number of scales must fit the axis.
static tenon_status check_quantised(tenon_infer *c, const tenon_type *t,
                                    const char *name) {
  const tenon_quant *q = t->quant;
  if (!q)
    return tenon_infer_fail(c, "'%s' is %s without a scale", name,
                            tenon_tfl_dtype_name(t->dtype));
  if (q->channels == 1 && !q->block) return tenon_tfl_check_scale(c, t, name);
  if (q->block) return TENON_OK;  // as many as the reader has counted
  if (q->axis < 0 || q->axis >= t->rank ||
      tenon_tfl_differ(t->dims[q->axis], tenon_tfl_fixed(q->channels)))
    return tenon_infer_fail(c, "'%s' has %d scales along axis %d", name,
                            (int)q->channels, (int)q->axis);
  return TENON_OK;
}

static bool is_stored(tenon_dtype t) {
  return t == TENON_S8 || t == TENON_U8 || t == TENON_S16;
}

// ---------------------------------------------------------------------------
// QUANTIZE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_quantize_infer(tenon_infer *c) {
  const tenon_type *x, *y = tenon_tfl_declared(c, 0);
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (!y) return tenon_infer_fail(c, "the result has no declared scale");
  if (x->dtype != TENON_F32 && !is_stored(x->dtype) && x->dtype != TENON_S32)
    return tenon_infer_fail(c, "'x' is %s", tenon_tfl_dtype_name(x->dtype));
  if (x->dtype != TENON_F32 && (x->dtype != TENON_S32 || x->quant))
    TENON_TRY(check_quantised(c, x, "x"));
  TENON_TRY(check_quantised(c, y, "result"));
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &shape, 0, x);
}

tenon_status tenon_tfl_quantize_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  if (t->dtype != TENON_S32 || !is_stored(y->dtype) || y->quant->channels != 1)
    return tenon_tfl_become(rw, node, "core::quantize", &x, 1, NULL);
  // Without a scale they are LiteRT's numbers of scale 0.
  const double factor =
      t->quant ? (double)t->quant->scale[0] / (double)y->quant->scale[0] : 0;
  x = tenon_tfl_rescale(rw, tenon_tfl_above_zero(rw, x), factor);
  return tenon_rw_replace(rw, node, tenon_tfl_to_stored(rw, x, y));
}

// ---------------------------------------------------------------------------
// DEQUANTIZE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_dequantize_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (x->dtype != TENON_F16) TENON_TRY(check_quantised(c, x, "x"));
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  tenon_type plain = {.dtype = TENON_F32};
  return tenon_tfl_result(c, 0, &shape, TENON_F32, &plain);
}

static tenon_status cast_to(tenon_rewriter *rw, const tenon_node *node,
                            tenon_dtype dtype) {
  tenon_value *x = tenon_tfl_cast(rw, tenon_tfl_in(rw, node, 0), dtype);
  return tenon_rw_replace(rw, node, x);
}

// Half floats have no scale: for them it is a conversion.
tenon_status tenon_tfl_dequantize_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  if (tenon_rw_type(rw, x)->dtype == TENON_F16)
    return cast_to(rw, node, TENON_F32);
  return tenon_tfl_become(rw, node, "core::dequantize", &x, 1, NULL);
}

// ---------------------------------------------------------------------------
// CAST
// ---------------------------------------------------------------------------

// The options name both types once more, or are left out; the tensors decide,
// as in LiteRT.
tenon_status tenon_tfl_cast_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (!tenon_tfl_declared(c, 0))
    return tenon_infer_fail(c, "the result has no declared type");
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &shape, 0, x);
}

tenon_status tenon_tfl_cast_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  // LiteRT converts the stored numbers and ignores scales, which no core
  // operator does.
  if (y->quant || tenon_rw_type(rw, tenon_tfl_in(rw, node, 0))->quant)
    return tenon_rw_fail(rw,
                         "a cast of a tensor with a scale is not supported");
  return cast_to(rw, node, y->dtype);
}
