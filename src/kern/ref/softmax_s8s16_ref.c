// softmax_s8s16_ref.c - quantised softmax to 16 bits: the result has scale
// 1/65536 and zero point -32768.
#include "kern/softmax_stored.h"

TENON_SOFTMAX_KERNEL(tenon_k_softmax_s8s16_ref, int16_t, 16)
