// tests/harness/conv_case.h - a call of a convolution made by hand, for tests
// and benchmarks of kernels: a shape with random data becomes a tenon_call.
#ifndef TENON_TESTS_CONV_CASE_H
#define TENON_TESTS_CONV_CASE_H

#include "harness/case.h"
#include "kern/product/conv.h"
#include "ops/core/core_rule.h"

enum { CASE_CONV, CASE_DEPTHWISE, CASE_FULLY_CONNECTED };

// Of options: weights of bytes with one scale have a zero point.
#define CASE_HAS_ZERO 128u

typedef struct conv_shape {
  int op;
  bool is_float;
  int n, h, w, ic, oc, kh, kw;
  int down, right, pad[4], dil_y, dil_x;
  int groups;     // of a convolution; 0 is 1
  bool is_words;  // 16-bit numbers with weights of 8 bits
} conv_shape;

typedef struct conv_case {
  conv_shape shape;
  tenon_call call;
  tenon_tensor in[5], out[1];
  int32_t x_dims[4], w_dims[4], b_dims[1], y_dims[4];
  tenon_quant x_quant, w_quant, y_quant;
  float x_scale, y_scale, *w_scale;
  int32_t x_zero, y_zero, w_zero;
  int64_t stride[2], pad[4], dilation[2];
  union {
    tenon_conv_attrs conv;
    tenon_depthwise_conv_attrs depthwise;
    tenon_fully_connected_attrs fully_connected;
  } attrs;
  case_memory pages;  // of x
  unsigned char *y_room;
  size_t y_size;
} conv_case;

static inline size_t case_element(const conv_case *c) {
  return c->shape.is_float ? sizeof(float) : c->shape.is_words ? 2 : 1;
}

static inline void *case_fill(const conv_case *c, void *to, size_t count,
                              int kind) {
  for (size_t i = 0; i < count; ++i) {
    if (c->shape.is_float)
      ((float *)to)[i] = case_float(kind);
    else
      ((int8_t *)to)[i] = case_s8(kind);
  }
  return to;
}

static inline void case_dims(conv_case *c) {
  const conv_shape *s = &c->shape;
  const int y =
      (s->h + s->pad[0] + s->pad[2] - (s->kh - 1) * s->dil_y - 1) / s->down + 1;
  const int x =
      (s->w + s->pad[1] + s->pad[3] - (s->kw - 1) * s->dil_x - 1) / s->right +
      1;
  const int32_t x_dims[] = {s->n, s->h, s->w, s->ic};
  const int groups = s->groups ? s->groups : 1;
  const int32_t conv[] = {s->oc, s->kh, s->kw, s->ic / groups};
  const int32_t depthwise[] = {1, s->kh, s->kw, s->oc};
  const int32_t y_dims[] = {s->n, y, x, s->oc};
  memcpy(c->x_dims, x_dims, sizeof x_dims);
  memcpy(c->w_dims, s->op == CASE_DEPTHWISE ? depthwise : conv, sizeof conv);
  memcpy(c->y_dims, y_dims, sizeof y_dims);
  if (s->op == CASE_FULLY_CONNECTED) {  // [n, ic] x [oc, ic]
    c->x_dims[1] = c->w_dims[1] = s->ic;
    c->y_dims[1] = s->oc;
  }
  c->b_dims[0] = s->oc;
}

