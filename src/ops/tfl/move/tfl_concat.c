// Several tensors into one: CONCATENATION and PACK.
#include <math.h>

#include "ops/tfl/tfl_op.h"

static tenon_status tfl_concat_check_scales(tenon_infer *c, int first, int n) {
  const tenon_type *y = tenon_tfl_declared(c, 0);
  for (int i = 0; i < n; ++i) {
    const tenon_type *x = tenon_infer_in(c, first + i);
    // As LiteRT: 8 signed bits are never rescaled; others are left to the
    // lowering.
    if (y && x->dtype == TENON_S8 && !tenon_tfl_same_scale(x, y))
      return tenon_infer_fail(c, "tensor %d has another scale than the result",
                              i);
  }
  return TENON_OK;
}

// Operands of one type and rank, at least one, few enough.
static tenon_status tfl_concat_check_list(tenon_infer *c, int *first, int *n,
                                          const tenon_type **x) {
  const tenon_type *next;
  *n = c->api->group(c, 0, first);
  if (*n < 1 || *n > TFL_MAX_TENSORS)
    return tenon_infer_fail(c, "%d tensors, expected 1 to %d", *n,
                            TFL_MAX_TENSORS);
  TENON_TRY(tenon_tfl_operand(c, *first, "xs", -1, x));
  for (int i = 1; i < *n; ++i) {
    TENON_TRY(tenon_tfl_operand(c, *first + i, "xs", (*x)->rank, &next));
    TENON_TRY(tenon_tfl_check_alike(c, *x, "xs[0]", next, "xs"));
  }
  return tfl_concat_check_scales(c, *first, *n);
}

// Whether all stand in the scale of the result. 16 bits are copied whatever the
// scales say, as LiteRT does.
static bool can_copy(tenon_rewriter *rw, const tenon_node *node, int first,
                     int n) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  for (int i = 0; i < n; ++i) {
    const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, first + i));
    if (y->dtype == TENON_U8 && !tenon_tfl_same_scale(x, y)) return false;
  }
  return true;
}

// Unsigned bytes in another scale, through a table: in floats and rounded
// halves away from zero, as LiteRT's kernel of that type computes.
static tenon_value *rescaled(tenon_rewriter *rw, tenon_value *x,
                             const tenon_type *y) {
  const tenon_quant *p = tenon_rw_type(rw, x)->quant, *q = y->quant;
  const tenon_dim entries = tenon_tfl_fixed(256);
  const tenon_type t = {&entries, NULL, TENON_U8, 1, 0};
  const int32_t x_zero = p->zero ? p->zero[0] : 0;
  const int32_t y_zero = q->zero ? q->zero[0] : 0;
  const float scale = p->scale[0] * (1.0f / q->scale[0]);
  const float bias = (float)-x_zero * scale;
  uint8_t table[256];
  for (int i = 0; i < 256; ++i) {
    float v = roundf((float)i * scale + bias) + (float)y_zero;
    table[i] = (uint8_t)(v > 255 ? 255 : v > 0 ? v : 0);
  }
  return tenon_tfl_stored(
      rw,
      tenon_rw_op2(rw, "core::table", tenon_tfl_stored(rw, x, NULL),
                   rw->api->literal(rw, &t, table)),
      q);
}

// Unsigned bytes with a scale as signed ones, like all that is around them.
static tenon_status tfl_concat_joined(tenon_rewriter *rw,
                                      const tenon_node *node, tenon_value **in,
                                      int n, int64_t axis) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_quant q;
  int32_t zero;
  tenon_type t = tenon_tfl_signed_type(y, &q, &zero);
  for (int i = 0; i < n; ++i)
    in[i] = tenon_tfl_signed(rw, in[i]);
  tenon_value *z = tenon_tfl_join(rw, in, (uint32_t)n, axis, &t);
  return tenon_rw_replace(rw, node, tenon_tfl_unsigned(rw, z, y));
}

