// conv_f32_fpu.c - convolution in floats, eight channels at a time, then four,
// then one. Bit for bit what conv_f32_ref.c computes.
//
// Packed: weights of eight channels in turn, of four, of the others as they
// are.
#include <math.h>

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/loop/window.h"
#include "kern/product/conv.h"

// Where the taps of a pixel lie in the image: rows of runs of numbers. Places
// of weights are those of one channel.
typedef struct conv_f32_fpu_pixel {
  const float *x;
  int32_t rows, turns, run, line, step;  // of x
  int32_t first, w_line, w_step;
} conv_f32_fpu_pixel;

static conv_f32_fpu_pixel conv_f32_fpu_at(const tenon_window *g,
                                          const float *image, tenon_taps ty,
                                          tenon_taps tx) {
  const int32_t taps = (int32_t)(tx.end - tx.begin), depth = (int32_t)g->c;
  conv_f32_fpu_pixel p;
  p.x = image +
        ((ty.at + ty.begin * g->dil_y) * g->w + tx.at + tx.begin * g->dil_x) *
            g->c;
  p.rows = taps > 0 ? (int32_t)(ty.end - ty.begin) : 0;
  // A row of taps is a run of numbers, or as many as there are taps.
  p.turns = g->dil_x == 1 ? 1 : taps;
  p.run = g->dil_x == 1 ? taps * depth : depth;
  p.line = (int32_t)(g->dil_y * g->w) * depth;
  p.step = (int32_t)g->dil_x * depth;
  p.first = (int32_t)(ty.begin * g->kw + tx.begin) * depth;
  p.w_line = (int32_t)g->kw * depth;
  p.w_step = depth;
  return p;
}

// `n` channels, 8, 4 or 1, at a pixel.
static inline __attribute__((always_inline)) void conv_f32_fpu_some(
    const conv_f32_fpu_pixel *p, const tenon_limits_f32 *m, const float *w,
    const float *bias, float *y, int32_t n) {
  float sums[8];
  tenon_fpu_begin(sums);
  const float *line = p->x;
  w += p->first * n;
  for (int32_t ky = p->rows; ky > 0; --ky) {
    const float *x = line, *v = w;
    for (int32_t k = p->turns; k > 0; --k) {
      if (n == 8)
        tenon_fpu_eight(v, x, p->run, sums);
      else if (n == 4)
        tenon_fpu_four(v, x, p->run, sums);
      else
        for (int32_t i = 0; i < p->run; ++i)
          sums[0] = fmaf(x[i], v[i], sums[0]);
      x += p->step;
      v += p->w_step * n;
    }
    line += p->line;
    w += p->w_line * n;
  }
  if (n == 8)
    tenon_fpu_store_eight(sums, bias, y, m);
  else
    tenon_fpu_store(sums, bias, y, n, m);
}

TENON_KERNEL_RANGE(tenon_k_conv_f32_fpu) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_limits_f32 limits = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_limits_f32 *m = a->lo.has || a->hi.has ? &limits : NULL;
  const float *bias = (const float *)c->in[2].data;
  const int32_t *taps = c->in[1].dims;
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], taps[1], taps[2], a->stride.data,
                      a->pad.data, a->dilation.data);
  const int32_t size = (int32_t)(g.kh * g.kw * g.c), out_c = (int32_t)g.out_c;
  const int32_t eights = out_c / 8 * 8;
  int32_t n;
  float *y = (float *)c->out[0].data + (ptrdiff_t)begin * g.out_w * g.out_c;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += out_c) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const conv_f32_fpu_pixel p = conv_f32_fpu_at(&g, image, ty, tx);
      const float *w = (const float *)c->packed;
      for (int32_t i = 0; i < eights; i += 8, w += 8 * size)
        conv_f32_fpu_some(&p, m, w, bias ? bias + i : NULL, y + i, 8);
      for (int32_t i = eights; i < out_c; i += n, w += n * size) {
        n = out_c - i >= 4 ? 4 : 1;
        conv_f32_fpu_some(&p, m, w, bias ? bias + i : NULL, y + i, n);
      }
    }
  }
  return TENON_OK;
}
