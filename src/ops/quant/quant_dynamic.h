// ops/quant/quant_dynamic.h - products of rows that a run quantises with a
// matrix of constant integers, on integers.
#ifndef TENON_OPS_QUANT_QUANT_DYNAMIC_H
#define TENON_OPS_QUANT_QUANT_DYNAMIC_H

#include "ops/quant/quant_weight.h"

#define TENON_QUANT_DYNAMIC_BUILDS \
  "core::dynamic_linear core::reshape core::cast core::sub"

// So many products of at most 255 and 128 add up in 32 bits.
enum { TENON_QUANT_MOST_PRODUCTS = INT32_MAX / (255 * 128) };

// Integers of 8 bits, s8 or u8, and what makes numbers of them: one scale for
// all or for each row, and zero points, integers limited to the type, or null.
typedef struct tenon_quant_rows {
  tenon_value *q, *scale, *zero;
} tenon_quant_rows;
// Whether x is floats of these; q has as many elements, in the same order.
bool tenon_quant_find_rows(tenon_rewriter *rw, tenon_value *x,
                           tenon_quant_rows *r);
// s8 without zero points, which are taken off where 8 bits hold what is left,
// in the shape they have or as [n, k]; null: they do not.
tenon_value *tenon_quant_plain_weights(tenon_rewriter *rw,
                                       const tenon_quant_scaled *w);
// v less 128, in a type that holds the difference.
tenon_value *tenon_quant_less_128(tenon_rewriter *rw, tenon_value *v,
                                  tenon_dtype t);

// Null: x is no float that integers of 8 bits stand for, row by row or all
// alike, or the sums might not fit into 32 bits. Nothing is changed then.
tenon_value *tenon_quant_dynamic_linear(tenon_rewriter *rw, tenon_value *x,
                                        const tenon_quant_scaled *w,
                                        tenon_value *bias);

#endif  // TENON_OPS_QUANT_QUANT_DYNAMIC_H
