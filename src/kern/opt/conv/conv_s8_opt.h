// kern/opt/conv/conv_s8_opt.h - quantised convolution, rounded twice.
//
// The input rows of a block are copied to scratch once, in the form that the
// dot product takes, with the padding as zero points around them. With channels
// last a row of taps is then one run of values wherever the output lies, so a
// tile walks kh runs without asking where the image ends. Where runs are and
// rows of output so short that both make little of a tile, windows are put
// together, some pixels at a time across the ends of rows, and walked as one
// run. A 1x1 convolution is a product over all pixels.
#ifndef TENON_KERN_OPT_CONV_S8_OPT_H
#define TENON_KERN_OPT_CONV_S8_OPT_H

#include "kern/opt/conv/conv_s8_rows.h"
#include "kern/opt/tiles/tile_s8.h"

// Where the channels begin that an item reads.
TENON_INLINE const char *tenon_conv_s8_from(const tenon_conv_s8 *s,
                                            ptrdiff_t group, const char *a) {
  return a + tenon_share_begin(&s->share, group * TENON_GROUP) *
                 (ptrdiff_t)sizeof(tenon_act);
}

static void tenon_conv_s8_item(const tenon_conv_s8 *s, ptrdiff_t group,
                               ptrdiff_t lines, const char *a, int8_t *y) {
  const tenon_window *g = &s->g;
  const tenon_rows_s8 rows = {
      .m = g->out_w,
      .lda = g->right * g->c * (ptrdiff_t)sizeof(tenon_act),
      .ldc = g->out_c,
      .lines = lines,
      .next_a = g->down * s->row_size,
      .next_c = g->out_w * g->out_c};
  tenon_gemm_s8_rows(TENON_TWICE, &s->gemm, &s->walk, tenon_group_begin(group),
                     tenon_group_end(group, g->out_c), &rows,
                     tenon_conv_s8_from(s, group, a), y);
}

static void tenon_conv_s8_pixels(const tenon_conv_s8 *s, ptrdiff_t group,
                                 ptrdiff_t pixels, const char *a, int8_t *y) {
  const tenon_window *g = &s->g;
  const tenon_rows_s8 rows = {.m = pixels,
                              .lda = g->c * (ptrdiff_t)sizeof(tenon_act),
                              .ldc = g->out_c,
                              .lines = 1};
  tenon_gemm_s8_rows(TENON_TWICE, &s->gemm, &s->walk, tenon_group_begin(group),
                     tenon_group_end(group, g->out_c), &rows,
                     tenon_conv_s8_from(s, group, a), y);
}

#define TENON_PATCH_PIXELS 48
#define TENON_PATCH_VALUES 64

// Windows that are put together: of wide rows that costs more than it saves.
TENON_INLINE bool tenon_conv_s8_is_small(const tenon_conv_s8 *s) {
  return s->g.kh > 1 && s->g.out_w < TENON_TILE_PIXELS && s->walk.nx == 1 &&
         !s->share.is_part && s->walk.len <= 4 &&
         s->g.kh * s->walk.len * TENON_TILE_GROUP <= TENON_PATCH_VALUES;
}

// `lines` rows of output of some groups.
static void tenon_conv_s8_patches(const tenon_conv_s8 *s, ptrdiff_t group,
                                  ptrdiff_t group_end, ptrdiff_t lines,
                                  const char *a, int8_t *y) {
  const tenon_window *g = &s->g;
  const ptrdiff_t step = g->right * g->c * (ptrdiff_t)sizeof(tenon_act);
  const ptrdiff_t all = lines * g->out_w, len = s->walk.len;
  const tenon_walk walk = {.ny = 1, .nx = 1, .len = g->kh * len};
  char patches[TENON_PATCH_PIXELS * TENON_PATCH_VALUES * sizeof(tenon_act)];
  ptrdiff_t x = 0, count;
  for (ptrdiff_t i = 0; i < all; i += count) {
    char *to = patches;
    count = all - i < TENON_PATCH_PIXELS ? all - i : TENON_PATCH_PIXELS;
    for (ptrdiff_t k = 0; k < count; ++k) {
      const char *from = a + x * step;
      for (ptrdiff_t ky = 0; ky < g->kh; ++ky, from += s->walk.a_y) {
        memcpy(to, from, TENON_TILE_BYTES);  // of any size it would be a call
        TENON_UNROLL
        for (int j = 1; j < 4; ++j)
          if (len > j)
            memcpy(to + j * TENON_TILE_BYTES, from + j * TENON_TILE_BYTES,
                   TENON_TILE_BYTES);
        to += TENON_TILE_BYTES * len;
      }
      if (++x == g->out_w) {
        x = 0;
        a += g->down * s->row_size;
      }
    }
    const tenon_rows_s8 rows = {.m = count,
                                .lda = TENON_TILE_BYTES * walk.len,
                                .ldc = g->out_c,
                                .lines = 1};
    tenon_gemm_s8_rows(TENON_TWICE, &s->gemm, &walk, tenon_group_begin(group),
                       tenon_group_end(group_end - 1, g->out_c), &rows, patches,
                       y + i * g->out_c);
  }
}

TENON_INLINE tenon_status tenon_conv_s8_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  const tenon_conv_s8 s = tenon_conv_s8_of(c);
  const tenon_window *g = &s.g;
  const bool is_product = tenon_is_product(g);
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)c->packed;
  const tenon_act zero = tenon_act_of(head->x_zero);
  const tenon_blocks blocks =
      tenon_blocks_of_conv(g, c->in[0].dims[0], sizeof(tenon_act));
  const char *a = (const char *)c->scratch;
  tenon_work work, last = {.image = -1};
  for (; begin < end; last = work) {
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const ptrdiff_t lines = work.end - work.begin;
    const int8_t *x =
        (const int8_t *)c->in[0].data + work.image * g->h * g->w * g->c;
    int8_t *y =
        (int8_t *)c->out[0].data + work.image * g->out_h * g->out_w * g->out_c;
    if (is_product) {
      tenon_act *d = tenon_act_copy((tenon_act *)c->scratch,
                                    x + work.begin * g->c, lines * g->c);
      tenon_act_fill(d, TENON_TILE_GROUP, zero);
      for (ptrdiff_t i = work.group; i < work.group_end; ++i)
        tenon_conv_s8_pixels(&s, i, lines, a, y + work.begin * g->out_c);
    } else {
      const ptrdiff_t kept =
          tenon_conv_s8_keep(&s, &last, &work, (char *)c->scratch);
      tenon_conv_s8_prepare(g, x, work.begin * g->down - g->top + kept,
                            tenon_rows_read(g, lines) - kept, s.columns, zero,
                            s.row_size, (char *)c->scratch + kept * s.row_size);
      y += work.begin * g->out_w * g->out_c;
      if (tenon_conv_s8_is_small(&s)) {
        tenon_conv_s8_patches(&s, work.group, work.group_end, lines, a, y);
        continue;
      }
      for (ptrdiff_t i = work.group; i < work.group_end; ++i)
        tenon_conv_s8_item(&s, i, lines, a, y);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_CONV_S8_OPT_H
