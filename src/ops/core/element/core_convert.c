// core_convert.c - core::quantize, core::dequantize, core::cast and
// core::bitcast: between real numbers, stored integers, one scale and another,
// and plain types.
#include "kern/loop/element.h"
#include "kern/op/cast.h"
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

#define QUANTIZE_KERNEL(t)                                 \
  CORE_KERNEL(quantize_f32##t##_ref) = {                   \
      CORE_RANGE(quantize_f32##t##_ref, tenon_core_items), \
      .types = "f32 -> " #t "q"}
#define DEQUANTIZE_KERNEL(t)                                 \
  CORE_KERNEL(dequantize_##t##f32_ref) = {                   \
      CORE_RANGE(dequantize_##t##f32_ref, tenon_core_items), \
      .types = #t "q|" #t "qc -> f32", .match = no_blocks}

CORE_KERNEL(dequantize_packed_ref) = {
    CORE_RANGE(dequantize_packed_ref, tenon_core_items),
    .types = "s4q|s4qc|s4qb|s2q|s2qc|s2qb|u4q|u4qc|u4qb|s8qb -> f32"};

QUANTIZE_KERNEL(s8);
QUANTIZE_KERNEL(u8);
QUANTIZE_KERNEL(s16);
DEQUANTIZE_KERNEL(s8);
DEQUANTIZE_KERNEL(u8);
DEQUANTIZE_KERNEL(s16);

// In place where both have as many bytes.
#define REQUANTIZE_KERNEL(name, x, y)                               \
  CORE_KERNEL(requantize_##name##_ref) = {                          \
      CORE_RANGE(requantize_##name##_ref, tenon_core_items),        \
      .in_place = TENON_IN_PLACE(0, 0), .types = #x "q -> " #y "q", \
      .pack_size = tenon_core_factor_size, .pack = tenon_core_factor_pack}

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

CORE_KERNEL(requantize_s4s8_ref) = {
    CORE_RANGE(requantize_s4s8_ref, tenon_core_items),
    .types = "s4q|s4qc -> s8q|s8qc",
    .match = same_scales,
};

CORE_KERNEL(requantize_s2s8_ref) = {
    CORE_RANGE(requantize_s2s8_ref, tenon_core_items),
    .types = "s2q|s2qc -> s8q|s8qc",
    .match = same_scales,
};

static bool convert_is_flip(const tenon_call *c) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int32_t apart = tenon_core_zero(x) - tenon_core_zero(y);
  return x->dtype != y->dtype && tenon_core_scale(x) == tenon_core_scale(y) &&
         apart == (x->dtype == TENON_U8 ? 128 : -128);
}

CORE_KERNEL(requantize_flip_ref) = {
    CORE_RANGE(requantize_flip_ref, tenon_core_items),
    .in_place = TENON_IN_PLACE(0, 0),
    .types = "s8q|u8q -> s8q|u8q",
    .match = convert_is_flip,
};

CORE_LIST(quantize, CORE_K(quantize_f32s8_ref), CORE_K(quantize_f32u8_ref),
          CORE_K(quantize_f32s16_ref), CORE_K(requantize_flip_ref),
          CORE_K(requantize_s8_ref), CORE_K(requantize_s16_ref),
          CORE_K(requantize_s8u8_ref), CORE_K(requantize_u8s8_ref),
          CORE_K(requantize_s8s16_ref), CORE_K(requantize_s16s8_ref),
          CORE_K(requantize_s16s32_ref), CORE_K(requantize_s4s8_ref),
          CORE_K(requantize_s2s8_ref));
CORE_OP(quantize) = {
    CORE_OP_HEADER,
    .schema = "core::quantize(Tensor x) -> Tensor",
    .doc =
        "Turns values into the quantised type that the result declares.\n"
        "From floats, halves away from zero; or from another scale.",
    .infer = quantize_infer,
    CORE_KERNELS(quantize),
};

CORE_LIST(dequantize, CORE_K(dequantize_s8f32_ref),
          CORE_K(dequantize_u8f32_ref), CORE_K(dequantize_s16f32_ref),
          CORE_K(dequantize_packed_ref));
CORE_OP(dequantize) = {
    CORE_OP_HEADER,
    .schema = "core::dequantize(Tensor x) -> Tensor",
    .doc = "Turns quantised values into the real numbers they stand for.",
    .infer = dequantize_infer,
    CORE_KERNELS(dequantize),
};

// --- cast --------------------------------------------------------------------

static tenon_status cast_infer(tenon_infer *c) {
  const tenon_cast_attrs *a = (const tenon_cast_attrs *)tenon_infer_attrs(c);
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

CORE_KERNEL(cast_ref) = {
    CORE_RANGE(cast_ref, tenon_core_items),
    .types = PLAIN " -> " PLAIN,
};

static const tenon_field cast_fields[] = {TENON_FIELD(tenon_cast_attrs, dtype),
                                          TENON_FIELD(tenon_cast_attrs, wrap),
                                          TENON_END_FIELDS};

CORE_LIST(cast, CORE_K(cast_ref));
CORE_OP(cast) = {
    CORE_EACH_HEADER,
    .schema =
        "core::cast(Tensor x, *, ScalarType dtype, bool wrap=False) -> Tensor",
    .doc =
        "The same numbers in another plain type.\n"
        "Floats are cut towards zero and limited to an integer's range; NaN "
        "becomes 0; with 'wrap' they lose bits instead. Integers drop bits.",
    CORE_ATTRS(tenon_cast_attrs, cast_fields),
    .infer = cast_infer,
    CORE_KERNELS(cast),
};

// --- bitcast -----------------------------------------------------------------

static tenon_status bitcast_infer(tenon_infer *c) {
  const tenon_bitcast_attrs *a =
      (const tenon_bitcast_attrs *)tenon_infer_attrs(c);
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

CORE_KERNEL(bitcast_ref) = {
    CORE_RUN(bitcast_ref),
    .types = PLAIN "|c64 -> " PLAIN "|c64",
};

static const tenon_field bitcast_fields[] = {
    TENON_FIELD(tenon_bitcast_attrs, dtype), TENON_END_FIELDS};

CORE_LIST(bitcast, CORE_K(bitcast_ref));
CORE_OP(bitcast) = {
    CORE_OP_HEADER,
    .schema = "core::bitcast(Tensor x, *, ScalarType dtype) -> Tensor",
    .doc =
        "The same bytes, in order, as elements of another plain type.\n"
        "The last dimension is as many times longer as they are smaller, or\n"
        "shorter as they are larger.",
    CORE_ATTRS(tenon_bitcast_attrs, bitcast_fields),
    .infer = bitcast_infer,
    CORE_KERNELS(bitcast),
};

// --- number ------------------------------------------------------------------

static tenon_status number_infer(tenon_infer *c) {
  const tenon_number_attrs *a =
      (const tenon_number_attrs *)tenon_infer_attrs(c);
  const tenon_type y = {NULL, NULL, a->dtype, 0, 0};
  return tenon_infer_out(c, 0, &y);
}

CORE_KERNEL(number_ref) = {
    CORE_RUN(number_ref),
    .types = "-> " PLAIN,
};

static const tenon_field number_fields[] = {
    TENON_FIELD(tenon_number_attrs, value),
    TENON_FIELD(tenon_number_attrs, dtype), TENON_END_FIELDS};

CORE_LIST(number, CORE_K(number_ref));
CORE_OP(number) = {
    CORE_OP_HEADER,
    .schema = "core::number(*, Scalar value, ScalarType dtype) -> Tensor",
    .doc =
        "A number, which may be a size, as a tensor without dimensions.\n"
        "Converted to the type as core::cast converts.",
    CORE_ATTRS(tenon_number_attrs, number_fields),
    .infer = number_infer,
    CORE_KERNELS(number),
};
