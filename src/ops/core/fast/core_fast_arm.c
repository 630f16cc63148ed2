// core_fast_arm.c - channels of integer kernels on Cortex-M, packed.
#include "ops/core/fast/core_fast_arm.h"

#include <stdlib.h>

#include "ops/core/element/core_factor.h"

static int32_t arm_stored(int32_t sum, int32_t mult, int32_t shift,
                          bool is_once, int32_t zero) {
  const int32_t y = is_once ? tenon_requant_once(sum, mult, shift)
                            : tenon_requant_twice(sum, mult, shift);
  return tenon_clamp_s32(tenon_add_s32(y, zero), INT8_MIN, INT8_MAX);
}

// What sums can be, with taps outside the image, which add nothing; the share
// of the zero point, and a bound of every number on the way.
typedef struct sums {
  int64_t least, most, zero, bound;
} sums;

static sums sums_of(const tenon_arm_weights *w, int32_t x_zero, int64_t bias) {
  int64_t sum = 0, size = 0;
  for (int32_t k = 0; k < w->taps; ++k) {
    const int32_t v = w->data[(ptrdiff_t)k * w->step];
    sum += v;
    size += v < 0 ? -v : v;
  }
  // What weights above zero make of it, and those below.
  const int64_t up = (size + sum) / 2, down = (sum - size) / 2;
  const int64_t low = x_zero > -128 ? -128 - x_zero : 0;
  const int64_t high = x_zero < 127 ? 127 - x_zero : 0;
  sums s = {bias + up * low + down * high, bias + up * high + down * low,
            x_zero * sum, 0};
  s.bound = size * 255 + llabs(bias) + llabs(s.zero);
  return s;
}

// Whether a dead channel's one result is y, which it has without weights.
static tenon_arm_sums dead(int32_t y, int32_t zero, bool is_once) {
  const tenon_arm_sums s = {(y - zero) * (is_once ? 16 : 4), 1 << 30,
                            is_once ? -3 : -1, true, true};
  return s;
}

static void arm_factor(const tenon_call *c, const tenon_arm_weights *w,
                       int32_t *mult, int32_t *shift) {
  const double scale = tenon_core_product_factor(
      &c->in[0], &c->in[1], w->channel, &c->out[0], w->is_single);
  if (w->is_once)
    tenon_core_factor_once(scale, mult, shift);
  else
    tenon_core_factor(scale, mult, shift);
}

static bool arm_is_shift(const tenon_arm_weights *w, int32_t shift) {
  return shift >= -22 && shift <= (w->is_once ? -2 : -1);
}

tenon_arm_sums tenon_core_arm_sums(const tenon_call *c,
                                   const tenon_arm_weights *w) {
  const int32_t x_zero = tenon_core_zero(&c->in[0]);
  const int32_t zero = tenon_core_zero(&c->out[0]);
  const int32_t *biases = c->in[2].dtype ? c->in[2].data : NULL;
  const int64_t bias = biases ? biases[w->channel] : 0;
  const sums s = sums_of(w, x_zero, bias);
  tenon_arm_sums q = {0};
  arm_factor(c, w, &q.mult, &q.shift);
  // Rounding is monotonous where numbers do not wrap.
  const bool wraps = !w->is_once && q.shift > 0;
  if (!wraps && s.least >= INT32_MIN && s.most <= INT32_MAX) {
    const int32_t y =
        arm_stored((int32_t)s.least, q.mult, q.shift, w->is_once, zero);
    if (y == arm_stored((int32_t)s.most, q.mult, q.shift, w->is_once, zero))
      return dead(y, zero, w->is_once);
  }
  q.bias = (int32_t)(uint32_t)(w->folds ? bias - s.zero : bias);  // mod 2^32
  q.is_plain = s.bound < 1 << 30 && arm_is_shift(w, q.shift);
  return q;
}

// Planning asks for every layer, and for each of its stripes: what holds for
// all weights is said without looking at them.
bool tenon_core_arm_is_plain(const tenon_call *c, const tenon_arm_weights *w) {
  const int32_t *biases = c->in[2].dtype ? c->in[2].data : NULL;
  const int64_t bias = biases ? biases[w->channel] : 0;
  const int64_t bound = (int64_t)w->taps * 128 * (255 + 128) + llabs(bias);
  tenon_arm_channel q;
  bool is_dead;
  arm_factor(c, w, &q.mult, &q.shift);
  return (bound < 1 << 30 && arm_is_shift(w, q.shift)) ||
         tenon_core_arm_channel(c, w, &q, &is_dead);
}

bool tenon_core_arm_channel(const tenon_call *c, const tenon_arm_weights *w,
                            tenon_arm_channel *q, bool *is_dead) {
  const tenon_arm_sums s = tenon_core_arm_sums(c, w);
  q->bias = s.bias, q->mult = s.mult, q->round = 0, q->shift = s.shift;
  *is_dead = s.is_dead;
  if (!s.is_plain)
    tenon_call_fail(c,
                    "a factor is not within 2^-22 and 1/2, or sums have "
                    "more than 30 bits",
                    0, 0);
  return s.is_plain;
}

static int64_t wide_bias(const tenon_call *c, int32_t i) {
  const int64_t *bias = c->in[2].dtype ? (const int64_t *)c->in[2].data : NULL;
  return bias ? tenon_limit_wide(bias[i]) : 0;
}

