// ops/quant/quant_weight.h - products whose matrix is constant integers,
// scaled.
#ifndef TENON_OPS_QUANT_QUANT_WEIGHT_H
#define TENON_OPS_QUANT_QUANT_WEIGHT_H

#include "tenon/ext/lower.h"

extern const tenon_lowering_desc tenon_quant_weight_linear,
    tenon_quant_weight_mm, tenon_quant_weight_matmul, tenon_quant_weight_addmm;

#endif  // TENON_OPS_QUANT_QUANT_WEIGHT_H
