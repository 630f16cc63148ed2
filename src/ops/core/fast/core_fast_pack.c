// core_fast_pack.c - reorders weights of integers once per model.
//
// The three operators differ only in where a weight stands: a fully-connected
// layer is a 1x1 convolution, and a depthwise one has a single input channel
// per output. Factors and limits are those of the reference kernels
// (core_factor.h), spread over all channels.
#include "ops/core/fast/core_fast_pack.h"
#include "ops/core/fast/core_fast_line.h"

#include <stdlib.h>
#include <string.h>

#include "kern/num/fixed.h"
#include "kern/op/clamp.h"
#include "kern/opt/conv/conv_s8_share.h"
#include "kern/opt/conv/volume_lines.h"
#include "kern/opt/tiles/blocks.h"
#include "kern/opt/tiles/packed.h"
#include "kern/product/conv.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_weights.h"

static int group_of(int dot) {
  return tenon_core_dot_group(dot);
}

// What activations are offset by.
static int64_t offset_of(int dot) {
  return dot == TENON_DOT_QUADS ? 128 : 0;
}

// `bytes`: of a group of weights; `lines`: what there is of a channel behind
// them.
static size_t s8_size(tenon_core_weights w, int group, int bytes, int lines) {
  return sizeof(tenon_packed_s8) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES *
             ((size_t)(3 + lines) * sizeof(int32_t) +
              (size_t)(tenon_core_groups(w, group) * bytes));
}

// Of kernels that compute a floor of floats.
static int lines_of(int dot) {
  return dot == TENON_DOT_QUADS ? 4 : 0;
}

// What a channel adds up to: the sum of its weights, and what the sum of its
// products cannot exceed.
static void sum_channel(tenon_core_weights w, const int8_t *from, int64_t *sum,
                        int64_t *most) {
  *sum = *most = 0;
  for (ptrdiff_t i = 0; i < w.runs; ++i) {
    for (ptrdiff_t k = 0; k < w.len; ++k) {
      const int64_t value = from[tenon_core_run_at(w, i) + k * w.step] - w.zero;
      *sum += value;
      *most += 255 * (value < 0 ? -value : value);
    }
  }
}

// A channel without weights is its bias, scaled. Files give such channels any
// factor; as twice the result times a half they have one that vectors know, of
// small numbers: what is beyond all limits stays there.
static void pack_constant(bool is_once, int32_t *bias, int32_t *mult,
                          int32_t *shift) {
  const int32_t y = is_once ? tenon_requant_once(*bias, *mult, *shift)
                            : tenon_requant_twice(*bias, *mult, *shift);
  if (y <= -(1 << 28) || y >= 1 << 28) return;
  *bias = 2 * tenon_clamp_s32(y, -512, 512);
  *mult = 1 << 30;
  *shift = 0;
}

typedef bool core_line_fn(const tenon_core_rescaled *, tenon_core_line *);

// What floats do with the sums of so many channels of a block that is packed so
// far. False where that is not known of all of them.
static bool pack_lines(const tenon_call *c, tenon_core_weights w,
                       ptrdiff_t filled, core_line_fn *line_of,
                       const void *packed, float *lines) {
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  const int32_t *given = (const int32_t *)c->in[2].data;
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)packed;
  const int32_t *bias = (const int32_t *)(head + 1), *mult = bias + np;
  bool all = true;
  memset(lines, 0, (size_t)(4 * np) * sizeof *lines);
  for (ptrdiff_t j = 0; j < filled; ++j) {
    const ptrdiff_t k = j % w.channels;
    int64_t sum, most;
    sum_channel(w, (const int8_t *)c->in[1].data + k * w.channel, &sum, &most);
    const int64_t first = most == 0 ? bias[j] : given ? given[k] : 0;
    const tenon_core_rescaled r = {mult[j],  mult[np + j], head->y_zero,
                                   head->lo, head->hi,     most + llabs(first)};
    tenon_core_line line = {0};
    if (!line_of(&r, &line)) {
      all = false;
      continue;
    }
    lines[j] = line.factor;
    lines[np + j] = line.above;
    lines[2 * np + j] = line.below;
    memcpy(lines + 3 * np + j, &line.split, sizeof line.split);
  }
  return all;
}

