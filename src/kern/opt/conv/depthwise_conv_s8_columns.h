// kern/opt/conv/depthwise_conv_s8_columns.h - columns of an image as lanes that
// have the values of one channel under several taps of a row
// (depthwise_conv_s8_opt.h).
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_S8_COLUMNS_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_S8_COLUMNS_H

#include "kern/opt/tiles/scale_s8.h"
#include "kern/opt/tiles/tiles.h"

typedef struct tenon_depthwise_s8 {
  tenon_window g;
  tenon_columns columns;
  tenon_scale_s8 scale;
  const int32_t *bias;
  const char *weights;
  const int8_t *end;  // of all images
  ptrdiff_t np;       // channels, filled up
  ptrdiff_t times;    // outputs of an input channel
  ptrdiff_t fold;     // pixels in a vector
  ptrdiff_t line;     // bytes of a row of scratch
  tenon_span inside;  // columns of scratch that are whole
  int32_t x_zero;
} tenon_depthwise_s8;

// Columns side by side, as the dot product takes them.
TENON_FLAT tenon_vi tenon_depthwise_s8_join(const tenon_vi *x) {
#if TENON_DOT_GROUP == 4
  const tenon_vi all = (x[0] & 0xff) | (x[1] & 0xff) << 8 |
                       (x[2] & 0xff) << 16 | tenon_vi_shift(x[3], 24);
#ifdef TENON_DOT_SIGNED
  return all;
#else
  return all ^ tenon_vi_splat((int32_t)0x80808080u);
#endif
#else
  return (x[0] & 0xffff) | tenon_vi_shift(x[1], 16);
#endif
}

// What a vector from column `at` of a row and from `channel` on has, of which n
// lanes exist: where it cannot be loaded.
TENON_APART void tenon_depthwise_s8_gather(const tenon_depthwise_s8 *s,
                                           const int8_t *row, ptrdiff_t at,
                                           ptrdiff_t channel, ptrdiff_t n,
                                           int8_t *lanes) {
  const ptrdiff_t c = s->g.c;
  for (ptrdiff_t i = 0; i < TENON_VL; ++i) {
    const ptrdiff_t column = s->fold > 1 ? at + i / c : at;
    const ptrdiff_t k = s->fold > 1 ? i % c : (channel + i) / s->times;
    const bool is_there = i < n && column >= 0 && column < s->g.w;
    lanes[i] = is_there ? row[column * c + k] : (int8_t)s->x_zero;
  }
}

// Columns from u to u_end of a row, wherever they lie.
TENON_APART void tenon_depthwise_s8_edge(const tenon_depthwise_s8 *s,
                                         const int8_t *row, ptrdiff_t channel,
                                         ptrdiff_t n, ptrdiff_t u,
                                         ptrdiff_t u_end, char *to) {
  const bool can_load = s->times == 1 && n >= TENON_VL;
  const tenon_vi zero = tenon_vi_splat(s->x_zero);
  for (; u < u_end; ++u) {
    tenon_vi x[TENON_DOT_GROUP];
    ptrdiff_t at = u * s->columns.step - s->g.left;
    TENON_UNROLL
    for (int i = 0; i < TENON_DOT_GROUP; ++i, at += s->g.dil_x) {
      int8_t lanes[TENON_VL];
      if (at + s->fold <= 0 || at >= s->g.w) {
        x[i] = zero;
      } else if (can_load && at >= 0 && at + s->fold <= s->g.w) {
        x[i] = tenon_vi_widen(row + at * s->g.c + channel);
      } else if (s->g.c == 1 && s->fold == 1) {
        x[i] = tenon_vi_splat(row[at]);
      } else {
        tenon_depthwise_s8_gather(s, row, at, channel, n, lanes);
        x[i] = tenon_vi_widen(lanes);
      }
    }
    tenon_vi_store(to + u * TENON_VB, tenon_depthwise_s8_join(x));
  }
}

// The columns after one another, each `next` bytes on; `fresh`, a constant, of
// the taps of each are not among those of the one before.
TENON_FLAT void tenon_depthwise_s8_slide(const int fresh, const int8_t *from,
                                         ptrdiff_t tap, ptrdiff_t next,
                                         ptrdiff_t count, char *to) {
  const int old = TENON_DOT_GROUP - fresh, bits = 32 / TENON_DOT_GROUP;
  tenon_vi x[TENON_DOT_GROUP], all;
  TENON_UNROLL
  for (int i = 0; i < TENON_DOT_GROUP; ++i)
    x[i] = tenon_vi_splat(0);
  if (old && count > 0) {  // as if there had been one before
    TENON_UNROLL
    for (int i = 0; i < old; ++i)
      x[i + fresh] = tenon_vi_widen(from + i * tap);
  }
  all = tenon_depthwise_s8_join(x);
  TENON_UNROLL
  for (int i = 0; i < TENON_DOT_GROUP; ++i)
    x[i] = tenon_vi_splat(0);
  for (; count > 0; --count, from += next, to += TENON_VB) {
    TENON_UNROLL
    for (int i = old; i < TENON_DOT_GROUP; ++i)
      x[i] = tenon_vi_widen(from + i * tap);
    tenon_vi joined = tenon_depthwise_s8_join(x);
    if (old) {
      const uint32_t kept = (1u << (old * bits % 32)) - 1;
      joined = (joined & (int32_t)~kept) |
               (tenon_vi)((tenon_vu)all >> (fresh * bits));
    }
    all = joined;
    tenon_vi_store(to, all);
  }
}

