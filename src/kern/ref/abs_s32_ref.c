// abs_s32_ref.c - absolute; the least number stays itself.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_abs_s32_ref, int32_t, int32_t, ,
                  x < 0 ? (int32_t)(0u - (uint32_t)x) : x)
