// kern/opt/product/matmul_s16q_opt.h - core::matmul of 16-bit integers: sums in
// 64 bits, of two products at a time.
//
// Two products have 32 bits, but for 2^31, which only four times -32768 gives:
// less 1 all fit. Their lower and their upper halves are added up apart, each
// in 32 bits, for up to 2^16 pairs. Neither operand is known before a run, so
// pairs of rows of b are put together as they are read, for four rows of a.
// Sums below 2^38 become 16 bits in doubles (kern/opt/tiles/scale_s16.h).
#ifndef TENON_KERN_OPT_MATMUL_S16Q_OPT_H
#define TENON_KERN_OPT_MATMUL_S16Q_OPT_H

#include "kern/opt/tiles/scale_s16.h"
#include "kern/product/matmul.h"
#include "kern/product/requant.h"

typedef struct tenon_matmul_s16q {
  const tenon_requant *q;
  ptrdiff_t depth, n;
  bool is_fast;  // doubles do it
  tenon_vd2 factor;
  tenon_limits_s16 limits;
} tenon_matmul_s16q;

TENON_INLINE tenon_matmul_s16q tenon_matmul_s16q_of(const tenon_call *c) {
  const tenon_requant *q = (const tenon_requant *)c->packed;
  const int32_t *factor = (const int32_t *)(q + 1);
  const int32_t right = 15 - factor[q->channels];
  const double mult =
      factor[0] < 0x7FFF0000 ? (factor[0] + (1 << 15)) >> 16 : 0x7FFF;
  tenon_matmul_s16q s;
  s.q = q;
  s.depth = c->in[0].dims[c->in[0].rank - 1];
  s.n = c->in[1].dims[c->in[1].rank - 1];
  s.is_fast = q->y_zero == 0 && right >= 3 && right <= 62 && s.depth < 256;
  s.factor.even = (tenon_vd){0};
  if (s.is_fast) s.factor.even += mult / (double)(INT64_C(1) << right);
  s.factor.odd = s.factor.even;
  s.limits.lo = tenon_vi_splat(q->lo);
  s.limits.hi = tenon_vi_splat(q->hi);
  return s;
}

// A register of sums of `pairs` products each, as they were added up.
TENON_FLAT void tenon_matmul_s16q_put(const tenon_matmul_s16q *s, tenon_vi low,
                                      tenon_vi high, int32_t pairs,
                                      int16_t *y) {
  if (s->is_fast) {
    const tenon_vd2 l = tenon_vd2_of_vi(low + pairs);
    tenon_vd2 sum = tenon_vd2_of_vi(high);
    sum.even = sum.even * 65536.0 + l.even;
    sum.odd = sum.odd * 65536.0 + l.odd;
    tenon_s16_put(TENON_UP, &s->factor, &s->limits, sum, TENON_VL, y);
    return;
  }
  uint32_t lows[TENON_VL];
  int32_t highs[TENON_VL];
  tenon_vi_store(lows, low);
  tenon_vi_store(highs, high);
  for (int i = 0; i < TENON_VL; ++i)
    y[i] = tenon_requant_s16_wrapping(
        s->q, (int64_t)highs[i] * 65536 + (int64_t)lows[i] + pairs, 0);
}

// A register of columns of two rows of b, side by side in each lane; of the
// last row alone where depth is odd.
TENON_FLAT tenon_vi tenon_matmul_s16q_pair(const int16_t *b, ptrdiff_t n,
                                           bool is_single) {
  const tenon_vi first =
      __builtin_convertvector(*(const tenon_vw_at *)b, tenon_vi) & 0xffff;
  if (is_single) return first;
  const tenon_vi second =
      __builtin_convertvector(*(const tenon_vw_at *)(b + n), tenon_vi);
  return first | (tenon_vi)((tenon_vu)second << 16);
}

// `rows` rows of a [rows, depth] with a register of columns of b.
TENON_FLAT void tenon_matmul_s16q_tile(const int rows,
                                       const tenon_matmul_s16q *s,
                                       const int16_t *a, const int16_t *b,
                                       int16_t *y) {
  const ptrdiff_t depth = s->depth, n = s->n;
  const tenon_vi less = tenon_vi_splat(-1);
  tenon_vi low[4], high[4];
  TENON_UNROLL
  for (int r = 0; r < rows; ++r)
    low[r] = high[r] = (tenon_vi){0};
  for (ptrdiff_t k = 0; k < depth; k += 2, b += 2 * n) {
    const bool is_single = k + 1 == depth;
    const tenon_vi columns = tenon_matmul_s16q_pair(b, n, is_single);
    TENON_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int16_t *at = a + r * depth + k;
      int32_t two;
      if (is_single)
        two = (uint16_t)*at;
      else
        memcpy(&two, at, sizeof two);
      const tenon_vi sum = tenon_vi_dot(less, tenon_vi_splat(two), columns);
      low[r] = tenon_vi_add(low[r], sum & 0xffff);
      high[r] += sum >> 16;
    }
  }
  TENON_UNROLL
  for (int r = 0; r < rows; ++r)
    tenon_matmul_s16q_put(s, low[r], high[r], (int32_t)((depth + 1) / 2),
                          y + r * n);
}

// The last columns are computed with those before them once more, or one at a
// time where there are fewer than a register has.
TENON_FLAT void tenon_matmul_s16q_rows(const int rows,
                                       const tenon_matmul_s16q *s,
                                       const int16_t *a, const int16_t *b,
                                       int16_t *y) {
  const ptrdiff_t depth = s->depth, n = s->n;
  ptrdiff_t j = 0;
  for (; j < n && n >= TENON_VL; j += TENON_VL) {
    const ptrdiff_t at = j + TENON_VL <= n ? j : n - TENON_VL;
    tenon_matmul_s16q_tile(rows, s, a, b + at, y + at);
  }
  for (; j < n; ++j) {
    for (int r = 0; r < rows; ++r) {
      int64_t sum = 0;
      for (ptrdiff_t k = 0; k < depth; ++k)
        sum += (int32_t)a[r * depth + k] * b[k * n + j];
      y[r * n + j] = tenon_requant_s16_wrapping(s->q, sum, 0);
    }
  }
}

TENON_FLAT tenon_status tenon_matmul_s16q_run(const tenon_call *c,
                                              int64_t begin, int64_t end) {
  const tenon_matmul_s16q s = tenon_matmul_s16q_of(c);
  const tenon_tensor *p = &c->in[0], *q = &c->in[1], *y = &c->out[0];
  const ptrdiff_t m = p->dims[p->rank - 2];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end;) {
    const int16_t *a = (const int16_t *)p->data +
                       tenon_matmul_at(p, y, row / m) + row % m * s.depth;
    const int16_t *b =
        (const int16_t *)q->data + tenon_matmul_at(q, y, row / m);
    int16_t *to = (int16_t *)y->data + row * s.n;
    ptrdiff_t left = m - row % m;
    if (left > (ptrdiff_t)end - row) left = (ptrdiff_t)end - row;
    if (left >= 4)
      tenon_matmul_s16q_rows(4, &s, a, b, to);
    else
      tenon_matmul_s16q_rows(1, &s, a, b, to);
    row += left >= 4 ? 4 : 1;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_MATMUL_S16Q_OPT_H
