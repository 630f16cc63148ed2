// kern/opt/tiles/made_f32.h - what follows sums of floats, packed during a run:
// of kernels whose weights, bias, scale or shift a run computes. The form is
// that of kern/opt/tiles/packed.h.
#ifndef TENON_KERN_OPT_MADE_F32_H
#define TENON_KERN_OPT_MADE_F32_H

#include <string.h>

#include "kern/op/clamp.h"
#include "kern/opt/tiles/packed.h"
#include "kern/product/conv.h"

// Returns where the next go.
TENON_INLINE float *tenon_made_line(const float *from, ptrdiff_t channels,
                                    float *to) {
  const ptrdiff_t np = tenon_round_up(channels, TENON_LANES);
  for (ptrdiff_t j = 0; j < np; ++j)
    to[j] = from && j < channels ? from[j] : -0.0f;
  return to + np;
}

// Head and tail of channels [from, from + channels); returns where weights go.
TENON_INLINE float *tenon_made_tail(const tenon_call *c, ptrdiff_t from,
                                    ptrdiff_t channels, tenon_opt_float lo,
                                    tenon_opt_float hi, void *packed) {
  const tenon_conv_tail t = tenon_conv_tail_of(c);
  const tenon_limits_f32 limits = tenon_limits_f32_of(lo, hi);
  tenon_packed_f32 *head = (tenon_packed_f32 *)packed;
  head->lo = limits.lo;
  head->hi = limits.hi;
  head->is_scaled = t.scale != NULL;
  float *to = (float *)(head + 1);
  to = tenon_made_line(t.bias ? t.bias + from : NULL, channels, to);
  if (!t.scale) return to;
  to = tenon_made_line(t.scale + from, channels, to);
  return tenon_made_line(t.shift ? t.shift + from : NULL, channels, to);
}

#endif  // TENON_KERN_OPT_MADE_F32_H
