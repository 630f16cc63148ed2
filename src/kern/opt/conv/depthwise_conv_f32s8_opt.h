// kern/opt/conv/depthwise_conv_f32s8_opt.h - depthwise convolution of floats
// with quantised weights. A range turns each image it touches into integers.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32S8_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32S8_OPT_H

#include "kern/opt/conv/depthwise_conv_f32_opt.h"
#include "kern/opt/product/hybrid_f32_opt.h"

TENON_INLINE tenon_status tenon_depthwise_conv_f32s8_run(const tenon_call *c,
                                                         int64_t begin,
                                                         int64_t end) {
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const int32_t *w = c->in[1].dims;
  const int64_t rows = c->out[0].dims[1];
  const ptrdiff_t n = c->out[0].dims[3];
  const ptrdiff_t line = c->out[0].dims[2] * n;
  const tenon_hybrid_f32 p =
      tenon_hybrid_f32_of(c->packed, (ptrdiff_t)w[1] * w[2], n);
  tenon_hybrid_image s;
  tenon_hybrid_image_init(&s, c);
  while (begin < end) {
    const int64_t first = begin / rows * rows;
    const int64_t stop = first + rows < end ? first + rows : end;
    const float scale = tenon_hybrid_image_begin(
        &s, c, (ptrdiff_t)(begin / rows), a->asymmetric);
    tenon_depthwise_f32_rows(&s.call, (ptrdiff_t)(begin - first),
                             (ptrdiff_t)(stop - first), 0, c->out[0].dims[2]);
    tenon_hybrid_f32_finish(
        &p, scale, (float *)c->out[0].data + (ptrdiff_t)begin * line,
        (ptrdiff_t)(stop - begin) * c->out[0].dims[2], n, 0, n);
    begin = stop;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32S8_OPT_H
