// ops/aten/nn/aten_nn.h - what lowerings of nn.def share.
//
// Floats of 16 bits are widened to f32 before anything is computed and rounded
// once at the end, which is what a kernel for them would do.
#ifndef TENON_OPS_ATEN_ATEN_NN_H
#define TENON_OPS_ATEN_ATEN_NN_H

#include "ops/aten/index/index_op.h"
#include "tenon/ext/pass.h"

// --- Types (nn_build.c) ------------------------------------------------------

// f16 and bf16 as f32, integers of 8 and 16 bits as s32; others as they are.
tenon_value *tenon_nn_wide(tenon_rewriter *rw, tenon_value *x);
// Operand i so; null where it is absent.
TENON_INLINE tenon_value *tenon_nn_in(tenon_rewriter *rw, const tenon_node *n,
                                      int i) {
  return tenon_nn_wide(rw, tenon_aten_in(rw, n, i));
}
// Operand i; floats that autocast has rounded to the type that the file states
// for the result, which is then of 16 bits, so rounded.
tenon_value *tenon_nn_rounded(tenon_rewriter *rw, const tenon_node *n, int i);
// The element type of that; 0 of a failed value.
tenon_dtype tenon_nn_type(tenon_rewriter *rw, tenon_value *x);
int tenon_nn_rank(tenon_rewriter *rw, tenon_value *x);
tenon_dim tenon_nn_dim(tenon_rewriter *rw, tenon_value *x, int d);
// Refuses what is not a float.
tenon_status tenon_nn_need_float(tenon_rewriter *rw, tenon_value *x);

// Replaces n by y, brought to the type and the sizes that the file states.
// Where nobody states them, as in a text, what was widened gets the type of the
// first operand again; result i > 0 stays as it is then.
tenon_status tenon_nn_give(tenon_rewriter *rw, const tenon_node *n,
                           tenon_value *y);
tenon_value *tenon_nn_as_result(tenon_rewriter *rw, const tenon_node *n, int i,
                                tenon_value *y);

// The same of several results.
tenon_status tenon_nn_give_all(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value **out, int count);

// Whether the argument `output_mask` asks for result i of a gradient; and
// results of which those that nobody asks for are null.
bool tenon_nn_asked(tenon_rewriter *rw, const tenon_node *n, int i);
tenon_status tenon_nn_give_asked(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value **out, int count);

// --- Arguments ---------------------------------------------------------------

// A list of `count` numbers: one stands for all, none for `absent`. Symbols are
// refused.
tenon_status tenon_nn_ints(tenon_rewriter *rw, const tenon_node *n,
                           const char *name, int count, int64_t absent,
                           int64_t *out);

// --- Building ----------------------------------------------------------------

tenon_value *tenon_nn_add(tenon_rewriter *rw, tenon_value *x, tenon_value *y);
tenon_value *tenon_nn_sub(tenon_rewriter *rw, tenon_value *x, tenon_value *y);
tenon_value *tenon_nn_mul(tenon_rewriter *rw, tenon_value *x, tenon_value *y);
tenon_value *tenon_nn_div(tenon_rewriter *rw, tenon_value *x, tenon_value *y);
// The product in the type that PyTorch promotes both to.
tenon_value *tenon_nn_multiply(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *y);
// x * factor, and x where the factor is 1.
tenon_value *tenon_nn_scale(tenon_rewriter *rw, tenon_value *x,
                            tenon_scalar factor);
tenon_value *tenon_nn_times(tenon_rewriter *rw, tenon_value *x, double factor);
// x + a number, in x's type.
tenon_value *tenon_nn_plus(tenon_rewriter *rw, tenon_value *x, double term);
// x with two dimensions exchanged.
tenon_value *tenon_nn_swap(tenon_rewriter *rw, tenon_value *x, int a, int b);
// A vector as [1, n, 1, ...] of this rank, beside dimension `axis`.
tenon_value *tenon_nn_beside(tenon_rewriter *rw, tenon_value *x, int rank,
                             int axis);
// `size` elements from `begin` along a dimension.
TENON_INLINE tenon_value *tenon_nn_cut(tenon_rewriter *rw, tenon_value *x,
                                       int axis, int64_t begin,
                                       tenon_dim size) {
  return tenon_aten_cut(rw, x, axis, tenon_aten_fixed(begin), size, 1);
}
// Filled with one number.
tenon_value *tenon_nn_filled(tenon_rewriter *rw, tenon_dtype t,
                             const tenon_dim *dims, int rank, double value);

// --- Products (nn_matmul.c) --------------------------------------------------

// Of matrices with what stands before them, both widened.
tenon_value *tenon_nn_product(tenon_rewriter *rw, tenon_value *a,
                              tenon_value *b);
// x times the transpose of w [n, k], with a bias or none, both widened.
tenon_value *tenon_nn_linear(tenon_rewriter *rw, tenon_value *x, tenon_value *w,
                             tenon_value *bias);

// --- softmax (nn_softmax.c) --------------------------------------------------

// Of floats of 32 or 64 bits.
tenon_value *tenon_nn_softmax(tenon_rewriter *rw, tenon_value *x, int axis,
                              bool is_log);
// Zero in rows that have nothing but negative infinity.
tenon_value *tenon_nn_safe_softmax(tenon_rewriter *rw, tenon_value *x,
                                   int axis);

// --- Einstein's notation (nn_einsum.c) ---------------------------------------

enum { TENON_NN_MAX_TERMS = 8 };
// Sums products of operands; a letter per dimension. An operand of size 1 in a
// dimension is repeated.
tenon_status tenon_nn_contract(tenon_rewriter *rw, const char *const *terms,
                               tenon_value *const *xs, int n, const char *out,
                               tenon_value **result);

// Normalisation that changes its statistics, before writes become values.
extern const tenon_lowering_desc tenon_aten_batch_norm_writes,
    tenon_aten_native_batch_norm_writes, tenon_aten_instance_norm_writes;

// The order of packed matrices (nn_int4.c).
extern const tenon_pass_desc tenon_aten_int4pack;

#endif  // TENON_OPS_ATEN_ATEN_NN_H
