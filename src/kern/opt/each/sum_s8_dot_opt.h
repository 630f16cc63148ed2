// kern/opt/each/sum_s8_dot_opt.h - quantised sums of two operands of one shape,
// by products of words and of bytes.
//
// A factor of 24 bits is 256 times a word with a sign, and a byte without one.
// Of x and y side by side, each 256 times as large, words give the first part
// of x * a + y * b; as they are, bytes give the second. What packing has not
// proven takes the way of arith_s8_opt.h.
#ifndef TENON_KERN_OPT_SUM_S8_DOT_OPT_H
#define TENON_KERN_OPT_SUM_S8_DOT_OPT_H

#include "kern/opt/each/arith_s8_opt.h"

#ifdef TENON_HAS_SUM_DOT
// As many registers as there are; returns what comes next.
TENON_APART ptrdiff_t tenon_sum_s8_dot_some(const tenon_sum_s8_dot *s,
                                            const int8_t *a, const int8_t *b,
                                            int8_t *to, ptrdiff_t n) {
  const tenon_add_s8 *p = &s->sum.exact;
  const uint32_t low = (uint32_t)(s->a & 255) | (uint32_t)(s->b & 255) << 16;
  const tenon_vi words = tenon_vi_splat(
      (int32_t)(((uint32_t)s->a >> 8 & 0xffff) | (uint32_t)(s->b >> 8) << 16));
  const tenon_vi even_bytes = tenon_vi_splat((int32_t)low);
  const tenon_vi odd_bytes = tenon_vi_splat((int32_t)(low << 8));
  const tenon_vi upper = tenon_vi_splat((int32_t)0xff00ff00u);
  const tenon_vi first = tenon_vi_splat(s->first);
  const tenon_vs lo = tenon_vs_splat(p->lo), hi = tenon_vs_splat(p->hi);
  const int right = s->shift - 16;
  ptrdiff_t i = 0;
  for (; i + 4 * TENON_VL <= n; i += 4 * TENON_VL) {
    const tenon_vi x = tenon_vi_load(a + i), y = tenon_vi_load(b + i);
    // Lanes of two bytes of x, then two of y.
    const tenon_vi two[2] = {tenon_vi_pairs_low(x, y),
                             tenon_vi_pairs_high(x, y)};
    tenon_x86_h32 sums[2];
    TENON_UNROLL
    for (int k = 0; k < 2; ++k) {
      const tenon_vi even = (tenon_vi)((tenon_x86_h32)two[k] << 8);
      const tenon_vi odd = two[k] & upper;
      sums[k] =
          tenon_vi_uppers(tenon_vi_dot(tenon_vi_dot_words(first, even, words),
                                       even_bytes, two[k]),
                          tenon_vi_dot(tenon_vi_dot_words(first, odd, words),
                                       odd_bytes, two[k]));
    }
    const tenon_vs bytes = tenon_vi_shift_bytes(sums[0], sums[1], right);
    tenon_vi_store(to + i, (tenon_vi)tenon_vs_limit(bytes, lo, hi));
  }
  return i;
}
#endif

TENON_INLINE tenon_status tenon_sum_s8_dot_run(const tenon_call *c,
                                               int64_t begin, int64_t end) {
#ifdef TENON_HAS_SUM_DOT
  const tenon_sum_s8_dot *s = (const tenon_sum_s8_dot *)c->packed;
  const uint64_t all = tenon_count(&c->out[0]);
  if (s->shift && tenon_count(&c->in[0]) == all &&
      tenon_count(&c->in[1]) == all) {
    begin += tenon_sum_s8_dot_some(s, (const int8_t *)c->in[0].data + begin,
                                   (const int8_t *)c->in[1].data + begin,
                                   (int8_t *)c->out[0].data + begin,
                                   (ptrdiff_t)(end - begin));
    if (begin == end) return TENON_OK;
  }
#endif
  return tenon_sum_s8_run(c, begin, end);
}

#endif  // TENON_KERN_OPT_SUM_S8_DOT_OPT_H
