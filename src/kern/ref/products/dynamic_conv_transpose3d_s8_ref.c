// dynamic_conv_transpose3d_s8_ref.c - transposed convolution of volumes of
// integers whose scale a run finds out, to floats.
//
// Items are rows of the result. Sums are exact; with a scale of 1 the result is
// rounded once.
#include "kern/product/integer_linear.h"
#include "kern/product/volume.h"

static int32_t dynamic_conv_transpose3d_s8_ref_sum(const tenon_call *c,
                                                   const tenon_volume *v,
                                                   ptrdiff_t ox, int32_t zero,
                                                   ptrdiff_t oc) {
  const int8_t *from = (const int8_t *)c->in[0].data + oc / v->group * v->depth;
  const int8_t *w =
      (const int8_t *)c->in[1].data + oc * v->kd * v->kh * v->kw * v->depth;
  uint32_t sum = 0;
  for (ptrdiff_t kz = 0; kz < v->kd; ++kz) {
    const ptrdiff_t z = tenon_volume_source(c, 0, v->z, kz);
    for (ptrdiff_t ky = 0; z >= 0 && ky < v->kh; ++ky) {
      const ptrdiff_t y = tenon_volume_source(c, 1, v->y, ky);
      for (ptrdiff_t kx = 0; y >= 0 && kx < v->kw; ++kx) {
        const ptrdiff_t x = tenon_volume_source(c, 2, ox, kx);
        if (x >= 0)
          sum += (uint32_t)tenon_integer_products(
              from + tenon_volume_at(v, z, y, x),
              w + ((kz * v->kh + ky) * v->kw + kx) * v->depth, zero, v->depth);
      }
    }
  }
  return (int32_t)sum;
}

TENON_KERNEL_RANGE(tenon_k_dynamic_conv_transpose3d_s8_ref) {
  const tenon_integer_row of = tenon_integer_row_of(c, 0);
  const float *scale = (const float *)c->in[4].data;
  const float *bias = (const float *)c->in[5].data;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const tenon_volume v = tenon_volume_of(c, row);
    float *y = (float *)c->out[0].data + row * v.out_w * v.out_c;
    for (ptrdiff_t ox = 0; ox < v.out_w; ++ox) {
      for (ptrdiff_t oc = 0; oc < v.out_c; ++oc) {
        const int32_t sum =
            dynamic_conv_transpose3d_s8_ref_sum(c, &v, ox, of.zero, oc);
        float acc = (float)sum * (scale ? scale[oc] : 1.0f) * of.scale;
        if (bias) acc += bias[oc];
        *y++ = acc;
      }
    }
  }
  return TENON_OK;
}
