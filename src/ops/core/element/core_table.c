// core_table.c - the entries, one function each.
#include "ops/core/element/core_table.h"

#include <math.h>

#include "kern/num/newton.h"
#include "kern/num/real.h"
#include "kern/num/real64.h"
#include "kern/num/special64.h"
#include "kern/op/activation.h"
#include "ops/core/element/core_factor.h"

size_t tenon_core_table_size(const tenon_call *c) {
  (void)c;
  return 256;
}

static int8_t core_table_stored(const tenon_tensor *y, int32_t v) {
  return (int8_t)tenon_clamp_s32(tenon_add_s32(v, tenon_core_zero(y)), -128,
                                 127);
}

// --- From float --------------------------------------------------------------

static void core_table_fill(const tenon_call *c, float (*f)(float),
                            int8_t *table) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const float inverse = 1.0f / y->quant->scale[0];
  for (int32_t i = -128; i < 128; ++i) {
    float real = x->quant->scale[0] * (float)(i - tenon_core_zero(x));
    float stored = roundf(f(real) * inverse) + (float)tenon_core_zero(y);
    table[i + 128] = (int8_t)tenon_round_s32(stored, -128, 127);
  }
}

// LiteRT's tables are of the C library's functions of floats, which are next to
// rounded right: a number that lies between two integers decides.
float tenon_core_exp_right(float x) {
  return (float)tenon_exp((double)x);
}

static float log_right(float x) {
  return (float)tenon_log((double)x);
}

static float tanh_right(float x) {
  return (float)tenon_tanh((double)x);
}

static float logistic_right(float x) {
  return 1.0f / (1.0f + tenon_core_exp_right(-x));
}

// What has no logarithm becomes the least number of the result.
tenon_status tenon_core_table_log(const tenon_call *c, void *packed) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int8_t *table = (int8_t *)packed;
  core_table_fill(c, log_right, table);
  for (int32_t i = -128; i < 128; ++i)
    if (!(x->quant->scale[0] * (float)(i - tenon_core_zero(x)) > 0))
      table[i + 128] = core_table_stored(y, -128 - tenon_core_zero(y));
  return TENON_OK;
}

static float elu(float x) {
  return x < 0 ? (float)tenon_expm1((double)x) : x;
}

float tenon_core_gelu_exact(float x) {
  return 0.5f * x *
         (1.0f + (float)tenon_erf((double)(x * 0.70710678118654752440f)));
}

float tenon_core_gelu_tanh(float x) {
  float t = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + tanh_right(t));
}

#define FROM_FLOAT(name, f)                                                 \
  tenon_status tenon_core_table_##name(const tenon_call *c, void *packed) { \
    core_table_fill(c, f, (int8_t *)packed);                                \
    return TENON_OK;                                                        \
  }
FROM_FLOAT(tanh, tanh_right)
FROM_FLOAT(logistic, logistic_right)
FROM_FLOAT(exp, tenon_core_exp_right)
FROM_FLOAT(elu, elu)
FROM_FLOAT(gelu, ((const tenon_gelu_attrs *)c->attrs)->approximate
                     ? tenon_core_gelu_tanh
                     : tenon_core_gelu_exact)

// --- In integers -------------------------------------------------------------

// LiteRT divides scales in float.
static float ratio(const tenon_tensor *x, const tenon_tensor *y) {
  return x->quant->scale[0] / y->quant->scale[0];
}

tenon_status tenon_core_table_abs(const tenon_call *c, void *packed) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  bool is_same = x->quant->scale[0] == y->quant->scale[0];
  int32_t mult, shift;
  tenon_core_factor((double)ratio(x, y), &mult, &shift);
  for (int32_t i = -128; i < 128; ++i) {
    int32_t v = i - tenon_core_zero(x);
    if (v < 0) v = -v;
    if (!is_same) v = tenon_requant_twice(v, mult, shift);
    ((int8_t *)packed)[i + 128] = core_table_stored(y, v);
  }
  return TENON_OK;
}

