// depthwise_conv3d_f32_ref.c - every channel of a volume on its own: each
// output is one chain of fused multiply-adds over kd, kh and kw, begun at zero,
// with bias, scale and shift behind it.
//
// Items are rows: n, d and h of the result. Sums of a pixel stand where its
// results will.
#include <math.h>

#include "kern/op/clamp.h"
#include "kern/product/conv.h"
#include "kern/product/volume.h"

static void depthwise_conv3d_f32_ref_tap(const float *x, const float *w,
                                         float *y, ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i)
    y[i] = fmaf(x[i], w[i], y[i]);
}

static void depthwise_conv3d_f32_ref_pixel(const tenon_call *c, ptrdiff_t image,
                                           tenon_taps tz, tenon_taps ty,
                                           ptrdiff_t ox, float *y) {
  const tenon_depthwise_conv3d_attrs *a =
      (const tenon_depthwise_conv3d_attrs *)c->attrs;
  const int32_t *size = c->in[0].dims, *taps = c->in[1].dims;
  const tenon_taps tx = tenon_volume_taps(c, 2, ox);
  const ptrdiff_t channels = size[4];
  for (ptrdiff_t i = 0; i < channels; ++i)
    y[i] = 0.0f;
  for (ptrdiff_t kz = tz.begin; kz < tz.end; ++kz) {
    const ptrdiff_t z = tz.at + kz * (ptrdiff_t)a->dilation.data[0];
    for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
      const ptrdiff_t row = (image * size[1] + z) * size[2] + ty.at +
                            ky * (ptrdiff_t)a->dilation.data[1];
      for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx)
        depthwise_conv3d_f32_ref_tap(
            (const float *)c->in[0].data +
                (row * size[3] + tx.at + kx * (ptrdiff_t)a->dilation.data[2]) *
                    channels,
            (const float *)c->in[1].data +
                ((kz * taps[2] + ky) * taps[3] + kx) * channels,
            y, channels);
    }
  }
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv3d_f32_ref) {
  const tenon_depthwise_conv3d_attrs *a =
      (const tenon_depthwise_conv3d_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
  const int32_t *out = c->out[0].dims;
  const ptrdiff_t channels = out[4];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const tenon_taps tz = tenon_volume_taps(c, 0, row / out[2] % out[1]);
    const tenon_taps ty = tenon_volume_taps(c, 1, row % out[2]);
    float *y = (float *)c->out[0].data + row * out[3] * channels;
    for (ptrdiff_t ox = 0; ox < out[3]; ++ox, y += channels) {
      depthwise_conv3d_f32_ref_pixel(c, row / out[2] / out[1], tz, ty, ox, y);
      for (ptrdiff_t i = 0; i < channels; ++i)
        y[i] = tenon_limit_f32(tenon_conv_finish_f32(&tail, y[i], i), m);
    }
  }
  return TENON_OK;
}
