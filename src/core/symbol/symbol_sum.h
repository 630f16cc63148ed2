// core/symbol/symbol_sum.h - the algebra of sizes: sums of products, one form
// each.
//
// Private to core/symbol*.c. A sum is what an expression is while it is being
// worked on: terms by ascending symbol, none with factor zero, and a constant.
// The symbol of a term is never a sum; it is a leaf, a product of such, or an
// operation that the algebra does not see through. A sum with more terms than
// fit is `full`, and the operation stays as it was written.
#ifndef TENON_CORE_SYMBOL_SUM_H
#define TENON_CORE_SYMBOL_SUM_H

#include "core/symbol/symbol.h"

enum { TENON_SUM_TERMS = 48 };

typedef struct tenon_sum {
  struct {
    uint32_t symbol;
    int64_t factor;
  } terms[TENON_SUM_TERMS];
  int count;
  int64_t constant;
  bool failed;  // overflow, or memory ran out
  bool full;
} tenon_sum;

// The expression as it stands, found or added; its range is worked out.
tenon_dim tenon_symbols_node(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                             tenon_dim b);

// A number instead of an expression that can have one value only.
tenon_dim tenon_symbols_folded(const tenon_symbols *s, tenon_dim d);

tenon_dim tenon_sum_add(tenon_symbols *s, tenon_dim a, tenon_dim b,
                        int64_t factor);  // a + factor * b
tenon_dim tenon_sum_mul(tenon_symbols *s, tenon_dim a, tenon_dim b);
// Neither divides by the number 0.
tenon_dim tenon_sum_div(tenon_symbols *s, tenon_dim a, tenon_dim b);
tenon_dim tenon_sum_mod(tenon_symbols *s, tenon_dim a, tenon_dim b);
tenon_dim tenon_sum_extreme(tenon_symbols *s, tenon_dim_op op, tenon_dim a,
                            tenon_dim b);

#endif  // TENON_CORE_SYMBOL_SUM_H
