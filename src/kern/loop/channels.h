// kern/loop/channels.h - the loop over elements that have a scale per channel.
#ifndef TENON_KERN_CHANNELS_H
#define TENON_KERN_CHANNELS_H

#include "tenon/tensor.h"

// Element i belongs to channel i / inner % channels.
TENON_INLINE ptrdiff_t tenon_channel_inner(const tenon_tensor *t) {
  ptrdiff_t inner = 1;
  for (int32_t d = t->quant->axis + 1; d < t->rank; ++d)
    inner *= t->dims[d];
  return inner;
}

// Defines a kernel from stored values to floats; items are elements.
#define TENON_DEQUANTIZE_KERNEL(name, In)                           \
  TENON_KERNEL_RANGE(name) {                                        \
    const tenon_quant *q = c->in[0].quant;                          \
    const ptrdiff_t inner = tenon_channel_inner(&c->in[0]);         \
    const In *from = (const In *)c->in[0].data;                     \
    float *to = (float *)c->out[0].data;                            \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) { \
      const ptrdiff_t channel =                                     \
          q->channels == 1 ? 0 : i / inner % q->channels;           \
      const int32_t zero = q->zero ? q->zero[channel] : 0;          \
      to[i] = q->scale[channel] * (float)((int32_t)from[i] - zero); \
    }                                                               \
    return TENON_OK;                                                \
  }

#endif  // TENON_KERN_CHANNELS_H
