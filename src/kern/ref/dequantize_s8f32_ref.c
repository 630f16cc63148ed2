// dequantize_s8f32_ref.c - quantised values to floats, also with a scale per
// channel.
#include "kern/channels.h"

TENON_DEQUANTIZE_KERNEL(tenon_k_dequantize_s8f32_ref, int8_t)
