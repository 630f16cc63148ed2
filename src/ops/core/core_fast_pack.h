// ops/core/core_fast_pack.h - weights in the form that the kernels in kern/opt/
// read; kern/opt/packed.h says which.
//
// `group` is how many products the dot product of the instruction set adds.
// Runs where the model is compiled.
#ifndef TENON_OPS_CORE_CORE_FAST_PACK_H
#define TENON_OPS_CORE_CORE_FAST_PACK_H

#include "tenon/tensor.h"

size_t tenon_core_conv_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_conv_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_conv_winograd_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_conv_winograd_f32_pack(const tenon_call *c,
                                               void *packed);
size_t tenon_core_depthwise_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_depthwise_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_fully_connected_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_fully_connected_f32_pack(const tenon_call *c,
                                                 void *packed);
size_t tenon_core_recurrent_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_recurrent_f32_pack(const tenon_call *c, void *packed);

// Floats with quantised weights. Only what is exact may be packed.
#define TENON_CORE_HYBRID(op)                                    \
  bool tenon_core_##op##_f32s8_is_exact(const tenon_call *c);    \
  size_t tenon_core_##op##_f32s8_pack_size(const tenon_call *c); \
  tenon_status tenon_core_##op##_f32s8_pack(const tenon_call *c, void *packed);
TENON_CORE_HYBRID(conv)
TENON_CORE_HYBRID(depthwise)
TENON_CORE_HYBRID(fully_connected)

size_t tenon_core_conv_s8_pack_size(const tenon_call *c, int group);
tenon_status tenon_core_conv_s8_pack(const tenon_call *c, void *packed,
                                     int group);
size_t tenon_core_depthwise_s8_pack_size(const tenon_call *c, int group);
tenon_status tenon_core_depthwise_s8_pack(const tenon_call *c, void *packed,
                                          int group);
size_t tenon_core_fully_connected_s8_pack_size(const tenon_call *c, int group);
tenon_status tenon_core_fully_connected_s8_pack(const tenon_call *c,
                                                void *packed, int group);

// Of core::integer_linear and core::dynamic_linear: scale [n, blocks] and bias
// [n], or null.
size_t tenon_core_integer_linear_pack_size(const tenon_call *c,
                                           ptrdiff_t blocks, int group);
tenon_status tenon_core_integer_linear_pack(const tenon_call *c, void *packed,
                                            ptrdiff_t blocks,
                                            const float *scale,
                                            const float *bias, int group);

#endif  // TENON_OPS_CORE_CORE_FAST_PACK_H
