// ops/quant/fold/quant_folding.h - what builds one operator again on integers
// (quant_fold.c and quant_pool.c), and takes its operands (quant_bytes.c).
#ifndef TENON_OPS_QUANT_QUANT_FOLDING_H
#define TENON_OPS_QUANT_QUANT_FOLDING_H

#include "ops/core/rewrite/core_rewrite.h"
#include "tenon/ext/lower.h"

#define TENON_QUANT_MAX_PARTS 16  // of a concatenation

// One scale for all; not to be copied.
typedef struct tenon_quant_scale {
  tenon_quant quant;
  float scale;
  int32_t zero;
} tenon_quant_scale;
TENON_INLINE void tenon_quant_scale_set(tenon_quant_scale *p, float scale,
                                        int32_t zero) {
  p->scale = scale;
  p->zero = zero;
  p->quant = (tenon_quant){&p->scale, &p->zero, 1, 0, 0};
}
// Whether integers of this type can have that zero point: s8 and u8.
bool tenon_quant_is_zero(int64_t zero, tenon_dtype dtype);

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
// What concatenation n makes of floats, of s8 in one scale.
tenon_value *tenon_quant_concatenated(tenon_rewriter *rw, const tenon_node *n,
                                      tenon_value *const *in, int parts,
                                      tenon_value *like,
                                      const tenon_quant *quant);
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
