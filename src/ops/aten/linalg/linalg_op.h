// ops/aten/linalg/linalg_op.h - what the lowerings of linear algebra share:
// matrices are the last two dimensions, f32 or f64; builders as in aten_nn.h.
#ifndef TENON_OPS_ATEN_LINALG_OP_H
#define TENON_OPS_ATEN_LINALG_OP_H

#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

// Operand i, refused where it is of another type or has no matrices.
tenon_status tenon_linalg_read(tenon_rewriter *rw, const tenon_node *n, int i,
                               tenon_value **x);
// Rows and columns exchanged.
tenon_value *tenon_linalg_turned(tenon_rewriter *rw, tenon_value *x);
// Both with the dimensions in front that they broadcast to.
tenon_status tenon_linalg_both(tenon_rewriter *rw, tenon_value **a,
                               tenon_value **b);
// y with a y = b for a triangle a.
tenon_value *tenon_linalg_triangular(tenon_rewriter *rw, tenon_value *a,
                                     tenon_value *b, bool is_upper,
                                     bool is_unit);
typedef struct tenon_linalg_lu {
  tenon_value *lu, *pivots, *permutation, *info;
} tenon_linalg_lu;
tenon_linalg_lu tenon_linalg_factor(tenon_rewriter *rw, tenon_value *x,
                                    bool checks);
// y with x y = b, by factors of x.
tenon_value *tenon_linalg_solved(tenon_rewriter *rw, const tenon_linalg_lu *f,
                                 tenon_value *b);
// The unit matrix of this size.
tenon_value *tenon_linalg_unit(tenon_rewriter *rw, tenon_dtype t,
                               tenon_dim size);
// The diagonal along the last dimension.
tenon_value *tenon_linalg_diagonal(tenon_rewriter *rw, tenon_value *x);

#endif  // TENON_OPS_ATEN_LINALG_OP_H
