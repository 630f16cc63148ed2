// kern/opt/conv/depthwise_conv_s8_opt.h - quantised depthwise convolution,
// rounded twice, channels in lanes.
//
// The dot product adds TENON_DOT_GROUP products within a lane, but a depthwise
// window has one product per channel and tap. So scratch holds each input
// column together with its neighbours to the right: a lane of 32 bits has the
// values of one channel under that many taps of a row. A 3x3 window then takes
// 6 steps of two taps, or 3 of four, and each input row is brought into this
// form once for all the output rows of a block. Scratch is laid out as it is
// read: a vector of channels after the other, in it rows, in these columns.
// Four outputs are summed and scaled at a time, across the ends of rows.
//
// Where all channels fill but a part of a vector and neighbouring outputs read
// neighbouring pixels, a vector has several pixels: the image counts as one
// with fewer columns and more channels, of which the packed block has copies.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_S8_OPT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_S8_OPT_H

#include "kern/opt/conv/depthwise_conv_s8_flat.h"
#include "kern/opt/conv/depthwise_conv_s8_mla.h"
#include "kern/opt/tiles/scale_s8.h"
#include "kern/opt/tiles/tiles.h"
#include "kern/product/conv.h"

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

// Taps of a column that are not those of the column before.
TENON_INLINE ptrdiff_t tenon_depthwise_s8_fresh(const tenon_depthwise_s8 *s) {
  const ptrdiff_t step = s->columns.step, tap = s->g.dil_x;
  return step % tap || step / tap > TENON_DOT_GROUP ? TENON_DOT_GROUP
                                                    : step / tap;
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
  switch (tenon_depthwise_s8_fresh(s)) {
    case 1:
      tenon_depthwise_s8_slide(1, from, tap, step * g->c, u_end - u, to);
      break;
#if TENON_DOT_GROUP == 4
    case 2:
      tenon_depthwise_s8_slide(2, from, tap, step * g->c, u_end - u, to);
      break;
#endif
    default:
      tenon_depthwise_s8_slide(TENON_DOT_GROUP, from, tap, step * g->c,
                               u_end - u, to);
  }
}

// Distances in bytes, in one place and not behind a pointer: stores of bytes
// may change anything, so the compiler would read them again after each.
typedef struct tenon_depthwise_steps {
  ptrdiff_t kh, groups;
  ptrdiff_t line, jump, weights;  // from one row of taps, group, weight on
} tenon_depthwise_steps;

// `n` outputs, each from its columns at a[i]; n, kh, groups and jump (in
// columns) are constants after inlining, the latter three unless 0.
TENON_FLAT void tenon_depthwise_s8_sum(const int n, const int kh,
                                       const int groups, const int jump,
                                       tenon_depthwise_steps by,
                                       const char *weights, tenon_vi bias,
                                       const char *const a[], tenon_vi *acc) {
  TENON_UNROLL
  for (int i = 0; i < n; ++i)
    acc[i] = bias;
  if (kh) {
    TENON_UNROLL
    for (int ky = 0; ky < kh; ++ky) {
      TENON_UNROLL
      for (int k = 0; k < groups; ++k) {
        const tenon_vi w =
            tenon_vi_load(weights + (ky * groups + k) * by.weights);
        TENON_UNROLL
        for (int i = 0; i < n; ++i) {
          acc[i] = tenon_vi_dot(
              acc[i], tenon_vi_load(a[i] + ky * by.line + k * jump * TENON_VB),
              w);
          TENON_SETTLE(acc[i]);
        }
      }
    }
  } else {
    for (ptrdiff_t ky = 0; ky < by.kh; ++ky) {
      for (ptrdiff_t k = 0; k < by.groups; ++k) {
        const tenon_vi w = tenon_vi_load(weights);
        weights += by.weights;
        TENON_UNROLL
        for (int i = 0; i < n; ++i)
          acc[i] = tenon_vi_dot(
              acc[i], tenon_vi_load(a[i] + ky * by.line + k * by.jump), w);
      }
    }
  }
}

