// matmul_s8_ref.c - quantised products of matrices, as LiteRT's reference
// BATCH_MATMUL: rounded twice.
#include "kern/matmul.h"
#include "kern/requant.h"

TENON_MATMUL_STORED(tenon_k_matmul_s8_ref, int8_t, uint32_t,
                    tenon_requant_s8_twice(r, (int32_t)sum, 0))
