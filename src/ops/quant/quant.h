// ops/quant/quant.h - quantisation as PyTorch programs spell it: the sets
// quantized_decomposed and torchao, as one ordinary plugin.
//
// Each operator becomes core arithmetic on floats, operation by operation as
// its reference in Python computes it, so that every rounding is the same.
#ifndef TENON_OPS_QUANT_QUANT_H
#define TENON_OPS_QUANT_QUANT_H

#include "tenon/ext/plugin.h"

extern const tenon_plugin tenon_quant_plugin;

#endif  // TENON_OPS_QUANT_QUANT_H
