// exp_s16q_ref.c - e to the power of a quantised 16-bit value, from a table.
#include "kern/lookup.h"

TENON_LOOKUP_KERNEL(tenon_k_exp_s16q_ref)
