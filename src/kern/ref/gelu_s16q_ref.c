// gelu_s16q_ref.c - x times the normal distribution at x of a quantised 16-bit
// value, from a table.
#include "kern/activation.h"
#include "kern/lookup.h"

TENON_LOOKUP_KERNEL(tenon_k_gelu_s16q_ref)
