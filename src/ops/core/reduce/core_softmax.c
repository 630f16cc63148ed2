// core_softmax.c - core::softmax and core::log_softmax.
//
// The quantised kernel gets a table of exponentials. gemmlowp computes them in
// integers of 5 integer bits, bit by bit of the exponent; its steps are
// repeated here, where the model is compiled, so the kernel only looks them up.
#include "kern/op/softmax.h"

#include <math.h>

#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_lookup.h"

static tenon_status softmax_infer(tenon_infer *c) {
  const tenon_softmax_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  int axis;
  TENON_TRY(tenon_core_check_axis(c, a->axis, x->rank, &axis));
  return tenon_core_result(c, x->dims, x->rank, x, false);
}

static int64_t row_items(const tenon_call *c) {
  const tenon_softmax_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  return tenon_core_rows(x, (int)(a->axis < 0 ? a->axis + x->rank : a->axis));
}

static tenon_status log_softmax_infer(tenon_infer *c) {
  const tenon_log_softmax_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  int axis;
  TENON_TRY(tenon_core_check_axis(c, a->axis, x->rank, &axis));
  return tenon_core_result(c, x->dims, x->rank, x, false);
}

static int64_t log_row_items(const tenon_call *c) {
  const tenon_log_softmax_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  return tenon_core_rows(x, (int)(a->axis < 0 ? a->axis + x->rank : a->axis));
}

// --- Exponentials of 8-bit differences ---------------------------------------

// exp(x) for -1/4 <= x < 0; x and result in units of 2^-31. Taylor's series
// around -1/8.
static int32_t exp_quarter(int32_t x) {
  const int32_t exp_eighth = 1895147668, third = 715827883;
  int32_t t = x + (1 << 28);
  int32_t t2 = tenon_mul_high_s32(t, t);
  int32_t t3 = tenon_mul_high_s32(t2, t);
  int32_t t4 = tenon_mul_high_s32(t2, t2);
  int32_t high = tenon_mul_high_s32(tenon_div_pow2_s32(t4, 2) + t3, third);
  int32_t rest = tenon_div_pow2_s32(high + t2, 1);
  return exp_eighth + tenon_mul_high_s32(exp_eighth, t + rest);
}

// exp(x) for x <= 0 in units of 2^-26; the result in units of 2^-31.
static int32_t exp_negative(int32_t x) {
  // exp(-2^k) for k from -2 to 4.
  static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                   39332535,   720401,     242};
  const int32_t quarter = 1 << 24;
  if (x == 0) return INT32_MAX;
  int32_t fraction = (x & (quarter - 1)) - quarter;
  int32_t rest = fraction - x;
  int32_t y = exp_quarter(tenon_mul_pow2_s32(fraction, 5));
  for (int k = 0; k < 7; ++k) {
    if (rest & (quarter << k)) y = tenon_mul_high_s32(y, powers[k]);
  }
  return y;
}

static bool s8_match(const tenon_call *c) {
  const tenon_tensor *y = &c->out[0];
  return y->quant->scale[0] == 1.0f / 256 && tenon_core_zero(y) == -128;
}

// Converters write 1/65535 as well; the reference never looks at it.
static bool s8s16_match(const tenon_call *c) {
  const tenon_tensor *y = &c->out[0];
  return fabsf(y->quant->scale[0] * 65536 - 1) < 0.001f &&
         tenon_core_zero(y) == -32768;
}

CORE_OWN_PACKS(exps_size, tenon_softmax_s8)

// What a distance of 1 is in units of 2^-26. Beyond the radius the factor would
// overflow, and the exponential is 0 anyway.
typedef struct distance {
  int32_t mult, shift;
  double radius;
} distance;

static distance distance_of(const tenon_call *c, double beta) {
  double factor = beta * tenon_core_scale(&c->in[0]) * (double)(1 << 26);
  distance d;
  if (factor > 2147483647.0) factor = 2147483647.0;
  tenon_core_factor(factor, &d.mult, &d.shift);
  d.radius = floor(31.0 * (1 << 26) / ldexp(1.0, d.shift));
  return d;
}

