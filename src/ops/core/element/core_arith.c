// core_arith.c - operators on two operands: add, sub, mul, div, minimum,
// maximum.
//
// Quantised add, sub and mul pack LiteRT's factors, which it computes partly in
// float: changing a type here changes bits there.
#include "kern/op/arith.h"
#include "kern/op/rescale.h"

#include "ops/core/core_rule.h"
#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"

static tenon_status infer_two(tenon_infer *c, bool keeps_scale) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  if (a->dtype != b->dtype)
    return tenon_infer_fail(c, "operands have different element types");
  TENON_TRY(tenon_core_broadcast(c, a, b, dims, &rank));
  return tenon_core_result(c, dims, rank, a, keeps_scale);
}
static tenon_status arith_infer(tenon_infer *c) {
  return infer_two(c, false);
}
static tenon_status extremum_infer(tenon_infer *c) {
  return infer_two(c, true);
}

// --- Packing -----------------------------------------------------------------

CORE_PACKS(tenon_core_add_size, tenon_add_s8)

tenon_status tenon_core_add_pack(const tenon_call *c, void *packed) {
  const tenon_arith_attrs *attrs = c->attrs;
  const tenon_tensor *a = &c->in[0], *b = &c->in[1], *y = &c->out[0];
  tenon_add_s8 *p = (tenon_add_s8 *)packed;
  double a_scale = tenon_core_scale(a), b_scale = tenon_core_scale(b);
  double twice = 2 * (a_scale > b_scale ? a_scale : b_scale);
  p->left = y->dtype == TENON_S16 ? 15 : 20;
  p->a_zero = tenon_core_zero(a);
  p->b_zero = tenon_core_zero(b);
  p->y_zero = tenon_core_zero(y);
  tenon_core_factor(a_scale / twice, &p->a_mult, &p->a_shift);
  tenon_core_factor(b_scale / twice, &p->b_mult, &p->b_shift);
  tenon_core_factor(twice / ((1 << p->left) * tenon_core_scale(y)), &p->y_mult,
                    &p->y_shift);
  tenon_core_limits(y, attrs->lo, attrs->hi, &p->lo, &p->hi);
  return TENON_OK;
}

// LiteRT divides and multiplies these scales in float.
static tenon_status div_pack(const tenon_call *c, void *packed) {
  const tenon_arith_attrs *attrs = c->attrs;
  const tenon_tensor *a = &c->in[0], *b = &c->in[1], *y = &c->out[0];
  tenon_mul_s8 *p = (tenon_mul_s8 *)packed;
  float below = b->quant->scale[0] * y->quant->scale[0];
  p->a_zero = tenon_core_zero(a);
  p->b_zero = tenon_core_zero(b);
  p->y_zero = tenon_core_zero(y);
  tenon_core_factor((double)(a->quant->scale[0] / below), &p->mult, &p->shift);
  tenon_core_limits(y, attrs->lo, attrs->hi, &p->lo, &p->hi);
  return TENON_OK;
}

CORE_PACKS(tenon_core_mul_size, tenon_mul_s8)

tenon_status tenon_core_mul_pack(const tenon_call *c, void *packed) {
  const tenon_arith_attrs *attrs = c->attrs;
  const tenon_tensor *a = &c->in[0], *b = &c->in[1], *y = &c->out[0];
  tenon_mul_s8 *p = (tenon_mul_s8 *)packed;
  float factor = a->quant->scale[0] * b->quant->scale[0] / y->quant->scale[0];
  p->a_zero = tenon_core_zero(a);
  p->b_zero = tenon_core_zero(b);
  p->y_zero = tenon_core_zero(y);
  tenon_core_factor((double)factor, &p->mult, &p->shift);
  tenon_core_limits(y, attrs->lo, attrs->hi, &p->lo, &p->hi);
  return TENON_OK;
}