// Head, bias and factors; `filled` channels, those that do not exist being
// copies of the others. Returns where the weights go.
static void *pack_head_s8(const tenon_call *c, tenon_core_weights w, int dot,
                          ptrdiff_t filled, tenon_opt_float lo,
                          tenon_opt_float hi, bool is_once, bool is_single,
                          void *packed) {
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  const int32_t *given = (const int32_t *)c->in[2].data;
  const int8_t *from = (const int8_t *)c->in[1].data;
  tenon_packed_s8 *head = (tenon_packed_s8 *)packed;
  int32_t *bias = (int32_t *)(head + 1), *mult = bias + np, *shift = mult + np;
  memset(head, 0, sizeof *head);
  head->x_zero = tenon_core_zero(&c->in[0]);
  head->y_zero = tenon_core_zero(&c->out[0]);
  head->w_zero = w.zero;
  tenon_core_limits(&c->out[0], lo, hi, &head->lo, &head->hi);
  head->is_plain = head->is_same = 1;
  const int64_t zero = head->x_zero + offset_of(dot);
  double last = 0;  // of one scale for all channels, found once
  int32_t settled[2] = {0, 0};
  for (ptrdiff_t j = 0; j < np; ++j) {
    bias[j] = mult[j] = shift[j] = 0;
    if (j >= filled) continue;
    int64_t sum, most;
    const ptrdiff_t k = j % w.channels;
    sum_channel(w, from + k * w.channel, &sum, &most);
    int64_t first = given ? given[k] : 0;
    bias[j] = (int32_t)(uint32_t)(first - zero * sum);  // modulo 2^32
    const double factor = tenon_core_product_factor(
        &c->in[0], &c->in[1], (int32_t)k, &c->out[0], is_single);
    if (is_once && j > 0 && factor == last)
      mult[j] = settled[0], shift[j] = settled[1];
    else if (is_once)
      tenon_core_factor_once(factor, &mult[j], &shift[j]);
    else
      tenon_core_factor(factor, &mult[j], &shift[j]);
    last = factor;
    settled[0] = mult[j], settled[1] = shift[j];
    if (most == 0) {
      pack_constant(is_once, &bias[j], &mult[j], &shift[j]);
      first = bias[j];
    }
    if (shift[j] > 0) head->is_plain = 0;
    if (!is_once && (shift[j] < -21 ||
                     most + (first < 0 ? -first : first) >= INT64_C(1) << 30))
      head->is_plain = 0;
    if (mult[j] != mult[0] || shift[j] != shift[0]) head->is_same = 0;
  }
  return shift + np;
}

// Where lines go in a block of so many bytes; null where there are none.
static float *lines_at(void *packed, size_t size, tenon_core_weights w,
                       int dot) {
  const ptrdiff_t all = lines_of(dot) * tenon_core_panels(w.channels) *
                        TENON_LANES * (ptrdiff_t)sizeof(float);
  return all ? (float *)(void *)((char *)packed + size - all) : NULL;
}

// Weights of a convolution as they are packed: with those of other groups that
// an item walks.
static tenon_core_weights shared_weights(const tenon_call *c,
                                         const tenon_share *s) {
  const int32_t *d = c->in[1].dims;
  const bool is_dense = tenon_share_is_dense(s, c);
  tenon_core_weights w = tenon_core_conv_weights(c);
  w.runs = (ptrdiff_t)d[1] * (is_dense ? 1 : d[2]);
  w.len = s->depth * (is_dense ? d[2] : 1);
  return w;
}

static size_t windows_size(tenon_core_weights w, int dot) {
  return s8_size(w, group_of(dot), group_of(dot), lines_of(dot));
}

size_t tenon_core_conv_s8_pack_size(const tenon_call *c, int dot) {
  const tenon_share s = tenon_share_of(c);
  return windows_size(shared_weights(c, &s), dot);
}

// Weight k of run i of channel j, of so many taps a run.
static int8_t shared_weight(const tenon_call *c, const tenon_share *s,
                            ptrdiff_t taps, ptrdiff_t j, ptrdiff_t i,
                            ptrdiff_t k) {
  const int8_t *from = (const int8_t *)c->in[1].data;
  const int32_t *d = c->in[1].dims;
  const ptrdiff_t tap = i * taps + k / s->depth;
  const ptrdiff_t at = tenon_share_begin(s, j) + k % s->depth;
  if (at / s->own != j / s->channels) return 0;
  return from[(j * d[1] * d[2] + tap) * s->own + at % s->own];
}

static void pack_shared(const tenon_call *c, const tenon_share *s, int group,
                        int8_t *to) {
  const tenon_core_weights w = shared_weights(c, s);
  const ptrdiff_t taps = s->depth ? w.len / s->depth : 0;
  for (ptrdiff_t j0 = 0; j0 < w.channels; j0 += TENON_LANES)
    for (ptrdiff_t i = 0; i < w.runs; ++i)
      for (ptrdiff_t k0 = 0; k0 < w.len; k0 += group)
        for (ptrdiff_t j = j0; j < j0 + TENON_LANES; ++j)
          for (ptrdiff_t k = k0; k < k0 + group; ++k)
            *to++ = j < w.channels && k < w.len
                        ? shared_weight(c, s, taps, j, i, k)
                        : 0;
}

