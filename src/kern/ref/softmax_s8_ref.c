// softmax_s8_ref.c - quantised softmax: the result has scale 1/256 and zero
// point -128.
#include "kern/softmax_stored.h"

TENON_SOFTMAX_KERNEL(tenon_k_softmax_s8_ref, int8_t, 8)
