// kern/opt/rows/softmax_s16q_opt.h - softmax of 16-bit numbers that lie side by
// side. Rows have at most 2^16 elements, so that sums have 31 bits, and a shift
// to the left loses nothing (ops/core/fast/core_fast_host_rows.c).
#ifndef TENON_KERN_OPT_SOFTMAX_S16Q_OPT_H
#define TENON_KERN_OPT_SOFTMAX_S16Q_OPT_H

#include "kern/op/softmax.h"
#include "kern/op/softmax_s16.h"
#include "kern/opt/each/arith_stored.h"
#include "kern/opt/each/lookup_s16q_opt.h"

typedef struct tenon_softmax_s16q {
  const tenon_softmax_s16 *p;
  tenon_factor_v factor;
  int32_t left;
} tenon_softmax_s16q;

// A register of the first `n` elements; the others are the least.
TENON_FLAT tenon_vi tenon_softmax_s16q_load(const int16_t *x, ptrdiff_t n) {
  if (n >= TENON_VL) return tenon_stored_load(2, (const char *)x);
  int16_t lanes[TENON_VL];
  for (int k = 0; k < TENON_VL; ++k)
    lanes[k] = k < n ? x[k] : INT16_MIN;
  return tenon_stored_load(2, (const char *)lanes);
}
TENON_FLAT void tenon_softmax_s16q_store(int16_t *y, tenon_vi v, ptrdiff_t n) {
  int16_t lanes[TENON_VL];
  if (n >= TENON_VL) {
    tenon_stored_store(2, (char *)y, v);
    return;
  }
  tenon_stored_store(2, (char *)lanes, v);
  for (ptrdiff_t k = 0; k < n; ++k)
    y[k] = lanes[k];
}

TENON_FLAT int32_t tenon_softmax_s16q_most(const int16_t *x, ptrdiff_t n) {
  tenon_vi most = tenon_vi_splat(INT16_MIN);
  int32_t lanes[TENON_VL], one = INT16_MIN;
  for (ptrdiff_t i = 0; i < n; i += TENON_VL) {
    const tenon_vi v = tenon_softmax_s16q_load(x + i, n - i);
    most = tenon_vi_pick(v > most, v, most);
  }
  tenon_vi_store(lanes, most);
  for (int k = 0; k < TENON_VL; ++k)
    one = lanes[k] > one ? lanes[k] : one;
  return one;
}

// e to the power of each element less the largest, and the sum.
TENON_FLAT int32_t tenon_softmax_s16q_exps(const tenon_softmax_s16q *s,
                                           const int16_t *x, int16_t *y,
                                           ptrdiff_t n) {
  const tenon_vi most = tenon_vi_splat(tenon_softmax_s16q_most(x, n));
  const tenon_vi least = tenon_vi_splat(INT16_MIN);
  tenon_vi sums = {0};
  int32_t lanes[TENON_VL], sum = 0;
  for (ptrdiff_t i = 0; i < n; i += TENON_VL) {
    tenon_vi d = tenon_softmax_s16q_load(x + i, n - i) - most;
    d = tenon_factor_v_apply(&s->factor, tenon_vi_shift(d, s->left)) + 32767;
    d = tenon_vi_pick(d < least, least, d);
    const tenon_vi e = tenon_vi_lookup(&s->p->exp, d);
    tenon_softmax_s16q_store(y + i, e, n - i);
    if (n - i >= TENON_VL) {
      sums += e;
      continue;
    }
    for (; i < n; ++i)
      sum += y[i];
  }
  tenon_vi_store(lanes, sums);
  for (int k = 0; k < TENON_VL; ++k)
    sum += lanes[k];
  return sum;
}

TENON_FLAT tenon_status tenon_softmax_s16q_run(const tenon_call *c,
                                               int64_t begin, int64_t end) {
  const tenon_softmax_s16 *p = (const tenon_softmax_s16 *)c->packed;
  const tenon_softmax_s16q s = {
      p, tenon_factor_v_of(p->mult, p->shift < 0 ? p->shift : 0),
      p->shift > 0 ? p->shift : 0};
  const ptrdiff_t n = c->in[0].dims[c->in[0].rank - 1];
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    int16_t *y = (int16_t *)c->out[0].data + row * n;
    int32_t right;
    const int32_t sum = tenon_softmax_s16q_exps(
        &s, (const int16_t *)c->in[0].data + row * n, y, n);
    const int32_t inverse = tenon_softmax_s16_invert(p, sum, &right);
    const tenon_vi half = tenon_vi_splat(1 << (right - 1));
    const tenon_vi least = {0}, most = tenon_vi_splat(32767);
    for (ptrdiff_t i = 0; i < n; i += TENON_VL) {
      tenon_vi v = tenon_vi_dot(half, tenon_softmax_s16q_load(y + i, n - i),
                                tenon_vi_splat(inverse & 0xFFFF)) >>
                   right;
      v = tenon_vi_pick(v < least, least, v);
      v = tenon_vi_pick(v > most, most, v);
      tenon_softmax_s16q_store(y + i, v, n - i);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_SOFTMAX_S16Q_OPT_H
