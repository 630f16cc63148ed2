// kern/opt/rows/mean_stored_opt.h - means of stored integers of one or two
// bytes over neighbouring dimensions, registers of outputs at a time, or of
// elements where an output is made from neighbours. See kern/loop/stored.h.
#ifndef TENON_KERN_OPT_MEAN_STORED_OPT_H
#define TENON_KERN_OPT_MEAN_STORED_OPT_H

#include "kern/loop/stored.h"
#include "kern/opt/each/arith_s8_opt.h"
#include "kern/opt/words.h"

// Of `count` elements, `inner` apart, an output is made.
typedef struct tenon_mean_stored {
  const tenon_requant *q;
  int32_t mult, shift;
  ptrdiff_t count, inner;
  tenon_factor_v factor;
  bool is_plain;
} tenon_mean_stored;

TENON_INLINE tenon_mean_stored tenon_mean_stored_of(const tenon_call *c) {
  const tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  tenon_mean_stored m;
  m.q = (const tenon_requant *)c->packed;
  m.count = r.count;
  m.inner = 1;
  for (int32_t d = 0; d < r.n_summed; ++d)
    if (r.summed[d] > 1) m.inner = r.summed_step[d];
  tenon_stored_factor(m.q, r.count, &m.mult, &m.shift);
  m.is_plain = tenon_factor_is_plain(m.shift);
  m.factor = tenon_factor_v_of(m.mult, m.is_plain ? m.shift : 0);
  return m;
}

// The output of a sum that has the zero points yet.
TENON_INLINE int32_t tenon_mean_stored_one(const tenon_mean_stored *m,
                                           int32_t sum) {
  const tenon_requant *q = m->q;
  const int32_t less = (int32_t)((uint32_t)m->count * (uint32_t)q->x_zero);
  const int32_t y = tenon_requant_twice(
      (int32_t)((uint32_t)sum - (uint32_t)less), m->mult, m->shift);
  return tenon_clamp_s32(tenon_add_s32(y, q->y_zero), q->lo, q->hi);
}

// An output of neighbours.
TENON_FLAT int32_t tenon_mean_stored_row(const int size, const char *x,
                                         ptrdiff_t n) {
  tenon_vi sums[4] = {{0}};
  int32_t lanes[TENON_VL], sum = 0;
  ptrdiff_t i = 0;
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      sums[k] += tenon_stored_load(size, x + (i + k * TENON_VL) * size);
  }
  tenon_vi_store(lanes, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (int k = 0; k < TENON_VL; ++k)
    sum += lanes[k];
  for (; i < n; ++i)
    sum += tenon_stored_get(size, x + i * size);
  return sum;
}

// Four registers of outputs side by side; x: the first element of the first.
TENON_FLAT void tenon_mean_stored_columns(const int size,
                                          const tenon_mean_stored *m,
                                          const char *x, char *y) {
  const tenon_requant *q = m->q;
  const tenon_arith_end end = {q->y_zero, q->lo, q->hi};
  const tenon_vi less =
      tenon_vi_splat((int32_t)((uint32_t)m->count * (uint32_t)q->x_zero));
  tenon_vi sums[4] = {{0}}, r[4];
  for (ptrdiff_t k = 0; k < m->count; ++k, x += m->inner * size) {
    TENON_UNROLL
    for (int i = 0; i < 4; ++i)
      sums[i] += tenon_stored_load(size, x + i * size * TENON_VL);
  }
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    r[i] = tenon_arith_end_of(&end,
                              tenon_factor_v_apply(&m->factor, sums[i] - less));
  if (size == 1) {
    tenon_arith_s8_store((int8_t *)y, r);
    return;
  }
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    tenon_stored_store(size, y + i * size * TENON_VL, r[i]);
}

TENON_FLAT tenon_status tenon_mean_stored_run(const int size,
                                              const tenon_call *c,
                                              int64_t begin, int64_t end) {
  const tenon_mean_stored m = tenon_mean_stored_of(c);
  const char *x = (const char *)c->in[0].data;
  char *y = (char *)c->out[0].data;
  for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end;) {
    const ptrdiff_t outer = i / m.inner, at = i % m.inner;
    const char *from = x + (outer * m.count * m.inner + at) * size;
    ptrdiff_t left = m.inner - at;
    if (left > (ptrdiff_t)end - i) left = (ptrdiff_t)end - i;
    if (m.inner > 1 && m.is_plain && left >= 4 * TENON_VL) {
      tenon_mean_stored_columns(size, &m, from, y + i * size);
      i += 4 * TENON_VL;
      continue;
    }
    int32_t sum = 0;
    if (m.inner == 1)
      sum = tenon_mean_stored_row(size, from, m.count);
    else
      for (ptrdiff_t k = 0; k < m.count; ++k)
        sum += tenon_stored_get(size, from + k * m.inner * size);
    tenon_stored_put(size, y + i * size, tenon_mean_stored_one(&m, sum));
    ++i;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_MEAN_STORED_OPT_H
