// ops/quant/quant_fold.h - integers in place of floats between what is
// dequantised and what is quantised again.
#ifndef TENON_OPS_QUANT_QUANT_FOLD_H
#define TENON_OPS_QUANT_QUANT_FOLD_H

#include "tenon/ext/lower.h"

// Changes numbers: a result may be one step of its scale apart. Ended by null.
extern const tenon_lowering_desc *const tenon_quant_folds[];

#endif  // TENON_OPS_QUANT_QUANT_FOLD_H
