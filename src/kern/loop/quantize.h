// kern/loop/quantize.h - floats to a scale and zero point.
#ifndef TENON_KERN_QUANTIZE_H
#define TENON_KERN_QUANTIZE_H

#include "kern/loop/each.h"
#include "kern/num/fixed.h"

// Defines a kernel whose results are rounded, halves away from zero, before the
// zero point is added, as LiteRT's reference QUANTIZE; items are elements.
#define TENON_QUANTIZE_KERNEL(name, Out, least, most)           \
  TENON_EACH_KERNEL(                                            \
      name, float, Out, const tenon_quant *q = c->out[0].quant; \
      const int32_t zero = q->zero ? q->zero[0] : 0;            \
      const float scale = q->scale[0];                          \
      , (Out)(tenon_round_s32(x / scale, least - zero, most - zero) + zero))

#endif  // TENON_KERN_QUANTIZE_H
