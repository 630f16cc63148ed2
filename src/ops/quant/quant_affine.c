// quant_affine.c - torchao's operators on blocks where a block is all of a
// tensor, or all of a channel, and its scale a constant: then they are what
// quantized_decomposed's are, and fold as those do.
#include <string.h>

#include "ops/quant/fold/quant_fold.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_op.h"

#define NO_AXIS (-1)

// The dimension whose elements are blocks of their own, or NO_AXIS. False:
// blocks are something else.
static bool find_axis(tenon_rewriter *rw, const tenon_node *n,
                      const tenon_type *t, int *axis) {
  *axis = NO_AXIS;
  if (tenon_aten_ints(rw, n, "block_size").count != t->rank) return false;
  for (int i = 0; i < t->rank; ++i) {
    const tenon_dim block = tenon_aten_dim(rw, n, "block_size", i);
    if (tenon_aten_same(block, t->dims[i])) continue;
    if (!tenon_aten_is(block, 1) || *axis != NO_AXIS) return false;
    *axis = i;
  }
  return true;
}

// A constant of one number.
static bool affine_find_number(tenon_rewriter *rw, tenon_value *v,
                               double *out) {
  const tenon_tensor *t = tenon_quant_constant(rw, v);
  return t && tenon_count(t) == 1 && tenon_quant_element(t, 0, out);
}

static bool find_zero(tenon_rewriter *rw, tenon_value *v, double *out) {
  return affine_find_number(rw, v, out) &&
         tenon_quant_is_within(tenon_quant_constant(rw, v), -128, 255);
}

static tenon_status affine_quantize(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  const tenon_dtype to = tenon_aten_dtype(rw, n, "output_dtype");
  tenon_value *const given[] = {tenon_aten_in(rw, n, 1),
                                tenon_aten_in(rw, n, 2)};
  double scale = 0, zero = 0, least = 0, most = 0;
  int axis = 0;
  if (!t || (to != TENON_S8 && to != TENON_U8) || !find_axis(rw, n, t, &axis) ||
      axis != NO_AXIS || tenon_aten_known(rw, given[0])->dtype != TENON_F32 ||
      !affine_find_number(rw, given[0], &scale) || !given[1] ||
      !find_zero(rw, given[1], &zero))
    return TENON_OK;
  TENON_TRY(tenon_quant_limits(rw, n, to, &least, &most));
  if (most - least != 255) return TENON_OK;
  return tenon_quant_fold_result(rw, n, scale, (int64_t)zero, "");
}

// For each scale its zero point, in the range of the type. A channel has none.
static bool check_zeros(tenon_rewriter *rw, tenon_value *v, tenon_dtype t,
                        int32_t *out) {
  const tenon_tensor *z = v ? tenon_quant_constant(rw, v) : NULL;
  const bool is_one = z && tenon_count(z) == 1;
  double zero = 0;
  *out = 0;
  if (!v) return true;
  if (!z || !tenon_quant_is_within(z, t == TENON_S8 ? -128 : 0,
                                   t == TENON_S8 ? 127 : 255))
    return false;
  if (!is_one) return tenon_quant_is_within(z, 0, 0);
  tenon_quant_element(z, 0, &zero);
  *out = (int32_t)zero;
  return true;
}

static bool is_usual(const tenon_tensor *scale) {
  for (size_t i = 0; i < tenon_count(scale); ++i) {
    const float v = ((const float *)scale->data)[i];
    if (!(v > 1e-30f && v < 1e30f)) return false;
  }
  return true;
}

static tenon_status affine_dequantize(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  const tenon_tensor *scale = tenon_quant_constant(rw, tenon_aten_in(rw, n, 1));
  double least = 0, most = 0;  // the numbers lie within them
  int32_t zero = 0;
  int axis = 0;
  if (!t || (t->dtype != TENON_S8 && t->dtype != TENON_U8) ||
      tenon_aten_dtype(rw, n, "input_dtype") != t->dtype ||
      tenon_aten_dtype(rw, n, "output_dtype") != TENON_F32 ||
      !find_axis(rw, n, t, &axis) || !scale || scale->dtype != TENON_F32 ||
      tenon_aten_known(rw, tenon_aten_in(rw, n, 1))->dtype != TENON_F32 ||
      !is_usual(scale) ||
      !check_zeros(rw, tenon_aten_in(rw, n, 2), t->dtype, &zero))
    return TENON_OK;
  const size_t count = tenon_count(scale);
  if (axis == NO_AXIS
          ? count != 1
          : !tenon_aten_is(t->dims[axis], (int64_t)count) || count < 2)
    return TENON_OK;
  TENON_TRY(tenon_quant_limits(rw, n, t->dtype, &least, &most));
  const tenon_quant quant = {(const float *)scale->data,
                             axis == NO_AXIS ? &zero : NULL, (int32_t)count,
                             axis == NO_AXIS ? 0 : axis, 0};
  return tenon_quant_as_core(rw, n, &quant, "");
}

const tenon_lowering_desc tenon_quant_fold_quantize_affine = {
    .struct_size = sizeof(tenon_lowering_desc),
    .flags = TENON_LOWERING_INEXACT,
    .priority = 10,
    .name = "quant operators of blocks to integers",
    .op = "torchao::quantize_affine",
    .to = TENON_QUANT_FOLD_BUILDS,
    .lower = affine_quantize};

const tenon_lowering_desc tenon_quant_fold_dequantize_affine = {
    .struct_size = sizeof(tenon_lowering_desc),
    .priority = 10,
    .name = "quant dequantize of blocks to core",
    .op = "torchao::dequantize_affine",
    .to = TENON_QUANT_FOLD_BUILDS,
    .lower = affine_dequantize};
