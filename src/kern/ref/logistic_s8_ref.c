// logistic_s8_ref.c - logistic of a quantised value, from a table.
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_logistic_s8_ref)
