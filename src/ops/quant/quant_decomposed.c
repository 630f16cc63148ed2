// The set quantized_decomposed, operation by operation as
// torch.ao.quantization.fx._decomposed computes.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/quant/quant_op.h"

static tenon_dtype decomposed_type_of(tenon_rewriter *rw, tenon_value *v) {
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  return t ? t->dtype : 0;
}

// 16-bit floats are quantised as f32.
static tenon_value *decomposed_widened(tenon_rewriter *rw, tenon_value *x) {
  tenon_dtype t = decomposed_type_of(rw, x);
  return t == TENON_F16 || t == TENON_BF16 ? tenon_aten_cast(rw, x, TENON_F32)
                                           : x;
}

// One element, whatever its shape.
static tenon_value *item(tenon_rewriter *rw, tenon_value *v) {
  return tenon_aten_reshape(rw, v, NULL, 0);
}

static double decomposed_limit_of(tenon_rewriter *rw, const tenon_node *n,
                                  const char *name) {
  return (double)tenon_aten_int(rw, n, name);
}

// Refuses what PyTorch refuses: to quantise what is no float of 16 or 32 bits.
static tenon_status check_floats(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_dtype t = decomposed_type_of(rw, tenon_aten_in(rw, n, 0));
  return !t || t == TENON_F32 || t == TENON_F16 || t == TENON_BF16
             ? TENON_OK
             : tenon_rw_fail(rw, "the operand is %s, not f32, f16 or bf16",
                             tenon_dtype_name(t));
}

// What PyTorch quantises to; the limits of 8-bit floats are whole.
typedef struct target {
  tenon_dtype dtype;
  int64_t least, most;
} target;

static tenon_status find_target(tenon_rewriter *rw, const tenon_node *n,
                                target *out) {
  static const target rows[] = {
      {TENON_S8, INT8_MIN, INT8_MAX},    {TENON_U8, 0, UINT8_MAX},
      {TENON_S16, INT16_MIN, INT16_MAX}, {TENON_U16, 0, UINT16_MAX},
      {TENON_S32, INT32_MIN, INT32_MAX}, {TENON_F8E5M2, -57344, 57344},
      {TENON_F8E4M3FN, -448, 448}};
  const tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].dtype != t) continue;
    *out = rows[i];
    return TENON_OK;
  }
  return tenon_rw_fail(rw, "dtype '%s' is nothing to quantise to",
                       tenon_dtype_name(t));
}

// Refuses what PyTorch refuses: a range that the type does not hold.
static tenon_status check_range(tenon_rewriter *rw, const tenon_node *n) {
  const int64_t low = tenon_aten_int(rw, n, "quant_min"),
                high = tenon_aten_int(rw, n, "quant_max");
  target t = {TENON_U8, 0, 0};
  TENON_TRY(find_target(rw, n, &t));
  return low >= t.least && high <= t.most
             ? TENON_OK
             : tenon_rw_fail(
                   rw, "quant_min %lld and quant_max %lld, not of '%s'",
                   (long long)low, (long long)high, tenon_dtype_name(t.dtype));
}

// The integers have the type that the argument says.
static tenon_status check_integers(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_dtype said = tenon_aten_dtype(rw, n, "dtype"),
                    found = decomposed_type_of(rw, tenon_aten_in(rw, n, 0));
  target t;
  TENON_TRY(find_target(rw, n, &t));
  if (!found || said == found) return TENON_OK;
  return tenon_rw_fail(rw, "the operand is %s, dtype says %s",
                       tenon_dtype_name(found), tenon_dtype_name(said));
}

static bool decomposed_is_form(tenon_rewriter *rw, const char *form) {
  const char *user = tenon_aten_user(rw);
  return user && strcmp(user, form) == 0;
}

// Scale and zero point: numbers, or tensors of one element that become numbers
// of f64 and s64.
static void decomposed_numbers(tenon_rewriter *rw, const tenon_node *n,
                               bool inverse, tenon_value **scale,
                               tenon_value **zero) {
  if (tenon_aten_user(rw)) {
    *scale = tenon_aten_cast(rw, item(rw, tenon_aten_in(rw, n, 1)), TENON_F64);
    *zero = item(rw, tenon_aten_in(rw, n, 2));
    if (inverse) *scale = tenon_quant_of_number(rw, "core::div", 1, *scale);
  } else {
    double value = tenon_aten_float(rw, n, "scale");
    *scale = tenon_aten_real(rw, TENON_F64, inverse ? 1 / value : value);
    *zero = tenon_aten_real(rw, TENON_S64,
                            (double)tenon_aten_int(rw, n, "zero_point"));
  }
}

