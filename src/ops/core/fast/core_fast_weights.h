// ops/core/fast/core_fast_weights.h - where weights stand before they are
// packed.
//
// Operators differ in no more than this: a fully-connected layer is a 1x1
// convolution, and a depthwise one has a single input channel per output.
#ifndef TENON_OPS_CORE_CORE_FAST_WEIGHTS_H
#define TENON_OPS_CORE_CORE_FAST_WEIGHTS_H

#include "kern/opt/tiles/packed.h"
#include "kern/product/conv.h"

// Weights of channel j: runs[i] values at data + j * channel + i * run, each
// `step` apart. Where `wide` is not 0, so many runs are a line, and lines are
// `line` apart. What values stand for is `zero` less than they are.
typedef struct tenon_core_weights {
  ptrdiff_t channels, runs, len;
  ptrdiff_t channel, run, step;
  ptrdiff_t wide, line;
  int32_t zero;
} tenon_core_weights;

// Where that is one number for all; else 0.
TENON_INLINE int32_t tenon_core_weights_zero(const tenon_call *c) {
  const tenon_quant *q = c->in[1].quant;
  return q && q->channels == 1 && !q->block && q->zero ? q->zero[0] : 0;
}

TENON_INLINE ptrdiff_t tenon_core_run_at(tenon_core_weights w, ptrdiff_t i) {
  return w.wide ? i / w.wide * w.line + i % w.wide * w.run : i * w.run;
}

TENON_INLINE ptrdiff_t tenon_core_panels(ptrdiff_t channels) {
  return tenon_round_up(channels, TENON_LANES) / TENON_LANES;
}

TENON_INLINE tenon_core_weights tenon_core_conv_weights(const tenon_call *c) {
  const tenon_conv_attrs *a = c->attrs;
  const int32_t *d = c->in[1].dims;
  const bool is_dense = a->dilation.data[1] == 1;
  tenon_core_weights w;
  w.wide = w.line = 0;
  w.channels = d[0];
  w.runs = (ptrdiff_t)d[1] * (is_dense ? 1 : d[2]);
  w.len = (ptrdiff_t)d[3] * (is_dense ? d[2] : 1);
  w.channel = w.runs * w.len;
  w.run = w.len;
  w.step = 1;
  w.zero = tenon_core_weights_zero(c);
  return w;
}

// A run is a row, in whatever order they lie.
TENON_INLINE tenon_core_weights
tenon_core_matrix_weights(const tenon_tensor *matrix) {
  const int32_t *d = matrix->dims, *s = matrix->strides;
  const tenon_core_weights w = {
      d[0], 1, d[1], s ? s[0] : d[1], d[1], s ? s[1] : 1, 0, 0, 0};
  return w;
}
TENON_INLINE tenon_core_weights
tenon_core_fully_connected_weights(const tenon_call *c) {
  return tenon_core_matrix_weights(&c->in[1]);
}

// A run is a row of taps.
TENON_INLINE tenon_core_weights
tenon_core_depthwise_weights(const tenon_call *c) {
  const int32_t *d = c->in[1].dims;
  const tenon_core_weights w = {d[3],
                                d[1],
                                d[2],
                                1,
                                (ptrdiff_t)d[2] * d[3],
                                d[3],
                                0,
                                0,
                                tenon_core_weights_zero(c)};
  return w;
}

TENON_INLINE ptrdiff_t tenon_core_groups(tenon_core_weights w, int group) {
  return w.runs * ((w.len + group - 1) / group);
}

TENON_INLINE void tenon_core_pack_panels_s8(tenon_core_weights w, int group,
                                            const int8_t *from, int8_t *to) {
  for (ptrdiff_t j0 = 0; j0 < w.channels; j0 += TENON_LANES)
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      for (ptrdiff_t k0 = 0; k0 < w.len; k0 += group)
        for (ptrdiff_t j = j0; j < j0 + TENON_LANES; ++j)
          for (ptrdiff_t k = k0; k < k0 + group; ++k)
            *to++ =
                j < w.channels && k < w.len
                    ? from[j * w.channel + tenon_core_run_at(w, i) + k * w.step]
                    : 0;
}

// Biases of all lanes of the panels; returns where the next go.
TENON_INLINE float *tenon_core_pack_bias_f32(const float *bias,
                                             ptrdiff_t channels, float *to) {
  for (ptrdiff_t j = 0; j < tenon_core_panels(channels) * TENON_LANES; ++j)
    *to++ = j < channels && bias ? bias[j] : -0.0f;
  return to;
}

#endif  // TENON_OPS_CORE_CORE_FAST_WEIGHTS_H
