// neg_f32_ref.c - sign turned.
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_neg_f32_ref, float, float, , -x)
