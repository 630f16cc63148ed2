// core_factor.c - frexp and rounding, once per model.
#include "ops/core/element/core_factor.h"

#include <math.h>
#include <string.h>

void tenon_core_factor(double factor, int32_t *mult, int32_t *shift) {
  int exponent = 0;
  if (!(factor < 0x1p62)) factor = 0x1p62;  // scales far apart: even infinite
  double fraction = frexp(factor, &exponent);
  int64_t fixed = (int64_t)round(fraction * 2147483648.0);
  if (fixed == INT64_C(1) << 31) {
    fixed /= 2;
    ++exponent;
  }
  // Beyond these the reference has nothing to say either: all bits are shifted
  // out, or the product saturates.
  if (exponent < -31) {
    fixed = 0;
    exponent = 0;
  } else if (exponent > 30) {
    fixed = INT32_MAX;
    exponent = 30;
  }
  *mult = (int32_t)fixed;
  *shift = exponent;
}

void tenon_core_factor_double(double factor, int32_t *low, int32_t *high) {
  if (!(factor < 0x1p30)) factor = 0x1p30;
  if (factor < 0x1p-63) factor = 0;
  uint64_t bits;
  memcpy(&bits, &factor, sizeof bits);
  *low = (int32_t)(uint32_t)(bits & UINT32_MAX);
  *high = (int32_t)(bits >> 32);
}

// As LiteRT's reference FULLY_CONNECTED has it.
static int64_t factor_product(int64_t sum, double factor) {
  return (int64_t)round((double)sum * factor);
}

// Whether integers and doubles agree on sums near the middle of two results,
// `at`, and of the same below zero.
static bool has_same_tie(double at, double factor, int32_t mult,
                         int32_t shift) {
  if (!(at < 0x1p31 - 8)) return true;
  const int64_t nearest = (int64_t)(at + 0.5);
  const double margin = at * 0x1p-28 + 0x1p-20;
  if (fabs(at - (double)nearest) > margin) return true;
  const int64_t reach = (int64_t)margin + 1;
  for (int64_t x = nearest - reach; x <= nearest + reach; ++x)
    for (int64_t sum = x, i = 0; i < 2; ++i, sum = -sum)
      if (tenon_requant_once((int32_t)sum, mult, shift) !=
          factor_product(sum, factor))
        return false;
  return true;
}

// The same of all results that a byte has room for, whatever the zero point.
// Elsewhere they agree anyway: the two factors are apart by less than 2^-28 of
// them. A model has thousands of channels, of whose 256 middles hardly any is
// near to an integer: what they have behind the point, in 64 bits, is half of
// the inverse and grows by all of it, and a block without a near one is done.
static bool has_same_ties(double factor, int32_t mult, int32_t shift) {
  enum { BLOCK = 32 };
  const double inverse = 1 / factor, half = inverse / 2;
  if (!(half < 0x1p31 - 8)) return true;
  uint64_t part = (uint64_t)((half - floor(half)) * 0x1p64);
  const uint64_t step = 2 * part;
  for (int32_t first = 0; first < 256; first += BLOCK) {
    const double margin = (first + BLOCK) * inverse * 0x1p-27 + 0x1p-19;
    const uint64_t reach = (uint64_t)(fmin(margin, 0.499) * 0x1p64);
    uint32_t near = margin >= 0.499;
    for (int32_t k = 0; k < BLOCK; ++k, part += step)
      near |= part + reach <= 2 * reach;
    for (int32_t k = first; near && k < first + BLOCK; ++k)
      if (!has_same_tie((k + 0.5) * inverse, factor, mult, shift)) return false;
  }
  return true;
}

void tenon_core_factor_once(double factor, int32_t *mult, int32_t *shift) {
  static const int32_t steps[] = {0, 1, -1, 2, -2};
  tenon_core_factor(factor, mult, shift);
  if (*mult == 0 || *shift > 8) return;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
    const int64_t moved = (int64_t)*mult + steps[i];
    if (moved < 1 << 30 || moved > INT32_MAX ||
        !has_same_ties(factor, (int32_t)moved, *shift))
      continue;
    *mult = (int32_t)moved;
    return;
  }
  tenon_core_factor_double(factor, mult, shift);
}

// Whether twice a sum of up to `most` times the factor comes near to an
// integer, nearer than products in double are to what they stand for: the least
// distance up to a multiple is that of a convergent of the factor's continued
// fraction. Remainders are exact.
static bool may_be_tie(double factor, double most) {
  double whole = 1, rest = factor, before = 0, multiple = 1;
  while (rest > 0) {
    const double left = fmod(whole, rest);
    const double next = round((whole - left) / rest) * multiple + before;
    if (next > 2 * most) break;
    whole = rest, rest = left, before = multiple, multiple = next;
  }
  return rest < 0x1p-36;
}

// Whether tenon_requant_long gives what doubles do for sums that may be ties:
// the one nearest to each middle of two results, if it is as near as a double
// tells.
static bool long_is_double(double factor, double most, int32_t high,
                           int32_t low, int32_t shift) {
  const double inverse = 1 / factor;
  for (int32_t k = 0; k <= INT16_MAX; ++k) {
    const double at = (k + 0.5) * inverse, sum = floor(at + 0.5);
    if (sum > most) break;
    if (fabs(at - sum) > at * 0x1p-50) continue;
    const int32_t y = (int32_t)factor_product((int64_t)sum, factor);
    const int32_t x = (int32_t)sum;
    if (tenon_requant_long(x, high, low, shift) != y ||
        tenon_requant_long(-x, high, low, shift) != -y)
      return false;
  }
  return true;
}

