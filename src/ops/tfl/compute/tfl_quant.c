// Between element types: QUANTIZE, DEQUANTIZE, CAST, BITCAST, FAKE_QUANT,
// BUCKETIZE.
#include <math.h>

#include "ops/tfl/tfl_op.h"

// A scale per channel is fine here; the number of scales must fit the axis.
static tenon_status check_quantised(tenon_infer *c, const tenon_type *t,
                                    const char *name) {
  const tenon_quant *q = t->quant;
  if (!q)
    return tenon_infer_fail(c, "'%s' is %s without a scale", name,
                            tenon_dtype_name(t->dtype));
  // No sums of products are made here, so 16 bits may have a zero point, as the
  // result of SOFTMAX from 8 bits has.
  const int32_t zero = q->zero ? q->zero[0] : 0;
  if (t->dtype == TENON_S16 && q->channels == 1 && !q->block &&
      zero >= INT16_MIN && zero <= INT16_MAX)
    return tenon_tfl_check_scales(c, q, name);
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
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_tfl_declared(c, 0);
  if (!y) return tenon_infer_fail(c, "the result has no declared scale");
  if (x->dtype != TENON_F32 && !is_stored(x->dtype) && x->dtype != TENON_S32)
    return tenon_infer_fail(c, "'x' is %s", tenon_dtype_name(x->dtype));
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
  const tenon_type *x = tenon_infer_in(c, 0);
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
  const tenon_type *x = tenon_infer_in(c, 0);
  if (!tenon_tfl_declared(c, 0))
    return tenon_infer_fail(c, "the result has no declared type");
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &shape, 0, x);
}

tenon_status tenon_tfl_cast_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  // LiteRT converts the stored numbers and ignores scales.
  tenon_value *x = tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 0), NULL);
  const bool is_complex = tenon_rw_type(rw, x)->dtype == TENON_C64;
  if (is_complex && y->dtype != TENON_C64)
    x = tenon_rw_op1(rw, "core::real", x);
  if (y->dtype != TENON_C64)
    x = tenon_tfl_cast(rw, x, y->dtype);
  else if (!is_complex)
    x = tenon_tfl_complex(rw, tenon_tfl_cast(rw, x, TENON_F32), NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

// ---------------------------------------------------------------------------
// BITCAST
// ---------------------------------------------------------------------------

// Bytes of an element that a cast of bytes may have; 0: none.
static int tfl_quant_bytes_of(const tenon_type *t) {
  switch (t->dtype) {
    case TENON_S8:
    case TENON_U8:
    case TENON_BOOL:
      return 1;
    case TENON_S16:
    case TENON_U16:
    case TENON_F16:
    case TENON_BF16:
      return 2;
    case TENON_S32:
    case TENON_U32:
    case TENON_F32:
      return 4;
    case TENON_S64:
    case TENON_U64:
    case TENON_F64:
    case TENON_C64:
      return 8;
    default:
      return 0;
  }
}

// To larger elements the last axis goes, which has as many as make one; to
// smaller ones it is added.
tenon_status tenon_tfl_bitcast_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = tenon_tfl_declared(c, 0);
  if (!y) return tenon_infer_fail(c, "the result has no declared type");
  const int from = tfl_quant_bytes_of(x), to = tfl_quant_bytes_of(y);
  // Bytes that are no truth may not become one.
  if (!from || !to || x->quant || y->quant ||
      (y->dtype == TENON_BOOL && x->dtype != TENON_BOOL))
    return tenon_infer_fail(c, "from %s to %s", tenon_dtype_name(x->dtype),
                            tenon_dtype_name(y->dtype));
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  if (from > to) {
    if (shape.rank == TENON_MAX_RANK)
      return tenon_infer_fail(c, "more than %d dimensions", TENON_MAX_RANK);
    shape.dims[shape.rank++] = tenon_tfl_fixed(from / to);
  }
  if (from < to) {
    if (!shape.rank || !tenon_tfl_is(shape.dims[shape.rank - 1], to / from))
      return tenon_infer_fail(c, "the last dimension is not %d", to / from);
    --shape.rank;
  }
  return tenon_tfl_result(c, 0, &shape, y->dtype, y);
}

