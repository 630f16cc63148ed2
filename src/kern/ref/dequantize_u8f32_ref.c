// dequantize_u8f32_ref.c - quantised values to floats, also with a scale per
// channel.
#include "kern/channels.h"

TENON_DEQUANTIZE_KERNEL(tenon_k_dequantize_u8f32_ref, uint8_t)
