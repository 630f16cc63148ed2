// log_s16q_ref.c - the natural logarithm of a quantised 16-bit value, from a
// table.
#include "kern/lookup.h"

TENON_LOOKUP_KERNEL(tenon_k_log_s16q_ref)