// The same with limits that a run finds out.
static tenon_value *store_within(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x, tenon_value *inverse,
                                 tenon_value *zero) {
  tenon_value *least = item(rw, tenon_aten_in(rw, n, 3)),
              *most = item(rw, tenon_aten_in(rw, n, 4));
  x = tenon_rw_op1(rw, "core::round",
                   tenon_rw_op2(rw, "core::mul", x, inverse));
  x = tenon_rw_op2(rw, "core::add", x, zero);
  x = tenon_rw_op2(rw, "core::maximum", x,
                   tenon_aten_cast(rw, least, TENON_F32));
  x = tenon_rw_op2(rw, "core::minimum", x,
                   tenon_aten_cast(rw, most, TENON_F32));
  return tenon_aten_cast(rw, x, tenon_aten_dtype(rw, n, "dtype"));
}

tenon_status tenon_quant_quantize_tensor_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  tenon_value *scale, *zero,
      *x = decomposed_widened(rw, tenon_aten_in(rw, n, 0));
  target t;
  TENON_TRY(check_floats(rw, n));
  TENON_TRY(decomposed_is_form(rw, "tensor2") ? find_target(rw, n, &t)
                                              : check_range(rw, n));
  decomposed_numbers(rw, n, true, &scale, &zero);
  scale = tenon_aten_cast(rw, scale, TENON_F32);
  zero = tenon_aten_cast(rw, zero, TENON_F32);
  if (decomposed_is_form(rw, "tensor2"))
    return tenon_rw_replace(rw, n, store_within(rw, n, x, scale, zero));
  return tenon_rw_replace(
      rw, n,
      tenon_quant_store(rw, x, scale, zero, false,
                        decomposed_limit_of(rw, n, "quant_min"),
                        decomposed_limit_of(rw, n, "quant_max"),
                        tenon_aten_dtype(rw, n, "dtype")));
}

tenon_status tenon_quant_dequantize_tensor_lower(tenon_rewriter *rw,
                                                 const tenon_node *n) {
  // The numbers lie within them, be they attributes or operands.
  tenon_aten_without_effect(rw, n, "quant_min quant_max dtype");
  for (int i = 3; i < 5; ++i)
    (void)tenon_aten_in(rw, n, i);
  tenon_dtype out = tenon_aten_dtype(rw, n, "out_dtype");
  tenon_value *scale, *zero, *x = tenon_aten_in(rw, n, 0);
  TENON_TRY(check_integers(rw, n));
  decomposed_numbers(rw, n, false, &scale, &zero);
  if (!out) out = TENON_F32;
  x = tenon_aten_cast(rw, x, out);
  x = tenon_rw_op2(rw, "core::sub", x, tenon_aten_cast(rw, zero, out));
  // A factor beside 16 bits is f32.
  const tenon_dtype wide = out == TENON_F64 ? TENON_F64 : TENON_F32;
  x = tenon_rw_op2(rw, "core::mul", tenon_aten_cast(rw, x, wide),
                   tenon_aten_cast(rw, scale, wide));
  return tenon_rw_replace(rw, n, tenon_aten_cast(rw, x, out));
}

// Another type, which no pass of PyTorch's may fuse with what is around it.
tenon_status tenon_quant_convert_lower(tenon_rewriter *rw,
                                       const tenon_node *n) {
  return tenon_rw_replace(rw, n,
                          tenon_aten_cast(rw, tenon_aten_in(rw, n, 0),
                                          tenon_aten_dtype(rw, n, "dtype")));
}

// Brings x, scales and zero points into shapes that broadcast; `shape` and
// `rank` are those of x before.
typedef struct aligned {
  tenon_value *x, *scale, *zero;
  const tenon_dim *shape;
  int rank;
} aligned;

static tenon_value *decomposed_turned(tenon_rewriter *rw, tenon_value *v,
                                      int axis, int rank) {
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  tenon_dim dims[TENON_MAX_RANK];
  if (!t) return v;
  for (int i = 0; i < rank; ++i)
    dims[i] = tenon_aten_fixed(1);
  dims[axis] = tenon_aten_product(rw, t->dims, t->rank);
  return tenon_aten_reshape(rw, v, dims, rank);
}

