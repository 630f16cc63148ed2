// core_lookup.c - entries are moved by half of what a straight line to the next
// one misses in the middle.
#include "ops/core/element/core_lookup.h"

#include <math.h>

#include "kern/loop/lookup.h"
#include "kern/num/real.h"
#include "kern/num/real64.h"
#include "kern/op/activation.h"
#include "kern/op/softmax.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/element/core_table.h"

bool tenon_core_is_unit(const tenon_call *c) {
  return c->out[0].quant->scale[0] == 1.0f / 32768;
}

// --- The logistic function ---------------------------------------------------

static double sigmoid(double x) {
  return 65536.0 / (1.0 + tenon_exp(-x / 24.0));
}

void tenon_core_sigmoid_entries(tenon_sigmoid_s16 *t) {
  for (int i = 0; i < 255; ++i) {
    double here = sigmoid(i), next = sigmoid(i + 1), middle = sigmoid(i + 0.5);
    t->entry[i] =
        (uint16_t)floor(here + 0.5 * (middle - 0.5 * (here + next)) + 0.5);
  }
  t->entry[255] = UINT16_MAX;
}

// Scales that are powers of two are shifted alone, up to 2^(most - 12).
static void fill_factor(const tenon_call *c, int most, tenon_sigmoid_s16 *t) {
  const double scale = tenon_core_scale(&c->in[0]);
  const double power = round(log2(scale));
  double factor = scale * 4096.0 * 3.0;
  t->shift = 0;
  if (fabs(log2(scale) - power) < 1e-3 && power + 12 >= 0 &&
      power + 12 <= most) {
    t->mult = 3 << (int)(power + 12);
    return;
  }
  for (; factor <= 32767.0 / 2.0 && t->shift <= 30; ++t->shift)
    factor *= 2.0;
  t->mult = factor < 32767 ? (int32_t)factor : 32767;
}

CORE_PACKS(tenon_core_sigmoid_size, tenon_sigmoid_s16)

tenon_status tenon_core_sigmoid_logistic(const tenon_call *c, void *packed) {
  tenon_core_sigmoid_entries((tenon_sigmoid_s16 *)packed);
  fill_factor(c, 0, (tenon_sigmoid_s16 *)packed);
  return TENON_OK;
}

tenon_status tenon_core_sigmoid_tanh(const tenon_call *c, void *packed) {
  tenon_core_sigmoid_entries((tenon_sigmoid_s16 *)packed);
  fill_factor(c, 1, (tenon_sigmoid_s16 *)packed);
  return TENON_OK;
}

// --- Any function ------------------------------------------------------------

// Of numbers whose scale and zero point these are.
typedef struct scaled {
  float scale;
  int32_t zero;
} scaled;

// What is no number, as the logarithm of a negative one, has 0.
static int16_t lookup_entry(float v) {
  if (v != v) return 0;
  return (int16_t)(v < -32768.0f ? -32768.0f : v > 32767.0f ? 32767.0f : v);
}

// The least and the largest number that a result can be.
typedef struct limits {
  float least, most;
} limits;

static void lookup_fill(float (*f)(float, limits), scaled x, scaled y,
                        int16_t *entries) {
  const float low = x.scale * (float)(-32768 - x.zero);
  const float high = x.scale * (float)(32767 - x.zero);
  const limits of = {y.scale * (float)(-32768 - y.zero),
                     y.scale * (float)(32767 - y.zero)};
  const float step = (high - low) / 512, half = step / 2;
  const float inverse = 65536.0f / (of.most - of.least);
  for (int i = 0; i < 512; ++i) {
    float here = roundf(f(low + (float)i * step, of) * inverse);
    float middle = roundf(f(low + (float)i * step + half, of) * inverse);
    float next = f(low + (float)(i + 1) * step, of) * inverse;
    float miss = roundf((next + here) / 2) - middle;
    entries[i] = lookup_entry(here - roundf(miss / 2));
  }
  entries[512] = lookup_entry(roundf(f(high, of) * inverse));
}

static float exp_of(float x, limits of) {
  (void)of;
  return tenon_core_exp_right(x);
}

static float log_of(float x, limits of) {
  return x > 0 ? (float)tenon_log((double)x) : of.least;
}

static float rsqrt_of(float x, limits of) {
  return x > 0 ? 1.0f / sqrtf(x) : of.most;
}

static float gelu_of(float x, limits of) {
  (void)of;
  return tenon_core_gelu_exact(x);
}

static float gelu_tanh_of(float x, limits of) {
  (void)of;
  return tenon_core_gelu_tanh(x);
}

static scaled scaled_of(const tenon_tensor *t) {
  const scaled s = {t->quant->scale[0], tenon_core_zero(t)};
  return s;
}

CORE_PACKS(tenon_core_lookup_size, tenon_lookup_s16)

#define LOOKUP(name, f)                                                      \
  tenon_status tenon_core_lookup_##name(const tenon_call *c, void *packed) { \
    lookup_fill(f, scaled_of(&c->in[0]), scaled_of(&c->out[0]),              \
                ((tenon_lookup_s16 *)packed)->entry);                        \
    return TENON_OK;                                                         \
  }
LOOKUP(exp, exp_of)
LOOKUP(log, log_of)
LOOKUP(rsqrt, rsqrt_of)
LOOKUP(gelu, ((const tenon_gelu_attrs *)c->attrs)->approximate ? gelu_tanh_of
                                                               : gelu_of)

// --- softmax -----------------------------------------------------------------

static float inverse_of(float x, limits of) {
  (void)of;
  return 1.0f / (1.0f + x);
}

void tenon_core_softmax_s16_factor(const tenon_call *c, int32_t *mult,
                                   int32_t *shift) {
  const tenon_softmax_attrs *a = c->attrs;
  tenon_core_factor(
      tenon_core_scale(&c->in[0]) * (double)(float)a->beta / (10.0 / 65535.0),
      mult, shift);
}

CORE_PACKS(tenon_core_softmax_s16_size, tenon_softmax_s16)

// Distances up to 10 count, as numbers of 16 bits below the largest.
tenon_status tenon_core_softmax_s16(const tenon_call *c, void *packed) {
  tenon_softmax_s16 *p = (tenon_softmax_s16 *)packed;
  const scaled tenth = {10.0f / 65535, 32767}, unit = {1.0f / 65535, -32768};
  const scaled twice = {2.0f / 65535, 0};
  lookup_fill(exp_of, tenth, twice, p->exp.entry);
  lookup_fill(inverse_of, unit, twice, p->inverse.entry);
  tenon_core_softmax_s16_factor(c, &p->mult, &p->shift);
  return TENON_OK;
}