// Both at twice the larger scale; 7 more bits, so that the square fits.
static tenon_status squared_difference_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  const tenon_tensor *a = &c->in[0], *b = &c->in[1], *y = &c->out[0];
  tenon_add_s8 *p = (tenon_add_s8 *)packed;
  double a_scale = tenon_core_scale(a), b_scale = tenon_core_scale(b);
  double twice = 2 * (a_scale > b_scale ? a_scale : b_scale);
  p->left = 7;
  p->a_zero = tenon_core_zero(a);
  p->b_zero = tenon_core_zero(b);
  p->y_zero = tenon_core_zero(y);
  tenon_core_factor(a_scale / twice, &p->a_mult, &p->a_shift);
  tenon_core_factor(b_scale / twice, &p->b_mult, &p->b_shift);
  tenon_core_factor(
      twice * twice / (double)((float)(1 << 14) * y->quant->scale[0]),
      &p->y_mult, &p->y_shift);
  tenon_core_limits(y, none, none, &p->lo, &p->hi);
  return TENON_OK;
}

static bool same_match(const tenon_call *c) {
  return tenon_core_same_quant(&c->in[0], &c->out[0]) &&
         tenon_core_same_quant(&c->in[1], &c->out[0]);
}

// --- Kernels -----------------------------------------------------------------

#define IN_PLACE_OF_EITHER (TENON_IN_PLACE(0, 0) | TENON_IN_PLACE(0, 1))

#define PACKED_KERNEL(name, t, q, size_of, packing)                        \
  CORE_KERNEL_RANGE(name##_##t##_ref, tenon_core_items, q ", " q " -> " q, \
                    .in_place = IN_PLACE_OF_EITHER, .pack_size = size_of,  \
                    .pack = packing)
#define MATCHED_KERNEL(name, t, q)                                         \
  CORE_KERNEL_RANGE(name##_##t##_ref, tenon_core_items, q ", " q " -> " q, \
                    .in_place = IN_PLACE_OF_EITHER, .match = same_match)

TENON_KERNELS_add(CORE_ROW) TENON_KERNELS_sub(CORE_ROW)
    TENON_KERNELS_mul(CORE_ROW) TENON_KERNELS_div(CORE_ROW_MAY_FAIL)
        TENON_KERNELS_minimum(CORE_ROW) TENON_KERNELS_maximum(CORE_ROW)

            PACKED_KERNEL(add, s8, "s8q", tenon_core_add_size,
                          tenon_core_add_pack);
PACKED_KERNEL(add, s16q, "s16q", tenon_core_add_size, tenon_core_add_pack);
PACKED_KERNEL(sub, s8, "s8q", tenon_core_add_size, tenon_core_add_pack);
PACKED_KERNEL(sub, s16q, "s16q", tenon_core_add_size, tenon_core_add_pack);
PACKED_KERNEL(mul, s8, "s8q", tenon_core_mul_size, tenon_core_mul_pack);
PACKED_KERNEL(mul, s16q, "s16q", tenon_core_mul_size, tenon_core_mul_pack);
PACKED_KERNEL(squared_difference, s8, "s8q", tenon_core_add_size,
              squared_difference_pack);
#define DIV_KERNEL(t, q)                                                       \
  CORE_KERNEL_FAILING_RANGE(div_##t##_ref, tenon_core_items,                   \
                            q ", " q " -> " q, .in_place = IN_PLACE_OF_EITHER, \
                            .pack_size = tenon_core_mul_size,                  \
                            .pack = div_pack)
DIV_KERNEL(s8, "s8q");
DIV_KERNEL(s16q, "s16q");
MATCHED_KERNEL(minimum, s8, "s8q");
MATCHED_KERNEL(minimum, s16q, "s16q");
MATCHED_KERNEL(maximum, s8, "s8q");
MATCHED_KERNEL(maximum, s16q, "s16q");

// --- Descriptors -------------------------------------------------------------

#define ARITH(name, its_flags, its_doc, ...)                               \
  CORE_OPERATOR_OF(                                                        \
      name, CORE_EACH_HEADER | (its_flags), arith_infer, (__VA_ARGS__),    \
      "(Tensor a, Tensor b, *, float? lo=None, float? hi=None) -> Tensor", \
      its_doc, CORE_MEMBERS(tenon_arith_attrs, lo, hi))

