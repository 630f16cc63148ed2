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

#include "kern/opt/conv/depthwise_conv_s8_columns.h"
#include "kern/opt/conv/depthwise_conv_s8_flat.h"
#include "kern/opt/conv/depthwise_conv_s8_mla.h"
#include "kern/product/conv.h"

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
