// requantize_flip_ref.c - between signed and unsigned bytes of one scale whose
// zero points are 128 apart: the upper bit the other way round.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_requantize_flip_ref, uint8_t, uint8_t, ,
                  (uint8_t)(x ^ 128u))
