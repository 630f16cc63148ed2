// ops/quant/quant_folding.h - what builds one operator again on integers
// (quant_fold.c and quant_pool.c), and takes its operands.
#ifndef TENON_OPS_QUANT_QUANT_FOLDING_H
#define TENON_OPS_QUANT_QUANT_FOLDING_H

#include "ops/core/core_rewrite.h"
#include "tenon/ext/lower.h"

typedef struct tenon_quant_folding {
  tenon_rewriter *rw;
  const tenon_node *node;
  tenon_value *y;  // its result, a float
  const tenon_quant *quant;
  tenon_core_range range;  // of the links behind it
} tenon_quant_folding;

// The integers behind a float, of type s8 with one scale; null: there are none.
tenon_value *tenon_quant_bytes(tenon_rewriter *rw, tenon_value *v);
// Values of type s8 with one scale, brought to another.
tenon_value *tenon_quant_rescaled(tenon_rewriter *rw, tenon_value *v,
                                  const tenon_quant *quant);
// A constant that is dequantised, and views of it, as s8 of its scales: one, or
// one for each element of dimension `wanted`; `turned`: with its two dimensions
// swapped. Null: it is none, or has zero points other than 0 (of u8, 128).
tenon_value *tenon_quant_weights(tenon_rewriter *rw, tenon_value *v,
                                 bool turned, int wanted);
tenon_type tenon_quant_result_type(const tenon_quant_folding *f);
// The result q of a kernel without limits, with those of f. Both scales are the
// result's, so that limiting before and after it is quantised is the same.
tenon_value *tenon_quant_limit(const tenon_quant_folding *f, tenon_value *q);

// Null: integers do not compute it within a step.
tenon_value *tenon_quant_fold_pool(const tenon_quant_folding *f);
tenon_value *tenon_quant_fold_planes(const tenon_quant_folding *f);
tenon_value *tenon_quant_fold_mean(const tenon_quant_folding *f);
tenon_value *tenon_quant_fold_extreme(const tenon_quant_folding *f);

#endif  // TENON_OPS_QUANT_QUANT_FOLDING_H
