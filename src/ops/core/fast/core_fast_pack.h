// ops/core/fast/core_fast_pack.h - weights in the form that the kernels in
// kern/opt/ read; kern/opt/tiles/packed.h says which.
//
// `dot` is what the dot product of the instruction set takes. Runs where the
// model is compiled.
#ifndef TENON_OPS_CORE_CORE_FAST_PACK_H
#define TENON_OPS_CORE_CORE_FAST_PACK_H

#include "tenon/tensor.h"

// How many products it adds, and of what: pairs of 16-bit numbers; four bytes,
// of which activations are offset by 128; or, signed, two, four or eight bytes.
enum {
  TENON_DOT_PAIRS = 2,
  TENON_DOT_QUADS = 4,
  TENON_DOT_BYTES = 0x100,
  TENON_DOT_BYTE_PAIRS = TENON_DOT_BYTES | 2,
  TENON_DOT_BYTE_QUADS = TENON_DOT_BYTES | 4,
  TENON_DOT_BYTE_EIGHTS = TENON_DOT_BYTES | 8
};
TENON_INLINE int tenon_core_dot_group(int dot) {
  return dot & 0xff;
}

size_t tenon_core_conv_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_conv_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_conv_winograd_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_conv_winograd_f32_pack(const tenon_call *c,
                                               void *packed);
size_t tenon_core_depthwise_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_depthwise_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_depthwise3d_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_depthwise3d_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_volume_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_volume_f32_pack(const tenon_call *c, void *packed);
size_t tenon_core_fully_connected_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_fully_connected_f32_pack(const tenon_call *c,
                                                 void *packed);
// For a single row (kern/opt/product/fully_connected_row_f32_opt.h).
#define tenon_core_fully_connected_row_f32_pack_size \
  tenon_core_fully_connected_f32_pack_size
tenon_status tenon_core_fully_connected_row_f32_pack(const tenon_call *c,
                                                     void *packed);
size_t tenon_core_fully_connected_strassen_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_fully_connected_strassen_f32_pack(const tenon_call *c,
                                                          void *packed);
size_t tenon_core_recurrent_f32_pack_size(const tenon_call *c);
tenon_status tenon_core_recurrent_f32_pack(const tenon_call *c, void *packed);

// Whether blocks of these out of a file can be read: what stands where is not a
// matter of their values, but for whether channels are scaled.
bool tenon_core_conv_f32_pack_check(const tenon_call *c, const void *packed);
bool tenon_core_recurrent_f32_pack_check(const tenon_call *c,
                                         const void *packed);
bool tenon_core_f32s8_pack_check(const tenon_call *c, const void *packed);

// Floats with quantised weights. Only what is exact may be packed.
#define TENON_CORE_HYBRID(op)                                    \
  bool tenon_core_##op##_f32s8_is_exact(const tenon_call *c);    \
  size_t tenon_core_##op##_f32s8_pack_size(const tenon_call *c); \
  tenon_status tenon_core_##op##_f32s8_pack(const tenon_call *c, void *packed);
TENON_CORE_HYBRID(conv)
TENON_CORE_HYBRID(depthwise)
TENON_CORE_HYBRID(fully_connected)

// By dot products of bytes. Only what fits may be packed.
bool tenon_core_conv_f32s8_dot_fits(const tenon_call *c);
size_t tenon_core_conv_f32s8_dot_pack_size(const tenon_call *c);
tenon_status tenon_core_conv_f32s8_dot_pack(const tenon_call *c, void *packed);

size_t tenon_core_conv_s8_pack_size(const tenon_call *c, int dot);
tenon_status tenon_core_conv_s8_pack(const tenon_call *c, void *packed,
                                     int dot);
size_t tenon_core_transposed_s8_pack_size(const tenon_call *c, int dot);
tenon_status tenon_core_transposed_s8_pack(const tenon_call *c, void *packed,
                                           int dot);
size_t tenon_core_depthwise_s8_pack_size(const tenon_call *c, int dot);
tenon_status tenon_core_depthwise_s8_pack(const tenon_call *c, void *packed,
                                          int dot);
size_t tenon_core_fully_connected_s8_pack_size(const tenon_call *c, int dot);
tenon_status tenon_core_fully_connected_s8_pack(const tenon_call *c,
                                                void *packed, int dot);
// For a single row (kern/opt/product/fully_connected_row_s8_opt.h).
tenon_status tenon_core_fully_connected_row_s8_pack(const tenon_call *c,
                                                    void *packed);

// 16-bit numbers with weights of 8 bits. Only what fits may be packed.
#define TENON_CORE_WORDS(op)                                   \
  bool tenon_core_##op##_s16_fits(const tenon_call *c);        \
  size_t tenon_core_##op##_s16_pack_size(const tenon_call *c); \
  tenon_status tenon_core_##op##_s16_pack(const tenon_call *c, void *packed);
TENON_CORE_WORDS(conv)
TENON_CORE_WORDS(depthwise)
TENON_CORE_WORDS(fully_connected)

// Of core::integer_linear and core::dynamic_linear: scale [n, blocks] and bias
// [n], or null.
size_t tenon_core_integer_linear_pack_size(const tenon_call *c,
                                           ptrdiff_t blocks, int dot);
tenon_status tenon_core_integer_linear_pack(const tenon_call *c, void *packed,
                                            ptrdiff_t blocks,
                                            const float *scale,
                                            const float *bias, int dot);

#endif  // TENON_OPS_CORE_CORE_FAST_PACK_H
