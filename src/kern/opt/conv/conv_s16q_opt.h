// kern/opt/conv/conv_s16q_opt.h - convolution of 16-bit numbers with weights of
// 8 bits.
//
// As conv_s8_opt.h: rows of input are copied to scratch once with the padding
// around them. A 1x1 convolution is a product over all pixels, which are read
// where they are if none ends with half a pair.
#ifndef TENON_KERN_OPT_CONV_S16Q_OPT_H
#define TENON_KERN_OPT_CONV_S16Q_OPT_H

#include "kern/opt/conv/conv_s8_walk.h"
#include "kern/opt/tiles/tile_s16.h"

// Rows from `y` on, `count` of them, as outputs from the left edge see them.
static void tenon_conv_s16_prepare(const tenon_window *g, const int16_t *image,
                                   ptrdiff_t y, ptrdiff_t count,
                                   ptrdiff_t columns, ptrdiff_t row_size,
                                   char *to) {
  const ptrdiff_t before = (columns < g->left ? columns : g->left) * g->c * 2;
  ptrdiff_t inside = columns - g->left;
  if (inside > g->w) inside = g->w;
  inside = inside < 0 ? 0 : inside * g->c * 2;
  for (ptrdiff_t t = 0; t < count; ++t, ++y, to += row_size) {
    if (g->kh == 1 && t % g->down != 0) continue;  // no tap meets it
    if (y < 0 || y >= g->h) {
      memset(to, 0, (size_t)row_size);
      continue;
    }
    memset(to, 0, (size_t)before);
    memcpy(to + before, image + y * g->w * g->c, (size_t)inside);
    memset(to + before + inside, 0, (size_t)(row_size - before - inside));
  }
}

TENON_INLINE tenon_status tenon_conv_s16q_run(const tenon_call *c,
                                              int64_t begin, int64_t end) {
  const tenon_conv_s8 s = tenon_conv_s8_of(c);
  const tenon_window *g = &s.g;
  const bool is_product = tenon_is_product(g);
  const tenon_blocks blocks =
      tenon_blocks_of_conv(g, c->in[0].dims[0], sizeof(tenon_act));
  char *scratch = (char *)c->scratch;
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t lines = work.end - work.begin;
    const int16_t *x =
        (const int16_t *)c->in[0].data + work.image * g->h * g->w * g->c;
    int16_t *y =
        (int16_t *)c->out[0].data + work.image * g->out_h * g->out_w * g->out_c;
    const char *a = scratch;
    tenon_rows_s8 rows = {.m = g->out_w,
                          .lda = g->right * g->c * 2,
                          .ldc = g->out_c,
                          .lines = lines,
                          .next_a = g->down * s.row_size,
                          .next_c = g->out_w * g->out_c};
    if (!is_product) {
      tenon_conv_s16_prepare(g, x, work.begin * g->down - g->top,
                             tenon_rows_read(g, lines), s.columns, s.row_size,
                             scratch);
      y += work.begin * g->out_w * g->out_c;
    } else {
      const size_t size = (size_t)(lines * g->c * 2);
      rows.m = lines;
      rows.lines = 1;
      x += work.begin * g->c;
      y += work.begin * g->out_c;
      if (g->c % TENON_TILE_GROUP == 0) {
        a = (const char *)x;
      } else {
        memcpy(scratch, x, size);
        memset(scratch + size, 0, 2);
      }
    }
    tenon_gemm_s16_rows(
        TENON_UP, &s.gemm, &s.walk, tenon_group_begin(work.group),
        tenon_group_end(work.group_end - 1, g->out_c), &rows, a, y);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_S16Q_OPT_H
