// div_s8_ref.c - quotients of quantised 8-bit elements.
#include "kern/quotient.h"

TENON_STORED_DIV(tenon_k_div_s8_ref, int8_t)
