// ops/aten/index/index_op.h - what the index_*.c lowerings build again and
// again.
//
// As in aten_op.h, builders take failed values and give failed values back. A
// dimension of a tensor without dimensions is 0, and there is none to cut.
#ifndef TENON_OPS_ATEN_INDEX_OP_H
#define TENON_OPS_ATEN_INDEX_OP_H

#include "kern/loop/select.h"
#include "ops/aten/aten_op.h"

// Sizes by arithmetic.
TENON_INLINE tenon_dim tenon_aten_plus(tenon_rewriter *rw, tenon_dim a,
                                       tenon_dim b) {
  return rw->api->dim(rw, TENON_DIM_ADD, a, b);
}
TENON_INLINE tenon_dim tenon_aten_minus(tenon_rewriter *rw, tenon_dim a,
                                        tenon_dim b) {
  return rw->api->dim(rw, TENON_DIM_SUB, a, b);
}
TENON_INLINE tenon_dim tenon_aten_times(tenon_rewriter *rw, tenon_dim a,
                                        tenon_dim b) {
  return rw->api->dim(rw, TENON_DIM_MUL, a, b);
}
// A place counted from the end where it is negative, within 0 .. size.
tenon_dim tenon_aten_place(tenon_rewriter *rw, tenon_dim at, tenon_dim size);

// The axis named `name` of operand x.
tenon_status tenon_aten_axis_of(tenon_rewriter *rw, const tenon_node *n,
                                const char *name, tenon_value *x, int *axis);
// Dimensions of x from `dim`, which may be an int, a list or None; none of
// them: all.
tenon_status tenon_aten_axes_of(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value *x, uint32_t *axes);
// All tensors of the first argument, at most TENON_ATEN_TENSORS, of the type
// that they promote to.
enum { TENON_ATEN_TENSORS = 256 };
tenon_status tenon_aten_tensors(tenon_rewriter *rw, const tenon_node *n,
                                tenon_value **xs, int *count);
// The type that is stated for result i; null where it is open.
const tenon_type *tenon_aten_stated(tenon_rewriter *rw, const tenon_node *n,
                                    int i);
// Copies the dimensions of x; returns the rank.
int tenon_aten_dims_of(tenon_rewriter *rw, tenon_value *x, tenon_dim *dims);
// The size of dimension d of x; 1 of a tensor without dimensions.
tenon_dim tenon_aten_size(tenon_rewriter *rw, tenon_value *x, int d);

// A slice by `start`, `end`, `step` of a dimension of this size.
tenon_status tenon_aten_slice_of(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_dim whole, tenon_dim *begin,
                                 tenon_dim *size, int64_t *step);
// Refuses a place that is known not to be in a dimension.
tenon_status tenon_aten_check_place(tenon_rewriter *rw, tenon_dim at,
                                    tenon_dim size);

// Views.
tenon_value *tenon_aten_cut(tenon_rewriter *rw, tenon_value *x, int axis,
                            tenon_dim begin, tenon_dim size, int64_t step);
tenon_value *tenon_aten_select(tenon_rewriter *rw, tenon_value *x, int axis,
                               tenon_dim at);
tenon_value *tenon_aten_expand(tenon_rewriter *rw, tenon_value *x,
                               const tenon_dim *dims, int rank);
tenon_value *tenon_aten_window(tenon_rewriter *rw, tenon_value *x,
                               const tenon_dim *dims, const tenon_dim *strides,
                               int rank, tenon_dim offset);
tenon_value *tenon_aten_flat(tenon_rewriter *rw, tenon_value *x);
tenon_value *tenon_aten_unsqueeze(tenon_rewriter *rw, tenon_value *x, int axis);
tenon_value *tenon_aten_squeeze(tenon_rewriter *rw, tenon_value *x, int axis);
tenon_value *tenon_aten_flip(tenon_rewriter *rw, tenon_value *x, int axis);
// Dimension `from` moves to place `to`.
tenon_value *tenon_aten_move(tenon_rewriter *rw, tenon_value *x, int from,
                             int to);
// Steps of dense x, in elements.
void tenon_aten_steps(tenon_rewriter *rw, tenon_value *x, tenon_dim *steps);

tenon_value *tenon_aten_update(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *src, const tenon_dim *strides,
                               int rank, tenon_dim offset);
// Which indices an operator takes: PyTorch's count from the end where they are
// negative in some, in others that is an error.
typedef enum tenon_aten_reach {
  TENON_ATEN_FROM_START,
  TENON_ATEN_FROM_END
} tenon_aten_reach;
// Elements that index tensors of one shape select, from dimension `axis`.
tenon_value *tenon_aten_index(tenon_rewriter *rw, tenon_value *x,
                              tenon_value *const *indices, int n, int axis,
                              tenon_aten_reach reach);
// The elements of x along `axis` where a line of truth values holds: how many
// that are is left to the data.
tenon_value *tenon_aten_masked(tenon_rewriter *rw, tenon_value *x, int axis,
                               tenon_value *mask);
// x with values there; `mode` is a tenon_scatter_mode.
tenon_value *tenon_aten_put(tenon_rewriter *rw, tenon_value *x,
                            tenon_value *values, tenon_value *const *indices,
                            int n, int axis, int mode, bool include_self,
                            tenon_aten_reach reach);
tenon_value *tenon_aten_gather(tenon_rewriter *rw, tenon_value *x,
                               tenon_value *index, int axis);
// `op` over the dimensions of which bits are set.
tenon_value *tenon_aten_reduce(tenon_rewriter *rw, const char *op,
                               tenon_value *x, uint32_t axes, bool keepdim);
// core::sort: values and places.
void tenon_aten_sort(tenon_rewriter *rw, tenon_value *x, int axis,
                     bool descending, tenon_value *out[2]);
// A condition that a run checks; `message` null: without one.
void tenon_aten_check(tenon_rewriter *rw, tenon_value *condition,
                      const char *message);

TENON_INLINE tenon_status tenon_aten_replace_two(tenon_rewriter *rw,
                                                 const tenon_node *n,
                                                 tenon_value *a,
                                                 tenon_value *b) {
  tenon_value *both[] = {a, b};
  return rw->api->replace(rw, n, both, 2);
}

#endif  // TENON_OPS_ATEN_INDEX_OP_H
