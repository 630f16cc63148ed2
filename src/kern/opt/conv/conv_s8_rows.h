// kern/opt/conv/conv_s8_rows.h - rows of an image of bytes in scratch, with
// what is around them.
#ifndef TENON_KERN_OPT_CONV_S8_ROWS_H
#define TENON_KERN_OPT_CONV_S8_ROWS_H

#include "kern/opt/conv/conv_s8_walk.h"

#if TENON_VB == 64 && TENON_TILE_GROUP == 4
#define TENON_HAS_WIDE_ROWS 1
// `n` values, a register or more, with what is around them: whole registers of
// that first, which may reach into what is written behind them. In rows of a
// few hundred bytes, borders piece by piece take as long as all else.
TENON_FLAT void tenon_conv_s8_row(const int8_t *from, ptrdiff_t n,
                                  ptrdiff_t left, ptrdiff_t size, tenon_vi zero,
                                  char *to) {
  const tenon_vi flip = tenon_vi_splat((int32_t)(TENON_FLIP * 0x01010101u));
  for (ptrdiff_t i = 0; i < left; i += TENON_VB)
    tenon_vi_store(to + i, zero);
  for (ptrdiff_t i = left + n; i < size - TENON_VB; i += TENON_VB)
    tenon_vi_store(to + i, zero);
  tenon_vi_store(to + size - TENON_VB, zero);
  to += left;
  for (ptrdiff_t i = 0; i < n - TENON_VB; i += TENON_VB)
    tenon_vi_store(to + i, tenon_vi_load(from + i) ^ flip);
  tenon_vi_store(to + n - TENON_VB, tenon_vi_load(from + n - TENON_VB) ^ flip);
}
#endif

// Rows from `y` on, `count` of them, as outputs from the left edge see them.
TENON_INLINE void tenon_conv_s8_prepare(const tenon_window *g,
                                        const int8_t *image, ptrdiff_t y,
                                        ptrdiff_t count, ptrdiff_t columns,
                                        tenon_act zero, ptrdiff_t row_size,
                                        char *to) {
  ptrdiff_t inside = columns - g->left;
  if (inside > g->w) inside = g->w;
  if (inside < 0) inside = 0;
#ifdef TENON_HAS_WIDE_ROWS
  const ptrdiff_t left = g->left * g->c, n = inside * g->c;
  if (n >= TENON_VB) {
    const tenon_vi around = tenon_vi_splat((int32_t)(zero * 0x01010101u));
    for (ptrdiff_t t = 0; t < count; ++t, ++y, to += row_size) {
      if (g->kh == 1 && t % g->down != 0) continue;
      if (y >= 0 && y < g->h)
        tenon_conv_s8_row(image + y * g->w * g->c, n, left, row_size, around,
                          to);
      else
        for (ptrdiff_t i = 0; i < row_size; i += TENON_VB)
          tenon_vi_store(
              to + (i + TENON_VB < row_size ? i : row_size - TENON_VB), around);
    }
    return;
  }
#endif
  for (ptrdiff_t t = 0; t < count; ++t, ++y, to += row_size) {
    tenon_act *d = (tenon_act *)(void *)to;
    tenon_act *end = d + row_size / (ptrdiff_t)sizeof(tenon_act);
    if (g->kh == 1 && t % g->down != 0) continue;  // no tap meets it
    if (y >= 0 && y < g->h) {
      d = tenon_act_fill(d, (columns < g->left ? columns : g->left) * g->c,
                         zero);
      d = tenon_act_copy(d, image + y * g->w * g->c, inside * g->c);
    }
    tenon_act_fill(d, end - d, zero);
  }
}

// Rows that outputs of the last lines read as well, where `w` follows them in
// one image: they move to where its own begin. Their number.
TENON_INLINE ptrdiff_t tenon_conv_s8_keep(const tenon_conv_s8 *s,
                                          const tenon_work *last,
                                          const tenon_work *w, char *rows) {
  const ptrdiff_t kept = tenon_rows_read(&s->g, 0);
  const ptrdiff_t behind = (last->end - last->begin) * s->g.down;
  if (last->image != w->image || kept <= 0) return 0;
  memmove(rows, rows + behind * s->row_size, (size_t)(kept * s->row_size));
  return kept;
}

#endif  // TENON_KERN_OPT_CONV_S8_ROWS_H
