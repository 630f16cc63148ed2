// ops/quant/fold/quant_conv.h - convolutions of integers whose results are
// floats.
#ifndef TENON_OPS_QUANT_QUANT_CONV_H
#define TENON_OPS_QUANT_QUANT_CONV_H

#include "tenon/ext/pass.h"

// Runs when all operators that quantise have been lowered.
extern const tenon_pass_desc tenon_quant_integers;
// Its lowerings, of core::conv, core::depthwise_conv, core::conv3d and
// core::conv_transpose3d: inexact.
extern const tenon_lowering_desc tenon_quant_integer_conv,
    tenon_quant_integer_depthwise, tenon_quant_integer_conv3d,
    tenon_quant_integer_transposed;

#endif  // TENON_OPS_QUANT_QUANT_CONV_H
