// core_fast_pack_f32.c - weights of products of floats, reordered once per
// model; integers among them as floats, or as they are for float activations.
#include <string.h>

#include "kern/op/clamp.h"
#include "kern/opt/tiles/blocks.h"
#include "kern/opt/tiles/packed.h"
#include "kern/product/conv.h"
#include "kern/product/strassen.h"
#include "kern/product/volume.h"
#include "kern/product/winograd.h"
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/fast/core_fast_weights.h"

static size_t f32_size(tenon_core_weights w) {
  return sizeof(tenon_packed_f32) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES *
             (size_t)(1 + w.runs * w.len) * sizeof(float);
}

// These return where the next go.
static float *pack_head_f32(const float *bias, ptrdiff_t channels,
                            tenon_opt_float lo, tenon_opt_float hi,
                            void *packed) {
  const tenon_limits_f32 limits = tenon_limits_f32_of(lo, hi);
  tenon_packed_f32 *head = (tenon_packed_f32 *)packed;
  memset(head, 0, sizeof *head);
  head->lo = limits.lo;
  head->hi = limits.hi;
  return tenon_core_pack_bias_f32(bias, channels, (float *)(head + 1));
}

// What follows the sums of channels [from, from + channels).
static float *pack_tail_f32(const tenon_conv_tail *t, ptrdiff_t from,
                            ptrdiff_t channels, float *to) {
  to = tenon_core_pack_bias_f32(t->bias ? t->bias + from : NULL, channels, to);
  if (!t->scale) return to;
  to = tenon_core_pack_bias_f32(t->scale + from, channels, to);
  return tenon_core_pack_bias_f32(t->shift ? t->shift + from : NULL, channels,
                                  to);
}

static size_t tail_size(const tenon_conv_tail *t, ptrdiff_t channels) {
  return t->scale ? (size_t)tenon_core_panels(channels) * TENON_LANES * 2 *
                        sizeof(float)
                  : 0;
}

// Head and tail of all channels.
static float *pack_scaled_f32(const tenon_call *c, ptrdiff_t channels,
                              tenon_opt_float lo, tenon_opt_float hi,
                              void *packed) {
  const tenon_conv_tail t = tenon_conv_tail_of(c);
  float *to = pack_head_f32(NULL, 0, lo, hi, packed);
  ((tenon_packed_f32 *)packed)->is_scaled = t.scale != NULL;
  return pack_tail_f32(&t, 0, channels, to);
}

static size_t scaled_size(const tenon_call *c, tenon_core_weights w) {
  const tenon_conv_tail t = tenon_conv_tail_of(c);
  return f32_size(w) + tail_size(&t, w.channels);
}

// A weight as a float, be it stored as one or as an integer.
static float fast_pack_value_of(const tenon_tensor *t, ptrdiff_t i) {
  return t->dtype == TENON_F32 ? ((const float *)t->data)[i]
                               : (float)((const int8_t *)t->data)[i];
}

// Floats of one whole panel that follow one another in each channel: a few of
// every channel at a time, so that each line of memory is read and written
// once; `wide`: floats from those of one step to the next.
static float *pack_panel_f32(const float *from, ptrdiff_t channel,
                             ptrdiff_t len, ptrdiff_t wide, float *to) {
  enum { STRETCH = 32 };
  for (ptrdiff_t k = 0; k < len; k += STRETCH) {
    const ptrdiff_t n = len - k < STRETCH ? len - k : STRETCH;
    for (ptrdiff_t j = 0; j < TENON_LANES; ++j)
      for (ptrdiff_t i = 0; i < n; ++i)
        to[(k + i) * wide + j] = from[j * channel + k + i];
  }
  return to + len * wide;
}

// The same where channels follow one another.
static float *pack_turned_f32(const float *from, ptrdiff_t step, ptrdiff_t len,
                              float *to) {
  for (ptrdiff_t k = 0; k < len; ++k, to += TENON_LANES)
    memcpy(to, from + k * step, TENON_LANES * sizeof *to);
  return to;
}

// From weight `from` of a tensor on.
static float *pack_panels_f32(tenon_core_weights w, const tenon_tensor *t,
                              ptrdiff_t from, float *to) {
  const bool is_plain = t->dtype == TENON_F32 && w.step == 1;
  ptrdiff_t j0 = 0;
  for (; is_plain && w.channels - j0 >= TENON_LANES; j0 += TENON_LANES)
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      to = pack_panel_f32(
          (const float *)t->data + from + j0 * w.channel + i * w.run, w.channel,
          w.len, TENON_LANES, to);
  const bool is_turned = t->dtype == TENON_F32 && w.channel == 1;
  for (; is_turned && w.channels - j0 >= TENON_LANES; j0 += TENON_LANES)
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      to = pack_turned_f32((const float *)t->data + from + j0 + i * w.run,
                           w.step, w.len, to);
  for (; j0 < w.channels; j0 += TENON_LANES)
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      for (ptrdiff_t k = 0; k < w.len; ++k)
        for (ptrdiff_t j = j0; j < j0 + TENON_LANES; ++j)
          *to++ = j < w.channels
                      ? fast_pack_value_of(
                            t, from + j * w.channel + i * w.run + k * w.step)
                      : 0.0f;
  return to;
}