ARITH(add, TENON_OP_COMMUTES, "Adds, with broadcasting, then limits.",
      CORE_EACH(add) CORE_K(add_s8_ref), CORE_K(add_s16q_ref));
ARITH(sub, 0, "Subtracts, with broadcasting, then limits.",
      CORE_EACH(sub) CORE_K(sub_s8_ref), CORE_K(sub_s16q_ref));
ARITH(mul, TENON_OP_COMMUTES, "Multiplies, with broadcasting, then limits.",
      CORE_EACH(mul) CORE_K(mul_s8_ref), CORE_K(mul_s16q_ref));
ARITH(div, 0,
      "Divides, with broadcasting, then limits.\n"
      "Integers are divided towards zero; a zero divisor is an error.",
      CORE_EACH(div) CORE_K(div_s8_ref), CORE_K(div_s16q_ref));

static tenon_status squared_difference_lower(tenon_rewriter *rw,
                                             const tenon_node *n) {
  if (tenon_rw_type(rw, tenon_rw_operand(rw, n, 0))->quant)
    return tenon_rw_fail(rw, "no kernel for these quantised types");
  tenon_value *d = tenon_rw_op2(rw, "core::sub", tenon_rw_operand(rw, n, 0),
                                tenon_rw_operand(rw, n, 1));
  return tenon_rw_replace(rw, n, tenon_rw_op2(rw, "core::mul", d, d));
}

CORE_OPERATOR_OF(squared_difference, CORE_EACH_HEADER | TENON_OP_COMMUTES,
                 arith_infer, (CORE_K(squared_difference_s8_ref)),
                 "(Tensor a, Tensor b) -> Tensor",
                 "The square of what two differ by, with broadcasting.\n"
                 "Of plain numbers it lowers to sub and mul.",
                 .lower = squared_difference_lower);

#define EXTREMUM(name, its_doc)                                         \
  CORE_OPERATOR_OF(                                                     \
      name, CORE_EACH_HEADER | TENON_OP_COMMUTES, extremum_infer,       \
      (CORE_EACH(name) CORE_K(name##_s8_ref), CORE_K(name##_s16q_ref)), \
      "(Tensor a, Tensor b) -> Tensor", its_doc)

EXTREMUM(minimum, "The smaller of two, with broadcasting; NaN if either is.");
EXTREMUM(maximum, "The larger of two, with broadcasting; NaN if either is.");

// --- rescale -----------------------------------------------------------------

static tenon_status rescale_infer(tenon_infer *c) {
  const tenon_rescale_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_S32 || x->quant)
    return tenon_infer_fail(c, "'x' is no plain s32");
  if (!(a->factor >= 0 && a->factor < 0x1p31))
    return tenon_infer_fail(c, "the factor %g is not within 0 and 2^31",
                            a->factor);
  return tenon_core_out(c, 0, TENON_S32, x->dims, x->rank);
}

CORE_OWN_PACKS(rescale_size, tenon_rescale)

static tenon_status rescale_pack(const tenon_call *c, void *packed) {
  tenon_rescale *p = (tenon_rescale *)packed;
  tenon_core_factor(((const tenon_rescale_attrs *)c->attrs)->factor, &p->mult,
                    &p->shift);
  return TENON_OK;
}

CORE_KERNEL_RANGE(rescale_s32_ref, tenon_core_items, "s32 -> s32",
                  .in_place = TENON_IN_PLACE(0, 0), .pack_size = rescale_size,
                  .pack = rescale_pack);

CORE_ELEMENTWISE(rescale, rescale_infer, (CORE_K(rescale_s32_ref)),
                 "(Tensor x, *, float factor) -> Tensor",
                 "Integers by a real factor, of which 31 bits count. The "
                 "product is rounded twice, as LiteRT does between scales.",
                 CORE_MEMBERS(tenon_rescale_attrs, factor));
