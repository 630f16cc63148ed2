// kern/opt/conv/depthwise_conv_s8_flat.h - quantised depthwise convolution of
// rows of up to four taps, 64 results at a time.
//
// Rows are copied to scratch with what is around the image, a column of a
// stride after the other. Then the values under a tap of neighbouring results
// are neighbours, whichever pixels and channels they are of, and interleaving
// the bytes of four taps makes the lanes that the dot product takes. That
// orders 64 results by fours, as narrowing four vectors of sums puts them back.
// Small images have several pixels in 64 results, whose weights stand side by
// side; large ones 64 channels. Each row read is interleaved once for all the
// results above and below.
#ifndef TENON_KERN_OPT_DEPTHWISE_CONV_S8_FLAT_H
#define TENON_KERN_OPT_DEPTHWISE_CONV_S8_FLAT_H

#include "kern/opt/tiles/scale_s8.h"
#include "kern/product/conv.h"

#if TENON_DOT_GROUP == 4 && defined(TENON_HAS_NEAR) && defined(TENON_HAS_UNPACK)
#define TENON_HAS_FLAT_S8 1

#define TENON_FLAT_RESULTS 64
#define TENON_FLAT_ROWS 5  // of taps, at most

typedef struct tenon_flat_s8 {
  tenon_window g;
  tenon_scale_s8 scale;
  const int32_t *bias;
  const char *weights;
  ptrdiff_t np;
  ptrdiff_t channels;  // of an item in scratch
  ptrdiff_t pixels;    // in 64 results
  ptrdiff_t phase;     // bytes of the columns of a stride
  ptrdiff_t row;       // bytes of a row
  ptrdiff_t lines;     // rows of results for which there is scratch
  ptrdiff_t tap[4];    // where the values under a tap begin
  const int8_t *end;   // of all images
  uint8_t outside;
} tenon_flat_s8;

// What 64 results are computed with, in the order of the sums.
typedef struct tenon_flat_plan {
  tenon_vi bias[4], weights[TENON_FLAT_ROWS][4], mult[4], shift[4];
  tenon_scale_v scale[4];
#ifdef TENON_HAS_LINE
  bool has_lines;
  tenon_line_v line[4];
#endif
} tenon_flat_plan;

TENON_INLINE void tenon_flat_take(int32_t *to, const int32_t *from,
                                  size_t size) {
  if (size == 16)
    memcpy(to, from, 16);
  else
    memcpy(to, from, 4);
}

static void tenon_flat_plan_of(const tenon_flat_s8 *s, ptrdiff_t channel,
                               tenon_flat_plan *p) {
  int32_t lanes[3 + TENON_FLAT_ROWS][TENON_FLAT_RESULTS];
#ifdef TENON_HAS_LINE
  const int32_t *const given = (const int32_t *)(const void *)s->scale.lines;
  int32_t lines[4][TENON_FLAT_RESULTS];
#endif
  const int32_t *const weights = (const int32_t *)(const void *)s->weights;
  const ptrdiff_t n =
      s->channels < s->g.c - channel ? s->channels : s->g.c - channel;
  // The channels of four results are neighbours, or they are taken one by one.
  const ptrdiff_t step = n % 4 == 0 ? 4 : 1;
  const size_t size = (size_t)step * sizeof(int32_t);
  for (ptrdiff_t at = 0, j = 0; at < TENON_FLAT_RESULTS; at += step) {
    const ptrdiff_t to = at / 4 % 4 * TENON_VL + at / 16 * 4 + at % 4;
    const ptrdiff_t k = channel + j;
    tenon_flat_take(lanes[0] + to, s->bias + k, size);
    tenon_flat_take(lanes[1] + to, s->scale.mult + k, size);
    tenon_flat_take(lanes[2] + to, s->scale.shift + k, size);
    for (ptrdiff_t y = 0; y < s->g.kh; ++y)
      tenon_flat_take(lanes[3 + y] + to, weights + y * s->np + k, size);
#ifdef TENON_HAS_LINE
    for (ptrdiff_t y = 0; given && y < 4; ++y)
      tenon_flat_take(lines[y] + to, given + y * s->np + k, size);
#endif
    j = j + step == n ? 0 : j + step;
  }
#ifdef TENON_HAS_LINE
  p->has_lines = given != NULL;
  for (ptrdiff_t q = 0; given && q < 4; ++q)
    p->has_lines &=
        tenon_line_v_of((const float *)(const void *)lines[0] + q * TENON_VL,
                        TENON_FLAT_RESULTS, &p->line[q]);
#endif
  for (ptrdiff_t q = 0; q < 4; ++q) {
    p->bias[q] = tenon_vi_load(lanes[0] + q * TENON_VL);
    p->mult[q] = tenon_vi_load(lanes[1] + q * TENON_VL);
    p->shift[q] = tenon_vi_load(lanes[2] + q * TENON_VL);
    p->scale[q].scale = &s->scale;
    p->scale[q].mult = p->mult[q];
    p->scale[q].zero = tenon_vi_splat(s->scale.zero);
    p->scale[q].is_fast = true;
    tenon_scale_near(TENON_TWICE, p->shift[q], &p->scale[q]);
    for (ptrdiff_t y = 0; y < s->g.kh; ++y)
      p->weights[y][q] = tenon_vi_load(lanes[3 + y] + q * TENON_VL);
  }
}