// A vector of channels from `channel` on, in `lines` rows of output at y.
TENON_FLAT void tenon_depthwise_s8_vector(const int kh, const int groups,
                                          const int jump,
                                          const tenon_depthwise_s8 *s,
                                          ptrdiff_t channel, ptrdiff_t lines,
                                          const char *a, int8_t *y) {
  const tenon_depthwise_steps by = {s->g.kh, s->columns.groups,
                                    s->g.dil_y * s->line,
                                    s->columns.group * TENON_VB, s->np * 4};
  const ptrdiff_t out_w = s->g.out_w, out_c = s->g.out_c;
  const ptrdiff_t all = lines * out_w;
  const ptrdiff_t step = s->g.right / s->columns.step * TENON_VB;
  const ptrdiff_t back = s->g.down * s->line - out_w * step;
  const tenon_vi bias = tenon_vi_load(s->bias + channel);
  const char *weights = s->weights + channel * 4;
  const tenon_scale_v v =
      tenon_scale_v_of(TENON_TWICE, &s->scale, channel, out_c - channel);
  tenon_vi sum[4];
  ptrdiff_t x = 0, i = 0;  // the next output's column, and which it is
  y += channel;
  for (; i + 4 <= all; i += 4, y += 4 * out_c) {
    const char *at[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      at[k] = a;
      a += step;
      if (++x == out_w) {
        x = 0;
        a += back;
      }
    }
    tenon_depthwise_s8_sum(4, kh, groups, jump, by, weights, bias, at, sum);
    tenon_scale_v_put(TENON_TWICE, 4, &v, sum, y, out_c);
  }
  for (; i < all; ++i, y += out_c) {
    tenon_depthwise_s8_sum(1, kh, groups, jump, by, weights, bias, &a, sum);
    tenon_scale_v_put(TENON_TWICE, 1, &v, sum, y, out_c);
    a += step;
    if (++x == out_w) {
      x = 0;
      a += back;
    }
  }
}

// Windows of 3 and 5 rows with dilation 1; stride 2 halves the jump.
#if TENON_DOT_GROUP == 4
#define TENON_EACH_DEPTHWISE(X) X(0, 0, 0) X(3, 1, 0) X(5, 2, 4) X(5, 2, 2)
#else
#define TENON_EACH_DEPTHWISE(X) \
  X(0, 0, 0) X(3, 2, 2) X(3, 2, 1) X(5, 3, 2) X(5, 3, 1)
#endif

typedef void tenon_depthwise_s8_fn(const tenon_depthwise_s8 *, ptrdiff_t,
                                   ptrdiff_t, const char *, int8_t *);
#define TENON_DEPTHWISE(kh, groups, jump)                                 \
  TENON_APART void tenon_depthwise_s8_##kh##_##groups##_##jump(           \
      const tenon_depthwise_s8 *s, ptrdiff_t channel, ptrdiff_t lines,    \
      const char *a, int8_t *y) {                                         \
    tenon_depthwise_s8_vector(kh, groups, jump, s, channel, lines, a, y); \
  }
TENON_EACH_DEPTHWISE(TENON_DEPTHWISE)
#undef TENON_DEPTHWISE

static tenon_depthwise_s8_fn *tenon_depthwise_s8_find(
    const tenon_depthwise_s8 *s) {
  const tenon_columns *c = &s->columns;
  const ptrdiff_t jump = c->groups > 1 ? c->group : 0;
#define TENON_DEPTHWISE(kh_, groups_, jump_)                   \
  if (s->g.kh == kh_ && c->groups == groups_ && jump == jump_) \
    return tenon_depthwise_s8_##kh_##_##groups_##_##jump_;
  TENON_EACH_DEPTHWISE(TENON_DEPTHWISE)
#undef TENON_DEPTHWISE
  return tenon_depthwise_s8_0_0_0;
}

// The columns of scratch for which all of the image's columns are there.
TENON_INLINE tenon_span tenon_depthwise_s8_inside(const tenon_depthwise_s8 *s) {
  const ptrdiff_t step = s->columns.step;
  // Other groups may begin where the only one has taps without weights.
  const ptrdiff_t taps = s->columns.groups > 1 ? TENON_DOT_GROUP : s->g.kw;
  const ptrdiff_t most = s->g.w - s->fold + s->g.left - (taps - 1) * s->g.dil_x;
  tenon_span inside;
  inside.begin = (s->g.left + step - 1) / step;
  if (inside.begin > s->columns.count) inside.begin = s->columns.count;
  inside.end = most >= 0 && s->times == 1 ? most / step + 1 : 0;
  if (inside.end > s->columns.count) inside.end = s->columns.count;
  if (inside.end < inside.begin) inside.end = inside.begin;
  return inside;
}

// Takes several pixels for one with all their channels.
static void tenon_depthwise_s8_fold(tenon_depthwise_s8 *s) {
  const ptrdiff_t fold = s->g.c > 0 ? TENON_VL / s->g.c : 0;
  s->fold = 1;
  if (fold < 2 || TENON_VL % s->g.c || s->times != 1 || s->g.right != 1 ||
      s->g.out_w % fold || (s->columns.groups > 1 && s->columns.group % fold))
    return;
  s->fold = fold;
  s->g.right = fold;
  s->g.out_w /= fold;
  s->g.out_c *= fold;
  s->columns.step = fold;
  s->columns.group /= fold;
  s->columns.count = s->g.out_w + (s->columns.groups - 1) * s->columns.group;
}

