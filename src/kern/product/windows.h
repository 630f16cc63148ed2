// kern/product/windows.h - the loops of core::conv and core::depthwise_conv:
// rows of outputs, for each the taps that lie in the image.
//
// Taps outside the image add nothing. Sums of integers wrap, where LiteRT's are
// undefined. Items are rows of the result.
#ifndef TENON_KERN_WINDOWS_H
#define TENON_KERN_WINDOWS_H

#include "kern/loop/window.h"
#include "kern/op/clamp.h"
#include "kern/product/conv.h"
#include "kern/product/hybrid.h"
#include "kern/product/requant.h"

// Where the image begins that row `row` of the result is of, as a number of
// elements.
TENON_INLINE ptrdiff_t tenon_window_image(const tenon_window *g,
                                          ptrdiff_t row) {
  return row / g->out_h * g->h * g->w * g->c;
}

// Defines the kernel `name` of core::conv on elements X of IMAGE with weights
// W. For each output `acc`, of type Acc, begins as `start` and becomes `sum`
// for every x and its w, in the order of kh, kw, ic; `finish` makes an element
// Y of it. BEFORE declares what they need.
#define TENON_CONV_KERNEL(name, X, W, Y, Acc, BEFORE, IMAGE, start, sum,       \
                          finish)                                              \
  TENON_KERNEL_RANGE(name) {                                                   \
    const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;            \
    const ptrdiff_t depth = c->in[1].dims[3];                                  \
    const tenon_window g = tenon_conv_window(c);                               \
    const ptrdiff_t group = g.out_c / (ptrdiff_t)a->groups;                    \
    BEFORE                                                                     \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {      \
      const X *image = IMAGE;                                                  \
      Y *y = (Y *)c->out[0].data + row * g.out_w * g.out_c;                    \
      const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);              \
      for (ptrdiff_t ox = 0; ox < g.out_w; ++ox) {                             \
        const tenon_taps tx = tenon_window_columns(&g, ox);                    \
        for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {                           \
          const X *from = image + oc / group * depth;                          \
          const W *weights =                                                   \
              (const W *)c->in[1].data + oc * g.kh * g.kw * depth;             \
          Acc acc = start;                                                     \
          for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {                   \
            for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {                 \
              const X *p =                                                     \
                  from +                                                       \
                  ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c; \
              const W *q = weights + (ky * g.kw + kx) * depth;                 \
              for (ptrdiff_t i = 0; i < depth; ++i) {                          \
                const X x = p[i];                                              \
                const W w = q[i];                                              \
                acc = sum;                                                     \
              }                                                                \
            }                                                                  \
          }                                                                    \
          *y++ = finish;                                                       \
        }                                                                      \
      }                                                                        \
    }                                                                          \
    return TENON_OK;                                                           \
  }

// The same of core::depthwise_conv. The channels of a pixel are summed up side
// by side in SUMS, so that the innermost loop is contiguous: `acc` is the one
// of channel `oc`.
#define TENON_DEPTHWISE_CONV_KERNEL(name, X, W, Y, Acc, BEFORE, IMAGE, SUMS, \
                                    start, sum, finish)                      \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_depthwise_conv_attrs *a =                                    \
        (const tenon_depthwise_conv_attrs *)c->attrs;                        \
    const tenon_window g = tenon_conv_window(c);                             \
    const ptrdiff_t times = g.out_c / g.c;                                   \
    const W *weights = (const W *)c->in[1].data;                             \
    BEFORE                                                                   \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {    \
      const X *image = IMAGE;                                                \
      Y *y = (Y *)c->out[0].data + row * g.out_w * g.out_c;                  \
      const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);            \
      for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.out_c) {             \
        const tenon_taps tx = tenon_window_columns(&g, ox);                  \
        Acc *sums = SUMS;                                                    \
        for (ptrdiff_t oc = 0; oc < g.out_c; ++oc)                           \
          sums[oc] = start;                                                  \
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {                   \
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {                 \
            const X *p =                                                     \
                image +                                                      \
                ((ty.at + ky * g.dil_y) * g.w + tx.at + kx * g.dil_x) * g.c; \
            const W *q = weights + (ky * g.kw + kx) * g.out_c;               \
            if (times == 1) {                                                \
              for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {                   \
                const X x = p[oc];                                           \
                const W w = q[oc];                                           \
                const Acc acc = sums[oc];                                    \
                sums[oc] = sum;                                              \
              }                                                              \
            } else {                                                         \
              for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {                   \
                const X x = p[oc / times];                                   \
                const W w = q[oc];                                           \
                const Acc acc = sums[oc];                                    \
                sums[oc] = sum;                                              \
              }                                                              \
            }                                                                \
          }                                                                  \
        }                                                                    \
        for (ptrdiff_t oc = 0; oc < g.out_c; ++oc) {                         \
          const Acc acc = sums[oc];                                          \
          y[oc] = finish;                                                    \
        }                                                                    \
      }                                                                      \
    }                                                                        \
    return TENON_OK;                                                         \
  }

// BEFORE and IMAGE of floats, of stored elements X with a bias of type Bias,
// and of floats with quantised weights: each image becomes integers, in scratch
// behind `used` bytes, with a scale of its own; a range does that for those it
// touches.
#define TENON_CONV_REAL                                         \
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi); \
  const tenon_conv_tail tail = tenon_conv_tail_of(c);
#define TENON_CONV_STORED(Bias)                              \
  const tenon_requant *r = (const tenon_requant *)c->packed; \
  const Bias *bias = (const Bias *)c->in[2].data;            \
  const int32_t x_zero = r->x_zero, w_zero = r->w_zero;      \
  (void)a, (void)x_zero, (void)w_zero;
#define TENON_CONV_HYBRID(used)                                 \
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi); \
  const float *bias = (const float *)c->in[2].data;             \
  int8_t *const integers = (int8_t *)c->scratch + (used);       \
  tenon_hybrid h = {1.0f, 0};
#define TENON_CONV_IMAGE(X) \
  (const X *)c->in[0].data + tenon_window_image(&g, row)
#define TENON_CONV_INTEGERS                                               \
  tenon_conv_integers(c, &g, row, row == (ptrdiff_t)begin, a->asymmetric, \
                      integers, &h)

TENON_INLINE const int8_t *tenon_conv_integers(const tenon_call *c,
                                               const tenon_window *g,
                                               ptrdiff_t row, bool is_first,
                                               bool asymmetric, int8_t *to,
                                               tenon_hybrid *h) {
  if (is_first || row % g->out_h == 0)
    *h = tenon_hybrid_quantize(
        (const float *)c->in[0].data + tenon_window_image(g, row),
        g->h * g->w * g->c, asymmetric, to);
  return to;
}

#endif  // TENON_KERN_WINDOWS_H
