// leaky_relu_s8_ref.c - LEAKY_RELU of a quantised value, from a table.
#include "kern/activation.h"
#include "kern/table.h"

TENON_TABLE_KERNEL(tenon_k_leaky_relu_s8_ref)
