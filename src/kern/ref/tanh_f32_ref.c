// tanh_f32_ref.c - tanh(x) of kern/real.h.
#include "kern/each.h"
#include "kern/real.h"

TENON_EACH_KERNEL(tenon_k_tanh_f32_ref, float, float, , tenon_tanhf(x))
