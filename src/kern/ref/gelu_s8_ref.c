// gelu_s8_ref.c - GELU of a quantised value, from a table.
#include "kern/activation.h"
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_gelu_s8_ref)