// `lines` rows of output from `begin` on, one group of channels.
static void tenon_depthwise_s8_item(const tenon_depthwise_s8 *s,
                                    const int8_t *image, ptrdiff_t begin,
                                    ptrdiff_t lines, ptrdiff_t group,
                                    char *scratch, int8_t *y) {
  const tenon_window *g = &s->g;
  const ptrdiff_t rows = tenon_rows_read(g, lines);
  tenon_depthwise_s8_fn *compute = tenon_depthwise_s8_find(s);
  ptrdiff_t end = (group + 1) * TENON_GROUP;
  if (end > g->out_c) end = g->out_c;
  for (ptrdiff_t i = group * TENON_GROUP; i < end; i += TENON_VL) {
    for (ptrdiff_t t = 0; t < rows; ++t) {
      const ptrdiff_t at = begin * g->down - g->top + t;
      const int8_t *row =
          at >= 0 && at < g->h ? image + at * g->w * g->c : NULL;
      tenon_depthwise_s8_row(s, row, i, end - i, scratch + t * s->line);
    }
    compute(s, i, lines, scratch, y);
  }
}

TENON_INLINE tenon_status tenon_depthwise_conv_s8_run(const tenon_call *c,
                                                      int64_t begin,
                                                      int64_t end) {
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)c->packed;
  tenon_depthwise_s8 s;
  s.g = tenon_conv_window(c);
  const tenon_window *g = &s.g;
  const tenon_blocks blocks =
      tenon_blocks_of_depthwise(g, c->in[0].dims[0], TENON_DOT_GROUP);
#ifdef TENON_HAS_FLAT_S8
  tenon_flat_s8 flat;
  if (tenon_flat_s8_of(c, g,
                       tenon_rows_read(g, blocks.height) *
                           tenon_depthwise_row(g, TENON_DOT_GROUP),
                       &flat)) {
    while (begin < end) {
      tenon_work work;
      begin = tenon_blocks_work(&blocks, begin, end, &work);
      const int8_t *x =
          (const int8_t *)c->in[0].data + work.image * g->h * g->w * g->c;
      int8_t *y = (int8_t *)c->out[0].data +
                  (work.image * g->out_h + work.begin) * g->out_w * g->out_c;
      for (ptrdiff_t i = work.group; i < work.group_end; ++i)
        tenon_flat_item(&flat, x, work.begin, work.end - work.begin,
                        i * TENON_GROUP, (char *)c->scratch, y);
    }
    return TENON_OK;
  }
#endif
  s.columns = tenon_columns_of(g, TENON_DOT_GROUP);
  s.np = tenon_round_up(g->out_c, TENON_LANES);
  s.scale = tenon_scale_s8_of(head, s.np);
  s.bias = (const int32_t *)(head + 1);
  s.weights = (const char *)(s.bias + 3 * s.np);
  tenon_scale_s8_lines(
      &s.scale, head,
      s.weights + g->kh * s.columns.groups * s.np * (ptrdiff_t)sizeof(int32_t));
  s.end = (const int8_t *)c->in[0].data + tenon_count(&c->in[0]);
  s.times = g->c ? g->out_c / g->c : 1;
  s.x_zero = head->x_zero;
#ifdef TENON_HAS_MLA
  tenon_mla_fn *const mla = tenon_mla_find(g);
  while (mla && begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const tenon_mla_s8 some = {
        .g = g,
        .scale = &s.scale,
        .bias = s.bias,
        .weights = s.weights,
        .np = s.np,
        .x_zero = s.x_zero,
        .image =
            (const int8_t *)c->in[0].data + work.image * g->h * g->w * g->c,
        .begin = work.begin,
        .lines = work.end - work.begin,
        .y = (int8_t *)c->out[0].data +
             (work.image * g->out_h + work.begin) * g->out_w * g->out_c};
    const ptrdiff_t last = work.group_end * TENON_GROUP;
    mla(&some, work.group * TENON_GROUP, last < g->out_c ? last : g->out_c);
  }
#endif
  tenon_depthwise_s8_fold(&s);
  s.line = s.columns.count * TENON_VB;
  s.inside = tenon_depthwise_s8_inside(&s);
  while (begin < end) {
    tenon_work work;
    begin = tenon_blocks_work(&blocks, begin, end, &work);
    const int8_t *x =
        (const int8_t *)c->in[0].data + work.image * g->h * g->w * g->c;
    int8_t *y = (int8_t *)c->out[0].data +
                (work.image * g->out_h + work.begin) * g->out_w * g->out_c;
    for (ptrdiff_t i = work.group; i < work.group_end; ++i)
      tenon_depthwise_s8_item(&s, x, work.begin, work.end - work.begin, i,
                              (char *)c->scratch, y);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_S8_OPT_H