// Zero gives the largest number.
tenon_status tenon_core_table_rsqrt(const tenon_call *c, void *packed) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int32_t mult, shift, root, root_shift;
  tenon_core_factor(
      1.0 / (double)(sqrtf(x->quant->scale[0]) * y->quant->scale[0]), &mult,
      &shift);
  for (int32_t i = -128; i < 128; ++i) {
    int32_t v = i - tenon_core_zero(x);
    ((int8_t *)packed)[i + 128] = INT8_MAX;
    if (v <= 0) continue;
    tenon_inverse_sqrt_s32(v, &root, &root_shift);
    v = tenon_requant_twice(1, root, root_shift + 20);
    ((int8_t *)packed)[i + 128] =
        core_table_stored(y, tenon_requant_twice(v, mult, shift - 20));
  }
  return TENON_OK;
}

tenon_status tenon_core_table_leaky_relu(const tenon_call *c, void *packed) {
  const tenon_leaky_relu_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  int32_t mult[2], shift[2];
  float low = x->quant->scale[0] * (float)a->alpha / y->quant->scale[0];
  tenon_core_factor((double)ratio(x, y), &mult[0], &shift[0]);
  tenon_core_factor((double)fabsf(low), &mult[1], &shift[1]);
  for (int32_t i = -128; i < 128; ++i) {
    int32_t v = i - tenon_core_zero(x), k = v < 0;
    int32_t scaled = tenon_requant_twice(v, mult[k], shift[k]);
    ((int8_t *)packed)[i + 128] =
        core_table_stored(y, k && low < 0 ? -scaled : scaled);
  }
  return TENON_OK;
}

// a * b / 2^15 of 16-bit numbers, ties up; -1 * -1 saturates.
static int32_t mul_high_s16(int32_t a, int32_t b) {
  int32_t y = (a * b + (1 << 14)) >> 15;
  return y > INT16_MAX ? INT16_MAX : y;
}

static int32_t saturate_s16(int64_t v) {
  return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (int32_t)v;
}

// The upper half of a factor.
static void factor_s16(double factor, int32_t *mult, int32_t *shift) {
  tenon_core_factor(factor, mult, shift);
  *mult =
      *mult >= INT32_MAX - (1 << 15) ? INT16_MAX : (*mult + (1 << 15)) >> 16;
}

// Where x lies between -3 and 3, from 0 to 1 in units of 2^-15.
static int32_t core_table_gate_of(int32_t v, int32_t mult, int32_t shift) {
  if (shift > 0) v = saturate_s16((int64_t)v * (INT64_C(1) << (shift - 1)));
  v = mul_high_s16(v, mult);
  if (shift > 0) v = saturate_s16((int64_t)v * 2);
  if (shift < 0) v = tenon_div_pow2_s32(v, -shift);
  return (v + (1 << 15)) >> 1;
}

// Numbers with 7 more bits, in 16: that times what it is at the result's scale.
tenon_status tenon_core_table_hard_swish(const tenon_call *c, void *packed) {
  const tenon_tensor *x = &c->in[0], *y = &c->out[0];
  const float fine = (1.0f / 128.0f) * x->quant->scale[0];
  int32_t mult, shift, gate_mult, gate_shift;
  factor_s16((double)(fine / y->quant->scale[0]), &mult, &shift);
  factor_s16((double)(fine / (3.0f / 32768.0f)), &gate_mult, &gate_shift);
  for (int32_t i = -128; i < 128; ++i) {
    int32_t v = (i - tenon_core_zero(x)) * (1 << 7);
    int32_t gate = core_table_gate_of(v, gate_mult, gate_shift);
    // Towards zero, unlike the others.
    int32_t z = gate * mul_high_s16(v, mult) / (1 << 15);
    ((int8_t *)packed)[i + 128] =
        core_table_stored(y, tenon_div_pow2_s32(z, -shift));
  }
  return TENON_OK;
}
