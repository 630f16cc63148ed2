// core_fast_sum.c - packing of quantised sums: floats, and fewer integers, that
// give what integers do, tried with every pair of bytes.
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

// x * a + y * b + first, in real numbers.
typedef struct sum_line {
  double a, b, first;
} sum_line;

static bool sum_line_of(const tenon_add_s8 *e, int32_t sign, sum_line *l) {
  if (!sum_is_plain(e)) return false;
  const double one = ldexp(e->y_mult, e->y_shift - 31 + e->left);
  l->a = one * ldexp(e->a_mult, e->a_shift - 31);
  l->b = sign * one * ldexp(e->b_mult, e->b_shift - 31);
  l->first = e->y_zero - l->a * e->a_zero - l->b * e->b_zero;
  return fabs(l->a) + fabs(l->b) < 1 << 10 && fabs(l->a) > 0x1p-18 &&
         fabs(l->b) > 0x1p-18;
}

// Next to the right number, a little further at each try.
static int sum_step(int i) {
  return i % 2 ? (i + 1) / 2 : -i / 2;
}

void tenon_core_sum_s8_prove(tenon_sum_s8 *p, int32_t sign) {
  sum_line l;
  sum_rule r;
  p->is_proven = 0;
  p->a = p->b = p->first = 0;
  if (!sum_line_of(&p->exact, sign, &l)) return;
  sum_rule_of(&p->exact, sign, &r);
  p->a = (float)l.a;
  p->b = (float)l.b;
  const double far = fmax(0x1p-19, fabs(l.first) * 0x1p-23);
  for (int i = 0; i <= SUM_TRIES && !p->is_proven; ++i) {
    p->first = (float)(l.first + sum_step(i) * far);
    p->is_proven = sum_try(&r, p, sign);
  }
}

// The numbers with which the factors of `p` give every result: from `*least` to
// below `*most`, if there are any.
static bool sum_between(const sum_rule *r, const tenon_sum_s8_dot *p,
                        int32_t sign, int64_t *least, int64_t *most) {
  const int64_t one = (int64_t)1 << p->shift;
  *least = INT32_MIN;
  *most = INT32_MAX;
  for (int32_t i = 0; i < SUM_BYTES && *least < *most; ++i) {
    int32_t want = r->lo;
    for (int32_t k = 0; k < SUM_BYTES; ++k) {
      const int32_t j = sign > 0 ? k : SUM_BYTES - 1 - k;  // sums that rise
      const int32_t sum = r->a[i] + r->b[j];
      const int64_t products =
          (i - 128) * (int64_t)p->a + (j - 128) * (int64_t)p->b;
      while (want < r->hi && sum >= r->least[want - r->lo])
        ++want;
      if (want > r->lo && *least < want * one - products)
        *least = want * one - products;
      if (want<r->hi && * most>(want + 1) * one - products)
        *most = (want + 1) * one - products;
    }
  }
  return *least < *most;
}

void tenon_core_sum_s8_dot_prove(tenon_sum_s8_dot *p, int32_t sign) {
  enum { NEAR = 2 };  // factors next to the right ones
  sum_line l;
  sum_rule r;
  int shift = 24;
  p->shift = p->a = p->b = p->first = 0;
  if (!sum_line_of(&p->sum.exact, sign, &l)) return;
  // As many bits as fit, with a little besides for what is rounded.
  const double factor = fmax(fabs(l.a), fabs(l.b));
  const double all = 128 * (fabs(l.a) + fabs(l.b)) + fabs(l.first) + 2;
  while (shift > 16 && (ldexp(factor, shift) >= (1 << 23) - 2 * NEAR ||
                        ldexp(all, shift) >= 0x1p31))
    --shift;
  if (shift <= 16) return;
  sum_rule_of(&p->sum.exact, sign, &r);
  for (int i = 0; i < (2 * NEAR + 1) * (2 * NEAR + 1); ++i) {
    const int da = sum_step(i / (2 * NEAR + 1));
    const int db = sum_step(i % (2 * NEAR + 1));
    int64_t least, most;
    p->a = (int32_t)lrint(ldexp(l.a, shift)) + da;
    p->b = (int32_t)lrint(ldexp(l.b, shift)) + db;
    p->shift = shift;
    if (sum_between(&r, p, sign, &least, &most)) {
      p->first = (int32_t)(least + (most - 1 - least) / 2);
      return;
    }
  }
  p->shift = 0;
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

size_t tenon_core_sum_s8_dot_size(const tenon_call *c) {
  (void)c;
  return sizeof(tenon_sum_s8_dot);
}

tenon_status tenon_core_add_s8_dot_pack(const tenon_call *c, void *packed) {
  tenon_sum_s8_dot *p = packed;
  TENON_TRY(tenon_core_add_s8_pack(c, &p->sum));
  tenon_core_sum_s8_dot_prove(p, 1);
  return TENON_OK;
}
