// ops/quant/quant_weight.h - products whose matrix is constant integers,
// scaled.
#ifndef TENON_OPS_QUANT_QUANT_WEIGHT_H
#define TENON_OPS_QUANT_QUANT_WEIGHT_H

#include "tenon/ext/lower.h"

// A matrix [n, k] of constant integers of 8 bits, s8 or u8, that stand for
// (q - zero) * scale; scale and zero are [n, blocks] of f32, or null.
typedef struct tenon_quant_scaled {
  tenon_value *q, *scale, *zero;
  int64_t n, k, blocks;
  tenon_dtype dtype;  // of the floats, in the program
} tenon_quant_scaled;

// Whether v [n, ...], with k elements for each n, is constant integers with a
// scale for all or for each n; they keep their shape.
bool tenon_quant_find_channels(tenon_rewriter *rw, tenon_value *v,
                               tenon_quant_scaled *s);
// The same by blocks of rows: (q - zero) * scale, where either may be missing.
bool tenon_quant_find_blocks(tenon_rewriter *rw, tenon_value *v,
                             tenon_quant_scaled *s);
// The scales of n outputs, which may be one for all, as [n, 1]; null: too many.
tenon_value *tenon_quant_column(tenon_rewriter *rw, const tenon_quant *quant,
                                int64_t n);

// Rows of a table of such integers: they stay. In quant_embedding.c.
extern const tenon_lowering_desc tenon_quant_embedding;
// The integers stay and become floats as they are read: no bit changes.
extern const tenon_lowering_desc tenon_quant_weight_linear,
    tenon_quant_weight_mm, tenon_quant_weight_matmul, tenon_quant_weight_addmm;
// The same where the rows are integers, too: inexact.
extern const tenon_lowering_desc tenon_quant_rows_linear, tenon_quant_rows_mm,
    tenon_quant_rows_matmul, tenon_quant_rows_addmm;
// The integers stay where floats are of 16 bits, and what they stand for is not
// rounded to these: inexact.
extern const tenon_lowering_desc tenon_quant_wide_linear, tenon_quant_wide_mm,
    tenon_quant_wide_matmul, tenon_quant_wide_addmm;

#endif  // TENON_OPS_QUANT_QUANT_WEIGHT_H