static tenon_value *decomposed_column(tenon_rewriter *rw, tenon_value *v) {
  const tenon_type *t = v ? tenon_rw_type(rw, v) : NULL;
  tenon_dim dims[2];
  if (!t) return v;
  dims[0] = tenon_aten_product(rw, t->dims, t->rank);
  dims[1] = tenon_aten_fixed(1);
  return tenon_aten_reshape(rw, v, dims, 2);
}

// As many scales and zero points as there are rows.
static tenon_status check_tokens(tenon_rewriter *rw, const tenon_dim *shape,
                                 int rank, tenon_value *scale,
                                 tenon_value *zero) {
  const tenon_dim rows = tenon_aten_product(rw, shape, rank ? rank - 1 : 0);
  tenon_value *const given[] = {scale, zero};
  for (int i = 0; i < 2; ++i) {
    const tenon_type *t = given[i] ? tenon_rw_type(rw, given[i]) : NULL;
    if (!t) continue;
    const tenon_dim found = tenon_aten_product(rw, t->dims, t->rank);
    if (!rows.symbol && !found.symbol && rows.value != found.value)
      return tenon_rw_fail(rw, "%lld %s for %lld rows", (long long)found.value,
                           i ? "zero points" : "scales", (long long)rows.value);
  }
  return TENON_OK;
}

// What choose_qparams_per_token computes has the type of its operand, though
// a program states f64 and s64: only who reads it in the type that it has gets
// PyTorch's numbers, so it has no lowering of its own.
static tenon_status as_chosen(tenon_rewriter *rw, tenon_value **v) {
  const tenon_node *p = *v ? rw->api->producer(rw, *v) : NULL;
  if (!p || strcmp(rw->api->op(rw, p),
                   "quantized_decomposed::choose_qparams_per_token") != 0)
    return TENON_OK;
  const tenon_dtype said = decomposed_type_of(rw, *v);
  tenon_value *x = tenon_aten_in(rw, p, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (tenon_aten_dtype(rw, p, "dtype") != TENON_S8 ||
      (said != TENON_F64 && said != TENON_S64))
    return tenon_rw_fail(rw,
                         "scales of choose_qparams_per_token for other "
                         "integers than s8");
  if (!t || !tenon_aten_is_float(t->dtype) || t->rank == 0)
    return tenon_rw_fail(rw, "scales of no rows of floats");
  const int64_t last = t->rank - 1;
  x = tenon_quant_extreme(rw, "core::amax", tenon_rw_op1(rw, "core::abs", x),
                          &last, 1, true);
  if (t->dtype == TENON_F16) x = tenon_aten_cast(rw, x, TENON_F32);
  x = tenon_quant_number(rw, "core::maximum", x, 1e-5);
  x = tenon_quant_number(rw, "core::div", x, 127);
  t = tenon_aten_known(rw, x);
  *v = said == TENON_F64
           ? x
           : tenon_aten_expand(rw, tenon_aten_real(rw, t->dtype, 0), t->dims,
                               t->rank);
  return TENON_OK;
}

static tenon_status align(tenon_rewriter *rw, const tenon_node *n, aligned *a) {
  int axis = 0;
  a->x = tenon_aten_in(rw, n, 0);
  a->scale = tenon_aten_in(rw, n, 1);
  a->zero = tenon_aten_in(rw, n, 2);
  const tenon_type *t = tenon_rw_type(rw, a->x);
  if (!t) return TENON_OK;
  a->shape = t->dims;
  a->rank = t->rank;
  if (decomposed_is_form(rw, "channel")) {
    TENON_TRY(
        tenon_aten_axis(rw, tenon_aten_int(rw, n, "axis"), t->rank, &axis));
    a->scale = decomposed_turned(rw, a->scale, axis, t->rank);
    a->zero = decomposed_turned(rw, a->zero, axis, t->rank);
  } else if (decomposed_is_form(rw, "token")) {
    TENON_TRY(as_chosen(rw, &a->scale));
    TENON_TRY(as_chosen(rw, &a->zero));
    return check_tokens(rw, &a->shape[0], a->rank, a->scale, a->zero);
  } else if (decomposed_is_form(rw, "group")) {
    int64_t size = tenon_aten_int(rw, n, "group_size");
    tenon_dim last = t->rank == 2 ? t->dims[1] : tenon_aten_fixed(0);
    if (last.symbol || last.value == 0)
      return tenon_rw_fail(rw, "groups need two dimensions of known size");
    const tenon_type *ts = tenon_rw_type(rw, a->scale);
    if (size > last.value && ts && ts->rank &&
        tenon_aten_is(ts->dims[ts->rank - 1], 1))
      size = last.value;
    if (size <= 1 || last.value % size)
      return tenon_rw_fail(rw, "%lld elements in groups of %lld",
                           (long long)last.value, (long long)size);
    tenon_dim dims[2] = {rw->api->dim(rw, TENON_DIM_MUL, t->dims[0],
                                      tenon_aten_fixed(last.value / size)),
                         tenon_aten_fixed(size)};
    a->x = tenon_aten_reshape(rw, a->x, dims, 2);
    a->scale = decomposed_column(rw, a->scale);
    a->zero = decomposed_column(rw, a->zero);
  }
  return TENON_OK;
}

tenon_status tenon_quant_quantize_axis_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  bool by_channel = decomposed_is_form(rw, "channel");
  aligned a;
  if (by_channel) TENON_TRY(check_floats(rw, n));
  if (!decomposed_is_form(rw, "group")) TENON_TRY(check_range(rw, n));
  TENON_TRY(align(rw, n, &a));
  tenon_value *inverse = tenon_quant_of_number(rw, "core::div", 1, a.scale);
  tenon_value *y = tenon_quant_store(
      rw, by_channel ? decomposed_widened(rw, a.x) : a.x, inverse, a.zero,
      !by_channel, decomposed_limit_of(rw, n, "quant_min"),
      decomposed_limit_of(rw, n, "quant_max"),
      tenon_aten_dtype(rw, n, "dtype"));
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, a.shape, a.rank));
}

