// quantize_f32s16_ref.c - floats to a scale and zero point, halves away from
// zero, as LiteRT's reference QUANTIZE: x / scale is rounded, the zero point
// added.
#include "kern/each.h"
#include "kern/fixed.h"

TENON_EACH_KERNEL(
    tenon_k_quantize_f32s16_ref, float, int16_t,
    const tenon_quant *q = c->out[0].quant;
    const int32_t zero = q->zero ? q->zero[0] : 0;
    const float scale = q->scale[0];
    , (int16_t)(tenon_round_s32(x / scale, -32768 - zero, 32767 - zero) + zero))
