// kern/stored.h - sums and means of quantised elements over dimensions, as
// LiteRT's. A mean is the sum less as many zero points, by a factor in integers
// of which the number of elements is divided out; a sum goes through a float.
#ifndef TENON_KERN_STORED_H
#define TENON_KERN_STORED_H

#include "kern/reduce.h"
#include "kern/requant.h"

// The packed factor, over `count`, with as many bits as the shift allows.
TENON_INLINE void tenon_stored_factor(const tenon_requant *r, int64_t count,
                                      int32_t *mult, int32_t *shift) {
  const int32_t *packed = (const int32_t *)(r + 1);
  int32_t bits = 0;
  *mult = packed[0];
  *shift = packed[1];
  if (count < 1) return;
  while (count >> bits > 1)
    ++bits;
  if (bits > 32) bits = 32;
  if (bits > 31 + *shift) bits = 31 + *shift;
  *mult = (int32_t)(*mult * (INT64_C(1) << bits) / count);
  *shift -= bits;
}

// Defines the kernels `name` for elements T: means, and sums.
#define TENON_STORED_MEAN(name, T)                                        \
  TENON_KERNEL_RANGE(name) {                                              \
    const tenon_requant *q = (const tenon_requant *)c->packed;            \
    const tenon_reduce r =                                                \
        tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs); \
    const T *x = (const T *)c->in[0].data;                                \
    int32_t mult, shift;                                                  \
    tenon_stored_factor(q, r.count, &mult, &shift);                       \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {       \
      uint32_t sum = 0;                                                   \
      TENON_REDUCE_EACH(r, i) sum += (uint32_t)(x[at] - q->x_zero);       \
      int32_t y = tenon_requant_twice((int32_t)sum, mult, shift);         \
      y = tenon_add_s32(y, q->y_zero);                                    \
      ((T *)c->out[0].data)[i] = (T)tenon_clamp_s32(y, q->lo, q->hi);     \
    }                                                                     \
    return TENON_OK;                                                      \
  }

#define TENON_STORED_SUM(name, T)                                             \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_requant *q = (const tenon_requant *)c->packed;                \
    const tenon_reduce r =                                                    \
        tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);     \
    const T *x = (const T *)c->in[0].data;                                    \
    const float scale = c->in[0].quant->scale[0] / c->out[0].quant->scale[0]; \
    const float bias = (float)-q->x_zero * scale * (float)r.count;            \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {           \
      int64_t sum = 0;                                                        \
      TENON_REDUCE_EACH(r, i) sum += x[at];                                   \
      float y = roundf((float)sum * scale + bias) + (float)q->y_zero;         \
      ((T *)c->out[0].data)[i] = (T)tenon_round_s32(y, q->lo, q->hi);         \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_STORED_H
