// ops/quant/fold/quant_table.h - any function of one 8-bit number, as a table.
#ifndef TENON_OPS_QUANT_QUANT_TABLE_H
#define TENON_OPS_QUANT_QUANT_TABLE_H

#include "tenon/ext/lower.h"

// The float v quantised to `dtype` (s8 or u8, all of it) by one scale, as plain
// bytes that a table has for those it is made of; null: it is made of others,
// too, or not by element-wise operators alone.
tenon_value *tenon_quant_table(tenon_rewriter *rw, tenon_value *v,
                               tenon_dtype dtype, double scale, int64_t zero);

#endif  // TENON_OPS_QUANT_QUANT_TABLE_H
