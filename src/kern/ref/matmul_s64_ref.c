// matmul_s64_ref.c - products of matrices of integers, which wrap.
#include "kern/matmul.h"

TENON_MATMUL_KERNEL(tenon_k_matmul_s64_ref, int64_t,
                    (int64_t)((uint64_t)sum + (uint64_t)a * (uint64_t)b))