// The bits of the factor, and one more below them, so that no product is a tie:
// those that are go away from zero, as in doubles. More where products just
// below a tie become one in double.
bool tenon_core_factor_long(double factor, int32_t most, int32_t *high,
                            int32_t *low, int32_t *shift) {
  if (!(factor >= 0x1p-31 && factor < 0.25)) return false;
  const double largest = fmin(most, (INT16_MAX + 2) / factor);
  int exponent = 0;
  const int64_t bits = (int64_t)ldexp(frexp(factor, &exponent), 63);
  for (int64_t more = 1; more < 1 << 11; more += 1 << 9) {
    if (bits > ((int64_t)INT32_MAX << 32) - more) return false;
    const int64_t upper = (bits + more + (INT64_C(1) << 31)) >> 32;
    *high = (int32_t)upper, *shift = exponent;
    *low = (int32_t)(bits + more - upper * (INT64_C(1) << 32));
    if ((more == 1 && !may_be_tie(factor, largest)) ||
        long_is_double(factor, largest, *high, *low, exponent))
      return true;
  }
  return false;
}

double tenon_core_scale(const tenon_tensor *t) {
  return (double)t->quant->scale[0];
}

int32_t tenon_core_zero(const tenon_tensor *t) {
  return t->quant->zero ? t->quant->zero[0] : 0;
}

static void type_limits(tenon_dtype dtype, int32_t *least, int32_t *most) {
  *least = *most = 0;
  if (dtype == TENON_S8) *least = INT8_MIN, *most = INT8_MAX;
  if (dtype == TENON_U8) *most = UINT8_MAX;
  if (dtype == TENON_S16) *least = INT16_MIN, *most = INT16_MAX;
  if (dtype == TENON_S32) *least = INT32_MIN, *most = INT32_MAX;
}

// The stored value of a real limit, within the type. LiteRT divides in float.
static int32_t stored_limit(const tenon_tensor *y, double real, int32_t least,
                            int32_t most) {
  float scaled = roundf((float)real / y->quant->scale[0]);
  double value = (double)scaled + tenon_core_zero(y);
  if (!(value > least)) return least;
  return value < most ? (int32_t)value : most;
}

void tenon_core_limits(const tenon_tensor *y, tenon_opt_float lo,
                       tenon_opt_float hi, int32_t *least, int32_t *most) {
  int32_t type_least, type_most;
  type_limits(y->dtype, &type_least, &type_most);
  *least = type_least;
  *most = type_most;
  if (lo.has) *least = stored_limit(y, lo.value, type_least, type_most);
  if (hi.has) *most = stored_limit(y, hi.value, type_least, type_most);
  if (*least > *most) *least = *most;
}

bool tenon_core_same_quant(const tenon_tensor *a, const tenon_tensor *b) {
  return a->quant && b->quant && a->quant->channels == 1 &&
         b->quant->channels == 1 &&
         fabs(tenon_core_scale(a) - tenon_core_scale(b)) <= 1e-6 &&
         tenon_core_zero(a) == tenon_core_zero(b);
}

static int32_t factor_count(const tenon_tensor *w) {
  return w ? w->quant->channels : 1;
}

size_t tenon_core_requant_size(const tenon_tensor *w) {
  return sizeof(tenon_requant) + 2 * (size_t)factor_count(w) * sizeof(int32_t);
}

double tenon_core_product_factor(const tenon_tensor *x, const tenon_tensor *w,
                                 int32_t i, const tenon_tensor *y,
                                 bool is_single) {
  double scale = tenon_core_scale(x);
  if (w) scale *= (double)w->quant->scale[w->quant->channels == 1 ? 0 : i];
  if (is_single) scale = (double)(float)scale;
  return scale / tenon_core_scale(y);
}

void tenon_core_pack_requant(const tenon_tensor *x, const tenon_tensor *w,
                             const tenon_tensor *y, tenon_opt_float lo,
                             tenon_opt_float hi, tenon_core_rounding how,
                             void *packed) {
  tenon_requant *r = (tenon_requant *)packed;
  int32_t *mult = (int32_t *)(r + 1), *shift = mult + factor_count(w);
  r->x_zero = tenon_core_zero(x);
  r->w_zero = w ? tenon_core_zero(w) : 0;
  r->y_zero = tenon_core_zero(y);
  r->channels = factor_count(w);
  tenon_core_limits(y, lo, hi, &r->lo, &r->hi);
  for (int32_t i = 0; i < r->channels; ++i) {
    const double scale =
        tenon_core_product_factor(x, w, i, y, how == TENON_CORE_TWICE_SINGLE);
    if (how == TENON_CORE_ONCE)
      tenon_core_factor_once(scale, &mult[i], &shift[i]);
    else if (how == TENON_CORE_AS_DOUBLE)
      tenon_core_factor_double(scale, &mult[i], &shift[i]);
    else
      tenon_core_factor(scale, &mult[i], &shift[i]);
  }
}

bool tenon_core_match_weights(const tenon_tensor *w, int axis, bool any_zero) {
  const tenon_quant *q = w->quant;
  if (!q || q->block) return false;
  if (q->channels == 1 && any_zero) return true;
  if (q->channels != 1 && (q->axis != axis || q->channels != w->dims[axis]))
    return false;
  for (int32_t i = 0; i < q->channels && q->zero; ++i) {
    if (q->zero[i] != 0) return false;
  }
  return true;
}

size_t tenon_core_factor_size(const tenon_call *c) {
  (void)c;
  return tenon_core_requant_size(NULL);
}
size_t tenon_core_factors_size(const tenon_call *c) {
  return tenon_core_requant_size(&c->in[1]);
}

tenon_status tenon_core_factor_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  tenon_core_pack_requant(&c->in[0], NULL, &c->out[0], none, none,
                          TENON_CORE_TWICE, packed);
  return TENON_OK;
}