// ---------------------------------------------------------------------------
// CONCATENATION
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_concat_infer(tenon_infer *c) {
  const tenon_tfl_concat_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  int first, n, axis;
  TENON_TRY(tfl_concat_check_list(c, &first, &n, &x));
  TENON_TRY(tenon_tfl_axis(c, a->axis, x->rank, &axis));
  if (a->fused_activation_function != TFL_ACT_NONE)
    return tenon_infer_fail(c, "fused activation %lld, expected none",
                            (long long)a->fused_activation_function);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 1; i < n; ++i) {
    const tenon_type *next = tenon_infer_in(c, first + i);
    for (int d = 0; d < y.rank; ++d) {
      if (d == axis) {
        y.dims[d] = c->api->dim(c, TENON_DIM_ADD, y.dims[d], next->dims[d]);
      } else if (y.dims[d].symbol) {
        y.dims[d] = next->dims[d];
      } else if (tenon_tfl_differ(y.dims[d], next->dims[d])) {
        return tenon_infer_fail(c,
                                "dimension %d is %lld and, of tensor %d, "
                                "%lld",
                                d, (long long)y.dims[d].value, i,
                                (long long)next->dims[d].value);
      }
    }
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_concat_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_concat_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS];
  int first = 0, n = rw->api->group(rw, node, 0, &first);
  int rank = rw->api->result(rw, node, 0)->rank;
  const tenon_type *y = rw->api->result(rw, node, 0);
  for (int i = 0; i < n; ++i) {
    in[i] = tenon_tfl_in(rw, node, first + i);
    const tenon_type *x = tenon_rw_type(rw, in[i]);
    if (y->dtype == TENON_S16 && x->quant)
      in[i] = tenon_tfl_stored(rw, in[i], y->quant);
    if (y->dtype == TENON_U8 && x->quant && y->quant &&
        !tenon_tfl_same_scale(x, y))
      in[i] = rescaled(rw, in[i], y);
  }
  return tfl_concat_joined(rw, node, in, n,
                           a->axis < 0 ? a->axis + rank : a->axis);
}

// ---------------------------------------------------------------------------
// PACK
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_pack_infer(tenon_infer *c) {
  const tenon_tfl_pack_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x;
  int first, n, axis;
  TENON_TRY(tfl_concat_check_list(c, &first, &n, &x));
  if (a->values_count != n)
    return tenon_infer_fail(c, "values_count is %lld with %d tensors",
                            (long long)a->values_count, n);
  TENON_TRY(tenon_tfl_axis(c, a->axis, x->rank + 1, &axis));
  if (x->rank == TENON_MAX_RANK)
    return tenon_infer_fail(c, "'xs' have %d dimensions already", x->rank);
  for (int i = 1; i < n; ++i) {
    const tenon_type *next = tenon_infer_in(c, first + i);
    for (int d = 0; d < x->rank; ++d) {
      if (tenon_tfl_differ(x->dims[d], next->dims[d]))
        return tenon_infer_fail(c, "tensors 0 and %d differ in size", i);
    }
  }
  tenon_tfl_shape y = {.rank = x->rank + 1};
  for (int i = 0; i < y.rank; ++i)
    y.dims[i] = i == axis ? tenon_tfl_fixed(n) : x->dims[i - (i > axis)];
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_pack_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_pack_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *in[TFL_MAX_TENSORS];
  int first = 0, n = rw->api->group(rw, node, 0, &first);
  tenon_tfl_shape one = tenon_tfl_shape_of(rw->api->result(rw, node, 0));
  int64_t axis = a->axis < 0 ? a->axis + one.rank : a->axis;
  if (!can_copy(rw, node, first, n))
    return tenon_rw_fail(rw, "u8 tensors of several scales are not supported");
  one.dims[axis] = tenon_tfl_fixed(1);
  for (int i = 0; i < n; ++i)
    in[i] =
        tenon_tfl_reshape(rw, tenon_tfl_in(rw, node, first + i), &one, NULL);
  return tfl_concat_joined(rw, node, in, n, axis);
}
