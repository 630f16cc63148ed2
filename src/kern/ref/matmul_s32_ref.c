// matmul_s32_ref.c - products of matrices of integers, which wrap.
#include "kern/matmul.h"

TENON_MATMUL_KERNEL(tenon_k_matmul_s32_ref, int32_t,
                    (int32_t)((uint32_t)sum + (uint32_t)a * (uint32_t)b))
