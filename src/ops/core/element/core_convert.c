// core_convert.c - core::quantize, core::dequantize, core::cast,
// core::round_affine and core::bitcast: between real numbers, stored integers,
// one scale and another, and plain types.
#include "kern/loop/element.h"
#include "kern/op/cast.h"
#include "kern/op/round_affine.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"

static tenon_status quantize_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = c->api->declared(c, 0);
  if (!y || !y->quant)
    return tenon_infer_fail(
        c, "the quantised type of the result must be declared");
  return tenon_core_result(c, x->dims, x->rank, x, false);
}

static tenon_status dequantize_infer(tenon_infer *c) {
  tenon_type y = *tenon_infer_in(c, 0);
  if (!y.quant) return tenon_infer_fail(c, "x is not quantised");
  y.dtype = TENON_F32;
  y.quant = NULL;
  return tenon_infer_out(c, 0, &y);
}

// Elements with scales per block of a row have a kernel of their own, if any.
static bool no_blocks(const tenon_call *c) {
  return c->in[0].quant->block == 0;
}

#define QUANTIZE_KERNEL(t) \
  CORE_KERNEL_RANGE(quantize_f32##t##_ref, tenon_core_items, "f32 -> " #t "q")
#define DEQUANTIZE_KERNEL(t)                                   \
  CORE_KERNEL_RANGE(dequantize_##t##f32_ref, tenon_core_items, \
                    #t "q|" #t "qc -> f32", .match = no_blocks)

CORE_KERNEL_RANGE(dequantize_packed_ref, tenon_core_items,
                  "s4q|s4qc|s4qb|s2q|s2qc|s2qb|u4q|u4qc|u4qb|s8qb -> f32");

QUANTIZE_KERNEL(s8);
QUANTIZE_KERNEL(u8);
QUANTIZE_KERNEL(s16);
DEQUANTIZE_KERNEL(s8);
DEQUANTIZE_KERNEL(u8);
DEQUANTIZE_KERNEL(s16);

// In place where both have as many bytes.
#define REQUANTIZE_KERNEL(name, x, y)                                    \
  CORE_KERNEL_RANGE(requantize_##name##_ref, tenon_core_items,           \
                    #x "q -> " #y "q", .in_place = TENON_IN_PLACE(0, 0), \
                    .pack_size = tenon_core_factor_size,                 \
                    .pack = tenon_core_factor_pack)

REQUANTIZE_KERNEL(s8, s8, s8);
REQUANTIZE_KERNEL(s16, s16, s16);
REQUANTIZE_KERNEL(s8u8, s8, u8);
REQUANTIZE_KERNEL(u8s8, u8, s8);
REQUANTIZE_KERNEL(s8s16, s8, s16);
REQUANTIZE_KERNEL(s16s8, s16, s8);
REQUANTIZE_KERNEL(s16s32, s16, s32);

// Only to the same numbers.
static bool same_scales(const tenon_call *c) {
  const tenon_quant *x = c->in[0].quant, *y = c->out[0].quant;
  if (x->block || y->block || x->channels != y->channels || x->axis != y->axis)
    return false;
  for (int32_t i = 0; i < x->channels; ++i) {
    if (x->scale[i] != y->scale[i] ||
        (x->zero ? x->zero[i] : 0) != (y->zero ? y->zero[i] : 0))
      return false;
  }
  return true;
}

CORE_KERNEL_RANGE(requantize_s4s8_ref, tenon_core_items, "s4q|s4qc -> s8q|s8qc",
                  .match = same_scales);

CORE_KERNEL_RANGE(requantize_s2s8_ref, tenon_core_items, "s2q|s2qc -> s8q|s8qc",
                  .match = same_scales);

static bool convert_is_flip(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int32_t apart = tenon_core_zero(x) - tenon_core_zero(y);
  return x->dtype != y->dtype && tenon_core_scale(x) == tenon_core_scale(y) &&
         apart == (x->dtype == TENON_U8 ? 128 : -128);
}

CORE_KERNEL_RANGE(requantize_flip_ref, tenon_core_items, "s8q|u8q -> s8q|u8q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = convert_is_flip);

CORE_OPERATOR(quantize, quantize_infer,
              (CORE_K(quantize_f32s8_ref), CORE_K(quantize_f32u8_ref),
               CORE_K(quantize_f32s16_ref), CORE_K(requantize_flip_ref),
               CORE_K(requantize_s8_ref), CORE_K(requantize_s16_ref),
               CORE_K(requantize_s8u8_ref), CORE_K(requantize_u8s8_ref),
               CORE_K(requantize_s8s16_ref), CORE_K(requantize_s16s8_ref),
               CORE_K(requantize_s16s32_ref), CORE_K(requantize_s4s8_ref),
               CORE_K(requantize_s2s8_ref)),
              "(Tensor x) -> Tensor",
              "Turns values into the quantised type that the result declares.\n"
              "From floats, halves away from zero; or from another scale.");

CORE_OPERATOR(dequantize, dequantize_infer,
              (CORE_K(dequantize_s8f32_ref), CORE_K(dequantize_u8f32_ref),
               CORE_K(dequantize_s16f32_ref), CORE_K(dequantize_packed_ref)),
              "(Tensor x) -> Tensor",
              "Turns quantised values into the real numbers they stand for.");

// --- cast --------------------------------------------------------------------

static tenon_status cast_infer(tenon_infer *c) {
  const tenon_cast_attrs *a = tenon_infer_attrs(c);
  tenon_type y = *tenon_infer_in(c, 0);
  if (y.quant)
    return tenon_infer_fail(c,
                            "x is quantised; core::dequantize gives numbers");
  y.dtype = a->dtype;
  return tenon_infer_out(c, 0, &y);
}

#define PLAIN                                            \
  "f32|f64|f16|bf16|s8|s16|s32|s64|u8|u16|u32|u64|bool|" \
  "f8e4m3fn|f8e5m2|f8e4m3fnuz|f8e5m2fnuz|f8e8m0fnu"

CORE_KERNEL_RANGE(cast_ref, tenon_core_items, PLAIN " -> " PLAIN);

CORE_ELEMENTWISE(
    cast, cast_infer, (CORE_K(cast_ref)),
    "(Tensor x, *, ScalarType dtype, bool wrap=False) -> Tensor",
    "The same numbers in another plain type.\n"
    "Floats are cut towards zero and limited to an integer's range; NaN "
    "becomes 0; with 'wrap' they lose bits instead. Integers drop bits.",
    CORE_MEMBERS(tenon_cast_attrs, dtype, wrap));

// --- round_affine ------------------------------------------------------------

static tenon_status round_affine_infer(tenon_infer *c) {
  const tenon_round_affine_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *scale = tenon_infer_in(c, 1);
  const tenon_type *shift = tenon_infer_in(c, 2);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *x;
  int rank;
  if (a->through != TENON_F16 && a->through != TENON_BF16)
    return tenon_infer_fail(c, "x goes through no 16-bit float type");
  if (a->dtype != TENON_F32 && a->dtype != a->through)
    return tenon_infer_fail(c, "the result is f32 or what x goes through");
  bool is_same = scale->rank == shift->rank;
  for (int d = 0; is_same && d < scale->rank; ++d)
    is_same = scale->dims[d].value == shift->dims[d].value &&
              scale->dims[d].symbol == shift->dims[d].symbol;
  if (!is_same)
    return tenon_infer_fail(c, "scale and shift have different shapes");
  TENON_TRY(tenon_core_broadcast(c, x, scale, dims, &rank));
  y.dims = dims;
  y.rank = (uint8_t)rank;
  y.dtype = a->dtype;
  return tenon_infer_out(c, 0, &y);
}

CORE_KERNEL_RANGE(round_affine_f32_ref, tenon_core_items,
                  "f32, f32, f32 -> f32", .in_place = TENON_IN_PLACE(0, 0));
CORE_KERNEL_RANGE(round_affine_half_ref, tenon_core_items,
                  "f32, f32, f32 -> f16|bf16");

CORE_ELEMENTWISE(
    round_affine, round_affine_infer,
    (CORE_K(round_affine_f32_ref), CORE_K(round_affine_half_ref)),
    "(Tensor x, Tensor scale, Tensor shift, *, ScalarType through, ScalarType "
    "dtype, float? lo=None, float? hi=None, bool silu=False) -> Tensor",
    "x rounded to a 16-bit float type, times scale, plus shift.\n"
    "The product and the sum are rounded to f32, the sum to that type, as are "
    "the limits behind it, and with silu that function of it. All broadcast; "
    "scale and shift have one shape.",
    CORE_MEMBERS(tenon_round_affine_attrs, through, dtype, lo, hi, silu));

// --- bitcast -----------------------------------------------------------------

static tenon_status bitcast_infer(tenon_infer *c) {
  const tenon_bitcast_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  const int from = tenon_element_bits(x->dtype);
  const int to = tenon_element_bits(a->dtype);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *x;
  if (x->quant)
    return tenon_infer_fail(
        c, "x is quantised; core::reinterpret gives plain numbers");
  if (from < 8 || to < 8)
    return tenon_infer_fail(c, "elements of %d bits from one of %d", to, from);
  y.dtype = a->dtype;
  if (from == to) return tenon_infer_out(c, 0, &y);
  if (x->rank == 0)
    return tenon_infer_fail(
        c, "elements of %d bits from one of %d: x has no dimensions", to, from);
  for (int d = 0; d < x->rank; ++d)
    dims[d] = x->dims[d];
  tenon_dim *last = &dims[x->rank - 1];
  const tenon_dim times = {from > to ? from / to : to / from, 0};
  if (from > to) {
    *last = c->api->dim(c, TENON_DIM_MUL, *last, times);
  } else {
    const tenon_dim size = *last;
    *last = c->api->dim(c, TENON_DIM_DIV, size, times);
    if (!c->api->require(c, TENON_RELATION_EQ, size,
                         c->api->dim(c, TENON_DIM_MUL, *last, times)))
      return tenon_infer_fail(
          c, "the last dimension has no whole elements of %d bits", to);
  }
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

CORE_KERNEL_RUN(bitcast_ref, PLAIN "|c64 -> " PLAIN "|c64");

CORE_OPERATOR(
    bitcast, bitcast_infer, (CORE_K(bitcast_ref)),
    "(Tensor x, *, ScalarType dtype) -> Tensor",
    "The same bytes, in order, as elements of another plain type.\n"
    "The last dimension is as many times longer as they are smaller, or\n"
    "shorter as they are larger.",
    CORE_MEMBERS(tenon_bitcast_attrs, dtype));

// --- number ------------------------------------------------------------------

static tenon_status number_infer(tenon_infer *c) {
  const tenon_number_attrs *a = tenon_infer_attrs(c);
  const tenon_type y = {NULL, NULL, a->dtype, 0, 0};
  return tenon_infer_out(c, 0, &y);
}

CORE_KERNEL_RUN(number_ref, "-> " PLAIN);

CORE_OPERATOR(number, number_infer, (CORE_K(number_ref)),
              "(*, Scalar value, ScalarType dtype) -> Tensor",
              "A number, which may be a size, as a tensor without dimensions.\n"
              "Converted to the type as core::cast converts.",
              CORE_MEMBERS(tenon_number_attrs, value, dtype));
