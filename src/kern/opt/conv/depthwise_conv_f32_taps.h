// kern/opt/conv/depthwise_conv_f32_taps.h - outputs of a depthwise convolution
// in floats tap by tap, for windows of any size; part of
// depthwise_conv_f32_opt.h.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_F32_TAPS_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_F32_TAPS_H

#include "kern/opt/conv/depthwise_conv_f32_narrow.h"
#include "kern/opt/tiles/items.h"
#include "kern/opt/tiles/tiles.h"

typedef struct tenon_depthwise_f32 {
  tenon_window g;
  const float *bias, *weights;
  ptrdiff_t np;          // channels, filled up
  bool is_scaled;        // scale and shift stand behind the bias
  ptrdiff_t times;       // outputs of an input channel
  const float *x, *end;  // the image; the end of all images
  float *y;
  float lo, hi;
  const float *fetch;  // taps of the next channels, and how many of them
  ptrdiff_t fetches;
} tenon_depthwise_f32;

// Where a network has many weights these come from memory, and a layer has few
// sums for each: some of those that the channels after these will need.
TENON_FLAT void tenon_depthwise_f32_fetch(const tenon_depthwise_f32 *s,
                                          ptrdiff_t q) {
  for (ptrdiff_t i = 0; i < s->fetches; ++i)
    __builtin_prefetch(s->fetch + i * s->np + q);
}

// A vector of the input for outputs from channel q on, which may not exist;
// several input channels have one output each.
TENON_FLAT tenon_vf tenon_depthwise_f32_some(const tenon_depthwise_f32 *s,
                                             const float *pixel, ptrdiff_t q) {
  float lanes[TENON_VL];
  if (s->times == 1) {
    if (s->end - pixel >= q + TENON_VL) return tenon_vf_load(pixel + q);
    memset(lanes, 0, sizeof lanes);
    tenon_copy_short(lanes, pixel + q, s->end - pixel - q);
    return tenon_vf_load(lanes);
  }
  return tenon_vf_splat(*pixel);  // a single one, for all outputs
}

// What is done to a finished sum of channels q on. By value: a store may change
// what lies behind a pointer.
typedef struct tenon_depthwise_post {
  tenon_vf bias, scale, shift, lo, hi;
  bool is_scaled;
  ptrdiff_t n;  // channels from q on
} tenon_depthwise_post;

TENON_FLAT tenon_depthwise_post
tenon_depthwise_post_of(const tenon_depthwise_f32 *s, ptrdiff_t q) {
  tenon_depthwise_post p;
  p.bias = p.scale = p.shift = tenon_vf_load(s->bias + q);
  p.is_scaled = s->is_scaled;
  if (s->is_scaled) {
    p.scale = tenon_vf_load(s->bias + s->np + q);
    p.shift = tenon_vf_load(s->bias + 2 * s->np + q);
  }
  p.lo = tenon_vf_splat(s->lo);
  p.hi = tenon_vf_splat(s->hi);
  p.n = s->g.out_c - q;
  return p;
}

TENON_FLAT void tenon_depthwise_f32_put(const tenon_depthwise_post *p, float *y,
                                        tenon_vf acc) {
  acc = acc + p->bias;
  if (p->is_scaled) acc = acc * p->scale + p->shift;
  acc = tenon_vf_clamp(acc, p->lo, p->hi);
  if (p->n >= TENON_VL) {
    tenon_vf_store(y, acc);
  } else {
    float lanes[TENON_VL];
    tenon_vf_store(lanes, acc);
    tenon_copy_short(y, lanes, p->n);
  }
}

// One output, `nv` vectors of channels from q on; nv is a constant after
// inlining, 4 or 1. Only the latter takes channels that do not fill a vector.
TENON_FLAT void tenon_depthwise_f32_pixel(const int nv,
                                          const tenon_depthwise_f32 *s,
                                          tenon_taps ty, tenon_taps tx,
                                          ptrdiff_t q, float *to) {
  const tenon_window *g = &s->g;
  const float *a = s->x + q;
  const float *w = s->weights + q;
  tenon_vf acc[4] = {{0}, {0}, {0}, {0}};
  for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
    for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
      const ptrdiff_t tap = (ky * g->kw + kx) * s->np;
      const ptrdiff_t pixel =
          ((ty.at + ky * g->dil_y) * g->w + tx.at + kx * g->dil_x) * g->c;
      TENON_UNROLL
      for (int j = 0; j < nv; ++j)
        acc[j] =
            tenon_vf_fma(nv > 1 ? tenon_vf_load(a + pixel + j * TENON_VL)
                                : tenon_depthwise_f32_some(s, s->x + pixel, q),
                         tenon_vf_load(w + tap + j * TENON_VL), acc[j]);
    }
  }
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const tenon_depthwise_post post =
        tenon_depthwise_post_of(s, q + j * TENON_VL);
    tenon_depthwise_f32_put(&post, to + q + j * TENON_VL, acc[j]);
  }
}

// Where input channels have several outputs each: the first that outputs from
// some channel on read, and which from there on each of a register reads.
typedef struct tenon_depthwise_repeat {
  ptrdiff_t first;
  int32_t at[TENON_VL];
} tenon_depthwise_repeat;

TENON_FLAT tenon_depthwise_repeat
tenon_depthwise_repeat_of(const tenon_depthwise_f32 *s, ptrdiff_t q) {
  tenon_depthwise_repeat r = {.first = q / s->times};
  for (ptrdiff_t i = 0; i < TENON_VL; ++i) {
    const ptrdiff_t k = (q + i) / s->times;
    r.at[i] = (int32_t)((k < s->g.c ? k : s->g.c - 1) - r.first);
  }
  return r;
}

