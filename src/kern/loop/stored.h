// kern/loop/stored.h - sums, means and products of quantised elements over
// dimensions, as LiteRT's. A mean is the sum less as many zero points, by a
// factor in integers of which the number of elements is divided out; a sum goes
// through a float; a product is rescaled with each element it takes in.
#ifndef TENON_KERN_STORED_H
#define TENON_KERN_STORED_H

#include "kern/loop/reduce.h"
#include "kern/product/requant.h"

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

// x times the upper half of a factor: what is beyond 32 bits is lost, as it is
// in LiteRT.
TENON_INLINE int32_t tenon_stored_scaled(int64_t x, int32_t mult,
                                         int32_t shift) {
  const int64_t factor = mult < 0x7FFF0000 ? (mult + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t right = shift < 15 ? 15 - shift : 1;
  const int64_t y = x * factor + (INT64_C(1) << (right - 1));
  return (int32_t)(uint32_t)(uint64_t)(y >> right);
}

#define TENON_STORED_PROD(name, T)                                           \
  TENON_KERNEL_RANGE(name) {                                                 \
    const tenon_requant *q = (const tenon_requant *)c->packed;               \
    const int32_t *packed = (const int32_t *)(q + 1);                        \
    const int32_t mult = packed[0], shift = packed[1];                       \
    const tenon_reduce r =                                                   \
        tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);    \
    const T *x = (const T *)c->in[0].data;                                   \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {          \
      int32_t y = 0;                                                         \
      TENON_REDUCE_EACH(r, i) {                                              \
        const int32_t one = x[at] - q->x_zero;                               \
        y = k + j == 0 ? one                                                 \
                       : tenon_stored_scaled((int64_t)y * one, mult, shift); \
      }                                                                      \
      y = tenon_add_s32(tenon_stored_scaled(y, mult, shift), q->y_zero);     \
      ((T *)c->out[0].data)[i] = (T)tenon_clamp_s32(y, q->lo, q->hi);        \
    }                                                                        \
    return TENON_OK;                                                         \
  }

#endif  // TENON_KERN_STORED_H
