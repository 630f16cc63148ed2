// transpose_conv_bias.c - Convolution2DTransposeBias, in MediaPipe's models of
// segmentation: a transposed convolution with a bias, lowered to that of the
// schema.
//
// Facts: mediapipe/util/tflite/operations/transpose_conv_bias.cc. The options
// are the members of TfLiteTransposeConvParams as they lie in memory: padding
// (1 same, 2 valid), stride_width, stride_height; what is behind them is not
// looked at there.
#include "tenon/ext/plugin.h"

typedef struct transpose_attrs {
  int64_t padding, stride_w, stride_h;
} transpose_attrs;

static tenon_status transpose_read(tenon_options *o, void *attrs) {
  return tenon_options_words(o, 3, (int64_t *)attrs);
}

// What one axis of the result has.
static int64_t length(const transpose_attrs *a, int64_t in, int64_t window,
                      int64_t stride) {
  int64_t cut = a->padding == 1 ? window - (in - 1) % stride - 1 : 0;
  return stride * (in - 1) + window - (cut > 0 ? cut : 0);
}

static tenon_status transpose_infer(tenon_infer *c) {
  const transpose_attrs *a = tenon_infer_attrs(c);
  const tenon_type *t[3];
  for (int i = 0; i < 3; ++i) {
    t[i] = tenon_infer_in(c, i);
    if (t[i]->dtype != TENON_F32 || t[i]->rank != (i < 2 ? 4 : 1))
      return tenon_infer_fail(c, "expected images, weights and a bias of f32");
    for (int k = 0; k < t[i]->rank; ++k)
      if (t[i]->dims[k].symbol || t[i]->dims[k].value < 1)
        return tenon_infer_fail(c, "a size is open, or 0");
  }
  if ((a->padding != 1 && a->padding != 2) || a->stride_w < 1 ||
      a->stride_w > 1024 || a->stride_h < 1 || a->stride_h > 1024)
    return tenon_infer_fail(
        c, "padding is %lld, expected 1 or 2; strides are %lld and %lld",
        (long long)a->padding, (long long)a->stride_h, (long long)a->stride_w);
  if (t[0]->dims[3].value != t[1]->dims[3].value ||
      t[1]->dims[0].value != t[2]->dims[0].value)
    return tenon_infer_fail(c, "channels of images, weights and bias differ");
  tenon_dim dims[] = {
      t[0]->dims[0],
      {length(a, t[0]->dims[1].value, t[1]->dims[1].value, a->stride_h), 0},
      {length(a, t[0]->dims[2].value, t[1]->dims[2].value, a->stride_w), 0},
      t[1]->dims[0]};
  tenon_type y = {.dtype = TENON_F32, .rank = 4, .dims = dims};
  return tenon_infer_out(c, 0, &y);
}

static tenon_status transpose_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const transpose_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  int32_t sizes[4];
  tenon_dim four = {4, 0};
  const tenon_type list = {.dtype = TENON_S32, .rank = 1, .dims = &four};
  for (int i = 0; i < 4; ++i)
    sizes[i] = (int32_t)y->dims[i].value;
  tenon_value *in[] = {
      rw->api->literal(rw, &list, sizes), tenon_rw_operand(rw, node, 1),
      tenon_rw_operand(rw, node, 0), tenon_rw_operand(rw, node, 2)};
  // The schema counts paddings from 0.
  const tenon_arg args[] = {tenon_arg_int("padding", a->padding - 1),
                            tenon_arg_int("stride_w", a->stride_w),
                            tenon_arg_int("stride_h", a->stride_h),
                            TENON_END_ARGS};
  return tenon_rw_replace(rw, node,
                          tenon_rw_op(rw, "tfl::TRANSPOSE_CONV", in, 4, args));
}

static const tenon_op_desc transpose = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "mediapipe::transpose_conv_bias(Tensor x, Tensor w, Tensor bias, *, "
        "int padding=1, int stride_w=1, int stride_h=1) -> Tensor",
    .doc = "A transposed convolution with a bias.",
    TENON_OP_MEMBERS(transpose_attrs, padding, stride_w, stride_h),
    .infer = transpose_infer,
    .lower = transpose_lower,
    .tflite_name = "Convolution2DTransposeBias",
    .read_tflite = transpose_read,
};
TENON_PLUGIN_OPS(mediapipe_transpose_conv_bias, "1.0.0", &transpose);
