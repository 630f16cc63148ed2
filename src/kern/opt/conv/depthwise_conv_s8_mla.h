// kern/opt/conv/depthwise_conv_s8_mla.h - quantised depthwise convolution where
// a register of 16-bit numbers is multiplied and added to two of sums: eight
// channels and four outputs of a row at a time, straight from the image.
//
// A column of the image is loaded once for all outputs that read it; what is
// outside counts as the zero point. The last eight channels overlap those
// before.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_S8_MLA_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_S8_MLA_H

#include "kern/opt/tiles/scale_s8.h"
#include "kern/product/conv.h"

#ifdef TENON_HAS_MLA

#define TENON_MLA_CHANNELS 8
#define TENON_MLA_OUTPUTS 4

// Some rows of outputs of one image.
typedef struct tenon_mla_s8 {
  const tenon_window *g;
  const tenon_scale_s8 *scale;
  const int32_t *bias;
  const char *weights;  // packed
  ptrdiff_t np;
  int32_t x_zero;
  const int8_t *image;
  ptrdiff_t begin, lines;
  int8_t *y;
} tenon_mla_s8;

// Weights of a tap, of lanes that have those of TENON_DOT_GROUP taps.
TENON_FLAT tenon_vi tenon_mla_weight(const char *lanes, const int tap) {
  const int bits = 32 / TENON_DOT_GROUP, left = 32 - bits * (tap + 1);
  return tenon_vi_join(
      tenon_vi_shift(tenon_vi_load(lanes), left) >> (32 - bits),
      tenon_vi_shift(tenon_vi_load(lanes + TENON_VB), left) >> (32 - bits));
}

// The outputs from column x of a row on. `whole`: all that they read is in the
// image; it and what is before it are constants after inlining.
TENON_FLAT void tenon_mla_tile(const int kh, const int kw, const int right,
                               const int whole, const tenon_mla_s8 *s,
                               ptrdiff_t q, ptrdiff_t line, ptrdiff_t x,
                               const tenon_vi *w, tenon_vi first,
                               tenon_vi second, tenon_vi zero,
                               tenon_vi sums[2][TENON_MLA_OUTPUTS]) {
  const tenon_window *g = s->g;
  const ptrdiff_t at = x * right - g->left;
  const ptrdiff_t top = line * g->down - g->top;
  TENON_UNROLL
  for (int i = 0; i < TENON_MLA_OUTPUTS; ++i) {
    sums[0][i] = first;
    sums[1][i] = second;
  }
  TENON_UNROLL
  for (int ky = 0; ky < kh; ++ky) {
    const ptrdiff_t from = top + ky;
    const bool is_row = whole || (from >= 0 && from < g->h);
    const int8_t *row =
        s->image + ((is_row ? from : 0) * g->w + (whole ? at : 0)) * g->c + q;
    TENON_UNROLL
    for (int j = 0; j < (TENON_MLA_OUTPUTS - 1) * right + kw; ++j) {
      tenon_vi v;
      if (whole)
        v = tenon_vi_widen2(row + j * g->c);
      else
        v = is_row && at + j >= 0 && at + j < g->w
                ? tenon_vi_widen2(row + (at + j) * g->c)
                : zero;
      TENON_UNROLL
      for (int i = 0; i < TENON_MLA_OUTPUTS; ++i) {
        const int kx = j - i * right;
        if (kx < 0 || kx >= kw) continue;
        sums[0][i] = tenon_vi_mla_low(sums[0][i], v, w[ky * kw + kx]);
        sums[1][i] = tenon_vi_mla_high(sums[1][i], v, w[ky * kw + kx]);
      }
    }
  }
}