TENON_APART void tenon_depthwise_s8_slide_by(ptrdiff_t fresh,
                                             const int8_t *from, ptrdiff_t tap,
                                             ptrdiff_t next, ptrdiff_t count,
                                             char *to) {
  switch (fresh) {
    case 1:
      tenon_depthwise_s8_slide(1, from, tap, next, count, to);
      break;
#if TENON_DOT_GROUP == 4
    case 2:
      tenon_depthwise_s8_slide(2, from, tap, next, count, to);
      break;
#endif
    default:
      tenon_depthwise_s8_slide(TENON_DOT_GROUP, from, tap, next, count, to);
  }
}

// Taps of a column that are not those of the column before.
TENON_INLINE ptrdiff_t tenon_depthwise_s8_fresh(const tenon_depthwise_s8 *s) {
  const ptrdiff_t step = s->columns.step, tap = s->g.dil_x;
  return step % tap || step / tap > TENON_DOT_GROUP ? TENON_DOT_GROUP
                                                    : step / tap;
}

// Where an input channel has several outputs: pixels that have a channel for
// each lane, so many at a time, from which columns are made as from an image.
#define TENON_DEPTHWISE_SPREAD 128
TENON_INLINE bool tenon_depthwise_s8_spreads(const tenon_depthwise_s8 *s) {
  return s->times > 1 && s->fold == 1 &&
         (TENON_DOT_GROUP - 1) * s->g.dil_x < TENON_DEPTHWISE_SPREAD / 2;
}
static void tenon_depthwise_s8_spread(const tenon_depthwise_s8 *s,
                                      const int8_t *row, ptrdiff_t channel,
                                      ptrdiff_t n, char *to) {
  const tenon_window *g = &s->g;
  const ptrdiff_t step = s->columns.step, fresh = tenon_depthwise_s8_fresh(s);
  const ptrdiff_t reach = (TENON_DOT_GROUP - 1) * g->dil_x + 1;
  const ptrdiff_t most = (TENON_DEPTHWISE_SPREAD - reach) / step + 1;
  int8_t pixels[TENON_DEPTHWISE_SPREAD * TENON_VL];
  ptrdiff_t of[TENON_VL], k = channel / s->times, left = s->times * (k + 1);
  if (n > TENON_VL) n = TENON_VL;
  for (ptrdiff_t i = 0; i < n; ++i) {  // no division for each
    if (channel + i == left) {
      ++k;
      left += s->times;
    }
    of[i] = k;
  }
  for (ptrdiff_t u = 0, some; u < s->columns.count; u += some) {
    const ptrdiff_t first = u * step - g->left;
    some = s->columns.count - u < most ? s->columns.count - u : most;
    for (ptrdiff_t p = 0; p < (some - 1) * step + reach; ++p) {
      int8_t *lanes = pixels + p * TENON_VL;
      const ptrdiff_t at = first + p;
      memset(lanes, (int8_t)s->x_zero, TENON_VL);
      if (at < 0 || at >= g->w) continue;
      for (ptrdiff_t i = 0; i < n; ++i)
        lanes[i] = row[at * g->c + of[i]];
    }
    tenon_depthwise_s8_slide_by(fresh, pixels, g->dil_x * TENON_VL,
                                step * TENON_VL, some, to + u * TENON_VB);
  }
}

// A row, or null, for a vector of channels.
static void tenon_depthwise_s8_row(const tenon_depthwise_s8 *s,
                                   const int8_t *row, ptrdiff_t channel,
                                   ptrdiff_t n, char *to) {
  const tenon_window *g = &s->g;
  const ptrdiff_t count = s->columns.count, step = s->columns.step;
  const ptrdiff_t tap = g->dil_x * g->c, reach = (TENON_DOT_GROUP - 1) * tap;
  if (!row) {
    const tenon_vi zero = tenon_vi_splat(s->x_zero);
    const tenon_vi all[4] = {zero, zero, zero, zero};
    const tenon_vi joined = tenon_depthwise_s8_join(all);
    for (ptrdiff_t u = 0; u < count; ++u)
      tenon_vi_store(to + u * TENON_VB, joined);
    return;
  }
  if (tenon_depthwise_s8_spreads(s)) {
    tenon_depthwise_s8_spread(s, row, channel, n, to);
    return;
  }
  // A vector reads past the pixel, and taps without weights are read past the
  // row; not past the images.
  ptrdiff_t u = s->inside.begin, u_end = s->inside.end;
  const int8_t *last =
      row + channel + (u_end * step - step - g->left) * g->c + reach;
  for (; u_end > u && s->end - last < TENON_VL; --u_end)
    last -= step * g->c;
  tenon_depthwise_s8_edge(s, row, channel, n, 0, u, to);
  tenon_depthwise_s8_edge(s, row, channel, n, u_end, count, to);
  const int8_t *from = row + (u * step - g->left) * g->c + channel;
  to += u * TENON_VB;
  tenon_depthwise_s8_slide_by(tenon_depthwise_s8_fresh(s), from, tap,
                              step * g->c, u_end - u, to);
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_S8_COLUMNS_H
