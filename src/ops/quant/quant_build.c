// How: promotion is PyTorch's, so a scale in f64 makes the product f64. A
// 16-bit float times a number, or divided by it, is computed in f32 and rounded
// once.
#include <string.h>

#include "ops/quant/quant_op.h"

tenon_dtype tenon_quant_type(tenon_rewriter *rw, tenon_value *a,
                             tenon_value *b) {
  tenon_aten_promotion p = {0, 0, 0};
  tenon_aten_promote_value(rw, &p, a);
  tenon_aten_promote_value(rw, &p, b);
  return tenon_aten_promoted(&p);
}

tenon_value *tenon_quant_pair(tenon_rewriter *rw, const char *op,
                              tenon_value *a, tenon_value *b) {
  tenon_dtype t = tenon_quant_type(rw, a, b);
  if (!t) {
    (void)tenon_rw_fail(rw, "PyTorch does not promote %s and %s",
                        tenon_dtype_name(tenon_aten_known(rw, a)->dtype),
                        tenon_dtype_name(tenon_aten_known(rw, b)->dtype));
    return NULL;
  }
  return tenon_rw_op2(rw, op, tenon_aten_cast(rw, a, t),
                      tenon_aten_cast(rw, b, t));
}

// The type in which this operator computes with a number.
static tenon_dtype number_type(const char *op, tenon_dtype t) {
  const bool is_half = t == TENON_F16 || t == TENON_BF16;
  return is_half && (!strcmp(op, "core::mul") || !strcmp(op, "core::div"))
             ? TENON_F32
             : t;
}

static tenon_value *quant_build_beside(tenon_rewriter *rw, const char *op,
                                       tenon_value *a, double value,
                                       bool is_first) {
  const tenon_type *t = tenon_rw_type(rw, a);
  const tenon_dtype own = t ? t->dtype : TENON_F32;
  const tenon_dtype type = number_type(op, own);
  tenon_value *number = tenon_aten_real(rw, type, value);
  a = tenon_aten_cast(rw, a, type);
  a = is_first ? tenon_rw_op2(rw, op, number, a)
               : tenon_rw_op2(rw, op, a, number);
  return type == own ? a : tenon_aten_cast(rw, a, own);
}

tenon_value *tenon_quant_number(tenon_rewriter *rw, const char *op,
                                tenon_value *a, double value) {
  return quant_build_beside(rw, op, a, value, false);
}

tenon_value *tenon_quant_of_number(tenon_rewriter *rw, const char *op,
                                   double value, tenon_value *a) {
  return quant_build_beside(rw, op, a, value, true);
}

tenon_value *tenon_quant_extreme(tenon_rewriter *rw, const char *op,
                                 tenon_value *x, const int64_t *dims, int n,
                                 bool keepdim) {
  if (n == 0) return x;
  return tenon_rw_op(rw, op, &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, (size_t)n),
                                tenon_arg_bool("keepdim", keepdim)));
}

tenon_value *tenon_quant_store(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *inverse, tenon_value *zero,
                               bool rounds_last, double least, double most,
                               tenon_dtype dtype) {
  x = tenon_quant_pair(rw, "core::mul", x, inverse);
  if (!rounds_last) x = tenon_rw_op1(rw, "core::round", x);
  if (zero) x = tenon_quant_pair(rw, "core::add", x, zero);
  if (rounds_last) x = tenon_rw_op1(rw, "core::round", x);
  x = tenon_rw_op(
      rw, "core::clamp", &x, 1,
      TENON_ARGS(tenon_arg_float("lo", least), tenon_arg_float("hi", most)));
  return tenon_aten_cast(rw, x, dtype);
}
