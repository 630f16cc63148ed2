// kern/opt/conv/conv_made_f32_opt.h - convolution in floats whose weights are
// not known before a run: scaled by a style, chosen by an image, or a kernel of
// correlation.
//
// The weights of some channels are packed into scratch as those of constant
// ones are when a model is compiled, then go through all rows of the range;
// the tiles are those of conv_f32_opt.h, and so are the bits.
#ifndef TENON_KERN_OPT_CONV_MADE_F32_OPT_H
#define TENON_KERN_OPT_CONV_MADE_F32_OPT_H

#include "kern/opt/conv/conv_f32_opt.h"
#include "kern/opt/permute_b4_opt.h"
#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/made_f32.h"

// Channels of k weights each, one behind the other, to panels.
TENON_INLINE void tenon_conv_made_panels(const float *w, ptrdiff_t channels,
                                         ptrdiff_t k, float *to) {
  for (; channels > 0;
       channels -= TENON_LANES, w += TENON_LANES * k, to += TENON_LANES * k) {
    const ptrdiff_t n = channels < TENON_LANES ? channels : TENON_LANES;
    const tenon_transpose t = {.step = k, .width = TENON_LANES};
    if (n < TENON_LANES) memset(to, 0, (size_t)(TENON_LANES * k) * sizeof *to);
    tenon_permute_b4_move(&t, k, n, (const char *)w, (char *)to);
  }
}

// Packs part `i` of all, and has `s` compute its outputs of image 0.
TENON_INLINE void tenon_conv_made_part(const tenon_call *c,
                                       const tenon_conv_made *m, ptrdiff_t i,
                                       tenon_conv_f32 *s) {
  const tenon_conv_attrs *attrs = (const tenon_conv_attrs *)c->attrs;
  const ptrdiff_t group = i / m->parts, begin = i % m->parts * m->part;
  const ptrdiff_t from = group * m->channels + begin;
  const ptrdiff_t k = m->g.kh * m->g.kw * m->depth;
  const ptrdiff_t n =
      m->channels - begin < m->part ? m->channels - begin : m->part;
  float *to = tenon_made_tail(c, from, n, attrs->lo, attrs->hi, c->scratch);
  tenon_conv_made_panels((const float *)c->in[1].data + from * k, n, k, to);
  s->gemm = tenon_gemm_f32_of(c->scratch, k, n);
  s->x =
      (const float *)c->in[0].data + (s->is_narrow ? from : group * m->depth);
  s->y = (float *)c->out[0].data + from;
  s->v = 0;
  s->v_end = (n + TENON_VL - 1) / TENON_VL;
}

TENON_INLINE tenon_status tenon_conv_made_f32_run(const tenon_call *c,
                                                  int64_t begin, int64_t end) {
  const tenon_conv_attrs *attrs = (const tenon_conv_attrs *)c->attrs;
  const tenon_conv_made m = tenon_conv_made_of(c);
  const tenon_window *g = &m.g;
  const ptrdiff_t count = m.blocks.count, height = m.blocks.height;
  ptrdiff_t packed = -1;
  tenon_conv_f32 all;
  all.g = m.g;
  all.depth = m.depth;
  all.strides = NULL;
  all.is_narrow = m.groups != (ptrdiff_t)attrs->groups;
  while (begin < end) {
    const ptrdiff_t line = (ptrdiff_t)begin / count;  // of blocks of an image
    const ptrdiff_t block = (ptrdiff_t)begin % count;
    const ptrdiff_t part = line / m.blocks.images;
    const ptrdiff_t image = line % m.blocks.images;
    const ptrdiff_t left = count - block;
    const ptrdiff_t n = end - begin < left ? (ptrdiff_t)(end - begin) : left;
    if (part != packed) tenon_conv_made_part(c, &m, part, &all);
    packed = part;
    tenon_conv_f32 s = all;
    s.x += image * g->h * g->w * g->c;
    s.y += image * g->out_h * g->out_w * g->out_c;
    const ptrdiff_t behind = (block + n) * height;
    tenon_conv_f32_rows(&s, block * height,
                        behind < g->out_h ? behind : g->out_h);
    begin += n;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_MADE_F32_OPT_H
