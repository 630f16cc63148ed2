// matmul_s16q_ref.c - products of matrices of 16-bit numbers, as LiteRT's
// reference BATCH_MATMUL: sums in 64 bits, with 15 bits of the factor.
#include "kern/product/matmul.h"
#include "kern/product/requant.h"

static int16_t matmul_s16q_ref_stored(const tenon_requant *r, int64_t sum) {
  return tenon_requant_s16_wrapping(r, sum, 0);
}

TENON_MATMUL_STORED(tenon_k_matmul_s16q_ref, int16_t, int64_t,
                    matmul_s16q_ref_stored(r, sum))