// What comes before the weights and behind them, in a block of `size` bytes;
// returns where the weights go. `is_dense`: taps of a row are one run.
static int8_t *pack_windows_s8(const tenon_call *c, tenon_core_weights w,
                               size_t size, int dot, bool is_dense,
                               tenon_opt_float lo, tenon_opt_float hi,
                               bool is_single, void *packed) {
  float *lines = lines_at(packed, size, w, dot);
  int8_t *to = (int8_t *)pack_head_s8(c, w, dot, w.channels, lo, hi, false,
                                      is_single, packed);
  tenon_packed_s8 *head = (tenon_packed_s8 *)packed;
  if (lines) {
    head->has_lines = 1;
    // Tiles that take straight ones do not walk taps that are apart.
    if (is_dense &&
        pack_lines(c, w, w.channels, tenon_core_line_straight, packed, lines))
      head->line_form = TENON_LINE_STRAIGHT;
    else if (pack_lines(c, w, w.channels, tenon_core_line_of, packed, lines) &&
             head->lo == -128 && head->hi == 127)
      head->line_form = TENON_LINE_SPLIT;
  }
  return to;
}

tenon_status tenon_core_conv_s8_pack(const tenon_call *c, void *packed,
                                     int dot) {
  const tenon_conv_attrs *a = c->attrs;
  const tenon_share s = tenon_share_of(c);
  const tenon_core_weights w = tenon_core_conv_weights(c);
  int8_t *to = pack_windows_s8(c, w, tenon_core_conv_s8_pack_size(c, dot), dot,
                               tenon_share_is_dense(&s, c), a->lo, a->hi,
                               a->single_scale, packed);
  if (a->groups > 1)
    pack_shared(c, &s, group_of(dot), to);
  else
    tenon_core_pack_panels_s8(w, group_of(dot), (const int8_t *)c->in[1].data,
                              to);
  return TENON_OK;
}

// Phase (y, x) of a transposed convolution (kern/opt/conv/volume_lines.h): its
// weights, and how far behind the first of all they begin.
static tenon_core_weights transposed_weights(const tenon_call *c, ptrdiff_t y,
                                             ptrdiff_t x, ptrdiff_t *from) {
  const tenon_conv_transpose3d_attrs *a = c->attrs;
  const int32_t *d = c->in[1].dims;
  const ptrdiff_t down = (ptrdiff_t)a->stride.data[1];
  const ptrdiff_t right = (ptrdiff_t)a->stride.data[2], depth = d[4];
  const ptrdiff_t rows = (d[2] - y + down - 1) / down;
  const ptrdiff_t columns = (d[3] - x + right - 1) / right;
  tenon_core_weights w;
  w.channels = d[0];
  w.runs = rows * columns;
  w.len = depth;
  w.channel = (ptrdiff_t)d[2] * d[3] * depth;
  w.run = -right * depth;
  w.step = 1;
  w.wide = columns;
  w.line = down * d[3] * depth;
  w.zero = 0;  // match asks for it
  *from = (y * d[3] + x + (columns - 1) * right) * depth;
  return w;
}

static size_t transposed_size(tenon_core_weights w, int dot) {
  return (windows_size(w, dot) + 63) / 64 * 64;
}

size_t tenon_core_transposed_s8_pack_size(const tenon_call *c, int dot) {
  const tenon_transposed t = tenon_transposed_of(c, group_of(dot));
  size_t size = (size_t)tenon_transposed_table(&t);
  ptrdiff_t from;
  for (ptrdiff_t i = 0; i < t.down * t.right; ++i)
    size += transposed_size(
        transposed_weights(c, i / t.right, i % t.right, &from), dot);
  return size;
}

tenon_status tenon_core_transposed_s8_pack(const tenon_call *c, void *packed,
                                           int dot) {
  const tenon_conv_transpose3d_attrs *a = c->attrs;
  const tenon_transposed t = tenon_transposed_of(c, group_of(dot));
  const tenon_opt_float none = {0, false};
  size_t at = (size_t)tenon_transposed_table(&t);
  memset(packed, 0, at);
  for (ptrdiff_t i = 0; i < t.down * t.right; ++i) {
    ptrdiff_t from;
    const tenon_core_weights w =
        transposed_weights(c, i / t.right, i % t.right, &from);
    tenon_tensor in[3] = {c->in[0], c->in[1], c->in[2]};
    tenon_call own = *c;
    own.in = in;
    in[1].data = (int8_t *)in[1].data + from;
    ((int32_t *)packed)[i] = (int32_t)at;
    int8_t *to =
        pack_windows_s8(&own, w, windows_size(w, dot), dot, t.is_dense, none,
                        none, a->single_scale, (char *)packed + at);
    tenon_core_pack_panels_s8(w, group_of(dot), (const int8_t *)in[1].data, to);
    at += transposed_size(w, dot);
  }
  return TENON_OK;
}

