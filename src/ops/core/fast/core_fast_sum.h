// ops/core/fast/core_fast_sum.h - where floats give the quantised sum that
// integers do.
//
// Runs where the model is compiled.
#ifndef TENON_OPS_CORE_CORE_FAST_SUM_H
#define TENON_OPS_CORE_CORE_FAST_SUM_H

#include "kern/opt/each/sum_s8.h"
#include "tenon/tensor.h"

// The packed form of quantised add, `sign` 1, and sub, -1, of 8 bits.
size_t tenon_core_sum_s8_size(const tenon_call *c);
tenon_status tenon_core_add_s8_pack(const tenon_call *c, void *packed);
tenon_status tenon_core_sub_s8_pack(const tenon_call *c, void *packed);

size_t tenon_core_sum_s8_dot_size(const tenon_call *c);
tenon_status tenon_core_add_s8_dot_pack(const tenon_call *c, void *packed);

// Fills in what is behind the integers.
void tenon_core_sum_s8_prove(tenon_sum_s8 *p, int32_t sign);
// And what is behind those floats.
void tenon_core_sum_s8_dot_prove(tenon_sum_s8_dot *p, int32_t sign);

#endif  // TENON_OPS_CORE_CORE_FAST_SUM_H
