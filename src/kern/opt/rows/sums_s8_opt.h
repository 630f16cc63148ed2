// kern/opt/rows/sums_s8_opt.h - sums and means of bytes over any dimensions,
// see kern/loop/stored.h.
//
// Outputs beside each other share registers. One that is made from bytes side
// by side has four lanes in the end.
#ifndef TENON_KERN_OPT_SUMS_S8_OPT_H
#define TENON_KERN_OPT_SUMS_S8_OPT_H

#include "kern/loop/stored.h"
#include "kern/opt/each/arith_s8_opt.h"
#include "kern/opt/rows/reduce_s8.h"

#define TENON_SUMS_S8 (4 * TENON_VL)  // outputs that become bytes at once

typedef struct tenon_sums_s8 {
  const tenon_requant *q;
  int32_t mult, shift, less;  // of a mean
  tenon_factor_v factor;
  float scale, bias;  // of a sum
  bool is_plain;
} tenon_sums_s8;

TENON_INLINE tenon_sums_s8 tenon_sums_s8_of(const bool is_mean,
                                            const tenon_call *c,
                                            ptrdiff_t count) {
  tenon_sums_s8 m;
  memset(&m, 0, sizeof m);
  m.q = (const tenon_requant *)c->packed;
  if (is_mean) {
    tenon_stored_factor(m.q, count, &m.mult, &m.shift);
    m.is_plain = tenon_factor_is_plain(m.shift);
    m.factor = tenon_factor_v_of(m.mult, m.is_plain ? m.shift : 0);
    m.less = (int32_t)((uint32_t)count * (uint32_t)m.q->x_zero);
  } else {
    m.scale = c->in[0].quant->scale[0] / c->out[0].quant->scale[0];
    m.bias = (float)-m.q->x_zero * m.scale * (float)count;
    // What is beyond all limits stays there when it is limited before.
    m.is_plain = m.scale < 1e6f;
  }
  return m;
}

TENON_FLAT tenon_vi tenon_sums_s8_rounded(const tenon_sums_s8 *m,
                                          tenon_vi sum) {
  const tenon_vf half = tenon_vf_splat(0.5f), least = tenon_vf_splat(-1e6f);
  const tenon_vf y = tenon_vf_clamp(
      __builtin_convertvector(sum, tenon_vf) * tenon_vf_splat(m->scale) +
          tenon_vf_splat(m->bias),
      least, -least);
  const tenon_vi whole = __builtin_convertvector(y, tenon_vi);
  const tenon_vf rest = y - __builtin_convertvector(whole, tenon_vf);
  return whole - (tenon_vi)(rest >= half) + (tenon_vi)(rest <= -half);
}

// n sums, of a buffer of TENON_SUMS_S8, to bytes.
TENON_FLAT void tenon_sums_s8_put(const bool is_mean, const tenon_sums_s8 *m,
                                  const int32_t *sums, ptrdiff_t n, int8_t *y) {
  const tenon_requant *q = m->q;
  const tenon_arith_end end = {q->y_zero, q->lo, q->hi};
  int8_t bytes[TENON_SUMS_S8];
  tenon_vi r[4];
  if (!m->is_plain) {
    for (ptrdiff_t i = 0; i < n; ++i) {
      if (is_mean) {
        const int32_t v = tenon_requant_twice(
            (int32_t)((uint32_t)sums[i] - (uint32_t)m->less), m->mult,
            m->shift);
        y[i] =
            (int8_t)tenon_clamp_s32(tenon_add_s32(v, q->y_zero), q->lo, q->hi);
      } else {
        const float v =
            roundf((float)sums[i] * m->scale + m->bias) + (float)q->y_zero;
        y[i] = (int8_t)tenon_round_s32(v, q->lo, q->hi);
      }
    }
    return;
  }
  TENON_UNROLL
  for (int i = 0; i < 4; ++i) {
    const tenon_vi sum = tenon_vi_load(sums + i * TENON_VL);
    r[i] = tenon_arith_end_of(
        &end, is_mean ? tenon_factor_v_apply(&m->factor,
                                             sum - tenon_vi_splat(m->less))
                      : tenon_sums_s8_rounded(m, sum));
  }
  tenon_arith_s8_store(n == TENON_SUMS_S8 ? y : bytes, r);
  if (n < TENON_SUMS_S8) memcpy(y, bytes, (size_t)n);
}

// Registers of outputs beside each other, a constant after inlining.
TENON_FLAT void tenon_sums_s8_beside(const int nv, const tenon_reduce_s8 *s,
                                     const int8_t *x, int32_t *sums) {
  tenon_vi all[4];
  TENON_UNROLL
  for (int k = 0; k < nv; ++k)
    all[k] = (tenon_vi){0};
  TENON_REDUCE_S8_RUNS(s, x, p) {
    const int8_t *q = p;
    for (ptrdiff_t j = 0; j < s->run; ++j, q += s->step) {
      TENON_UNROLL
      for (int k = 0; k < nv; ++k)
        all[k] += tenon_vi_widen(q + k * TENON_VL);
    }
  }
  TENON_UNROLL
  for (int k = 0; k < nv; ++k)
    tenon_vi_store(sums + k * TENON_VL, all[k]);
}

