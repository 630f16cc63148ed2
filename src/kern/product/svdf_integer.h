// kern/product/svdf_integer.h - core::svdf_integer: what is packed for it, and
// its loops, for states of 8 and of 16 bits.
#ifndef TENON_KERN_SVDF_INTEGER_H
#define TENON_KERN_SVDF_INTEGER_H

#include <string.h>

#include "kern/num/fixed16.h"
#include "tenon/tensor.h"

typedef struct tenon_svdf_integer_attrs {
  int64_t rank;  // filters of a result
} tenon_svdf_integer_attrs;

typedef struct tenon_svdf_integer {
  int32_t in_mult, in_shift;    // of what the filters make of x, to the state
  int32_t out_mult, out_shift;  // of what the time makes of it, to the result
  int32_t x_zero, state_zero, y_zero;
} tenon_svdf_integer;

// Weights of the time and the state are of type T with these limits, to which
// what is new goes before its zero point is added. Items are batches.
#define TENON_SVDF_INTEGER(name, T, least, most)                               \
  TENON_KERNEL_RANGE(name) {                                                   \
    const tenon_svdf_integer *s = (const tenon_svdf_integer *)c->packed;       \
    const ptrdiff_t rank =                                                     \
        (ptrdiff_t)((const tenon_svdf_integer_attrs *)c->attrs)->rank;         \
    const ptrdiff_t depth = c->in[0].dims[1], filters = c->in[1].dims[0];      \
    const ptrdiff_t steps = c->in[2].dims[1], units = filters / rank;          \
    const int32_t *bias = (const int32_t *)c->in[3].data;                      \
    for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {            \
      const int8_t *x = (const int8_t *)c->in[0].data + b * depth;             \
      const int8_t *w = (const int8_t *)c->in[1].data;                         \
      const T *time = (const T *)c->in[2].data;                                \
      const T *old = (const T *)c->in[4].data + b * filters * steps;           \
      T *state = (T *)c->out[1].data + b * filters * steps;                    \
      int8_t *y = (int8_t *)c->out[0].data + b * units;                        \
      memmove(state, old + 1, (size_t)(filters * steps - 1) * sizeof *state);  \
      for (ptrdiff_t f = 0; f < filters; ++f) {                                \
        int32_t sum = 0;                                                       \
        for (ptrdiff_t k = 0; k < depth; ++k)                                  \
          sum = tenon_add_s32(sum, *w++ * (x[k] - s->x_zero));                 \
        sum = tenon_requant_twice(sum, s->in_mult, s->in_shift);               \
        sum = tenon_clamp_s32(sum, least, most) + s->state_zero;               \
        state[f * steps + steps - 1] = (T)(u##T)(uint32_t)sum;                 \
      }                                                                        \
      for (ptrdiff_t u = 0; u < units; ++u) {                                  \
        int32_t sum = bias ? bias[u] : 0;                                      \
        for (ptrdiff_t k = 0; k < rank * steps; ++k)                           \
          sum = tenon_add_s32(sum, *time++ * (*state++ - s->state_zero));      \
        sum = tenon_requant_twice(sum, s->out_mult, s->out_shift);             \
        y[u] =                                                                 \
            (int8_t)tenon_clamp_s32(tenon_add_s32(sum, s->y_zero), -128, 127); \
      }                                                                        \
    }                                                                          \
    return TENON_OK;                                                           \
  }

#endif  // TENON_KERN_SVDF_INTEGER_H
