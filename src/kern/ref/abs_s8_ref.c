// abs_s8_ref.c - the magnitude of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_abs_s8_ref)
