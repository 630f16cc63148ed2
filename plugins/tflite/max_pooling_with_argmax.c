// max_pooling_with_argmax.c - MaxPoolingWithArgmax2D of MediaPipe's models of
// segmentation: the largest element of each window, and where in the window it
// was.
//
// Facts: mediapipe/util/tflite/operations/max_pool_argmax.cc. The place is a
// float, row times width of the window plus column, and a tenth, so that it may
// be cut. The options are the members of TfLitePoolParams as they lie in
// memory: padding (1 same, 2 valid), stride_width, stride_height, filter_width,
// filter_height, activation.
#include <float.h>

#include "tenon/tensor.h"

typedef struct max_argmax_attrs {
  int64_t padding, stride_w, stride_h, filter_w, filter_h, activation;
} max_argmax_attrs;

// Elements in front of the first image element, on one axis.
static int32_t max_argmax_front(int32_t in, int32_t out, int32_t window,
                                int32_t stride) {
  int32_t total = (out - 1) * stride + window - in;
  return total > 0 ? total / 2 : 0;
}

static float max_argmax_limit(float v, int64_t activation) {
  if (activation == 1 || activation == 3) v = v > 0 ? v : 0;
  if (activation == 2) v = v < -1 ? -1 : v > 1 ? 1 : v;
  return activation == 3 && v > 6 ? 6 : v;
}

TENON_KERNEL(mediapipe_max_argmax_f32) {
  const max_argmax_attrs *a = (const max_argmax_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  const int32_t *in = c->in[0].dims, *out = c->out[0].dims;
  float *y = (float *)c->out[0].data, *at = (float *)c->out[1].data;
  int32_t width = (int32_t)a->filter_w, height = (int32_t)a->filter_h;
  int32_t step_x = (int32_t)a->stride_w, step_y = (int32_t)a->stride_h;
  int32_t left = max_argmax_front(in[2], out[2], width, step_x);
  int32_t top = max_argmax_front(in[1], out[1], height, step_y);
  size_t n = tenon_count(&c->out[0]);
  for (size_t i = 0; i < n; ++i) {
    size_t channel = i % (size_t)out[3], rest = i / (size_t)out[3];
    int32_t x0 = (int32_t)(rest % (size_t)out[2]) * step_x - left;
    rest /= (size_t)out[2];
    int32_t y0 = (int32_t)(rest % (size_t)out[1]) * step_y - top;
    size_t image = rest / (size_t)out[1] * (size_t)in[1];
    float most = -FLT_MAX;
    int32_t place = 0;
    for (int32_t k = 0; k < width * height; ++k) {
      int32_t row = y0 + k / width, column = x0 + k % width;
      if (row < 0 || row >= in[1] || column < 0 || column >= in[2]) continue;
      float v = x[((image + (size_t)row) * (size_t)in[2] + (size_t)column) *
                      (size_t)in[3] +
                  channel];
      if (v > most) place = k;
      if (v > most) most = v;
    }
    y[i] = max_argmax_limit(most, a->activation);
    at[i] = (float)place + 0.1f;
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status argmax_read(tenon_options *o, void *attrs) {
  return tenon_options_words(o, sizeof(max_argmax_attrs) / sizeof(int64_t),
                             (int64_t *)attrs);
}

static tenon_status argmax_infer(tenon_infer *c) {
  const max_argmax_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_F32 || x->rank != 4)
    return tenon_infer_fail(c, "expected images of f32");
  if ((a->padding != 1 && a->padding != 2) || a->stride_w < 1 ||
      a->stride_h < 1 || a->filter_w < 1 || a->filter_h < 1 ||
      a->stride_w > 1024 || a->stride_h > 1024 || a->filter_w > 1024 ||
      a->filter_h > 1024)
    return tenon_infer_fail(
        c, "padding is %lld, expected 1 or 2; or a window or stride is none",
        (long long)a->padding);
  if (a->activation < 0 || a->activation > 3)
    return tenon_infer_fail(c, "activation %lld is not supported",
                            (long long)a->activation);
  tenon_dim dims[4] = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]};
  for (int i = 1; i < 3; ++i) {
    int64_t window = i == 1 ? a->filter_h : a->filter_w;
    int64_t stride = i == 1 ? a->stride_h : a->stride_w;
    if (dims[i].symbol) return tenon_infer_fail(c, "a size is open");
    int64_t n = dims[i].value + stride - (a->padding == 1 ? 1 : window);
    if (n < stride) return tenon_infer_fail(c, "a window is larger than x");
    dims[i].value = n / stride;
  }
  tenon_type y = {.dtype = TENON_F32, .rank = 4, .dims = dims};
  TENON_TRY(tenon_infer_out(c, 0, &y));
  return tenon_infer_out(c, 1, &y);
}

static const tenon_op_desc argmax = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "mediapipe::max_pooling_with_argmax(Tensor x, *, int padding=1, "
        "int stride_w=1, int stride_h=1, int filter_w=1, int filter_h=1, "
        "int activation=0) -> (Tensor y, Tensor at)",
    .doc = "Maxima of windows, and where in the window they are.",
    TENON_OP_MEMBERS(max_argmax_attrs, padding, stride_w, stride_h, filter_w,
                     filter_h, activation),
    .infer = argmax_infer,
    TENON_OP_KERNEL(mediapipe_max_argmax_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32, f32"),
    .tflite_name = "MaxPoolingWithArgmax2D",
    .read_tflite = argmax_read,
};
TENON_PLUGIN_OPS(mediapipe_max_pooling_with_argmax, "1.0.0", &argmax);
#endif
