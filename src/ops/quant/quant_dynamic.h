// ops/quant/quant_dynamic.h - products of rows that a run quantises with a
// matrix of constant integers, on integers.
#ifndef TENON_OPS_QUANT_QUANT_DYNAMIC_H
#define TENON_OPS_QUANT_QUANT_DYNAMIC_H

#include "ops/quant/quant_weight.h"

#define TENON_QUANT_DYNAMIC_BUILDS \
  "core::dynamic_linear core::reshape core::cast core::sub"

// Null: x is no float that integers of 8 bits stand for, row by row or all
// alike, or the sums might not fit into 32 bits. Nothing is changed then.
tenon_value *tenon_quant_dynamic_linear(tenon_rewriter *rw, tenon_value *x,
                                        const tenon_quant_scaled *w,
                                        tenon_value *bias);

#endif  // TENON_OPS_QUANT_QUANT_DYNAMIC_H
