// ops/core/element/core_arith.h - what packs the factors of quantised sums,
// differences, products and means, and the limits of pools, for all kernels of
// these.
#ifndef TENON_OPS_CORE_CORE_ARITH_H
#define TENON_OPS_CORE_CORE_ARITH_H

#include "tenon/tensor.h"

// tenon_add_s8 of kern/op/arith.h, also for sub.
size_t tenon_core_add_size(const tenon_call *c);
tenon_status tenon_core_add_pack(const tenon_call *c, void *packed);
// tenon_mul_s8.
size_t tenon_core_mul_size(const tenon_call *c);
tenon_status tenon_core_mul_pack(const tenon_call *c, void *packed);

// tenon_pool_s8 of kern/op/pooling.h, where operand and result are quantised
// alike.
bool tenon_core_pool_match(const tenon_call *c);
size_t tenon_core_pool_size(const tenon_call *c);
tenon_status tenon_core_pool_pack(const tenon_call *c, void *packed);

#endif  // TENON_OPS_CORE_CORE_ARITH_H
