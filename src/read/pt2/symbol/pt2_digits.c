// How: digits of a size are what is left of divisions. A decimal is a fraction
// of a power of ten, brought to the nearest of those, in the middle to the even
// one; bits under a mask are, for each row of ones in it, a rest of a quotient.
#include "read/pt2/symbol/pt2_fraction.h"

#define MOST_DIGITS 9
// Of quotients: times sizes, the double is nearer to the quotient than that is
// to the middle of two decimals.
#define MOST_ROUNDED_DIGITS 4

static int64_t ten_to(int64_t digits) {
  int64_t out = 1;
  for (; digits > 0; --digits)
    out *= 10;
  return out;
}

// The nearest integer to up / down, in the middle the even one.
static bool digits_to_even(tenon_fractions *in, tenon_dim up, tenon_dim down,
                           tenon_dim *out) {
  const tenon_dim one = tenon_dim_fixed(1), two = tenon_dim_fixed(2);
  tenon_dim twice, rest, odd;
  return tenon_fraction_apply(in, TENON_DIM_MUL, up, two, &up) &&
         tenon_fraction_apply(in, TENON_DIM_ADD, up, down, &up) &&
         tenon_fraction_apply(in, TENON_DIM_MUL, down, two, &twice) &&
         tenon_fraction_apply(in, TENON_DIM_DIV, up, twice, out) &&
         tenon_fraction_apply(in, TENON_DIM_MOD, up, twice, &rest) &&
         tenon_fraction_apply(in, TENON_DIM_MIN, rest, one, &rest) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, one, rest, &rest) &&
         tenon_fraction_apply(in, TENON_DIM_MOD, *out, two, &odd) &&
         tenon_fraction_apply(in, TENON_DIM_MUL, rest, odd, &odd) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, *out, odd, out);
}

// Whether the double of a quotient rounds to the decimal that the quotient
// rounds to. It does where that is never in the middle of two: 10^digits times
// it would be an odd number of halves, so the divisor has more twos than that.
static bool is_certain(const tenon_fraction *a, int64_t digits) {
  const int64_t down = a->down.value;
  if (!a->is_real || (down & (down - 1)) == 0) return true;
  return digits >= 0 && digits <= MOST_ROUNDED_DIGITS &&
         down % (INT64_C(2) << digits) != 0;
}

bool tenon_fraction_decimals(tenon_fractions *in, tenon_fraction a,
                             tenon_fraction digits, tenon_fraction *out) {
  const int64_t n = digits.up.value;
  *out = tenon_fraction_whole(a.up);
  out->is_real = a.is_real;
  if (a.is_truth || digits.is_truth || digits.is_real ||
      !tenon_dim_is_fixed(digits.up) || !tenon_dim_is(digits.down, 1) ||
      n > MOST_DIGITS || n < -MOST_DIGITS)
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "rounds to decimals that are no short number");
  if (!a.is_real && tenon_dim_is(a.down, 1) && n >= 0) return true;
  if (a.is_float || !tenon_dim_is_fixed(a.down) || a.down.value <= 0 ||
      !is_certain(&a, n))
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "rounds to decimals what the last bit of a "
                               "float could decide");
  const tenon_dim scale = tenon_dim_fixed(ten_to(n < 0 ? -n : n));
  if (!tenon_fraction_apply(in, TENON_DIM_MUL, n < 0 ? a.down : a.up, scale,
                            n < 0 ? &a.down : &a.up) ||
      !digits_to_even(in, a.up, a.down, &out->up))
    return false;
  if (n >= 0) out->down = scale;
  return n >= 0 ||
         tenon_fraction_apply(in, TENON_DIM_MUL, out->up, scale, &out->up);
}

// ---------------------------------------------------------------------------
// Bits
// ---------------------------------------------------------------------------

// The bits of d that a mask has, which is not negative.
static bool keep_bits(tenon_fractions *in, tenon_dim d, int64_t mask,
                      tenon_dim *out) {
  *out = tenon_dim_fixed(0);
  for (int low = 0; mask >> low != 0;) {
    int high = low;
    tenon_dim piece, place = tenon_dim_fixed(INT64_C(1) << low);
    while (high < 62 && (mask >> high & 1) != 0)
      ++high;
    if (high == low) {
      ++low;
      continue;
    }
    const tenon_dim size = tenon_dim_fixed(INT64_C(1) << (high - low));
    if (!tenon_fraction_apply(in, TENON_DIM_DIV, d, place, &piece) ||
        !tenon_fraction_apply(in, TENON_DIM_MOD, piece, size, &piece) ||
        !tenon_fraction_apply(in, TENON_DIM_MUL, piece, place, &piece) ||
        !tenon_fraction_apply(in, TENON_DIM_ADD, *out, piece, out))
      return false;
    low = high;
  }
  return true;
}

// What both have. Under a negative mask: all but what its complement has.
static bool digits_both(tenon_fractions *in, tenon_dim d, int64_t mask,
                        tenon_dim *out) {
  if (!keep_bits(in, d, mask < 0 ? ~mask : mask, out)) return false;
  return mask >= 0 || tenon_fraction_apply(in, TENON_DIM_SUB, d, *out, out);
}

static bool digits_is_integer(const tenon_fraction *f) {
  return !f->is_truth && !f->is_real && tenon_dim_is(f->down, 1);
}

bool tenon_fraction_bits(tenon_fractions *in, char op, tenon_fraction a,
                         tenon_fraction b, tenon_fraction *out) {
  const int64_t most = INT64_C(1) << 62;
  tenon_dim common;
  if (tenon_dim_is_fixed(a.up)) {
    *out = a;
    a = b;
    b = *out;
  }
  if (!digits_is_integer(&a) || !digits_is_integer(&b) ||
      !tenon_dim_is_fixed(b.up) || b.up.value >= most || b.up.value < -most)
    return tenon_fraction_fail(in, TENON_PT2_EXPR_UNSUPPORTED,
                               "takes bits of two sizes that are open");
  *out = tenon_fraction_whole(tenon_dim_fixed(0));
  if (!digits_both(in, a.up, b.up.value, &common)) return false;
  out->up = common;
  if (op == '&') return true;
  // What either has, and what one of both has.
  const tenon_dim times = tenon_dim_fixed(op == '|' ? 1 : 2);
  return tenon_fraction_apply(in, TENON_DIM_MUL, common, times, &common) &&
         tenon_fraction_apply(in, TENON_DIM_ADD, a.up, b.up, &out->up) &&
         tenon_fraction_apply(in, TENON_DIM_SUB, out->up, common, &out->up);
}