// A row of channels for each tap.
static float *pack_taps_f32(tenon_core_weights w, const tenon_tensor *t,
                            float *to) {
  for (ptrdiff_t tap = 0; tap < w.runs * w.len; ++tap)
    for (ptrdiff_t j = 0; j < tenon_core_panels(w.channels) * TENON_LANES; ++j)
      *to++ =
          j < w.channels ? fast_pack_value_of(t, tap * w.channels + j) : 0.0f;
  return to;
}

// One of the groups of a convolution, or all where they are narrow.
static tenon_core_weights group_weights(const tenon_call *c,
                                        ptrdiff_t *groups) {
  tenon_core_weights w = tenon_core_conv_weights(c);
  *groups = (ptrdiff_t)((const tenon_conv_attrs *)c->attrs)->groups;
  if (tenon_is_narrow_group(*groups, c->in[1].dims[3], w.channels / *groups))
    *groups = 1;
  w.channels /= *groups;
  return w;
}

size_t tenon_core_conv_f32_pack_size(const tenon_call *c) {
  ptrdiff_t groups;
  const tenon_core_weights w = group_weights(c, &groups);
  const size_t head = sizeof(tenon_packed_f32);
  return head + (size_t)groups * (scaled_size(c, w) - head);
}

tenon_status tenon_core_conv_f32_pack(const tenon_call *c, void *packed) {
  const tenon_conv_attrs *a = c->attrs;
  ptrdiff_t groups;
  const tenon_core_weights w = group_weights(c, &groups);
  const tenon_conv_tail t = tenon_conv_tail_of(c);
  float *to = pack_scaled_f32(c, w.channels, a->lo, a->hi, packed);
  for (ptrdiff_t i = 0; i < groups; ++i) {
    if (i > 0) to = pack_tail_f32(&t, i * w.channels, w.channels, to);
    to = pack_panels_f32(w, &c->in[1], i * w.channels * w.channel, to);
  }
  return TENON_OK;
}

static ptrdiff_t winograd_sums(const tenon_call *c) {
  const tenon_conv_winograd_attrs *a = c->attrs;
  return (ptrdiff_t)((a->tile + 2) * (a->tile + 2));
}

// As of a convolution of 16 or 36 taps, which are combined here.
size_t tenon_core_conv_winograd_f32_pack_size(const tenon_call *c) {
  const int32_t *d = c->in[1].dims;
  const tenon_core_weights w = {d[0], winograd_sums(c), d[3], 0, 0, 0, 0, 0, 0};
  return scaled_size(c, w);
}

tenon_status tenon_core_conv_winograd_f32_pack(const tenon_call *c,
                                               void *packed) {
  const tenon_conv_winograd_attrs *a = c->attrs;
  const ptrdiff_t channels = c->in[1].dims[0], depth = c->in[1].dims[3];
  const ptrdiff_t plane = depth * TENON_LANES, sums = winograd_sums(c);
  const float *from = (const float *)c->in[1].data;
  float *to = pack_scaled_f32(c, channels, a->lo, a->hi, packed);
  if (channels % TENON_LANES != 0)
    memset(to + channels / TENON_LANES * sums * plane, 0,
           (size_t)(sums * plane) * sizeof *to);
  for (ptrdiff_t j0 = 0; j0 < channels; j0 += TENON_LANES)
    for (ptrdiff_t j = j0; j < j0 + TENON_LANES && j < channels; ++j)
      for (ptrdiff_t i = 0; i < depth; ++i)
        tenon_winograd_weights(
            (ptrdiff_t)a->tile, from + j * 9 * depth + i, depth,
            to + j0 * sums * depth + i * TENON_LANES + j - j0, plane);
  return TENON_OK;
}

// The forms that differ in where weights stand and how they are packed.
#define PACKED_F32(name, its_attrs, weights, put)                     \
  size_t tenon_core_##name##_f32_pack_size(const tenon_call *c) {     \
    return scaled_size(c, weights);                                   \
  }                                                                   \
  tenon_status tenon_core_##name##_f32_pack(const tenon_call *c,      \
                                            void *packed) {           \
    const its_attrs *a = c->attrs;                                    \
    const tenon_core_weights w = weights;                             \
    float *to = pack_scaled_f32(c, w.channels, a->lo, a->hi, packed); \
    (void)put;                                                        \
    return TENON_OK;                                                  \
  }

