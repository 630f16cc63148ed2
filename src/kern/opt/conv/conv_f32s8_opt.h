// kern/opt/conv/conv_f32s8_opt.h - convolution of floats with quantised
// weights. A range turns each image it touches into integers.
#ifndef TENON_KERN_OPT_CONV_F32S8_OPT_H
#define TENON_KERN_OPT_CONV_F32S8_OPT_H

#include "kern/opt/conv/conv_f32_opt.h"
#include "kern/opt/product/hybrid_f32_opt.h"

// Items begin to end of one image.
static void tenon_conv_f32s8_items(const tenon_hybrid_image *s,
                                   const tenon_hybrid_f32 *p,
                                   const tenon_window *g,
                                   const tenon_blocks *blocks, float scale,
                                   int64_t begin, int64_t end) {
  const ptrdiff_t line = tenon_is_product(g) ? 1 : g->out_w;  // pixels
  while (begin < end) {
    tenon_work work;
    const int64_t next = tenon_blocks_work(blocks, begin, end, &work);
    (void)tenon_conv_f32_run(&s->call, begin, next);
    tenon_hybrid_f32_finish(
        p, scale, (float *)s->out[0].data + work.begin * line * g->out_c,
        (work.end - work.begin) * line, g->out_c, work.group * TENON_GROUP,
        work.group_end * TENON_GROUP);
    begin = next;
  }
}

TENON_INLINE tenon_status tenon_conv_f32s8_run(const tenon_call *c,
                                               int64_t begin, int64_t end) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  tenon_hybrid_image s;
  tenon_hybrid_image_init(&s, c);
  const tenon_window g = tenon_window_upright(tenon_conv_window(&s.call));
  const tenon_blocks blocks = tenon_blocks_of_conv(&g, 1, sizeof(float));
  const int64_t all = tenon_blocks_items(&blocks);
  const tenon_hybrid_f32 p =
      tenon_hybrid_f32_of(c->packed, g.kh * g.kw * g.c, g.out_c);
  while (begin < end) {
    const int64_t first = begin / all * all;
    const int64_t stop = first + all < end ? first + all : end;
    const float scale = tenon_hybrid_image_begin(
        &s, c, (ptrdiff_t)(begin / all), a->asymmetric);
    tenon_conv_f32s8_items(&s, &p, &g, &blocks, scale, begin - first,
                           stop - first);
    begin = stop;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_F32S8_OPT_H
