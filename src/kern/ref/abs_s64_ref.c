// abs_s64_ref.c - absolute; the least number stays itself.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_abs_s64_ref, int64_t, int64_t, ,
                  x < 0 ? (int64_t)(UINT64_C(0) - (uint64_t)x) : x)
