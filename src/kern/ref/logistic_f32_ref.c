// logistic_f32_ref.c - 1 / (1 + exp(-x)) of kern/real.h.
#include "kern/each.h"
#include "kern/real.h"

TENON_EACH_KERNEL(tenon_k_logistic_f32_ref, float, float, , tenon_logisticf(x))