// Channels q to q + 8.
TENON_FLAT void tenon_mla_channels(const int kh, const int kw, const int right,
                                   const tenon_mla_s8 *s, ptrdiff_t q) {
  const tenon_window *g = s->g;
  const ptrdiff_t out_c = g->out_c, out_w = g->out_w;
  const ptrdiff_t columns = (TENON_MLA_OUTPUTS - 1) * right + kw;
  const tenon_scale_v low =
      tenon_scale_v_of(TENON_TWICE, s->scale, q, out_c - q);
  const tenon_scale_v high =
      tenon_scale_v_of(TENON_TWICE, s->scale, q + TENON_VL, out_c - q);
  const tenon_vi first = tenon_vi_load(s->bias + q);
  const tenon_vi second = tenon_vi_load(s->bias + q + TENON_VL);
  const tenon_vi zero =
      tenon_vi_join(tenon_vi_splat(s->x_zero), tenon_vi_splat(s->x_zero));
  const int groups = (kw + TENON_DOT_GROUP - 1) / TENON_DOT_GROUP;
  tenon_vi w[25], sums[2][TENON_MLA_OUTPUTS];
  TENON_UNROLL
  for (int ky = 0; ky < kh; ++ky) {
    TENON_UNROLL
    for (int kx = 0; kx < kw; ++kx)
      w[ky * kw + kx] = tenon_mla_weight(
          s->weights + ((ky * groups + kx / TENON_DOT_GROUP) * s->np + q) * 4,
          kx % TENON_DOT_GROUP);
  }
  for (ptrdiff_t t = 0; t < s->lines; ++t) {
    const ptrdiff_t line = s->begin + t, top = line * g->down - g->top;
    const bool is_tall = top >= 0 && top + kh <= g->h;
    for (ptrdiff_t x = 0; x < out_w; x += TENON_MLA_OUTPUTS) {
      if (x + TENON_MLA_OUTPUTS > out_w) x = out_w - TENON_MLA_OUTPUTS;
      const ptrdiff_t at = x * right - g->left;
      int8_t *to = s->y + (t * out_w + x) * out_c + q;
      if (is_tall && at >= 0 && at + columns <= g->w)
        tenon_mla_tile(kh, kw, right, 1, s, q, line, x, w, first, second, zero,
                       sums);
      else
        tenon_mla_tile(kh, kw, right, 0, s, q, line, x, w, first, second, zero,
                       sums);
      tenon_scale_v_put(TENON_TWICE, TENON_MLA_OUTPUTS, &low, sums[0], to,
                        out_c);
      tenon_scale_v_put(TENON_TWICE, TENON_MLA_OUTPUTS, &high, sums[1],
                        to + TENON_VL, out_c);
    }
  }
}

#define TENON_EACH_MLA(X) X(3, 1) X(3, 2) X(5, 1) X(5, 2)
#define TENON_MLA(k, right)                                                    \
  TENON_APART void tenon_mla_##k##_##right(const tenon_mla_s8 *s, ptrdiff_t q, \
                                           ptrdiff_t q_end) {                  \
    for (; q < q_end; q += TENON_MLA_CHANNELS) {                               \
      if (q + TENON_MLA_CHANNELS > q_end)                                      \
        q = q_end - TENON_MLA_CHANNELS; /* some once more */                   \
      tenon_mla_channels(k, k, right, s, q);                                   \
    }                                                                          \
  }
TENON_EACH_MLA(TENON_MLA)
#undef TENON_MLA

typedef void tenon_mla_fn(const tenon_mla_s8 *, ptrdiff_t, ptrdiff_t);

// Null where it is done otherwise. No group of channels may have but a few.
TENON_INLINE tenon_mla_fn *tenon_mla_find(const tenon_window *g) {
  const ptrdiff_t rest = g->out_c % TENON_GROUP;
  if (g->c != g->out_c || (rest > 0 && rest < TENON_MLA_CHANNELS) ||
      g->out_w < TENON_MLA_OUTPUTS || g->kh != g->kw || g->dil_x != 1 ||
      g->dil_y != 1)
    return NULL;
#define TENON_MLA(k, across) \
  if (g->kh == k && g->right == across) return tenon_mla_##k##_##across;
  TENON_EACH_MLA(TENON_MLA)
#undef TENON_MLA
  return NULL;
}

#endif  // TENON_HAS_MLA
#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_S8_MLA_H
