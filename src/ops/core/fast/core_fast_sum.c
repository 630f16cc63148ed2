// core_fast_sum.c - packing of quantised sums: floats that give what integers
// do, tried with every pair of bytes.
#include "ops/core/fast/core_fast_sum.h"

#include <math.h>

#include "ops/core/element/core_arith.h"

enum { SUM_BYTES = 256, SUM_TRIES = 8 };

// Both operands at one scale, and the sums at which results begin.
typedef struct sum_rule {
  int32_t a[SUM_BYTES], b[SUM_BYTES];
  int32_t lo, hi;
  int32_t least[SUM_BYTES];  // [i]: whose result is lo + 1 + i or more
} sum_rule;

static int32_t sum_result(const tenon_add_s8 *p, int32_t sum) {
  return tenon_requant_twice(sum, p->y_mult, p->y_shift) + p->y_zero;
}

// Results rise with the sum.
static void sum_rule_of(const tenon_add_s8 *p, int32_t sign, sum_rule *r) {
  r->lo = p->lo;
  r->hi = p->hi;
  for (int32_t i = 0; i < SUM_BYTES; ++i) {
    r->a[i] =
        tenon_add_s8_term(i - 128 - p->a_zero, p->left, p->a_mult, p->a_shift);
    r->b[i] = sign * tenon_add_s8_term(i - 128 - p->b_zero, p->left, p->b_mult,
                                       p->b_shift);
  }
  const int32_t most = 1 << (p->left + 9);  // of two terms
  int32_t from = -most - 1;
  for (int32_t y = p->lo + 1; y <= p->hi; ++y) {
    int32_t lo = from, hi = most + 1;  // less than y, and y or unknown
    while (hi - lo > 1) {
      const int32_t mid = lo + (hi - lo) / 2;
      if (sum_result(p, mid) >= y)
        hi = mid;
      else
        lo = mid;
    }
    r->least[y - p->lo - 1] = hi;
    from = lo;
  }
}

// What vectors compute: products of bytes and floats are exact in doubles, and
// so are their sums with floats of this size, which are rounded once.
static int32_t sum_in_floats(float first, double product) {
  const float nearest = 12582912.0f;  // 3 * 2^22: integers
  float y = (float)(product + (double)first);
  y = (y + nearest) - nearest;
  return (int32_t)y;
}

static bool sum_try(const sum_rule *r, const tenon_sum_s8 *p, int32_t sign) {
  for (int32_t i = 0; i < SUM_BYTES; ++i) {
    const float first = (float)((i - 128) * (double)p->a + (double)p->first);
    int32_t want = r->lo;
    for (int32_t k = 0; k < SUM_BYTES; ++k) {
      const int32_t j = sign > 0 ? k : SUM_BYTES - 1 - k;  // sums that rise
      const int32_t sum = r->a[i] + r->b[j];
      while (want < r->hi && sum >= r->least[want - r->lo])
        ++want;
      const int32_t y = sum_in_floats(first, (j - 128) * (double)p->b);
      if (tenon_clamp_s32(y, r->lo, r->hi) != want) return false;
    }
  }
  return true;
}

static bool sum_is_plain(const tenon_add_s8 *p) {
  return p->left == 20 && p->a_shift <= 0 && p->b_shift <= 0 &&
         p->y_shift <= 0 && p->a_shift > -17 && p->b_shift > -17 &&
         p->y_shift > -31;
}

void tenon_core_sum_s8_prove(tenon_sum_s8 *p, int32_t sign) {
  const tenon_add_s8 *e = &p->exact;
  sum_rule r;
  p->is_proven = 0;
  p->a = p->b = p->first = 0;
  if (!sum_is_plain(e)) return;
  const double one = ldexp(e->y_mult, e->y_shift - 31 + e->left);
  const double a = one * ldexp(e->a_mult, e->a_shift - 31);
  const double b = sign * one * ldexp(e->b_mult, e->b_shift - 31);
  const double first = e->y_zero - a * e->a_zero - b * e->b_zero;
  if (!(fabs(a) + fabs(b) < 1 << 10 && fabs(a) > 0x1p-18 && fabs(b) > 0x1p-18))
    return;
  sum_rule_of(e, sign, &r);
  p->a = (float)a;
  p->b = (float)b;
  // Next to the right number, a little further at each try.
  const double far = fmax(0x1p-19, fabs(first) * 0x1p-23);
  for (int i = 0; i <= SUM_TRIES && !p->is_proven; ++i) {
    const int step = i % 2 ? (i + 1) / 2 : -i / 2;
    p->first = (float)(first + step * far);
    p->is_proven = sum_try(&r, p, sign);
  }
}

size_t tenon_core_sum_s8_size(const tenon_call *c) {
  (void)c;
  return sizeof(tenon_sum_s8);
}

tenon_status tenon_core_add_s8_pack(const tenon_call *c, void *packed) {
  tenon_sum_s8 *p = packed;
  TENON_TRY(tenon_core_add_pack(c, &p->exact));
  tenon_core_sum_s8_prove(p, 1);
  return TENON_OK;
}

tenon_status tenon_core_sub_s8_pack(const tenon_call *c, void *packed) {
  tenon_sum_s8 *p = packed;
  TENON_TRY(tenon_core_add_pack(c, &p->exact));
  tenon_core_sum_s8_prove(p, -1);
  return TENON_OK;
}
