// ops/core/element/core_table.h - functions of one quantised 8-bit number, as
// tables of 256 entries: `pack` of their kernels. LiteRT's rules, each bit.
#ifndef TENON_OPS_CORE_CORE_TABLE_H
#define TENON_OPS_CORE_CORE_TABLE_H

#include "tenon/tensor.h"

size_t tenon_core_table_size(const tenon_call *c);

// From float: dequantise, compute, multiply by the inverse scale, round halves
// away from zero.
tenon_status tenon_core_table_tanh(const tenon_call *c, void *packed);
tenon_status tenon_core_table_logistic(const tenon_call *c, void *packed);
tenon_status tenon_core_table_exp(const tenon_call *c, void *packed);
tenon_status tenon_core_table_log(const tenon_call *c, void *packed);
tenon_status tenon_core_table_elu(const tenon_call *c, void *packed);
tenon_status tenon_core_table_gelu(const tenon_call *c, void *packed);

// exp(x), rounded right.
float tenon_core_exp_right(float x);
float tenon_core_gelu_exact(float x);
float tenon_core_gelu_tanh(float x);

// In integers.
tenon_status tenon_core_table_abs(const tenon_call *c, void *packed);
tenon_status tenon_core_table_rsqrt(const tenon_call *c, void *packed);
tenon_status tenon_core_table_leaky_relu(const tenon_call *c, void *packed);
tenon_status tenon_core_table_hard_swish(const tenon_call *c, void *packed);

#endif  // TENON_OPS_CORE_CORE_TABLE_H