// Words of these kinds, and weights for them.
static inline void *case_fill_words(int16_t *to, size_t count, int kind) {
  for (size_t i = 0; i < count; ++i)
    to[i] = (int16_t)(kind == CASE_EXTREME ? 257 * case_s8(kind)
                                           : case_between(-32768, 32767));
  return to;
}
static inline void *case_fill_weights(const conv_case *c, size_t count,
                                      int kind) {
  int8_t *bytes;
  if (!c->shape.is_words)
    return case_fill(c, malloc(count * case_element(c)), count, kind);
  bytes = malloc(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = case_s8(kind);
  return bytes;
}
static inline void *case_fill_bias(const conv_case *c, int kind) {
  const size_t count = (size_t)c->shape.oc;
  int64_t *words = malloc(count * sizeof *words);
  for (size_t i = 0; i < count; ++i)
    words[i] = case_between(-50000, 50000) *
               (kind == CASE_EXTREME ? INT64_C(1) << case_between(0, 20) : 1);
  return words;
}

// The factor from sums to results: near what keeps results in range, or any.
static inline void case_quantise(conv_case *c, int kind, bool per_channel) {
  const conv_shape *s = &c->shape;
  const int taps = s->op == CASE_FULLY_CONNECTED ? s->ic
                   : s->op == CASE_DEPTHWISE     ? s->kh * s->kw
                                                 : s->kh * s->kw * s->ic;
  const int channels = per_channel ? s->oc : 1;
  c->x_zero = case_between(-128, 127);
  // At the end of a byte's range no negative sum has a result of its own.
  c->y_zero = case_between(0, 2) ? case_between(-128, 127) : -128;
  if (s->is_words) c->x_zero = c->y_zero = 0;
  c->x_scale = 0.02f;
  c->y_scale = 0.02f * sqrtf((float)taps) * 100;
  c->w_scale = malloc((size_t)channels * sizeof(float));
  for (int i = 0; i < channels; ++i) {
    c->w_scale[i] = 0.5f + (float)case_between(0, 1000) * 0.001f;
    if (kind == CASE_WIDE)
      c->w_scale[i] = ldexpf(c->w_scale[i], case_between(-12, 12));
    if (kind == CASE_EXTREME && case_between(0, 3) == 0)
      c->w_scale[i] = ldexpf(c->w_scale[i], case_between(-40, 0));
  }
  c->x_quant = (tenon_quant){&c->x_scale, &c->x_zero, 1, 0, 0};
  c->y_quant = (tenon_quant){&c->y_scale, &c->y_zero, 1, 0, 0};
  c->w_quant = (tenon_quant){c->w_scale, NULL, channels,
                             per_channel && s->op == CASE_DEPTHWISE ? 3 : 0, 0};
}

static inline tenon_opt_float case_limit(const conv_case *c, bool has,
                                         double real) {
  const tenon_opt_float limit = {
      c->shape.is_float ? real : real * (double)c->y_scale * 40, has};
  return limit;
}

// As converters leave channels that training has emptied: without weights, a
// tiny scale, and a bias as large as that scale makes it.
static inline void case_empty_channels(conv_case *c) {
  const size_t oc = (size_t)c->shape.oc, count = tenon_count(&c->in[1]);
  int8_t *weights = c->in[1].data;
  int32_t *bias = c->in[2].data;
  const bool is_last = c->shape.op == CASE_DEPTHWISE;
  for (size_t j = 0; j < oc; ++j) {
    if (case_random() & 1) continue;
    for (size_t i = 0; i < count; ++i)
      if ((is_last ? i % oc : i / (count / oc)) == j) weights[i] = 0;
    c->w_scale[j] = ldexpf(1.5f, case_between(-32, -10));
    bias[j] = ((1 << 30) + case_between(-128, 128)) * case_between(-1, 1);
  }
}

// A number for each channel, of sums of floats.
static inline void case_vector(conv_case *c, tenon_tensor *t, int kind) {
  const size_t oc = (size_t)c->shape.oc;
  void *data = case_fill(c, malloc(oc * sizeof(float)), oc, kind);
  case_tensor(t, TENON_F32, c->b_dims, 1, data, NULL);
}

// Random data in x and the constants; `options` decide on bias, limits, scales
// per channel and channels without weights, and of floats on scale and shift.
static inline void case_init(conv_case *c, const conv_shape *s, int kind,
                             uint32_t options) {
  memset(c, 0, sizeof *c);
  c->shape = *s;
  case_dims(c);
  const int rank = s->op == CASE_FULLY_CONNECTED ? 2 : 4;
  const tenon_dtype w_dtype = s->is_float ? TENON_F32 : TENON_S8;
  const tenon_dtype dtype = s->is_words ? TENON_S16 : w_dtype;
  if (!s->is_float) case_quantise(c, kind, options & 1);
  if (options & CASE_HAS_ZERO) {
    c->w_zero = case_between(-128, 127);
    c->w_quant.zero = &c->w_zero;
  }
  case_tensor(&c->in[0], dtype, c->x_dims, rank, NULL,
              s->is_float ? NULL : &c->x_quant);
  case_tensor(&c->in[1], w_dtype, c->w_dims, rank, NULL,
              s->is_float ? NULL : &c->w_quant);
  case_tensor(&c->out[0], dtype, c->y_dims, rank, NULL,
              s->is_float ? NULL : &c->y_quant);

  const size_t x_count = tenon_count(&c->in[0]);
  const size_t x_size = x_count * case_element(c);
  void *x = case_pages(&c->pages, x_size);
  c->in[0].data = s->is_words ? case_fill_words(x, x_count, kind)
                              : case_fill(c, x, x_count, kind);
  const size_t w_count = tenon_count(&c->in[1]);
  c->in[1].data = case_fill_weights(c, w_count, kind);
  c->y_size = tenon_count(&c->out[0]) * case_element(c);
  c->y_room = malloc(c->y_size + 2 * CASE_GUARD);
  c->out[0].data = c->y_room + CASE_GUARD;

  if (s->is_words && (options & 2)) {
    case_tensor(&c->in[2], TENON_S64, c->b_dims, 1, case_fill_bias(c, kind),
                NULL);
  } else if (options & 2) {
    const size_t oc = (size_t)s->oc;
    void *bias = malloc(oc * 4);
    for (size_t i = 0; i < oc; ++i) {
      if (s->is_float)
        ((float *)bias)[i] = case_float(kind);
      else
        ((int32_t *)bias)[i] = kind == CASE_EXTREME ? (int32_t)case_random()
                                                    : case_between(-5000, 5000);
    }
    case_tensor(&c->in[2], s->is_float ? TENON_F32 : TENON_S32, c->b_dims, 1,
                bias, NULL);
  }
  if (s->is_float && (options & 32)) {
    case_vector(c, &c->in[3], kind);
    if (options & 64) case_vector(c, &c->in[4], kind);
  }
  if (!s->is_float && !s->is_words && (options & 19) == 19)
    case_empty_channels(c);
  const int64_t stride[] = {s->down, s->right};
  const int64_t dilation[] = {s->dil_y, s->dil_x};
  memcpy(c->stride, stride, sizeof stride);
  memcpy(c->dilation, dilation, sizeof dilation);
  for (int i = 0; i < 4; ++i)
    c->pad[i] = s->pad[i];
  const tenon_opt_float lo = case_limit(c, options & 4, -0.5);
  const tenon_opt_float hi = case_limit(c, options & 8, 1.5);
  if (s->op == CASE_CONV) {
    tenon_conv_attrs *a = &c->attrs.conv;
    a->stride = (tenon_ints){c->stride, 2};
    a->pad = (tenon_ints){c->pad, 4};
    a->dilation = (tenon_ints){c->dilation, 2};
    a->groups = s->groups ? s->groups : 1;
    a->single_scale = !s->is_float && (options & 32);
    a->lo = lo, a->hi = hi;
  } else if (s->op == CASE_DEPTHWISE) {
    tenon_depthwise_conv_attrs *a = &c->attrs.depthwise;
    a->stride = (tenon_ints){c->stride, 2};
    a->pad = (tenon_ints){c->pad, 4};
    a->dilation = (tenon_ints){c->dilation, 2};
    a->single_scale = !s->is_float && (options & 32);
    a->lo = lo, a->hi = hi;
  } else {
    c->attrs.fully_connected.lo = lo;
    c->attrs.fully_connected.hi = hi;
  }
  c->call = (tenon_call){
      .in = c->in, .out = c->out, .attrs = &c->attrs, .n_in = 5, .n_out = 1};
}

static inline void case_deinit(conv_case *c) {
  case_pages_free(&c->pages);
  free(c->in[1].data);
  for (int i = 2; i < 5; ++i)
    free(c->in[i].data);
  free(c->w_scale);
  free(c->y_room);
}

static inline const tenon_op_desc *case_op(const conv_case *c) {
  static const tenon_op_desc *const ops[] = {&tenon_op_core_conv,
                                             &tenon_op_core_depthwise_conv,
                                             &tenon_op_core_fully_connected};
  return ops[c->shape.op];
}

// The reference kernel for these types.
static inline const tenon_kernel_desc *case_reference(const conv_case *c) {
  const char *first = c->shape.is_float   ? "f32, f32,"
                      : c->shape.is_words ? "s16q, s8q"
                                          : "s8q, ";
  for (const tenon_kernel_desc *const *k = case_op(c)->kernels; *k; ++k)
    if (strncmp((*k)->types, first, strlen(first)) == 0) return *k;
  return NULL;
}

static inline bool case_run_init(case_run *r, const conv_case *c,
                                 const tenon_kernel_desc *k, int rubbish) {
  return case_run_of(r, &c->call, k, rubbish);
}

#endif  // TENON_TESTS_CONV_CASE_H