PACKED_F32(fully_connected, tenon_fully_connected_attrs,
           tenon_core_fully_connected_weights(c),
           pack_panels_f32(w, &c->in[1], 0, to))

// The panels of a group side by side, one stream.
tenon_status tenon_core_fully_connected_row_f32_pack(const tenon_call *c,
                                                     void *packed) {
  const tenon_fully_connected_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_fully_connected_weights(c);
  const tenon_tensor *t = &c->in[1];
  const bool is_plain = w.step == 1;
  float *to = pack_scaled_f32(c, w.channels, a->lo, a->hi, packed);
  const ptrdiff_t all = tenon_core_panels(w.channels) * TENON_LANES;
  for (ptrdiff_t at = 0; at < all; at += TENON_GROUP) {
    const ptrdiff_t wide = all - at < TENON_GROUP ? all - at : TENON_GROUP;
    for (ptrdiff_t j0 = at; j0 < at + wide; j0 += TENON_LANES) {
      if (is_plain && j0 + TENON_LANES <= w.channels) {
        (void)pack_panel_f32((const float *)t->data + j0 * w.channel, w.channel,
                             w.len, wide, to + j0 - at);
        continue;
      }
      for (ptrdiff_t k = 0; k < w.len; ++k)
        for (ptrdiff_t j = j0; j < j0 + TENON_LANES; ++j)
          to[k * wide + j - at] =
              j < w.channels ? fast_pack_value_of(t, j * w.channel + k * w.step)
                             : 0.0f;
    }
    to += w.len * wide;
  }
  return TENON_OK;
}

// As of core::fully_connected; between the two dimensions there may be others
// of 1.
static tenon_core_weights strassen_weights(const tenon_call *c) {
  const tenon_tensor *w = &c->in[1];
  tenon_tensor flat = *w;
  const int32_t dims[2] = {w->dims[0], w->dims[w->rank - 1]};
  flat.dims = dims;
  return tenon_core_matrix_weights(&flat);
}

PACKED_F32(fully_connected_strassen, tenon_strassen_attrs, strassen_weights(c),
           pack_panels_f32(w, &c->in[1], 0, to))

static bool fast_pack_is_scaled(const void *packed) {
  return ((const tenon_packed_f32 *)packed)->is_scaled != 0;
}

bool tenon_core_conv_f32_pack_check(const tenon_call *c, const void *packed) {
  return fast_pack_is_scaled(packed) == (tenon_conv_tail_of(c).scale != NULL);
}

bool tenon_core_f32s8_pack_check(const tenon_call *c, const void *packed) {
  (void)c;
  return !fast_pack_is_scaled(packed);
}

// The gates' weights, and behind them those of the projection.
static bool is_projected(const tenon_call *c) {
  return c->n_in > 5 && c->in[5].dtype;
}

size_t tenon_core_recurrent_f32_pack_size(const tenon_call *c) {
  const size_t gates = f32_size(tenon_core_matrix_weights(&c->in[1]));
  return gates +
         (is_projected(c) ? f32_size(tenon_core_matrix_weights(&c->in[5])) : 0);
}

static float *pack_matrix_f32(const tenon_tensor *matrix, const float *bias,
                              void *packed) {
  const tenon_opt_float none = {false, 0};
  const tenon_core_weights w = tenon_core_matrix_weights(matrix);
  float *to = pack_head_f32(bias, w.channels, none, none, packed);
  return pack_panels_f32(w, matrix, 0, to);
}

tenon_status tenon_core_recurrent_f32_pack(const tenon_call *c, void *packed) {
  packed = pack_matrix_f32(&c->in[1], (const float *)c->in[2].data, packed);
  if (is_projected(c)) (void)pack_matrix_f32(&c->in[5], NULL, packed);
  return TENON_OK;
}

bool tenon_core_recurrent_f32_pack_check(const tenon_call *c,
                                         const void *packed) {
  const char *projection =
      (const char *)packed + f32_size(tenon_core_matrix_weights(&c->in[1]));
  return !fast_pack_is_scaled(packed) &&
         (!is_projected(c) || !fast_pack_is_scaled(projection));
}

PACKED_F32(depthwise, tenon_depthwise_conv_attrs,
           tenon_core_depthwise_weights(c), pack_taps_f32(w, &c->in[1], to))

// The same of rows of taps in all planes.
static tenon_core_weights depthwise3d_weights(const tenon_call *c) {
  const int32_t *d = c->in[1].dims;
  const tenon_core_weights w = {
      d[4], (ptrdiff_t)d[1] * d[2], d[3], 1, (ptrdiff_t)d[3] * d[4], d[4], 0, 0,
      0};
  return w;
}

PACKED_F32(depthwise3d, tenon_depthwise_conv3d_attrs, depthwise3d_weights(c),
           pack_taps_f32(w, &c->in[1], to))

