// kern/opt/conv/conv_s8_zero_opt.h - quantised convolution with weights that
// have a zero point, rounded twice.
//
// A weight less its zero point has nine bits, which products of bytes do not
// take. So weights are multiplied as they are stored, and of a pixel's sums the
// zero point times the sum of its window is taken off: that is one number for
// all channels, made once for the rows of a block. The rest is conv_s8_opt.h;
// sums of integers are exact, so results are those of the reference kernel.
#ifndef TENON_KERN_OPT_CONV_S8_ZERO_OPT_H
#define TENON_KERN_OPT_CONV_S8_ZERO_OPT_H

#include "kern/opt/conv/conv_s8_rows.h"
#include "kern/opt/tiles/tile_s8.h"

// Values of a register.
#define TENON_ZERO_VALUES (TENON_VB / (ptrdiff_t)sizeof(tenon_act))
typedef int32_t tenon_s32x4 __attribute__((vector_size(16)));

typedef struct tenon_conv_zero {
  tenon_conv_s8 s;
  int32_t zero;   // of weights
  ptrdiff_t run;  // values of a window side by side
  int32_t *less;  // what is taken off the sums of each pixel
  char *rows;
  // As many ones as zeros behind them: the first n are loaded from n before the
  // zeros on.
  tenon_act ones[2 * TENON_ZERO_VALUES];
} tenon_conv_zero;

TENON_INLINE tenon_conv_zero tenon_conv_zero_of(const tenon_call *c,
                                                const tenon_blocks *b) {
  tenon_conv_zero d = {.s = tenon_conv_s8_of(c)};
  const tenon_window *g = &d.s.g;
  const ptrdiff_t line = tenon_is_product(g) ? 1 : g->out_w;
  d.zero = ((const tenon_packed_s8 *)c->packed)->w_zero;
  d.run = g->dil_x == 1 ? g->kw * g->c : g->c;
  d.less = (int32_t *)c->scratch;
  d.rows = (char *)(d.less + tenon_round_up(b->most * line, TENON_LANES));
  for (ptrdiff_t i = 0; i < TENON_ZERO_VALUES; ++i)
    d.ones[i] = 1;
  return d;
}

#if TENON_TILE_GROUP <= 4 && !defined(TENON_HAS_TILE_DOT) && \
    !defined(TENON_DOT_SIGNED)
// The sum of a window: of registers, of whose last not all values may count.
TENON_FLAT int32_t tenon_conv_zero_sum(const tenon_conv_zero *d,
                                       const char *a) {
  const tenon_walk *w = &d->s.walk;
  const tenon_vi ones = tenon_vi_load(d->ones);
  const ptrdiff_t whole = d->run / TENON_ZERO_VALUES;
  const ptrdiff_t part = d->run % TENON_ZERO_VALUES;
  const tenon_vi some = tenon_vi_load(d->ones + TENON_ZERO_VALUES - part);
  tenon_vi sum = {0};
  tenon_s32x4 four[TENON_VL / 4];
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const char *from = a + y * w->a_y + x * w->a_x;
      for (ptrdiff_t i = 0; i < whole; ++i, from += TENON_VB)
        sum = tenon_vi_dot(sum, tenon_vi_load(from), ones);
      if (part) sum = tenon_vi_dot(sum, tenon_vi_load(from), some);
    }
  }
  memcpy(four, &sum, sizeof sum);
  TENON_UNROLL
  for (int i = 1; i < TENON_VL / 4; ++i)
    four[0] += four[i];
  return four[0][0] + four[0][1] + (four[0][2] + four[0][3]);
}
#else
TENON_FLAT int32_t tenon_conv_zero_sum(const tenon_conv_zero *d,
                                       const char *a) {
  const tenon_walk *w = &d->s.walk;
  int32_t sum = 0;
  for (ptrdiff_t y = 0; y < w->ny; ++y) {
    for (ptrdiff_t x = 0; x < w->nx; ++x) {
      const tenon_act *from =
          (const tenon_act *)(const void *)(a + y * w->a_y + x * w->a_x);
      for (ptrdiff_t i = 0; i < d->run; ++i)
        sum += from[i];
    }
  }
  return sum;
}
#endif

TENON_FLAT void tenon_conv_zero_tile(const int mr, const int nv,
                                     const tenon_conv_zero *d, ptrdiff_t v,
                                     const char *a, ptrdiff_t lda,
                                     const int32_t *less,
                                     const tenon_scale_v *scale, int8_t *y) {
  tenon_vi acc[TENON_MR1][8];
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  const ptrdiff_t n = d->s.g.out_c;
  tenon_tile_s8_sum(mr, nv, &d->s.gemm, &d->s.walk, v, a, lda, acc, NULL);
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    const tenon_vi off = tenon_vi_splat(less[i]);
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      acc[i][j] -= off;
  }
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
  if (tenon_tile_s8_near(TENON_TWICE, mr, nv, scale, acc, y, n)) return;
