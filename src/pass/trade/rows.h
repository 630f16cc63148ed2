// pass/trade/rows.h - computing some rows of an operator's result.
//
// An image is [1, h, w, c]. For many operators a row of the result depends on a
// few rows of the operands; then some rows are computed by the same operator on
// a lower image, with padding where the image itself ends. Each element is the
// same sum in the same order, so all bits are.
#ifndef TENON_PASS_ROWS_H
#define TENON_PASS_ROWS_H

#include "ir/graph.h"

typedef struct tenon_rows {
  int64_t begin, end;  // equal: none
} tenon_rows;

// Whether the node computes rows from rows, with one result.
bool tenon_rows_apply(const tenon_node *n);
// Whether operand `i` is an image of which rows are taken; else all of it is.
bool tenon_rows_takes(const tenon_node *n, uint32_t i);
int64_t tenon_rows_height(const tenon_value *v);
// Whether the operator only moves elements, or computes each from few.
bool tenon_rows_is_cheap(const tenon_node *n);
// The rows of such an operand that rows of the result are made of. False where
// a row is made of padding alone.
bool tenon_rows_needed(const tenon_node *n, uint32_t i, tenon_rows out,
                       tenon_rows *in);
// The node that computes rows `out` from `in`, which holds for each operand the
// rows needed, or all of it. Null, reported, on failure.
tenon_node *tenon_rows_build(const tenon_node *n, tenon_node *before,
                             tenon_rows out, tenon_value *const *in);
// Rows of a value, and images one below the other.
tenon_value *tenon_rows_slice(tenon_node *before, tenon_value *v,
                              tenon_rows rows, tenon_loc loc);
tenon_value *tenon_rows_join(tenon_node *before, const tenon_type *type,
                             const char *name, tenon_value *const *parts,
                             uint32_t n, tenon_loc loc);

#endif  // TENON_PASS_ROWS_H