tenon_status tenon_quant_dequantize_axis_lower(tenon_rewriter *rw,
                                               const tenon_node *n) {
  // The numbers lie within them.
  tenon_aten_without_effect(rw, n, "quant_min quant_max dtype");
  bool by_channel = decomposed_is_form(rw, "channel");
  tenon_dtype out =
      tenon_aten_dtype(rw, n, by_channel ? "out_dtype" : "output_dtype");
  aligned a;
  if (by_channel) TENON_TRY(check_range(rw, n));
  if (by_channel) TENON_TRY(check_integers(rw, n));
  TENON_TRY(align(rw, n, &a));
  tenon_value *y = a.x;
  if (a.zero) y = tenon_quant_pair(rw, "core::sub", y, a.zero);
  y = tenon_quant_pair(rw, "core::mul", y, a.scale);
  y = tenon_aten_cast(rw, y, out ? out : TENON_F32);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, a.shape, a.rank));
}

// What quantising by channel loses, as floats.
tenon_status tenon_quant_fake_axis_lower(tenon_rewriter *rw,
                                         const tenon_node *n) {
  aligned a;
  tenon_aten_args args = {0};
  if (tenon_aten_int(rw, n, "axis") < 0)
    return tenon_rw_fail(rw, "a negative axis");
  if (decomposed_type_of(rw, tenon_aten_in(rw, n, 0)) != TENON_F32)
    return tenon_rw_fail(rw, "the operand is not f32");
  TENON_TRY(align(rw, n, &a));
  a.scale = tenon_aten_cast(rw, a.scale, TENON_F32);
  a.zero = tenon_aten_cast(rw, a.zero, TENON_S32);
  tenon_value *y = tenon_quant_of_number(rw, "core::div", 1, a.scale);
  y = tenon_rw_op1(rw, "core::round",
                   tenon_quant_pair(rw, "core::mul", a.x, y));
  y = tenon_quant_pair(rw, "core::add", y, a.zero);
  tenon_aten_add(
      &args, tenon_arg_float("lo", decomposed_limit_of(rw, n, "quant_min")));
  tenon_aten_add(
      &args, tenon_arg_float("hi", decomposed_limit_of(rw, n, "quant_max")));
  y = tenon_rw_op(rw, "core::clamp", &y, 1, args.list);
  y = tenon_quant_pair(rw, "core::sub", y, a.zero);
  return tenon_rw_replace(rw, n, tenon_quant_pair(rw, "core::mul", y, a.scale));
}

// The range of x, with zero in it.
static void range(tenon_rewriter *rw, tenon_value *x, const int64_t *dims,
                  int n, bool keepdim, tenon_value **low, tenon_value **high) {
  *low = tenon_quant_extreme(rw, "core::amin", x, dims, n, keepdim);
  *high = tenon_quant_extreme(rw, "core::amax", x, dims, n, keepdim);
  *low = tenon_quant_number(rw, "core::minimum", *low, 0);
  *high = tenon_quant_number(rw, "core::maximum", *high, 0);
}

