// max_unpooling.c - MaxUnpooling2D: elements go back to where a pooling found
// them, all others are zero.
//
// Facts: two libraries register this custom code. MediaPipe's has places within
// the window, as floats (mediapipe/util/tflite/operations/max_unpooling.cc);
// one that is outside of the result is left out. TensorFlow Lite's has places
// in the whole image, as integers
// (tensorflow/lite/kernels/perception/max_unpooling_2d.cc). The type of the
// places says which it is. The options are the members of TfLitePoolParams as
// they lie in memory: padding (1 same, 2 valid), stride_width, stride_height,
// filter_width, filter_height.
#include <string.h>

#include "tenon/tensor.h"

typedef struct max_unpooling_attrs {
  int64_t padding, stride_w, stride_h, filter_w, filter_h;
} max_unpooling_attrs;

static int32_t max_unpooling_front(int32_t in, int32_t out, int64_t window,
                                   int64_t stride) {
  int64_t total = (in - 1) * stride + window - out;
  return total > 0 ? (int32_t)(total / 2) : 0;
}

TENON_KERNEL(mediapipe_max_unpooling_f32) {
  const max_unpooling_attrs *a = (const max_unpooling_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  const float *at = (const float *)c->in[1].data;
  const int32_t *in = c->in[0].dims, *out = c->out[0].dims;
  float *y = (float *)c->out[0].data;
  int32_t left = max_unpooling_front(in[2], out[2], a->filter_w, a->stride_w);
  int32_t top = max_unpooling_front(in[1], out[1], a->filter_h, a->stride_h);
  size_t n = tenon_count(&c->in[0]), channels = (size_t)in[3];
  memset(y, 0, tenon_count(&c->out[0]) * sizeof *y);
  for (size_t i = 0; i < n; ++i) {
    size_t rest = i / channels;
    int64_t column = (int64_t)(rest % (size_t)in[2]) * a->stride_w - left;
    int64_t row =
        (int64_t)(rest / (size_t)in[2] % (size_t)in[1]) * a->stride_h - top;
    size_t image = rest / (size_t)in[2] / (size_t)in[1];
    if (!(at[i] > -1 && at[i] < 1e6f)) continue;  // of no window
    int64_t place = (int64_t)at[i];
    column += place % a->filter_w;
    row += place / a->filter_w;
    if (row < 0 || row >= out[1] || column < 0 || column >= out[2]) continue;
    y[((image * (size_t)out[1] + (size_t)row) * (size_t)out[2] +
       (size_t)column) *
          channels +
      i % channels] = x[i];
  }
  return TENON_OK;
}

TENON_KERNEL(tflite_max_unpooling_s32) {
  const float *x = (const float *)c->in[0].data;
  const int32_t *at = (const int32_t *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  size_t images = (size_t)c->in[0].dims[0], size = tenon_count(&c->out[0]);
  size_t one = images ? size / images : 0, part = images ? n / images : 0;
  memset(y, 0, size * sizeof *y);
  for (size_t i = 0; i < n; ++i) {
    if (at[i] < 0 || (size_t)at[i] >= one)
      return tenon_call_fail(c, "place {0} of {1}", at[i], (int64_t)one);
    y[i / part * one + (size_t)at[i]] = x[i];
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status unpooling_read(tenon_options *o, void *attrs) {
  return tenon_options_words(o, sizeof(max_unpooling_attrs) / sizeof(int64_t),
                             (int64_t *)attrs);
}

static tenon_status unpooling_infer(tenon_infer *c) {
  const max_unpooling_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *at = tenon_infer_in(c, 1);
  if (x->dtype != TENON_F32 || x->rank != 4 ||
      (at->dtype != TENON_F32 && at->dtype != TENON_S32))
    return tenon_infer_fail(c, "expected images of f32, places of f32 or s32");
  TENON_TRY(tenon_infer_same_shape(c, 0, 1));
  if ((a->padding != 1 && a->padding != 2) || a->stride_w < 1 ||
      a->stride_h < 1 || a->filter_w < 1 || a->filter_h < 1 ||
      a->stride_w > 1024 || a->stride_h > 1024 || a->filter_w > 1024 ||
      a->filter_h > 1024)
    return tenon_infer_fail(
        c, "padding is %lld, expected 1 or 2; or a window or stride is none",
        (long long)a->padding);
  tenon_dim dims[4] = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]};
  for (int i = 1; i < 3; ++i) {
    int64_t window = i == 1 ? a->filter_h : a->filter_w;
    int64_t stride = i == 1 ? a->stride_h : a->stride_w, n = dims[i].value;
    if (dims[i].symbol) return tenon_infer_fail(c, "a size is open");
    dims[i].value = at->dtype == TENON_F32 ? n * window
                    : a->padding == 1      ? n * stride
                                           : (n - 1) * stride + window;
  }
  tenon_type y = {.dtype = TENON_F32, .rank = 4, .dims = dims};
  return tenon_infer_out(c, 0, &y);
}

static const tenon_kernel_desc unpooling_f32 = {
    TENON_KERNEL_RUN(mediapipe_max_unpooling_f32),
    .flags = TENON_KERNEL_NOFAIL,
    .types = "f32, f32 -> f32",
};
static const tenon_kernel_desc unpooling_s32 = {
    TENON_KERNEL_RUN(tflite_max_unpooling_s32),
    .types = "f32, s32 -> f32",
};
static const tenon_op_desc unpooling = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "mediapipe::max_unpooling(Tensor x, Tensor at, *, int padding=1, "
        "int stride_w=1, int stride_h=1, int filter_w=1, int filter_h=1) -> "
        "Tensor",
    .doc = "Elements go back to where a pooling found them.",
    TENON_OP_MEMBERS(max_unpooling_attrs, padding, stride_w, stride_h, filter_w,
                     filter_h),
    .infer = unpooling_infer,
    .kernels = (const tenon_kernel_desc *const[]){&unpooling_f32,
                                                  &unpooling_s32, NULL},
    .tflite_name = "MaxUnpooling2D",
    .read_tflite = unpooling_read,
};
TENON_PLUGIN_OPS(mediapipe_max_unpooling, "1.0.0", &unpooling);
#endif
