// hard_swish_s8_ref.c - HARD_SWISH of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_hard_swish_s8_ref)
