// dynamic_conv3d_s8_ref.c - convolution of volumes of integers whose scale a
// run finds out, to floats.
//
// Items are rows of the result. Taps outside of the volume add nothing, so what
// stands there is the zero point. Sums are exact; with a scale of 1 the result
// is rounded once.
#include "kern/product/integer_linear.h"
#include "kern/product/volume.h"

static int32_t dynamic_conv3d_s8_ref_sum(const tenon_call *c,
                                         const tenon_volume *v,
                                         const tenon_taps tap[3], int32_t zero,
                                         ptrdiff_t oc) {
  const tenon_conv3d_attrs *a = (const tenon_conv3d_attrs *)c->attrs;
  const int64_t *dil = a->dilation.data;
  const int8_t *x = (const int8_t *)c->in[0].data + oc / v->group * v->depth;
  const int8_t *w =
      (const int8_t *)c->in[1].data + oc * v->kd * v->kh * v->kw * v->depth;
  uint32_t sum = 0;
  for (ptrdiff_t kz = tap[0].begin; kz < tap[0].end; ++kz)
    for (ptrdiff_t ky = tap[1].begin; ky < tap[1].end; ++ky)
      for (ptrdiff_t kx = tap[2].begin; kx < tap[2].end; ++kx)
        sum += (uint32_t)tenon_integer_products(
            x + tenon_volume_at(v, tap[0].at + kz * (ptrdiff_t)dil[0],
                                tap[1].at + ky * (ptrdiff_t)dil[1],
                                tap[2].at + kx * (ptrdiff_t)dil[2]),
            w + ((kz * v->kh + ky) * v->kw + kx) * v->depth, zero, v->depth);
  return (int32_t)sum;
}

TENON_KERNEL_RANGE(tenon_k_dynamic_conv3d_s8_ref) {
  const tenon_integer_row of = tenon_integer_row_of(c, 0);
  const float *scale = (const float *)c->in[4].data;
  const float *bias = (const float *)c->in[5].data;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const tenon_volume v = tenon_volume_of(c, row);
    float *y = (float *)c->out[0].data + row * v.out_w * v.out_c;
    tenon_taps tap[3] = {
        tenon_volume_taps(c, 0, v.z), tenon_volume_taps(c, 1, v.y), {0, 0, 0}};
    for (ptrdiff_t ox = 0; ox < v.out_w; ++ox) {
      tap[2] = tenon_volume_taps(c, 2, ox);
      for (ptrdiff_t oc = 0; oc < v.out_c; ++oc) {
        const int32_t sum = dynamic_conv3d_s8_ref_sum(c, &v, tap, of.zero, oc);
        float acc = (float)sum * (scale ? scale[oc] : 1.0f) * of.scale;
        if (bias) acc += bias[oc];
        *y++ = acc;
      }
    }
  }
  return TENON_OK;
}
