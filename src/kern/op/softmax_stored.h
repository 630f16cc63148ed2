// kern/op/softmax_stored.h - softmax of bytes in integers, as LiteRT's
// reference: the result has scale 2^-bits and the least stored number for 0.
//
// The exponentials come from a packed table of the 256 possible distances to
// the maximum. Their sum, with 12 integer bits, is inverted by three steps of
// Newton's method, as gemmlowp does.
#ifndef TENON_KERN_SOFTMAX_STORED_H
#define TENON_KERN_SOFTMAX_STORED_H

#include "kern/num/newton.h"
#include "kern/op/softmax.h"

#define TENON_SOFTMAX_KERNEL(symbol, T, bits)                                  \
  TENON_KERNEL_RANGE(symbol) {                                                 \
    const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;      \
    const int32_t *exps = ((const tenon_softmax_s8 *)c->packed)->exps;         \
    const int32_t all = 1 << (bits), zero = -(all / 2);                        \
    const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);                    \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {      \
      const int8_t *x = (const int8_t *)c->in[0].data + tenon_rows_at(r, row); \
      T *y = (T *)c->out[0].data + tenon_rows_at(r, row);                      \
      int32_t most = INT8_MIN, inverse, shift;                                 \
      uint32_t sum = 0;                                                        \
      for (ptrdiff_t i = 0; i < r.count; ++i)                                  \
        most = x[i * r.step] > most ? x[i * r.step] : most;                    \
      for (ptrdiff_t i = 0; i < r.count; ++i) {                                \
        sum += (((uint32_t)exps[most - x[i * r.step]] >> 11) + 1) >> 1;        \
        if (sum > INT32_MAX) sum = INT32_MAX;                                  \
      }                                                                        \
      /* What follows is not negative, and is rounded with ties up twice. */   \
      inverse = tenon_reciprocal_s32((int32_t)sum, 12, &shift);                \
      for (ptrdiff_t i = 0; i < r.count; ++i) {                                \
        const int64_t product = (int64_t)inverse * exps[most - x[i * r.step]]; \
        const uint32_t e = (uint32_t)((product + (1 << 30)) >> 31);            \
        const uint32_t p =                                                     \
            shift > (bits) ? 0 : ((e >> (shift + 30 - (bits))) + 1) >> 1;      \
        y[i * r.step] =                                                        \
            (T)((p < (uint32_t)all ? (int32_t)p : all - 1) + zero);            \
      }                                                                        \
    }                                                                          \
    return TENON_OK;                                                           \
  }

#endif  // TENON_KERN_SOFTMAX_STORED_H
