// matmul_s16q_ref.c - products of matrices of 16-bit numbers, as LiteRT's
// reference BATCH_MATMUL: sums in 64 bits.
#include "kern/matmul.h"
#include "kern/requant.h"

TENON_MATMUL_STORED(tenon_k_matmul_s16q_ref, int16_t, int64_t,
                    tenon_requant_s16_wide(r, sum, 0))
