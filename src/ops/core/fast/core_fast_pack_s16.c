// core_fast_pack_s16.c - weights of products of 16-bit numbers, reordered once
// per model. Factors are those of the reference kernels, as doubles.
#include <math.h>
#include <string.h>

#include "kern/opt/tiles/packed.h"
#include "kern/product/conv.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/fast/core_fast_weights.h"

static double s16_pack_factor(const tenon_call *c, ptrdiff_t channel,
                              bool is_single, bool is_double) {
  const double factor = tenon_core_product_factor(
      &c->in[0], &c->in[1], (int32_t)channel, &c->out[0], is_single);
  int32_t mult, shift;
  if (is_double) return factor;
  tenon_core_factor(factor, &mult, &shift);
  // tenon_requant_wide
  return ldexp(mult < 0x7FFF0000 ? (mult + (1 << 15)) >> 16 : 0x7FFF,
               shift - 15);
}

// What no sum of a channel exceeds.
static int64_t s16_pack_most(const tenon_call *c, tenon_core_weights w,
                             ptrdiff_t channel) {
  const int8_t *from = (const int8_t *)c->in[1].data + channel * w.channel;
  const int64_t *bias = (const int64_t *)c->in[2].data;
  int64_t most = 0;
  for (ptrdiff_t i = 0; i < w.runs; ++i)
    for (ptrdiff_t k = 0; k < w.len; ++k) {
      const int32_t value = from[i * w.run + k * w.step];
      most += value < 0 ? -value : value;
    }
  const int64_t first = bias ? bias[channel] : 0, far = INT64_C(1) << 40;
  if (first < -far || first > far) return far;
  return most * 32768 + (first < 0 ? -first : first);
}

// Whether doubles compute what integers do, with `bits` for a sum.
static bool s16_pack_fits(const tenon_call *c, tenon_core_weights w, int bits,
                          bool is_single, bool is_double) {
  for (ptrdiff_t j = 0; j < w.channels; ++j) {
    const double most = (double)s16_pack_most(c, w, j);
    const double factor = s16_pack_factor(c, j, is_single, is_double);
    if (most >= ldexp(1, bits) || !(most * factor < 0x1p30) ||
        !(factor <= 0x1p13 && (factor >= 0x1p-47 || factor == 0)))
      return false;
  }
  return true;
}

static size_t s16_pack_size(tenon_core_weights w) {
  return sizeof(tenon_packed_s8) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES *
             (5 * sizeof(int32_t) + (size_t)(tenon_core_groups(w, 2) * 2));
}

// Head, first sums and factors. Returns where the weights go.
static int8_t *s16_pack_head(const tenon_call *c, tenon_core_weights w,
                             tenon_opt_float lo, tenon_opt_float hi,
                             bool is_single, bool is_double, void *packed) {
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  const int64_t *bias = (const int64_t *)c->in[2].data;
  tenon_packed_s8 *head = (tenon_packed_s8 *)packed;
  int32_t *first = (int32_t *)(head + 1);
  head->is_plain = s16_pack_fits(c, w, 31, is_single, is_double);
  tenon_core_limits(&c->out[0], lo, hi, &head->lo, &head->hi);
  for (ptrdiff_t j = 0; j < w.channels; ++j) {
    const double factor = s16_pack_factor(c, j, is_single, is_double);
    uint64_t bits;
    memcpy(&bits, &factor, sizeof bits);
    if (bias && head->is_plain) first[j] = (int32_t)bias[j];
    first[np + j] = (int32_t)(uint32_t)(bits & UINT32_MAX);
    first[2 * np + j] = (int32_t)(uint32_t)(bits >> 32);
  }
  return (int8_t *)(first + 3 * np);
}

static void s16_pack_panels(const tenon_call *c, tenon_core_weights w,
                            int8_t *to) {
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  const int64_t *bias = (const int64_t *)c->in[2].data;
  int32_t *low = (int32_t *)(void *)(to + np * tenon_core_groups(w, 2) * 2);
  tenon_core_pack_panels_s8(w, 2, (const int8_t *)c->in[1].data, to);
  for (ptrdiff_t j = 0; bias && j < w.channels; ++j) {
    low[j] = (int32_t)(bias[j] & 0xffff);
    low[np + j] = (int32_t)((bias[j] - low[j]) / 65536);
  }
}

static tenon_status s16_pack_product(const tenon_call *c, tenon_core_weights w,
                                     tenon_opt_float lo, tenon_opt_float hi,
                                     bool is_single, bool is_double,
                                     void *packed) {
  memset(packed, 0, s16_pack_size(w));
  s16_pack_panels(c, w,
                  s16_pack_head(c, w, lo, hi, is_single, is_double, packed));
  return TENON_OK;
}

bool tenon_core_conv_s16_fits(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  return s16_pack_fits(c, tenon_core_conv_weights(c), 37, a->single_scale,
                       false);
}
size_t tenon_core_conv_s16_pack_size(const tenon_call *c) {
  return s16_pack_size(tenon_core_conv_weights(c));
}
tenon_status tenon_core_conv_s16_pack(const tenon_call *c, void *packed) {
  const tenon_conv_attrs *a = c->attrs;
  return s16_pack_product(c, tenon_core_conv_weights(c), a->lo, a->hi,
                          a->single_scale, false, packed);
}

bool tenon_core_fully_connected_s16_fits(const tenon_call *c) {
  return s16_pack_fits(c, tenon_core_fully_connected_weights(c), 37, false,
                       true);
}
size_t tenon_core_fully_connected_s16_pack_size(const tenon_call *c) {
  return s16_pack_size(tenon_core_fully_connected_weights(c));
}
tenon_status tenon_core_fully_connected_s16_pack(const tenon_call *c,
                                                 void *packed) {
  const tenon_fully_connected_attrs *a = c->attrs;
  return s16_pack_product(c, tenon_core_fully_connected_weights(c), a->lo,
                          a->hi, false, true, packed);
}

// Weights are so few that 32 bits hold their sums.
bool tenon_core_depthwise_s16_fits(const tenon_call *c) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  return s16_pack_fits(c, tenon_core_depthwise_weights(c), 31, a->single_scale,
                       false);
}
size_t tenon_core_depthwise_s16_pack_size(const tenon_call *c) {
  const tenon_core_weights w = tenon_core_depthwise_weights(c);
  return sizeof(tenon_packed_s8) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES *
             (3 * sizeof(int32_t) + (size_t)(w.runs * w.len));
}
tenon_status tenon_core_depthwise_s16_pack(const tenon_call *c, void *packed) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_depthwise_weights(c);
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  const int8_t *from = (const int8_t *)c->in[1].data;
  memset(packed, 0, tenon_core_depthwise_s16_pack_size(c));
  int8_t *to =
      s16_pack_head(c, w, a->lo, a->hi, a->single_scale, false, packed);
  for (ptrdiff_t i = 0; i < w.runs * w.len; ++i)
    memcpy(to + i * np, from + i * w.channels, (size_t)w.channels);
  return TENON_OK;
}
