// kern/opt/conv/conv_f32s8_dot_opt.h - convolution of floats with quantised
// weights, by dot products of bytes.
//
// A range turns each image that it touches into bytes, which are multiplied as
// those of conv_s8_opt.h are. Of a sum the zero point of the image, which a run
// finds, times the sum of a channel's weights is taken off to begin with; sums
// of integers are exact, so results are those of sums in floats
// (conv_f32s8_opt.h) and of the reference kernel.
#ifndef TENON_KERN_OPT_CONV_F32S8_DOT_OPT_H
#define TENON_KERN_OPT_CONV_F32S8_DOT_OPT_H

#include "kern/opt/conv/conv_s8_rows.h"
#include "kern/opt/product/hybrid_scale.h"

// What a run has in scratch, and what is packed for each channel.
typedef struct tenon_conv_dot {
  tenon_conv_s8 s;
  tenon_blocks blocks;
  int32_t *first;  // that sums begin with
  int8_t *image;
  char *rows;
  const float *scale, *bias;
  const int32_t *sums;  // of weights
  float by, lo, hi;     // by: the scale of an image
} tenon_conv_dot;

TENON_INLINE tenon_conv_dot tenon_conv_dot_of(const tenon_call *c) {
  const tenon_packed_f32 *head = (const tenon_packed_f32 *)c->packed;
  tenon_conv_dot d = {.s = tenon_conv_s8_walk(c), .lo = head->lo};
  const tenon_window *g = &d.s.g;
  const tenon_walk *w = &d.s.walk;
  const ptrdiff_t np = tenon_round_up(g->out_c, TENON_LANES);
  d.hi = head->hi;
  d.blocks = tenon_blocks_of_conv(g, 1, 1);
  d.scale = (const float *)(head + 1);
  d.bias = d.scale + np;
  d.sums = (const int32_t *)(const void *)(d.bias + np);
  d.first = (int32_t *)c->scratch;
  d.image = (int8_t *)(d.first + np);
  d.rows = (char *)d.image + tenon_conv_dot_image(g, TENON_TILE_GROUP);
  d.s.gemm.bias = d.first;
  d.s.gemm.weights = (const int8_t *)(d.sums + np);
  d.s.gemm.panel = w->ny * w->nx * w->len * TENON_TILE_GROUP * TENON_LANES;
  d.s.gemm.n = g->out_c;
  return d;
}

// Bytes of an image, as they are multiplied if `flip` says so.
static void tenon_conv_dot_quantize(const tenon_hybrid_v *h, const float *x,
                                    ptrdiff_t n, int flip, int8_t *q) {
  const tenon_vi zero = tenon_vi_splat(h->h.zero);
  ptrdiff_t i = 0;
#ifdef TENON_HAS_NARROW4
  const tenon_vi flips =
      tenon_vi_splat((int32_t)((unsigned)flip * 0x01010101u));
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    tenon_vi y[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      y[k] =
          tenon_hybrid_v_round(h, tenon_vf_load(x + i + k * TENON_VL)) + zero;
    tenon_vi_store(q + i, tenon_vi_narrow4(y[0], y[1], y[2], y[3]) ^ flips);
  }
#endif
  for (; i < n; i += TENON_VL) {
    const ptrdiff_t count = n - i < TENON_VL ? n - i : TENON_VL;
    int32_t y[TENON_VL];
    tenon_vi_store(
        y, tenon_hybrid_v_round(h, tenon_vf_load_part(x + i, count)) + zero);
    for (ptrdiff_t k = 0; k < count; ++k)
      q[i + k] = (int8_t)(y[k] ^ flip);
  }
}

// Image `i` of x.
static void tenon_conv_dot_begin(const tenon_call *c, ptrdiff_t i,
                                 tenon_conv_dot *d, tenon_act *zero) {
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)c->attrs;
  const tenon_window *g = &d->s.g;
  const bool is_product = tenon_is_product(g);
  const ptrdiff_t size = g->h * g->w * g->c;
  const float *x = (const float *)c->in[0].data + i * size;
  const tenon_hybrid_v h = tenon_hybrid_v_of(x, size, a->asymmetric);
  const tenon_vi off = tenon_vi_splat(h.h.zero + TENON_FLIP);
  tenon_conv_dot_quantize(&h, x, size, is_product ? TENON_FLIP : 0, d->image);
  d->by = h.h.scale;
  *zero = tenon_act_of(h.h.zero);
  for (ptrdiff_t j = 0; j < g->out_c; j += TENON_VL)
    tenon_vi_store(d->first + j, -(off * tenon_vi_load(d->sums + j)));
  if (is_product) memset(d->image + size, 0, TENON_TILE_GROUP);
}