TENON_FLAT tenon_vf tenon_depthwise_repeat_load(const tenon_depthwise_repeat *r,
                                                const float *from,
                                                const float *end) {
  float lanes[TENON_VL];
#ifdef TENON_HAS_TABLE
  if (end - from >= 16) return tenon_vf_table(from, tenon_vi_load(r->at));
#endif
  (void)end;
  TENON_UNROLL
  for (int i = 0; i < TENON_VL; ++i)
    lanes[i] = from[r->at[i]];
  return tenon_vf_load(lanes);
}

// Outputs x to x_end of row y, where input channels have several outputs each.
TENON_APART void tenon_depthwise_f32_repeats(const tenon_depthwise_f32 *s,
                                             ptrdiff_t y, ptrdiff_t x,
                                             ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  for (ptrdiff_t q = 0; q < g->out_c; q += TENON_VL) {
    const tenon_depthwise_repeat r = tenon_depthwise_repeat_of(s, q);
    const tenon_depthwise_post post = tenon_depthwise_post_of(s, q);
    const float *w = s->weights + q, *a = s->x + r.first;
    for (ptrdiff_t i = x; i < x_end; ++i) {
      const tenon_taps tx = tenon_window_columns(g, i);
      tenon_vf acc = {0};
      for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {
        for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {
          const ptrdiff_t pixel =
              ((ty.at + ky * g->dil_y) * g->w + tx.at + kx * g->dil_x) * g->c;
          acc = tenon_vf_fma(tenon_depthwise_repeat_load(&r, a + pixel, s->end),
                             tenon_vf_load(w + (ky * g->kw + kx) * s->np), acc);
        }
      }
      tenon_depthwise_f32_put(&post, s->y + (y * g->out_w + i) * g->out_c + q,
                              acc);
    }
  }
}

// Outputs x to x_end of row y, one by one.
TENON_APART void tenon_depthwise_f32_border(const tenon_depthwise_f32 *s,
                                            ptrdiff_t y, ptrdiff_t x,
                                            ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  if (s->times > 1 && g->c > 1) {
    tenon_depthwise_f32_repeats(s, y, x, x_end);
    return;
  }
  for (; x < x_end; ++x) {
    const tenon_taps tx = tenon_window_columns(g, x);
    float *to = s->y + (y * g->out_w + x) * g->out_c;
    ptrdiff_t q = 0;
    for (; s->times == 1 && q + 4 * TENON_VL <= g->out_c; q += 4 * TENON_VL)
      tenon_depthwise_f32_pixel(4, s, ty, tx, q, to);
    for (; q < g->out_c; q += TENON_VL)
      tenon_depthwise_f32_pixel(1, s, ty, tx, q, to);
  }
}

// Outputs x to x_end of row y, at least four, all of whose columns are in the
// image; kh and kw are constants after inlining, or 0, and so is `one`: there
// is a single input channel, for all outputs.
TENON_FLAT void tenon_depthwise_f32_inside(const int kh, const int kw,
                                           const int one,
                                           const tenon_depthwise_f32 *s,
                                           ptrdiff_t y, ptrdiff_t q,
                                           ptrdiff_t x, ptrdiff_t x_end) {
  const tenon_window *g = &s->g;
  const tenon_taps ty = tenon_window_rows(g, y);
  const ptrdiff_t np = s->np, out_c = g->out_c, step = g->right * g->c;
  const ptrdiff_t row = g->dil_y * g->w * g->c, tap = g->dil_x * g->c;
  const ptrdiff_t rows = ty.end - ty.begin, columns = kw ? kw : g->kw;
  const float *weights = s->weights + ty.begin * columns * np + q;
  const float *first = s->x + (ty.at + ty.begin * g->dil_y) * g->w * g->c -
                       g->left * g->c + (one ? 0 : q);
  float *to = s->y + y * g->out_w * out_c + q;
  const tenon_depthwise_post post = tenon_depthwise_post_of(s, q);
  for (; x < x_end; x += 4) {
    if (x + 4 > x_end) x = x_end - 4;  // some once more
    const float *a = first + x * step;
    tenon_vf acc[4] = {{0}, {0}, {0}, {0}};
    if (kh) {
      TENON_UNROLL
      for (int ky = 0; ky < kh; ++ky) {
        TENON_UNROLL
        for (int kx = 0; kx < kw; ++kx) {
          const tenon_vf w = tenon_vf_load(weights + (ky * kw + kx) * np);
          TENON_UNROLL
          for (int i = 0; i < 4; ++i)
            acc[i] = tenon_vf_fma(
                tenon_vf_load(a + ky * row + kx * tap + i * step), w, acc[i]);
        }
      }
    } else {
      for (ptrdiff_t ky = 0; ky < rows; ++ky) {
        for (ptrdiff_t kx = 0; kx < columns; ++kx) {
          const tenon_vf w = tenon_vf_load(weights + (ky * columns + kx) * np);
          const float *at = a + ky * row + kx * tap;
          TENON_UNROLL
          for (int i = 0; i < 4; ++i)
            acc[i] = tenon_vf_fma(one ? tenon_vf_splat(at[i * step])
                                      : tenon_vf_load(at + i * step),
                                  w, acc[i]);
        }
      }
    }
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      tenon_depthwise_f32_put(&post, to + (x + i) * out_c, acc[i]);
  }
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_F32_TAPS_H
