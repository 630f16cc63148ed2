// log_s8_ref.c - the natural logarithm of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_log_s8_ref)