// Exactly n bytes.
TENON_FLAT void tenon_flat_put(int8_t *to, tenon_vs x, ptrdiff_t n) {
  int8_t bytes[TENON_FLAT_RESULTS];
  if (n == TENON_FLAT_RESULTS) {
    tenon_vi_store(to, (tenon_vi)x);
    return;
  }
  memcpy(bytes, &x, sizeof bytes);
  if (n >= 32) {
    memcpy(to, bytes, 32);
    memcpy(to + n - 32, bytes + n - 32, 32);
  } else if (n >= 16) {
    memcpy(to, bytes, 16);
    memcpy(to + n - 16, bytes + n - 16, 16);
  } else {
    tenon_copy_some(to, bytes, n);
  }
}

// Where floats do not decide.
TENON_APART void tenon_flat_slow(const tenon_flat_plan *p, const tenon_vi *sum,
                                 int8_t *to, ptrdiff_t n) {
  const tenon_scale_s8 *s = p->scale[0].scale;
  tenon_vi y[4];
  for (ptrdiff_t q = 0; q < 4; ++q) {
    tenon_scale_v v = p->scale[q];
    tenon_scale_exact(TENON_TWICE, p->shift[q], &v);
    y[q] = tenon_scale_v_apply(TENON_TWICE, &v, sum[q]);
  }
  const tenon_vs r = (tenon_vs)tenon_vi_pack4(y[0], y[1], y[2], y[3]);
  tenon_flat_put(
      to, tenon_vs_limit(r, tenon_vs_splat(s->lo), tenon_vs_splat(s->hi)), n);
}

TENON_FLAT void tenon_flat_finish(const tenon_flat_plan *p, const tenon_vi *sum,
                                  tenon_vs lo, tenon_vs hi, int8_t *to,
                                  ptrdiff_t n) {
  tenon_vf most = {0};
  tenon_vi y[4];
#ifdef TENON_HAS_LINE
  if (p->has_lines) {
    TENON_UNROLL
    for (int q = 0; q < 4; ++q)
      y[q] = tenon_line_v_apply(&p->line[q], sum[q]);
    const tenon_vs r = (tenon_vs)tenon_vi_pack4(y[0], y[1], y[2], y[3]);
    tenon_flat_put(to, tenon_vs_limit(r, lo, hi), n);
    return;
  }
#endif
  TENON_UNROLL
  for (int q = 0; q < 4; ++q)
    y[q] = tenon_scale_v_near(TENON_TWICE, &p->scale[q], sum[q], &most);
  if (tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF)) {
    const tenon_vi sums[4] = {sum[0], sum[1], sum[2], sum[3]};
    tenon_flat_slow(p, sums, to, n);
    return;
  }
  const tenon_vs r = (tenon_vs)tenon_vi_pack4(y[0], y[1], y[2], y[3]);
  tenon_flat_put(to, tenon_vs_limit(r, lo, hi), n);
}