size_t tenon_core_fully_connected_s8_pack_size(const tenon_call *c, int dot) {
  return s8_size(tenon_core_fully_connected_weights(c), group_of(dot),
                 group_of(dot), 0);
}

tenon_status tenon_core_fully_connected_s8_pack(const tenon_call *c,
                                                void *packed, int dot) {
  const tenon_fully_connected_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_fully_connected_weights(c);
  int8_t *to = (int8_t *)pack_head_s8(c, w, dot, w.channels, a->lo, a->hi, true,
                                      false, packed);
  tenon_core_pack_panels_s8(w, group_of(dot), (const int8_t *)c->in[1].data,
                            to);
  return TENON_OK;
}

// The panels of an item side by side, a group of values after the other.
tenon_status tenon_core_fully_connected_row_s8_pack(const tenon_call *c,
                                                    void *packed) {
  const tenon_fully_connected_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_fully_connected_weights(c);
  const ptrdiff_t group = group_of(TENON_DOT_QUADS);
  const ptrdiff_t all = tenon_core_panels(w.channels) * TENON_LANES;
  const int8_t *from = (const int8_t *)c->in[1].data;
  int8_t *to = (int8_t *)pack_head_s8(c, w, TENON_DOT_QUADS, w.channels, a->lo,
                                      a->hi, true, false, packed);
  for (ptrdiff_t at = 0; at < all; at += TENON_GROUP)
    for (ptrdiff_t k0 = 0; k0 < w.len; k0 += group)
      for (ptrdiff_t j = at; j < all && j < at + TENON_GROUP; ++j)
        for (ptrdiff_t k = k0; k < k0 + group; ++k)
          *to++ = j < w.channels && k < w.len ? from[j * w.channel + k * w.step]
                                              : 0;
  return TENON_OK;
}

size_t tenon_core_depthwise_s8_pack_size(const tenon_call *c, int dot) {
  return s8_size(tenon_core_depthwise_weights(c), group_of(dot), 4,
                 lines_of(dot));
}

tenon_status tenon_core_depthwise_s8_pack(const tenon_call *c, void *packed,
                                          int dot) {
  const tenon_depthwise_conv_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_depthwise_weights(c);
  const int8_t *from = (const int8_t *)c->in[1].data;
  // Whatever part of a panel a kernel's vector is: whole pixels.
  const bool repeats = w.channels > 0 && TENON_LANES % w.channels == 0;
  const ptrdiff_t filled = repeats ? TENON_LANES : w.channels;
  float *lines =
      lines_at(packed, tenon_core_depthwise_s8_pack_size(c, dot), w, dot);
  uint32_t *to = (uint32_t *)pack_head_s8(c, w, dot, filled, a->lo, a->hi,
                                          false, a->single_scale, packed);
  if (lines) {
    ((tenon_packed_s8 *)packed)->has_lines = 1;
    (void)pack_lines(c, w, filled, tenon_core_line_of, packed, lines);
  }
  const int group = group_of(dot), bits = 32 / group;
  const uint32_t mask = group == 4 ? 0xff : 0xffff;
  for (ptrdiff_t i = 0; i < w.runs; ++i) {
    for (ptrdiff_t k0 = 0; k0 < w.len; k0 += group) {
      for (ptrdiff_t j = 0; j < tenon_core_panels(w.channels) * TENON_LANES;
           ++j) {
        uint32_t lane = 0;
        const int8_t *tap = from + i * w.run + k0 * w.step + j % w.channels;
        for (int k = 0; k < group && k0 + k < w.len && j < filled; ++k)
          lane |= ((uint32_t)(tap[k * w.step] - w.zero) & mask) << (bits * k);
        *to++ = lane;
      }
    }
  }
  return TENON_OK;
}

// --- Floats with quantised weights -------------------------------------------

bool tenon_core_conv_f32s8_dot_fits(const tenon_call *c) {
  const tenon_core_weights w = tenon_core_conv_weights(c);
  for (ptrdiff_t j = 0; j < w.channels; ++j) {
    int64_t sum, most;
    sum_channel(w, (const int8_t *)c->in[1].data + j * w.channel, &sum, &most);
    if (most > INT32_MAX) return false;
  }
  return true;
}

