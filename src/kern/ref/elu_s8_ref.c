// elu_s8_ref.c - ELU of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_elu_s8_ref)
