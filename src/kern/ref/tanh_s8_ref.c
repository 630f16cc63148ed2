// tanh_s8_ref.c - tanh of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_tanh_s8_ref)