void tenon_core_arm_wide(const tenon_call *c, int32_t i, bool is_double,
                         tenon_arm_wide *q) {
  const int64_t first = wide_bias(c, i);
  q->low = (int32_t)(uint32_t)((uint64_t)first & UINT32_MAX);
  q->high = (int32_t)(uint32_t)((uint64_t)first >> 32);
  const double scale =
      tenon_core_product_factor(&c->in[0], &c->in[1], i, &c->out[0], false);
  if (is_double)
    tenon_core_factor_double(scale, &q->mult, &q->shift);
  else
    tenon_core_factor(scale, &q->mult, &q->shift);
}

// The most that a sum of a channel can be, or more than INT32_MAX.
static int64_t wide_bound(const tenon_call *c, const tenon_arm_weights *w) {
  int64_t bound = llabs(wide_bias(c, w->channel));
  for (int32_t k = 0; k < w->taps && bound <= INT32_MAX; ++k) {
    const int32_t v = w->data[(ptrdiff_t)k * w->step];
    bound += (int64_t)(v < 0 ? -v : v) << 15;
  }
  return bound;
}

bool tenon_core_arm_narrow_sums(const tenon_call *c, const tenon_arm_weights *w,
                                tenon_arm_channel *q) {
  tenon_arm_wide wide;
  tenon_core_arm_wide(c, w->channel, false, &wide);
  q->bias = wide.low, q->round = 0, q->shift = wide.shift;
  q->mult =
      wide.mult < 0x7FFF0000 ? (wide.mult + (1 << 15)) & ~0xFFFF : 0x7FFF0000;
  return wide_bound(c, w) <= INT32_MAX && q->shift >= -31 && q->shift <= -2 &&
         tenon_core_zero(&c->out[0]) == 0;
}

bool tenon_core_arm_long_sums(const tenon_call *c, const tenon_arm_weights *w,
                              tenon_arm_long *q) {
  const int64_t most = wide_bound(c, w);
  q->bias = (int32_t)wide_bias(c, w->channel);
  return most <= INT32_MAX && tenon_core_zero(&c->out[0]) == 0 &&
         tenon_core_factor_long(
             tenon_core_product_factor(&c->in[0], &c->in[1], w->channel,
                                       &c->out[0], false),
             (int32_t)most, &q->high, &q->low, &q->shift);
}

void tenon_core_arm_round(tenon_arm_channel *q, bool is_once, int32_t zero) {
  const int32_t n = -q->shift - (is_once ? 1 : 0);
  q->round = (1 << (n - 1)) + zero * (1 << n);
  q->shift = n;
}

void tenon_core_arm_lane(tenon_arm_quad *quads, int32_t i,
                         const tenon_arm_channel *q, bool is_once) {
  quads += i / 4;
  quads->bias[i % 4] = q->bias;
  quads->mult[i % 4] = q->mult;
  quads->shift[i % 4] = q->shift + (is_once ? 1 : 0);
}

void tenon_core_arm_put(int8_t *to, ptrdiff_t at, int32_t size, bool narrow,
                        int8_t v) {
  if (!narrow) {
    to[at] = v;
    return;
  }
  int8_t *half = &to[at / (2 * size) * size + at % size];
  const int32_t bits = at / size % 2 ? v & 0xF : v * 16;
  *half = (int8_t)(*half | bits);
}

bool tenon_core_arm_is_narrow(const tenon_call *c) {
  const int8_t *w = (const int8_t *)c->in[1].data;
  const size_t n = tenon_count(&c->in[1]);
  for (size_t i = 0; i < n; ++i)
    if (w[i] < -8 || w[i] > 7) return false;
  return n / (size_t)c->in[1].dims[0] <= UINT16_MAX;
}

tenon_arm_window tenon_core_arm_image(const tenon_call *c, tenon_ints stride,
                                      tenon_ints pad, tenon_ints dilation,
                                      tenon_opt_float lo, tenon_opt_float hi) {
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims, *w = c->in[1].dims;
  tenon_arm_window g = {.h = x[1],
                        .w = x[2],
                        .c = x[3],
                        .out_h = y[1],
                        .out_w = y[2],
                        .out_c = y[3],
                        .kh = w[1],
                        .kw = w[2],
                        .down = (int32_t)stride.data[0],
                        .right = (int32_t)stride.data[1],
                        .top = (int32_t)pad.data[0],
                        .left = (int32_t)pad.data[1],
                        .dil_y = (int32_t)dilation.data[0],
                        .dil_x = (int32_t)dilation.data[1],
                        .x_zero = tenon_core_zero(&c->in[0]),
                        .y_zero = tenon_core_zero(&c->out[0]),
                        .rest = (int32_t)sizeof g};
  tenon_core_limits(&c->out[0], lo, hi, &g.lo, &g.hi);
  return g;
}

bool tenon_core_arm_is_whole(const tenon_call *c, tenon_opt_float lo,
                             tenon_opt_float hi) {
  int32_t least, most;
  tenon_core_limits(&c->out[0], lo, hi, &least, &most);
  return least == INT8_MIN && most == INT8_MAX;
}

bool tenon_core_arm_are_known(const tenon_call *c) {
  return tenon_core_is_known(&c->in[0]) && tenon_core_is_known(&c->in[1]) &&
         tenon_core_is_known(&c->out[0]);
}

bool tenon_core_arm_can_pack(const tenon_call *c, int axis) {
  return tenon_core_arm_are_known(c) && c->in[1].data &&
         (!c->in[2].dtype || c->in[2].data) &&
         tenon_core_match_weights(&c->in[1], axis, false);
}
