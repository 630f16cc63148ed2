// log_f32_ref.c - log(x) of kern/real.h.
#include "kern/each.h"
#include "kern/real.h"

TENON_EACH_KERNEL(tenon_k_log_f32_ref, float, float, , tenon_logf(x))
