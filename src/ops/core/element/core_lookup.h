// ops/core/element/core_lookup.h - the tables of functions of quantised 16-bit
// numbers: sizes and `pack` of their kernels. LiteRT's rules, each bit.
#ifndef TENON_OPS_CORE_CORE_LOOKUP_H
#define TENON_OPS_CORE_CORE_LOOKUP_H

#include "kern/loop/lookup.h"

// Whether the result has the scale 2^-15.
bool tenon_core_is_unit(const tenon_call *c);

// The table alone, without a factor.
void tenon_core_sigmoid_entries(tenon_sigmoid_s16 *t);
size_t tenon_core_sigmoid_size(const tenon_call *c);
tenon_status tenon_core_sigmoid_logistic(const tenon_call *c, void *packed);
tenon_status tenon_core_sigmoid_tanh(const tenon_call *c, void *packed);

// tenon_lookup_s16.
size_t tenon_core_lookup_size(const tenon_call *c);
tenon_status tenon_core_lookup_gelu(const tenon_call *c, void *packed);
tenon_status tenon_core_lookup_exp(const tenon_call *c, void *packed);
tenon_status tenon_core_lookup_log(const tenon_call *c, void *packed);
tenon_status tenon_core_lookup_rsqrt(const tenon_call *c, void *packed);

// The factor from distances in x to those of the table.
void tenon_core_softmax_s16_factor(const tenon_call *c, int32_t *mult,
                                   int32_t *shift);
size_t tenon_core_softmax_s16_size(const tenon_call *c);
tenon_status tenon_core_softmax_s16(const tenon_call *c, void *packed);

#endif  // TENON_OPS_CORE_CORE_LOOKUP_H