size_t tenon_core_conv_f32s8_dot_pack_size(const tenon_call *c) {
  const tenon_core_weights w = tenon_core_conv_weights(c);
  const int group = group_of(TENON_DOT_QUADS);
  return sizeof(tenon_packed_f32) +
         (size_t)tenon_core_panels(w.channels) * TENON_LANES *
             (3 * sizeof(float) +
              (size_t)(tenon_core_groups(w, group) * group));
}

tenon_status tenon_core_conv_f32s8_dot_pack(const tenon_call *c, void *packed) {
  const tenon_conv_attrs *a = c->attrs;
  const tenon_core_weights w = tenon_core_conv_weights(c);
  const int8_t *from = (const int8_t *)c->in[1].data;
  const tenon_limits_f32 limits = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_packed_f32 head = {limits.lo, limits.hi, 0, {0}};
  const tenon_quant *q = c->in[1].quant;
  float *to = (float *)((tenon_packed_f32 *)packed + 1);
  memcpy(packed, &head, sizeof head);
  for (ptrdiff_t j = 0; j < tenon_core_panels(w.channels) * TENON_LANES; ++j)
    *to++ = j < w.channels ? q->scale[q->channels == 1 ? 0 : j] : 0.0f;
  to = tenon_core_pack_bias_f32((const float *)c->in[2].data, w.channels, to);
  int32_t *sums = (int32_t *)(void *)to;
  for (ptrdiff_t j = 0; j < tenon_core_panels(w.channels) * TENON_LANES; ++j) {
    int64_t sum = 0, most;
    if (j < w.channels) sum_channel(w, from + j * w.channel, &sum, &most);
    *sums++ = (int32_t)sum;
  }
  tenon_core_pack_panels_s8(w, group_of(TENON_DOT_QUADS), from, (int8_t *)sums);
  return TENON_OK;
}

// --- Integers with scales of blocks ------------------------------------------

// A run is a block.
static tenon_core_weights block_weights(const tenon_call *c, ptrdiff_t blocks) {
  tenon_core_weights w = tenon_core_matrix_weights(&c->in[1]);
  w.runs = blocks;
  w.len = w.run = w.len / blocks;
  return w;
}

size_t tenon_core_integer_linear_pack_size(const tenon_call *c,
                                           ptrdiff_t blocks, int dot) {
  const tenon_core_weights w = block_weights(c, blocks);
  const int group = group_of(dot);
  return (size_t)tenon_core_panels(w.channels) * TENON_LANES *
         (sizeof(float) + (size_t)blocks * 3 * sizeof(float) +
          (size_t)(tenon_core_groups(w, group) * group));
}

// What activations are offset by is taken off the sum to begin with.
static void pack_sums(tenon_core_weights w, ptrdiff_t b, int dot,
                      const int8_t *from, int32_t *sums, int32_t *first) {
  const tenon_core_weights one = {w.channels, 1, w.len, w.channel, w.run,
                                  w.step,     0, 0,     0};
  for (ptrdiff_t j = 0; j < w.channels; ++j) {
    int64_t sum, most;
    sum_channel(one, from + j * w.channel + b * w.run, &sum, &most);
    sums[j] = (int32_t)(uint32_t)sum;
    first[j] = (int32_t)(uint32_t)(-offset_of(dot) * sum);
  }
}

tenon_status tenon_core_integer_linear_pack(const tenon_call *c, void *packed,
                                            ptrdiff_t blocks,
                                            const float *scale,
                                            const float *bias, int dot) {
  const tenon_core_weights w = block_weights(c, blocks);
  const int8_t *from = (const int8_t *)c->in[1].data;
  const ptrdiff_t np = tenon_core_panels(w.channels) * TENON_LANES;
  memset(packed, 0, tenon_core_integer_linear_pack_size(c, blocks, dot));
  float *to = tenon_core_pack_bias_f32(bias, w.channels, (float *)packed);
  for (ptrdiff_t b = 0; b < blocks; ++b, to += 3 * np) {
    for (ptrdiff_t j = 0; j < w.channels; ++j)
      to[j] = scale ? scale[j * blocks + b] : 1.0f;
    pack_sums(w, b, dot, from, (int32_t *)(void *)(to + np),
              (int32_t *)(void *)(to + 2 * np));
  }
  tenon_core_pack_panels_s8(w, group_of(dot), from, (int8_t *)(void *)to);
  return TENON_OK;
}
