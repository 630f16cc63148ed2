// neg_s64_ref.c - negated; the least number stays itself.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_neg_s64_ref, int64_t, int64_t, ,
                  (int64_t)(UINT64_C(0) - (uint64_t)x))