// Volumes: one group after the other, each with its bias and filled up.
static tenon_core_weights volume_weights(const tenon_call *c,
                                         ptrdiff_t *groups) {
  const tenon_conv3d_attrs *a = c->attrs;
  const int32_t *d = c->in[1].dims;
  const ptrdiff_t len = (ptrdiff_t)d[1] * d[2] * d[3] * d[4];
  *groups = (ptrdiff_t)a->groups;
  const tenon_core_weights w = {d[0] / *groups, 1, len, len, len, 1, 0, 0, 0};
  return w;
}

size_t tenon_core_volume_f32_pack_size(const tenon_call *c) {
  ptrdiff_t groups;
  const tenon_core_weights w = volume_weights(c, &groups);
  const size_t head = sizeof(tenon_packed_f32);
  return head + (size_t)groups * (f32_size(w) - head);
}

tenon_status tenon_core_volume_f32_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  const float *bias = (const float *)c->in[2].data;
  ptrdiff_t groups;
  const tenon_core_weights w = volume_weights(c, &groups);
  float *to = pack_head_f32(NULL, 0, none, none, packed);
  for (ptrdiff_t i = 0; i < groups; ++i) {
    to = tenon_core_pack_bias_f32(bias ? bias + i * w.channels : NULL,
                                  w.channels, to);
    to = pack_panels_f32(w, &c->in[1], i * w.channels * w.channel, to);
  }
  return TENON_OK;
}

// --- Floats with quantised weights -------------------------------------------

static size_t hybrid_size(tenon_core_weights w) {
  return f32_size(w) + sizeof(tenon_packed_f32) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES * 2 *
             sizeof(float);
}

// Whether no sum of products, nor a part of it, is beyond what a float holds
// exactly.
static bool fast_pack_is_exact(tenon_core_weights w, const tenon_tensor *t,
                               bool asymmetric) {
  const int64_t most = asymmetric ? 255 : 127;
  for (ptrdiff_t j = 0; j < w.channels; ++j) {
    const int8_t *from = (const int8_t *)t->data + j * w.channel;
    int64_t sum = 0;
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      for (ptrdiff_t k = 0; k < w.len; ++k) {
        const int32_t value = from[i * w.run + k * w.step];
        sum += value < 0 ? -value : value;
      }
    if (sum * most > 1 << 24) return false;
  }
  return true;
}

// Returns where the weights go.
static float *pack_hybrid_head(tenon_core_weights w, void *packed) {
  const tenon_opt_float none = {false, 0};
  return pack_head_f32(NULL, w.channels, none, none, packed);
}

static tenon_status pack_hybrid_rest(const tenon_call *c, tenon_core_weights w,
                                     tenon_opt_float lo, tenon_opt_float hi,
                                     float *to) {
  const tenon_limits_f32 limits = tenon_limits_f32_of(lo, hi);
  const tenon_quant *q = c->in[1].quant;
  tenon_packed_f32 head = {limits.lo, limits.hi, 0, {0}};
  memcpy(to, &head, sizeof head);
  to += sizeof head / sizeof *to;
  for (ptrdiff_t j = 0; j < tenon_core_panels(w.channels) * TENON_LANES; ++j)
    *to++ = j < w.channels ? q->scale[q->channels == 1 ? 0 : j] : 0.0f;
  (void)tenon_core_pack_bias_f32((const float *)c->in[2].data, w.channels, to);
  return TENON_OK;
}

#define HYBRID(op, attrs_type, pack_weights)                               \
  bool tenon_core_##op##_f32s8_is_exact(const tenon_call *c) {             \
    return fast_pack_is_exact(tenon_core_##op##_weights(c), &c->in[1],     \
                              ((const attrs_type *)c->attrs)->asymmetric); \
  }                                                                        \
  size_t tenon_core_##op##_f32s8_pack_size(const tenon_call *c) {          \
    return hybrid_size(tenon_core_##op##_weights(c));                      \
  }                                                                        \
  tenon_status tenon_core_##op##_f32s8_pack(const tenon_call *c,           \
                                            void *packed) {                \
    const attrs_type *a = (const attrs_type *)c->attrs;                    \
    const tenon_core_weights w = tenon_core_##op##_weights(c);             \
    float *to = pack_hybrid_head(w, packed);                               \
    return pack_hybrid_rest(c, w, a->lo, a->hi, pack_weights);             \
  }
HYBRID(conv, tenon_conv_attrs, pack_panels_f32(w, &c->in[1], 0, to))
HYBRID(depthwise, tenon_depthwise_conv_attrs, pack_taps_f32(w, &c->in[1], to))
HYBRID(fully_connected, tenon_fully_connected_attrs,
       pack_panels_f32(w, &c->in[1], 0, to))
