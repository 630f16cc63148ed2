// exp_s8_ref.c - e to the power of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_exp_s8_ref)