TENON_FLAT void tenon_conv_dot_tile(const int mr, const int nv,
                                    const tenon_conv_dot *d, ptrdiff_t v,
                                    const char *a, ptrdiff_t lda, float *y) {
  const tenon_vf lo = tenon_vf_splat(d->lo), hi = tenon_vf_splat(d->hi);
  const ptrdiff_t n = d->s.g.out_c;
  tenon_vi acc[TENON_MR1][8];
  tenon_tile_s8_sum(mr, nv, &d->s.gemm, &d->s.walk, v, a, lda, acc, NULL);
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const ptrdiff_t at = (v + j) * TENON_VL, count = n - at;
    const tenon_vf bias = tenon_vf_load(d->bias + at);
    const tenon_vf factor =
        tenon_vf_splat(d->by) * tenon_vf_load(d->scale + at);
    TENON_UNROLL
    for (int i = 0; i < mr; ++i) {
      const tenon_vf sum = __builtin_convertvector(acc[i][j], tenon_vf);
      const tenon_vf r = tenon_vf_clamp(sum * factor + bias, lo, hi);
      if (count >= TENON_VL)
        tenon_vf_store(y + i * n + at, r);
      else
        tenon_vf_store_part(y + i * n + at, r, count);
    }
  }
}

typedef void tenon_conv_dot_fn(const tenon_conv_dot *, ptrdiff_t, const char *,
                               ptrdiff_t, float *);
#define TENON_TILE(mr, nv)                                                \
  TENON_APART void tenon_conv_dot_##mr##_##nv(const tenon_conv_dot *d,    \
                                              ptrdiff_t v, const char *a, \
                                              ptrdiff_t lda, float *y) {  \
    tenon_conv_dot_tile(mr, nv, d, v, a, lda, y);                         \
  }
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE

static tenon_conv_dot_fn *tenon_conv_dot_find(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_conv_dot_##mr##_##nv;
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

// Channels of a group: m pixels `lda` bytes apart, of `lines` lines that are
// `next` bytes apart.
static void tenon_conv_dot_group(const tenon_conv_dot *d, ptrdiff_t group,
                                 ptrdiff_t m, ptrdiff_t lda, ptrdiff_t lines,
                                 ptrdiff_t next, const char *a, float *y) {
  const ptrdiff_t n = d->s.g.out_c, end = tenon_group_end(group, n);
  ptrdiff_t nv;
  for (ptrdiff_t v = tenon_group_begin(group); v < end; v += nv) {
    nv = tenon_tile_columns(2, end - v);
    for (ptrdiff_t line = 0; line < lines; ++line) {
      ptrdiff_t mr;
      for (ptrdiff_t i = 0; i < m; i += mr) {
        mr = tenon_tile_rows(m - i, nv);
        tenon_conv_dot_find(mr, nv)(d, v, a + line * next + i * lda, lda,
                                    y + (line * m + i) * n);
      }
    }
  }
}

// Items begin to end of one image, whose results are at y.
static void tenon_conv_dot_items(const tenon_conv_dot *d, tenon_act zero,
                                 int64_t begin, int64_t end, float *y) {
  const tenon_window *g = &d->s.g;
  const ptrdiff_t act = (ptrdiff_t)sizeof(tenon_act);
  tenon_work work, last = {.image = -1};
  for (; begin < end; last = work) {
    begin = tenon_blocks_work(&d->blocks, begin, end, &work);
    const ptrdiff_t lines = work.end - work.begin;
    if (tenon_is_product(g)) {
      for (ptrdiff_t i = work.group; i < work.group_end; ++i)
        tenon_conv_dot_group(d, i, lines, g->c * act, 1, 0,
                             (const char *)d->image + work.begin * g->c,
                             y + work.begin * g->out_c);
      continue;
    }
    const ptrdiff_t kept = tenon_conv_s8_keep(&d->s, &last, &work, d->rows);
    tenon_conv_s8_prepare(g, d->image, work.begin * g->down - g->top + kept,
                          tenon_rows_read(g, lines) - kept, d->s.columns, zero,
                          d->s.row_size, d->rows + kept * d->s.row_size);
    for (ptrdiff_t i = work.group; i < work.group_end; ++i)
      tenon_conv_dot_group(d, i, g->out_w, g->right * g->c * act, lines,
                           g->down * d->s.row_size, d->rows,
                           y + work.begin * g->out_w * g->out_c);
  }
}

TENON_INLINE tenon_status tenon_conv_f32s8_dot_run(const tenon_call *c,
                                                   int64_t begin, int64_t end) {
  tenon_conv_dot d = tenon_conv_dot_of(c);
  const tenon_window *g = &d.s.g;
  const int64_t all = tenon_blocks_items(&d.blocks);
  while (begin < end) {
    const int64_t image = begin / all, first = image * all;
    const int64_t stop = first + all < end ? first + all : end;
    tenon_act zero;
    tenon_conv_dot_begin(c, (ptrdiff_t)image, &d, &zero);
    tenon_conv_dot_items(
        &d, zero, begin - first, stop - first,
        (float *)c->out[0].data + image * g->out_h * g->out_w * g->out_c);
    begin = stop;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_F32S8_DOT_OPT_H
