// quant_folds.c - the lowerings that put integers in the place of floats, and
// those of quantized_decomposed.
#include <math.h>
#include <string.h>

#include "ops/quant/fold/quant_conv.h"
#include "ops/quant/fold/quant_fold.h"
#include "ops/quant/fold/quant_folding.h"
#include "ops/quant/quant_constant.h"
#include "ops/quant/quant_dynamic.h"
#include "ops/quant/quant_op.h"

// What an overload says in arguments or in operands, which are constants then.
typedef struct numbers {
  double scale, zero, least, most;
} numbers;

static bool quant_folds_is_form(tenon_rewriter *rw, const char *form) {
  const char *user = (const char *)rw->api->user(rw);
  return user && strcmp(user, form) == 0;
}

static bool quant_folds_find_number(tenon_rewriter *rw, const tenon_node *n,
                                    int i, double *out) {
  const tenon_tensor *t = tenon_quant_constant(rw, tenon_aten_in(rw, n, i));
  return t && tenon_count(t) == 1 && tenon_quant_element(t, 0, out);
}

static bool find_numbers(tenon_rewriter *rw, const tenon_node *n, numbers *v) {
  if (quant_folds_is_form(rw, "tensor2")) {
    if (!quant_folds_find_number(rw, n, 3, &v->least) ||
        !quant_folds_find_number(rw, n, 4, &v->most))
      return false;
  } else {
    v->least = (double)tenon_aten_int(rw, n, "quant_min");
    v->most = (double)tenon_aten_int(rw, n, "quant_max");
  }
  if (rw->api->user(rw))
    return quant_folds_find_number(rw, n, 1, &v->scale) &&
           quant_folds_find_number(rw, n, 2, &v->zero) &&
           v->zero == floor(v->zero) && fabs(v->zero) <= 255;
  v->scale = tenon_aten_float(rw, n, "scale");
  v->zero = (double)tenon_aten_int(rw, n, "zero_point");
  return fabs(v->zero) <= 255;
}

static tenon_status quant_folds_quantize(tenon_rewriter *rw,
                                         const tenon_node *n) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  const int shift = y && y->dtype == TENON_U8 ? 128 : 0;
  numbers v;
  if (!find_numbers(rw, n, &v) || v.least != shift - 128 ||
      v.most != shift + 127)
    return TENON_OK;
  return tenon_quant_fold_result(rw, n, v.scale, (int64_t)v.zero,
                                 "dtype");  // the result's
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

static tenon_status quant_folds_dequantize(tenon_rewriter *rw,
                                           const tenon_node *n) {
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  numbers v;
  tenon_quant_scale of;
  if (!t || !find_numbers(rw, n, &v)) return TENON_OK;
  const float scale = (float)v.scale;
  const int64_t zero = (int64_t)v.zero;
  if (t->dtype != tenon_aten_dtype(rw, n, "dtype") || !gives_f32(rw, n) ||
      !tenon_quant_is_zero(zero, t->dtype) ||
      !(scale > 1e-30f && scale < 1e30f))
    return TENON_OK;
  tenon_quant_scale_set(&of, scale, (int32_t)zero);
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
  const tenon_type *t = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
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

#define QUANTIZE(ident, form, suffix)                       \
  FOLD(ident, quant_folds_quantize, TENON_LOWERING_INEXACT, \
       "quant operators to integers" suffix,                \
       "quantized_decomposed::quantize_per_tensor" suffix, form)
#define DEQUANTIZE(ident, form, suffix)                                     \
  FOLD(ident, quant_folds_dequantize, 0, "quant dequantize to core" suffix, \
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