#endif
  tenon_tile_s8_keep(mr, nv, acc, sums);
  for (int j = 0; j < nv; ++j)
    tenon_finish_s8_twice(&scale[j], sums + j * TENON_VL, nv * TENON_VL, mr,
                          y + j * TENON_VL, n);
}

typedef void tenon_conv_zero_fn(const tenon_conv_zero *, ptrdiff_t,
                                const char *, ptrdiff_t, const int32_t *,
                                const tenon_scale_v *, int8_t *);
#define TENON_TILE(mr, nv)                                                 \
  TENON_APART void tenon_conv_zero_##mr##_##nv(                            \
      const tenon_conv_zero *d, ptrdiff_t v, const char *a, ptrdiff_t lda, \
      const int32_t *less, const tenon_scale_v *scale, int8_t *y) {        \
    tenon_conv_zero_tile(mr, nv, d, v, a, lda, less, scale, y);            \
  }
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE

static tenon_conv_zero_fn *tenon_conv_zero_find(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_conv_zero_##mr##_##nv;
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

// Groups of channels of m pixels `lda` bytes apart, of `lines` lines that are
// `next` bytes apart.
static void tenon_conv_zero_work(const tenon_conv_zero *d,
                                 const tenon_work *work, ptrdiff_t m,
                                 ptrdiff_t lda, ptrdiff_t lines, ptrdiff_t next,
                                 int8_t *y) {
  const ptrdiff_t n = d->s.g.out_c;
  const ptrdiff_t end = tenon_group_end(work->group_end - 1, n);
  tenon_scale_v scale[8];
  ptrdiff_t nv;
  for (ptrdiff_t line = 0; line < lines; ++line)
    for (ptrdiff_t i = 0; i < m; ++i)
      d->less[line * m + i] =  // wraps around as sums do
          (int32_t)((uint32_t)d->zero *
                    (uint32_t)tenon_conv_zero_sum(
                        d, d->rows + line * next + i * lda));
  for (ptrdiff_t v = tenon_group_begin(work->group); v < end; v += nv) {
    nv = tenon_tile_columns(m, end - v);
    for (ptrdiff_t j = 0; j < nv; ++j)
      scale[j] = tenon_scale_v_of(TENON_TWICE, &d->s.gemm.scale,
                                  (v + j) * TENON_VL, n - (v + j) * TENON_VL);
    for (ptrdiff_t line = 0; line < lines; ++line) {
      ptrdiff_t mr;
      for (ptrdiff_t i = 0; i < m; i += mr) {
        mr = tenon_tile_rows(m - i, nv);
        tenon_conv_zero_find(mr, nv)(d, v, d->rows + line * next + i * lda, lda,
                                     d->less + line * m + i, scale,
                                     y + (line * m + i) * n + v * TENON_VL);
      }
    }
  }
}

TENON_INLINE tenon_status tenon_conv_s8_zero_run(const tenon_call *c,
                                                 int64_t begin, int64_t end) {
  const tenon_window window = tenon_conv_window(c);
  const tenon_blocks blocks =
      tenon_blocks_of_conv(&window, c->in[0].dims[0], sizeof(tenon_act));
  const tenon_conv_zero d = tenon_conv_zero_of(c, &blocks);
  const tenon_window *g = &d.s.g;
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)c->packed;
  const tenon_act zero = tenon_act_of(head->x_zero);
  const ptrdiff_t act = (ptrdiff_t)sizeof(tenon_act);
  tenon_work work, last = {.image = -1};
  for (; begin < end; last = work) {
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t lines = work.end - work.begin;
    const int8_t *x =
        (const int8_t *)c->in[0].data + work.image * g->h * g->w * g->c;
    int8_t *y =
        (int8_t *)c->out[0].data + work.image * g->out_h * g->out_w * g->out_c;
    if (tenon_is_product(g)) {
      tenon_act *to = tenon_act_copy((tenon_act *)(void *)d.rows,
                                     x + work.begin * g->c, lines * g->c);
      tenon_act_fill(to, TENON_TILE_GROUP, zero);
      tenon_conv_zero_work(&d, &work, lines, g->c * act, 1, 0,
                           y + work.begin * g->out_c);
      continue;
    }
    const ptrdiff_t kept = tenon_conv_s8_keep(&d.s, &last, &work, d.rows);
    tenon_conv_s8_prepare(g, x, work.begin * g->down - g->top + kept,
                          tenon_rows_read(g, lines) - kept, d.s.columns, zero,
                          d.s.row_size, d.rows + kept * d.s.row_size);
    tenon_conv_zero_work(&d, &work, g->out_w, g->right * g->c * act, lines,
                         g->down * d.s.row_size,
                         y + work.begin * g->out_w * g->out_c);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_S8_ZERO_OPT_H