// The lanes of 64 results: the taps that there are, from a row.
TENON_FLAT void tenon_flat_join(const int taps, const ptrdiff_t *tap,
                                const char *row, tenon_vi *x) {
  tenon_vi t[4];
  TENON_UNROLL
  for (int k = 0; k < 4; ++k)
    t[k] = tenon_vi_load(row + tap[k < taps ? k : taps - 1]);
  const tenon_vi low = tenon_vi_bytes_low(t[0], t[1]);
  const tenon_vi high = tenon_vi_bytes_high(t[0], t[1]);
  const tenon_vi low2 = tenon_vi_bytes_low(t[2], t[3]);
  const tenon_vi high2 = tenon_vi_bytes_high(t[2], t[3]);
  x[0] = tenon_vi_pairs_low(low, low2);
  x[1] = tenon_vi_pairs_high(low, low2);
  x[2] = tenon_vi_pairs_low(high, high2);
  x[3] = tenon_vi_pairs_high(high, high2);
}

// `lines` rows of n results, 64 at most, from rows at `a`.
#define TENON_FLAT_ARGS                                            \
  const tenon_flat_s8 *s, const tenon_flat_plan *p, const char *a, \
      ptrdiff_t lines, ptrdiff_t n, int8_t *y
typedef void tenon_flat_fn(TENON_FLAT_ARGS);

// Three rows of taps next to one another: sums of three rows at a time.
TENON_FLAT void tenon_flat_rolling(const int taps, TENON_FLAT_ARGS) {
  const ptrdiff_t row = s->row, line = s->g.out_w * s->g.c;
  const ptrdiff_t tap[4] = {s->tap[0], s->tap[1], s->tap[2], s->tap[3]};
  const tenon_vs lo = tenon_vs_splat(s->scale.lo);
  const tenon_vs hi = tenon_vs_splat(s->scale.hi);
  tenon_vi first[4], second[4];
  TENON_UNROLL
  for (int q = 0; q < 4; ++q)
    first[q] = second[q] = p->bias[q];
  for (ptrdiff_t t = -2; t < lines; ++t, a += row) {
    tenon_vi x[4], sum[4];
    tenon_flat_join(taps, tap, a, x);
    TENON_UNROLL
    for (int q = 0; q < 4; ++q) {
      sum[q] = tenon_vi_dot(first[q], x[q], p->weights[2][q]);
      first[q] = tenon_vi_dot(second[q], x[q], p->weights[1][q]);
      second[q] = tenon_vi_dot(p->bias[q], x[q], p->weights[0][q]);
    }
    if (t < 0) continue;
    tenon_flat_finish(p, sum, lo, hi, y, n);
    y += line;
  }
}

TENON_FLAT void tenon_flat_any(const int taps, TENON_FLAT_ARGS) {
  const ptrdiff_t row = s->row, line = s->g.out_w * s->g.c, kh = s->g.kh;
  const ptrdiff_t next = s->g.dil_y * row, down = s->g.down * row;
  const ptrdiff_t tap[4] = {s->tap[0], s->tap[1], s->tap[2], s->tap[3]};
  const tenon_vs lo = tenon_vs_splat(s->scale.lo);
  const tenon_vs hi = tenon_vs_splat(s->scale.hi);
  for (; lines > 0; --lines, a += down, y += line) {
    tenon_vi x[4], sum[4];
    TENON_UNROLL
    for (int q = 0; q < 4; ++q)
      sum[q] = p->bias[q];
    for (ptrdiff_t k = 0; k < kh; ++k) {
      tenon_flat_join(taps, tap, a + k * next, x);
      TENON_UNROLL
      for (int q = 0; q < 4; ++q)
        sum[q] = tenon_vi_dot(sum[q], x[q], p->weights[k][q]);
    }
    tenon_flat_finish(p, sum, lo, hi, y, n);
  }
}