static tenon_status decomposed_give(tenon_rewriter *rw, const tenon_node *n,
                                    tenon_value *scale, tenon_value *zero) {
  tenon_value *both[2] = {tenon_aten_cast(rw, scale, TENON_F64),
                          tenon_aten_cast(rw, zero, TENON_S64)};
  return rw->api->replace(rw, n, both, 2);
}

tenon_status tenon_quant_choose_tensor_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  static const int64_t all[TENON_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  target known;  // whose range the limits say
  TENON_TRY(check_floats(rw, n));
  TENON_TRY(find_target(rw, n, &known));
  bool is_symmetric = tenon_aten_user(rw) != NULL;
  double least = decomposed_limit_of(rw, n, "quant_min"),
         most = decomposed_limit_of(rw, n, "quant_max");
  float eps = (float)tenon_aten_float(rw, n, "eps");
  if (!(least <= 0 && most >= 0 && least < most))
    return tenon_rw_fail(rw, "a range from %g to %g, not around zero", least,
                         most);
  tenon_dim one = tenon_aten_fixed(1);
  tenon_value *low, *high, *scale, *zero, *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  range(rw, x, all, t ? t->rank : 0, false, &low, &high);
  if (is_symmetric) {
    high = tenon_rw_op2(rw, "core::maximum", tenon_rw_op1(rw, "core::neg", low),
                        high);
    scale = tenon_quant_number(rw, "core::div", high, (most - least) / 2);
  } else {
    scale = tenon_rw_op2(rw, "core::sub", high, low);
    scale = tenon_quant_number(rw, "core::div", scale, most - least);
  }
  scale = tenon_aten_cast(rw, scale, TENON_F32);
  scale = tenon_quant_number(rw, "core::maximum", scale, (double)eps);
  scale = tenon_aten_reshape(rw, scale, &one, 1);
  if (is_symmetric) {
    double middle = tenon_aten_dtype(rw, n, "dtype") == TENON_U8 ? 128 : 0;
    zero =
        tenon_aten_reshape(rw, tenon_aten_real(rw, TENON_S64, middle), &one, 1);
    return decomposed_give(rw, n, scale, zero);
  }
  zero = tenon_quant_pair(rw, "core::div", low, scale);
  zero = tenon_aten_cast(rw, tenon_rw_op1(rw, "core::round", zero), TENON_S32);
  zero = tenon_quant_of_number(rw, "core::sub", least, zero);
  zero = tenon_quant_number(rw, "core::maximum", zero, least);
  zero = tenon_quant_number(rw, "core::minimum", zero, most);
  return decomposed_give(rw, n, scale, zero);
}

// To 8 bits, from the end of the range that loses less.
tenon_status tenon_quant_choose_token_lower(tenon_rewriter *rw,
                                            const tenon_node *n) {
  // PyTorch has one range for all.
  tenon_aten_without_effect(rw, n, "dtype");
  tenon_value *low, *high, *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  int64_t last = t && t->rank ? t->rank - 1 : 0;
  range(rw, x, &last, t && t->rank ? 1 : 0, true, &low, &high);
  tenon_value *scale = tenon_rw_op2(rw, "core::sub", high, low);
  scale = tenon_quant_number(rw, "core::div", scale, 255);
  scale = tenon_quant_number(rw, "core::maximum", scale, 1.1920928955078125e-7);
  low = tenon_rw_op2(rw, "core::div", low, scale);
  high = tenon_rw_op2(rw, "core::div", high, scale);
  tenon_value *sum = tenon_rw_op2(
      rw, "core::add", tenon_quant_number(rw, "core::add", low, -128),
      tenon_quant_number(rw, "core::add", high, 127));
  tenon_value *zero =
      tenon_rw_where(rw, tenon_quant_number(rw, "core::gt", sum, 0),
                     tenon_quant_of_number(rw, "core::sub", -128, low),
                     tenon_quant_of_number(rw, "core::sub", 127, high));
  zero = tenon_quant_number(rw, "core::maximum", zero, -128);
  zero = tenon_quant_number(rw, "core::minimum", zero, 127);
  return decomposed_give(rw, n, scale, tenon_rw_op1(rw, "core::round", zero));
}
