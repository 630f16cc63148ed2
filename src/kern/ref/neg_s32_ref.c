// neg_s32_ref.c - negated; the least number stays itself.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_neg_s32_ref, int32_t, int32_t, ,
                  (int32_t)(0u - (uint32_t)x))