static void fill_exps(const distance *d, int32_t *exps) {
  for (int32_t i = 0; i < 256; ++i)
    exps[i] = i <= d->radius
                  ? exp_negative(tenon_requant_twice(-i, d->mult, d->shift))
                  : 0;
}

static tenon_status exps_pack(const tenon_call *c, void *packed) {
  const tenon_softmax_attrs *a = c->attrs;
  distance d = distance_of(c, (double)(float)a->beta);
  fill_exps(&d, ((tenon_softmax_s8 *)packed)->exps);
  return TENON_OK;
}

static bool log_s8_match(const tenon_call *c) {
  const tenon_tensor *y = &c->out[0];
  return y->quant->scale[0] == 16.0f / 256 && tenon_core_zero(y) == 127;
}

CORE_OWN_PACKS(log_size, tenon_log_softmax_s8)

static tenon_status log_pack(const tenon_call *c, void *packed) {
  tenon_log_softmax_s8 *p = (tenon_log_softmax_s8 *)packed;
  distance d = distance_of(c, 1);
  fill_exps(&d, p->exps);
  for (int32_t i = 0; i < 256; ++i)
    p->diffs[i] =
        i <= d.radius ? tenon_requant_twice(-i, d.mult, d.shift) : INT32_MIN;
  p->least = d.radius < 1e6 ? -(int32_t)d.radius - 1 : -1000000;
  tenon_core_factor(ldexp(1.0, 31 - d.shift) / d.mult, &p->back_mult,
                    &p->back_shift);
  return TENON_OK;
}

// --- Descriptors -------------------------------------------------------------

CORE_KERNEL_RANGE(softmax_f32_ref, row_items, "f32 -> f32",
                  .in_place = TENON_IN_PLACE(0, 0));
CORE_KERNEL_RANGE(softmax_s8_ref, row_items, "s8q -> s8q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = s8_match,
                  .pack_size = exps_size, .pack = exps_pack);

CORE_KERNEL_RANGE(softmax_s8s16_ref, row_items, "s8q -> s16q",
                  .match = s8s16_match, .pack_size = exps_size,
                  .pack = exps_pack);

CORE_KERNEL_RANGE(softmax_s16q_ref, row_items, "s16q -> s16q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = tenon_core_is_unit,
                  .pack_size = tenon_core_softmax_s16_size,
                  .pack = tenon_core_softmax_s16);

CORE_KERNEL_RANGE(log_softmax_f32_ref, log_row_items, "f32 -> f32",
                  .in_place = TENON_IN_PLACE(0, 0));

CORE_KERNEL_RANGE(log_softmax_s8_ref, log_row_items, "s8q -> s8q",
                  .in_place = TENON_IN_PLACE(0, 0), .match = log_s8_match,
                  .pack_size = log_size, .pack = log_pack);

CORE_OPERATOR(
    softmax, softmax_infer,
    (CORE_K(softmax_f32_ref), CORE_K(softmax_s8_ref), CORE_K(softmax_s8s16_ref),
     CORE_K(softmax_s16q_ref)),
    "(Tensor x, *, int axis=-1, float beta=1.0) -> Tensor",
    "exp(beta * x) over its sum along an axis.\n"
    "A quantised result has scale 1/256 and zero point -128, of 16 bits "
    "1/32768; of 16 bits from 8 it has about 1/65536 and zero point -32768.",
    CORE_MEMBERS(tenon_softmax_attrs, axis, beta));

CORE_OPERATOR(log_softmax, log_softmax_infer,
              (CORE_K(log_softmax_f32_ref), CORE_K(log_softmax_s8_ref)),
              "(Tensor x, *, int axis=-1) -> Tensor",
              "The logarithm of core::softmax, as x - max - log(sum).\n"
              "A quantised result has scale 1/16 and zero point 127.",
              CORE_MEMBERS(tenon_log_softmax_attrs, axis));
