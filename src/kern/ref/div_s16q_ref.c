// div_s16q_ref.c - quotients of quantised 16-bit elements.
#include "kern/quotient.h"

TENON_STORED_DIV(tenon_k_div_s16q_ref, int16_t)