// Sums of the two bytes of a word, and of the two words of a lane.
TENON_FLAT tenon_w8 tenon_sums_s8_words(tenon_b16 x) {
  const tenon_w8 w = (tenon_w8)x;
  return (w >> 8) + ((tenon_w8)((tenon_w8)w << 8) >> 8);
}
TENON_FLAT tenon_i4 tenon_sums_s8_lanes(tenon_w8 x) {
  const tenon_i4 w = (tenon_i4)x;
  return (w >> 16) + ((w << 16) >> 16);
}

// The sum of an output, in four lanes. Of a word as many bytes are added up as
// it holds.
TENON_FLAT tenon_i4 tenon_sums_s8_row(const tenon_reduce_s8 *s,
                                      const int8_t *x) {
  enum { MOST = 100 };
  const ptrdiff_t n = s->run;
  tenon_vi all = {0};
  tenon_i4 sum = {0}, part;
  TENON_REDUCE_S8_RUNS(s, x, p) {
    ptrdiff_t i = 0;
#if TENON_VB > 16
    while (n - i >= TENON_VB) {
      tenon_words words = {0};
      for (int k = 0; k < MOST && i + TENON_VB <= n; ++k, i += TENON_VB) {
        const tenon_words w =
            (tenon_words) * (const tenon_bytes_at *)(const void *)(p + i);
        words += (w >> 8) + ((w << 8) >> 8);
      }
      all += ((tenon_vi)words >> 16) + (((tenon_vi)words << 16) >> 16);
    }
#endif
    while (n - i >= 16) {
      tenon_w8 words = {0};
      for (int k = 0; k < MOST && i + 16 <= n; ++k, i += 16)
        words +=
            tenon_sums_s8_words(*(const tenon_b16_at *)(const void *)(p + i));
      sum += tenon_sums_s8_lanes(words);
    }
    for (; i < n; ++i)
      sum[0] += p[i];
  }
  if (TENON_VB > 16 && n >= TENON_VB)
    for (size_t k = 0; k < TENON_VB; k += 16) {
      memcpy(&part, (const char *)&all + k, sizeof part);
      sum += part;
    }
  return sum;
}

// n sums of outputs that are made from bytes side by side.
TENON_FLAT void tenon_sums_s8_rows(const tenon_reduce_s8 *s, const int8_t *x,
                                   ptrdiff_t i, ptrdiff_t n, int32_t *sums) {
  ptrdiff_t k = 0;
#ifdef TENON_HAS_FOLD
  for (; k + 4 <= n; k += 4) {
    tenon_i4 four[4];
    TENON_UNROLL
    for (int j = 0; j < 4; ++j)
      four[j] = tenon_sums_s8_row(s, x + tenon_reduce_s8_first(s, i + k + j));
    const tenon_i4 all = tenon_fold_sums(tenon_fold_sums(four[0], four[2]),
                                         tenon_fold_sums(four[1], four[3]));
    memcpy(sums + k, &all, sizeof all);
  }
#endif
  for (; k < n; ++k) {
    const tenon_i4 one =
        tenon_sums_s8_row(s, x + tenon_reduce_s8_first(s, i + k));
    sums[k] = (one[0] + one[1]) + (one[2] + one[3]);
  }
}

TENON_FLAT tenon_status tenon_sums_s8_run(const tenon_call *c, int64_t begin,
                                          int64_t end, const bool is_mean) {
  const tenon_reduce_s8 s = tenon_reduce_s8_of(c);
  const tenon_sums_s8 m = tenon_sums_s8_of(is_mean, c, s.r.count);
  const int8_t *x = (const int8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  int32_t sums[TENON_SUMS_S8] = {0};
  for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {
    n = tenon_reduce_s8_beside(&s, i, (ptrdiff_t)end);
    const bool is_beside = n > 0;
    if (!is_beside) n = (ptrdiff_t)end - i;
    if (n > TENON_SUMS_S8) n = TENON_SUMS_S8;
    if (!is_beside) {
      tenon_sums_s8_rows(&s, x, i, n, sums);
    } else {
      const int8_t *from = x + tenon_reduce_s8_first(&s, i);
      if (n == TENON_SUMS_S8)
        tenon_sums_s8_beside(4, &s, from, sums);
      else if (n >= TENON_VL)
        for (ptrdiff_t k = 0; k < n; k += 2 * TENON_VL) {
          ptrdiff_t at = k;
          if (k + 2 * TENON_VL <= n) {
            tenon_sums_s8_beside(2, &s, from + k, sums + k);
            continue;
          }
          for (; at < n; at += TENON_VL) {
            const ptrdiff_t last = at + TENON_VL <= n ? at : n - TENON_VL;
            tenon_sums_s8_beside(1, &s, from + last, sums + last);
          }
        }
      else
        for (ptrdiff_t k = 0; k < n; ++k) {
          sums[k] = 0;
          TENON_REDUCE_S8_RUNS(&s, from + k, p)
          for (ptrdiff_t j = 0; j < s.run; ++j)
            sums[k] += p[j * s.step];
        }
    }
    tenon_sums_s8_put(is_mean, &m, sums, n, y + i);
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_SUMS_S8_OPT_H
