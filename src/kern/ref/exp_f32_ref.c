// exp_f32_ref.c - exp(x) of kern/real.h.
#include "kern/each.h"
#include "kern/real.h"

TENON_EACH_KERNEL(tenon_k_exp_f32_ref, float, float, , tenon_expf(x))