TENON_APART void tenon_flat_rolling_3(TENON_FLAT_ARGS) {
  tenon_flat_rolling(3, s, p, a, lines, n, y);
}
TENON_APART void tenon_flat_any_3(TENON_FLAT_ARGS) {
  tenon_flat_any(3, s, p, a, lines, n, y);
}
TENON_APART void tenon_flat_any_4(TENON_FLAT_ARGS) {
  tenon_flat_any(4, s, p, a, lines, n, y);
}

// Exactly n bytes, offset by 128.
TENON_INLINE char *tenon_flat_copy(char *to, const int8_t *from, ptrdiff_t n) {
  const tenon_vi flip = tenon_vi_splat((int32_t)0x80808080u);
  ptrdiff_t i = 0;
  for (; i + TENON_VB <= n; i += TENON_VB)
    tenon_vi_store(to + i, tenon_vi_load(from + i) ^ flip);
  if (i < n && n >= TENON_VB) {
    tenon_vi_store(to + n - TENON_VB,
                   tenon_vi_load(from + n - TENON_VB) ^ flip);
    i = n;
  }
  for (; i + 8 <= n; i += 8) {
    uint64_t x;
    memcpy(&x, from + i, 8);
    x ^= UINT64_C(0x8080808080808080);
    memcpy(to + i, &x, 8);
  }
  for (; i < n; ++i)
    to[i] = (char)(from[i] ^ 0x80);
  return to + n;
}

// `count` pixels, `next` apart, to n bytes each, of which `real` are read; what
// is written behind is overwritten later. `wide`, a constant: bytes at a time,
// n or more.
TENON_FLAT char *tenon_flat_pixels(const int wide, char *to, const int8_t *from,
                                   ptrdiff_t next, ptrdiff_t count, ptrdiff_t n,
                                   ptrdiff_t real, const int8_t *end) {
  for (; count > 0 && end - from >= wide; --count, from += next, to += n) {
    int8_t x[TENON_VB];
    memcpy(x, from, (size_t)wide);
    for (int i = 0; i < wide; ++i)
      x[i] = (int8_t)(x[i] ^ -128);
    memcpy(to, x, (size_t)wide);
  }
  for (; count > 0; --count, from += next, to += n)
    (void)tenon_flat_copy(to, from, real);
  return to;
}

// A row of the image, or null, from `channel` on. Where there are fewer than
// 64 left, what is behind them is rubbish.
static void tenon_flat_row(const tenon_flat_s8 *s, const int8_t *row,
                           ptrdiff_t channel, char *to) {
  const tenon_window *g = &s->g;
  const ptrdiff_t columns = s->phase / s->channels * g->right;
  if (!row) {
    memset(to, s->outside, (size_t)s->row);
    return;
  }
  if (g->right == 1 && s->channels == g->c) {
    const ptrdiff_t n = g->c;
    const ptrdiff_t before = g->left < columns ? g->left : columns;
    const ptrdiff_t inside = before + g->w < columns ? g->w : columns - before;
    memset(to, s->outside, (size_t)(before * n));
    to = tenon_flat_copy(to + before * n, row, inside * n);
    memset(to, s->outside, (size_t)((columns - before - inside) * n));
    return;
  }
  const ptrdiff_t left = g->c - channel;
  const ptrdiff_t real = s->channels < left ? s->channels : left;
  const ptrdiff_t count = s->phase / s->channels, next = g->right * g->c;
  for (ptrdiff_t phase = 0; phase < g->right; ++phase, to += s->phase) {
    ptrdiff_t first = (g->left - phase + g->right - 1) / g->right;
    ptrdiff_t end = (g->w + g->left - phase + g->right - 1) / g->right;
    if (g->left <= phase) first = 0;
    if (first > count) first = count;
    if (end > count) end = count;
    if (end < first) end = first;
    const int8_t *from =
        row + (first * g->right + phase - g->left) * g->c + channel;
    memset(to, s->outside, (size_t)(first * s->channels));
    char *d = to + first * s->channels;
    if (s->channels <= 16)
      d = tenon_flat_pixels(16, d, from, next, end - first, s->channels, real,
                            s->end);
    else
      d = tenon_flat_pixels(64, d, from, next, end - first, s->channels, real,
                            s->end);
    memset(d, s->outside, (size_t)(to + s->phase - d));
  }
}

