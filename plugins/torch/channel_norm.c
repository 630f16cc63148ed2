// channel_norm.c - x / sqrt(mean over C of x^2 + eps) * weight, C is
// dimension 1.
#include <math.h>

#include "tenon/tensor.h"

typedef struct channel_norm_attrs {
  double eps;
} channel_norm_attrs;

TENON_KERNEL(torch_channel_norm_f32) {
  const tenon_tensor *t = &c->in[0];
  const float *x = (const float *)t->data, *w = (const float *)c->in[1].data;
  float *y = (float *)c->out[0].data;
  float eps = (float)((const channel_norm_attrs *)c->attrs)->eps;
  size_t channels = (size_t)t->dims[1], inner = 1;
  for (int i = 2; i < t->rank; ++i)
    inner *= (size_t)t->dims[i];
  for (size_t image = 0; image < (size_t)t->dims[0]; ++image) {
    for (size_t i = 0; i < inner; ++i) {
      size_t at = image * channels * inner + i;
      float sum = 0.0f;
      for (size_t k = 0; k < channels; ++k)
        sum = fmaf(x[at + k * inner], x[at + k * inner], sum);
      float by = sqrtf(sum / (float)channels + eps);
      for (size_t k = 0; k < channels; ++k)
        y[at + k * inner] = x[at + k * inner] / by * w[k];
    }
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (x->rank < 2 || w->rank != 1 || x->dims[1].value != w->dims[0].value)
    return tenon_infer_fail(c, "weight has not one number for each channel");
  return tenon_infer_out(c, 0, x);
}

static const tenon_op_desc channel_norm = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::channel_norm(Tensor x, Tensor weight, float eps=1e-05) -> "
        "Tensor",
    .doc = "x by the root mean square of its channels, times a weight.",
    TENON_OP_MEMBERS(channel_norm_attrs, eps),
    .attrs_type = "channel_norm_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_channel_norm_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_channel_norm, "1.0.0", &channel_norm);

#endif  // TENON_EMITTED
