// kern/opt/each/lookup_s16q_opt.h - functions of quantised 16-bit numbers by
// the tables of kern/loop/lookup.h: an entry and the next one are read as one
// word of 32 bits, and what lies between them is a product of 16 bits.
#ifndef TENON_KERN_OPT_LOOKUP_S16Q_OPT_H
#define TENON_KERN_OPT_LOOKUP_S16Q_OPT_H

#include "kern/loop/lookup.h"
#include "kern/op/activation.h"
#include "kern/opt/words.h"

#ifndef TENON_HAS_PAIRS
TENON_FLAT tenon_vi tenon_vi_pairs(const void *words, tenon_vi i) {
  int32_t at[TENON_VL], pairs[TENON_VL];
  tenon_vi_store(at, i);
  TENON_UNROLL
  for (int k = 0; k < TENON_VL; ++k)
    memcpy(&pairs[k], (const char *)words + 2 * (ptrdiff_t)at[k], 4);
  return tenon_vi_load(pairs);
}
#endif

// tenon_lookup_at, but for the upper half of a lane.
TENON_FLAT tenon_vi tenon_vi_lookup(const tenon_lookup_s16 *t, tenon_vi x) {
  const tenon_vi pair = tenon_vi_pairs(t->entry + 256, x >> 7);
  const tenon_vi first = tenon_vi_shift(pair, 16);
  // The step is the upper half, and what it is multiplied with.
  const tenon_vi step = (tenon_vi)((tenon_vu)pair - (tenon_vu)first);
  const tenon_vi more =
      tenon_vi_dot(tenon_vi_splat(64), step, tenon_vi_shift(x & 127, 16));
  return (first >> 16) + (more >> 7);
}

// The logistic function at a distance from 0, as tenon_sigmoid_at.
TENON_FLAT tenon_vi tenon_vi_sigmoid_at(const tenon_sigmoid_s16 *t,
                                        tenon_vi place, const int bits,
                                        const int32_t most) {
  tenon_vi i = place >> bits;
  const tenon_vi is_in = i < 255;
  i = tenon_vi_pick(is_in, i, tenon_vi_splat(254));
  const tenon_vi pair = tenon_vi_pairs(t->entry, i);
  const tenon_vi first = pair & 0xFFFF;
  const tenon_vi step = (tenon_vi)((tenon_vu)pair >> 16) - first;
  const tenon_vi y = tenon_vi_dot(tenon_vi_shift(first, bits), step,
                                  place & tenon_vi_splat((1 << bits) - 1));
  return tenon_vi_pick(is_in, y, tenon_vi_splat(most));
}

TENON_FLAT tenon_vi tenon_vi_sigmoid_place(const tenon_sigmoid_s16 *t,
                                           tenon_vi x) {
  const tenon_vi half = tenon_vi_splat(t->shift > 0 ? 1 << (t->shift - 1) : 0);
  return tenon_vi_dot(half, x, tenon_vi_splat(t->mult)) >> t->shift;
}

// What register of results is made from x by the table `t`.
typedef tenon_vi tenon_lookup_fn(const void *t, tenon_vi x);

TENON_FLAT tenon_vi tenon_vi_logistic_s16(const void *packed, tenon_vi x) {
  const tenon_sigmoid_s16 *t = (const tenon_sigmoid_s16 *)packed;
  const tenon_vi at = tenon_vi_sigmoid_place(t, x), sign = at >> 31;
  const tenon_vi y =
      tenon_vi_sigmoid_at(t, (at ^ sign) - sign, 9, 0x7FFF << 10);
  // ~y is -y - 1.
  return ((y ^ sign) + ((sign & (1 << 25)) + (1 << 9))) >> 10;
}

TENON_FLAT tenon_vi tenon_vi_tanh_s16(const void *packed, tenon_vi x) {
  const tenon_sigmoid_s16 *t = (const tenon_sigmoid_s16 *)packed;
  const tenon_vi at = tenon_vi_sigmoid_place(t, x), sign = at >> 31;
  const tenon_vi y = tenon_vi_sigmoid_at(t, (at ^ sign) - sign, 8, 0xFFFF << 8);
  return (((y - (1 << 23)) ^ sign) + (1 << 7)) >> 8;
}

TENON_FLAT tenon_vi tenon_vi_lookup_s16(const void *packed, tenon_vi x) {
  return tenon_vi_lookup((const tenon_lookup_s16 *)packed, x);
}

TENON_FLAT tenon_status tenon_lookup_s16q_run(const tenon_call *c,
                                              int64_t begin, int64_t end,
                                              tenon_lookup_fn *f) {
  const char *from = (const char *)c->in[0].data + begin * 2;
  char *to = (char *)c->out[0].data + begin * 2;
  ptrdiff_t n = (ptrdiff_t)(end - begin);
  for (; n >= 4 * TENON_VL; n -= 4 * TENON_VL) {
    tenon_vi x[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      x[k] = f(c->packed, tenon_stored_load(2, from + k * 2 * TENON_VL));
    TENON_UNROLL
    for (int k = 0; k < 4; ++k)
      tenon_stored_store(2, to + k * 2 * TENON_VL, x[k]);
    from += 8 * TENON_VL;
    to += 8 * TENON_VL;
  }
  while (n > 0) {
    const ptrdiff_t some = n < TENON_VL ? n : TENON_VL;
    char lanes[2 * TENON_VL] = {0};
    memcpy(lanes, from, (size_t)some * 2);
    tenon_stored_store(2, lanes, f(c->packed, tenon_stored_load(2, lanes)));
    memcpy(to, lanes, (size_t)some * 2);
    from += some * 2;
    to += some * 2;
    n -= some;
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_LOOKUP_S16Q_OPT_H