// `lines` rows of results from `begin` on, of the channels from `channel` on;
// y: where the first is stored.
static void tenon_flat_item(const tenon_flat_s8 *s, const int8_t *image,
                            ptrdiff_t begin, ptrdiff_t lines, ptrdiff_t channel,
                            char *scratch, int8_t *y) {
  const tenon_window *g = &s->g;
  const ptrdiff_t left = g->c - channel;
  const ptrdiff_t n = s->channels < left ? s->channels : left;
  tenon_flat_plan p;
  tenon_flat_fn *compute = g->kw == 4 ? tenon_flat_any_4
                           : g->kh == 3 && g->down == 1 && g->dil_y == 1
                               ? tenon_flat_rolling_3
                               : tenon_flat_any_3;
  tenon_flat_plan_of(s, channel, &p);
  for (ptrdiff_t some; lines > 0;
       lines -= some, begin += some, y += some * g->out_w * g->c) {
    some = lines < s->lines ? lines : s->lines;
    const ptrdiff_t rows = tenon_rows_read(g, some);
    for (ptrdiff_t t = 0; t < rows; ++t) {
      const ptrdiff_t at = begin * g->down - g->top + t;
      tenon_flat_row(s, at >= 0 && at < g->h ? image + at * g->w * g->c : NULL,
                     channel, scratch + t * s->row);
    }
    for (ptrdiff_t x = 0; x < g->out_w; x += s->pixels) {
      const ptrdiff_t pixels =
          s->pixels < g->out_w - x ? s->pixels : g->out_w - x;
      compute(s, &p, scratch + x * s->channels, some, pixels * n,
              y + x * g->c + channel);
    }
  }
}

// Whether it can be done so, in scratch of so many bytes.
TENON_INLINE bool tenon_flat_s8_of(const tenon_call *c, const tenon_window *g,
                                   ptrdiff_t scratch, tenon_flat_s8 *s) {
  const tenon_packed_s8 *head = (const tenon_packed_s8 *)c->packed;
  if (!head->is_plain || g->c != g->out_c || g->c < 1 || g->kw > 4 ||
      g->kh > TENON_FLAT_ROWS)
    return false;
  s->g = *g;
  s->np = tenon_round_up(g->out_c, TENON_LANES);
  s->scale = tenon_scale_s8_of(head, s->np);
  s->bias = (const int32_t *)(head + 1);
  s->weights = (const char *)(s->bias + 3 * s->np);
  tenon_scale_s8_lines(&s->scale, head,
                       s->weights + g->kh * s->np * (ptrdiff_t)sizeof(int32_t));
  s->end = (const int8_t *)c->in[0].data + tenon_count(&c->in[0]);
  s->outside = (uint8_t)(head->x_zero ^ 0x80);
  s->channels = g->c < TENON_FLAT_RESULTS ? g->c : TENON_FLAT_RESULTS;
  s->pixels = TENON_FLAT_RESULTS / s->channels;
  s->phase = (tenon_columns_read(g) + g->right - 1) / g->right * s->channels;
  s->row = s->phase * g->right;
  for (ptrdiff_t k = 0; k < 4; ++k) {
    const ptrdiff_t at = (k < g->kw ? k : g->kw - 1) * g->dil_x;
    s->tap[k] = at % g->right * s->phase + at / g->right * s->channels;
  }
  const ptrdiff_t rows = (scratch - TENON_FLAT_RESULTS) / s->row;
  const ptrdiff_t most = rows - tenon_rows_read(g, 1);
  s->lines = most < 0 ? 0 : most / g->down + 1;
  return s->lines > 0;
}

#endif

#endif  // TENON_KERN_OPT_DEPTHWISE_CONV_S8_FLAT_H
