// conv_s16q_dsp.c - convolution of 16-bit numbers with 8-bit weights, plain
// channels: two pixels and four channels at a time. Bit for bit what
// conv_s16q_ref.c computes.
#include "kern/isa/arm/dsp/wide_dsp.h"

// Where the numbers of a pixel go: pairs of them, 2 << pair apart.
typedef struct conv_s16q_dsp_to {
  int16_t *at;
  int32_t pair, odd;
} conv_s16q_dsp_to;

TENON_ARM void conv_s16q_dsp_one(conv_s16q_dsp_to *to, int16_t v) {
  to->at[to->odd] = v;
  if (to->odd) to->at += 2 << to->pair;
  to->odd ^= 1;
}

// `n` of them, or zeros.
static void conv_s16q_dsp_put(conv_s16q_dsp_to *to, const int16_t *p,
                              int32_t n) {
  const int32_t step = 2 << to->pair;
  if (n > 0 && to->odd) {
    conv_s16q_dsp_one(to, p ? *p++ : 0);
    --n;
  }
  int16_t *at = to->at;
  for (; p && n > 7; n -= 8, p += 8, at += 4 * step) {
    uint32_t x[4];
    memcpy(x, p, sizeof x);
    memcpy(at, &x[0], 4);
    memcpy(at + step, &x[1], 4);
    memcpy(at + 2 * step, &x[2], 4);
    memcpy(at + 3 * step, &x[3], 4);
  }
  for (; n > 1; n -= 2, at += step) {
    at[0] = p ? *p++ : 0;
    at[1] = p ? *p++ : 0;
  }
  to->at = at;
  if (n > 0) conv_s16q_dsp_one(to, p ? *p : 0);
}

// The window of a pixel at y, x; taps outside the image are zero.
static void conv_s16q_dsp_column(const tenon_arm_window *g,
                                 const int16_t *image, int32_t y, int32_t x,
                                 int16_t *at, int32_t pair) {
  const int32_t together = g->dil_x == 1;  // taps of a row that are inside
  int32_t lo = 0, hi = g->kw;
  conv_s16q_dsp_to to = {at, pair, 0};
  while (lo < hi && x + lo * g->dil_x < 0)
    ++lo;
  while (hi > lo && x + (hi - 1) * g->dil_x >= g->w)
    --hi;
  for (int32_t ky = 0; ky < g->kh; ++ky, y += g->dil_y) {
    const bool is_in = (uint32_t)y < (uint32_t)g->h && lo < hi;
    const int16_t *p = image + (y * g->w + x + lo * g->dil_x) * g->c;
    conv_s16q_dsp_put(&to, NULL, (is_in ? lo : g->kw) * g->c);
    if (!is_in) continue;
    if (together)
      conv_s16q_dsp_put(&to, p, (hi - lo) * g->c);
    else
      for (int32_t i = lo; i < hi; ++i, p += g->dil_x * g->c)
        conv_s16q_dsp_put(&to, p, g->c);
    conv_s16q_dsp_put(&to, NULL, (g->kw - hi) * g->c);
  }
  conv_s16q_dsp_put(&to, NULL, g->k - g->kh * g->kw * g->c);
}

TENON_KERNEL_RANGE(tenon_k_conv_s16q_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  int16_t *const column = (int16_t *)c->scratch;
  int16_t *y = (int16_t *)c->out[0].data + (int32_t)begin * g->out_w * g->out_c;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int16_t *image =
        (const int16_t *)c->in[0].data + row / g->out_h * g->h * g->w * g->c;
    const int32_t at = row % g->out_h * g->down - g->top;
    int32_t x = -g->left;
    for (int32_t left = g->out_w, n; left > 0; left -= n, y += n * g->out_c) {
      n = left > 1 ? 2 : 1;
      for (int32_t i = 0; i < n; ++i, x += g->right)
        conv_s16q_dsp_column(g, image, at, x, column + 2 * i, n - 1);
      tenon_wide_dsp(g, column, y, n - 1);
    }
  }
  return TENON_OK;
}