tenon_status tenon_tfl_bitcast_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  const int from = tfl_quant_bytes_of(t), to = tfl_quant_bytes_of(y);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y), whole = tenon_tfl_shape_of(t);
  // core::bitcast changes the last size, so there has to be one of its own.
  if (from > to) whole.dims[whole.rank++] = tenon_tfl_fixed(1);
  x = tenon_tfl_reshape(rw, x, &whole, NULL);
  x = tenon_rw_op(rw, "core::bitcast", &x, 1,
                  TENON_ARGS(tenon_arg_dtype("dtype", y->dtype)));
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, NULL));
}

// ---------------------------------------------------------------------------
// FAKE_QUANT
// ---------------------------------------------------------------------------

#define MOST_BITS 16

tenon_status tenon_tfl_fake_quant_infer(tenon_infer *c) {
  const tenon_tfl_fake_quant_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (!tenon_tfl_is_float(x))
    return tenon_infer_fail(c, "'x' is %s, expected f32",
                            tenon_dtype_name(x->dtype));
  if (a->num_bits < 2 || a->num_bits > MOST_BITS)
    return tenon_infer_fail(c, "num_bits is %lld, expected 2 to %d",
                            (long long)a->num_bits, MOST_BITS);
  if (!(a->max > a->min))
    return tenon_infer_fail(c, "from %g to %g", a->min, a->max);
  return tenon_tfl_like(c, x);
}

// The range, moved so that 0 is one of its steps (reference kernels of LiteRT,
// fake_quant.h: floats throughout). Steps are rounded half away from zero.
tenon_status tenon_tfl_fake_quant_lower(tenon_rewriter *rw,
                                        const tenon_node *node) {
  const tenon_tfl_fake_quant_attrs *a = tenon_rw_attrs(rw, node);
  const float min = (float)a->min, max = (float)a->max;
  const float first = a->narrow_range ? 1.0f : 0.0f;
  const float last = (float)((1 << a->num_bits) - 1);
  const float scale = (max - min) / (last - first);
  const float from = first - min / scale;
  const float zero = from < first ? first : from > last ? last : roundf(from);
  const float low = (first - zero) * scale, high = (last - zero) * scale;
  return tenon_rw_replace(
      rw, node,
      tenon_aten_formula(rw,
                         "x #low #high #scale #steps: "
                         "x = (minimum(maximum(x, low), high) - low) * steps; "
                         "whole = floor(x); "
                         "(whole + f32(x - whole >= 0.5)) * scale + low",
                         tenon_tfl_in(rw, node, 0), (double)low, (double)high,
                         (double)scale, (double)(1.0f / scale)));
}

// ---------------------------------------------------------------------------
// BUCKETIZE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_bucketize_infer(tenon_infer *c) {
  const tenon_tfl_bucketize_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_F32 && x->dtype != TENON_F64 && x->dtype != TENON_S32 &&
      x->dtype != TENON_S64)
    return tenon_infer_fail(c, "'x' is %s", tenon_dtype_name(x->dtype));
  for (size_t i = 0; i < a->boundaries.count; ++i)
    if (!(a->boundaries.data[i] >= a->boundaries.data[i ? i - 1 : 0]))
      return tenon_infer_fail(c, "the boundaries do not ascend");
  const tenon_type whole = {.dtype = TENON_S32};
  tenon_tfl_shape shape = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &shape, TENON_S32, &whole);
}

// How many boundaries are at most x. Integers are compared as floats.
tenon_status tenon_tfl_bucketize_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  const tenon_tfl_bucketize_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0), *parts[TFL_MAX_TENSORS];
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  const int n = (int)a->boundaries.count;
  if (a->boundaries.count > TFL_MAX_TENSORS)
    return tenon_rw_fail(rw, "more than %d boundaries are not supported",
                         TFL_MAX_TENSORS);
  if (n == 0)
    return tenon_rw_replace(
        rw, node,
        tenon_tfl_expand(rw, tenon_rw_scalar(rw, TENON_S32, 0), &shape));
  if (tenon_rw_type(rw, x)->dtype != TENON_F64)
    x = tenon_tfl_cast(rw, x, TENON_F32);
  for (int i = 0; i < n; ++i)
    parts[i] = tenon_rw_scalar(rw, tenon_rw_type(rw, x)->dtype,
                               (double)(float)a->boundaries.data[i]);
  tenon_value *in[] = {tenon_tfl_listed(rw, parts, n), x};
  x = tenon_rw_op(rw, "core::searchsorted", in, 2,
                  TENON_ARGS(tenon_arg_bool("right", true)));
  return tenon_rw_replace(rw, node, tenon_tfl_cast(rw, x, TENON_S32));
}
