// core_move.c - core::reshape, permute, slice and copy: results that are
// windows on the operand, and what puts them into memory of their own.
//
// Kernels move whole bytes; of types below a byte, reshape and copy move all.
#include "kern/op/move.h"

#include <inttypes.h>

#include "kern/loop/element.h"
#include "ops/core/core_rule.h"

// The operand's step along dimension d.
static int64_t move_step_of(const tenon_tensor *x, int d) {
  int64_t step = 1;
  if (x->strides) return x->strides[d];
  for (int i = d + 1; i < x->rank; ++i)
    step *= x->dims[i];
  return step;
}

// --- reshape -----------------------------------------------------------------

static tenon_dim move_product(tenon_infer *c, const tenon_dim *dims, int rank) {
  tenon_dim n = tenon_core_dim(1);
  for (int d = 0; d < rank; ++d)
    n = c->api->dim(c, TENON_DIM_MUL, n, dims[d]);
  return n;
}

static tenon_status reshape_infer(tenon_infer *c) {
  const tenon_reshape_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = (int)a->shape.count;
  if (a->shape.count > TENON_MAX_RANK)
    return tenon_infer_fail(c, "a shape of rank %zu, at most %d is possible",
                            a->shape.count, TENON_MAX_RANK);
  for (int d = 0; d < rank; ++d) {
    dims[d] = c->api->size(c, "shape", d);
    if (!dims[d].symbol && dims[d].value < 0)
      return tenon_infer_fail(c, "dimension %d of the shape is %" PRId64, d,
                              dims[d].value);
  }
  tenon_dim before = move_product(c, x->dims, x->rank);
  tenon_dim after = move_product(c, dims, rank);
  if (!tenon_core_equal(c, before, after))
    return tenon_infer_fail(c, "%" PRId64 " elements become %" PRId64,
                            before.value, after.value);
  return tenon_core_result(c, dims, rank, x, true);
}

// Dense stays dense; of strided operands only the planner's copies are made.
static bool reshape_view(const tenon_call *call, tenon_view *view) {
  const tenon_tensor *y = &call->out[0];
  int32_t step = 1;
  if (call->in[0].strides) return false;
  view->offset = 0;
  for (int d = y->rank - 1; d >= 0; --d) {
    view->strides[d] = step;
    step *= y->dims[d];
  }
  return true;
}

CORE_KERNEL_RUN(reshape_ref, "T -> T", .in_place = TENON_IN_PLACE(0, 0));

CORE_OPERATOR(reshape, reshape_infer, (CORE_K(reshape_ref)),
              "(Tensor x, SymInt[] shape) -> Tensor",
              "The same elements in the same order under another shape.",
              CORE_MEMBERS(tenon_reshape_attrs, shape), .view = reshape_view);

// --- reinterpret -------------------------------------------------------------

static tenon_status reinterpret_infer(tenon_infer *c) {
  const tenon_type *declared = c->api->declared(c, 0);
  tenon_type y = *tenon_infer_in(c, 0);
  y.quant = declared ? declared->quant : NULL;
  return tenon_infer_out(c, 0, &y);
}

#define STORED "s8|s8q|s8qc|u8|u8q|u8qc|s16|s16q|s16qc|s32|s32q|s32qc"
CORE_KERNEL_RUN(reinterpret_ref, STORED " -> " STORED,
                .in_place = TENON_IN_PLACE(0, 0));

CORE_OPERATOR(
    reinterpret, reinterpret_infer, (CORE_K(reinterpret_ref)),
    "(Tensor x) -> Tensor",
    "The same stored elements with the scales and zero points that the\n"
    "result declares, or as plain numbers where it declares none.",
    .view = reshape_view);

// --- permute -----------------------------------------------------------------

// Dimension of the operand that is dimension d of the result.
static int permuted(const tenon_permute_attrs *a, int d, int rank) {
  return (int)(a->dims.data[d] < 0 ? a->dims.data[d] + rank : a->dims.data[d]);
}

static tenon_status permute_infer(tenon_infer *c) {
  const tenon_permute_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *x;
  tenon_quant quant;
  unsigned seen = 0;
  if (a->dims.count != x->rank)
    return tenon_infer_fail(c, "'dims' has %zu entries for rank %d",
                            a->dims.count, x->rank);
  for (int d = 0; d < x->rank; ++d) {
    int from;
    TENON_TRY(tenon_core_check_axis(c, a->dims.data[d], x->rank, &from));
    if (seen & 1u << from)
      return tenon_infer_fail(c, "'dims' has %d twice", from);
    seen |= 1u << from;
    dims[d] = x->dims[from];
  }
  if (x->quant && x->quant->block)
    return tenon_infer_fail(c, "x has a scale per block");
  if (x->quant && x->quant->channels > 1) {
    quant = *x->quant;
    for (int d = 0; d < x->rank; ++d)
      if (permuted(a, d, x->rank) == x->quant->axis) quant.axis = d;
    y.quant = &quant;
  }
  return tenon_core_result(c, dims, x->rank, &y, true);
}

static bool permute_view(const tenon_call *call, tenon_view *view) {
  const tenon_permute_attrs *a = call->attrs;
  const tenon_tensor *x = &call->in[0];
  view->offset = 0;
  for (int d = 0; d < x->rank; ++d)
    view->strides[d] = (int32_t)move_step_of(x, permuted(a, d, x->rank));
  return tenon_element_bits(x->dtype) >= 8;
}

CORE_KERNEL_RANGE(permute_ref, tenon_core_last_rows, "T -> T",
                  .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    permute, permute_infer, (CORE_K(permute_ref)),
    "(Tensor x, int[] dims) -> Tensor",
    "Dimensions in another order: result dimension i is dims[i] of x.",
    CORE_MEMBERS(tenon_permute_attrs, dims), .view = permute_view);

// --- slice -------------------------------------------------------------------

// The first and last element lie within, or there is none.
static tenon_status require_span(tenon_infer *c, int d, tenon_dim begin,
                                 tenon_dim size, int64_t step,
                                 tenon_dim whole) {
  const tenon_dim one = tenon_core_dim(1);
  tenon_dim last = c->api->dim(c, TENON_DIM_SUB, size, one);
  last = c->api->dim(c, TENON_DIM_MUL, last, tenon_core_dim(step));
  last = c->api->dim(c, TENON_DIM_ADD, last, begin);
  tenon_dim low = step > 0 ? begin : last, high = step > 0 ? last : begin;
  if (!c->api->require(c, TENON_RELATION_LE, tenon_core_dim(0), low) ||
      !c->api->require(c, TENON_RELATION_LT, high, whole))
    return tenon_infer_fail(c, "elements outside of dimension %d", d);
  return TENON_OK;
}

// Begin and last element of one dimension, as far as they are known, lie
// within.
static tenon_status check_span(tenon_infer *c, int d, tenon_dim begin,
                               tenon_dim size, int64_t step, tenon_dim whole) {
  if (step == 0 || step > INT32_MAX || step < -INT32_MAX)
    return tenon_infer_fail(c, "step %" PRId64 " in dimension %d", step, d);
  if (!size.symbol && (size.value < 0 || size.value > INT32_MAX))
    return tenon_infer_fail(c, "size %" PRId64 " in dimension %d", size.value,
                            d);
  if (begin.symbol || size.symbol || whole.symbol)
    return require_span(c, d, begin, size, step, whole);
  if (size.value == 0) return TENON_OK;
  int64_t last = begin.value + (size.value - 1) * step;
  if (begin.value < 0 || begin.value >= whole.value || last < 0 ||
      last >= whole.value)
    return tenon_infer_fail(
        c, "elements %" PRId64 " to %" PRId64 " of %" PRId64 " in dimension %d",
        begin.value, last, whole.value, d);
  return TENON_OK;
}

static tenon_status move_slice_infer(tenon_infer *c) {
  const tenon_slice_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  if (a->begin.count != x->rank || a->size.count != x->rank ||
      a->step.count != x->rank)
    return tenon_infer_fail(
        c,
        "'begin', 'size' and 'step' must have an entry for each of %d "
        "dimensions",
        x->rank);
  for (int d = 0; d < x->rank; ++d) {
    tenon_dim begin = c->api->size(c, "begin", d);
    dims[d] = c->api->size(c, "size", d);
    TENON_TRY(check_span(c, d, begin, dims[d], a->step.data[d], x->dims[d]));
  }
  if (x->quant &&
      (x->quant->block ||
       (x->quant->channels > 1 &&
        !tenon_core_equal(c, dims[x->quant->axis], x->dims[x->quant->axis]))))
    return tenon_infer_fail(c, "x has several scales where it is cut");
  return tenon_core_result(c, dims, x->rank, x, true);
}

static bool slice_view(const tenon_call *call, tenon_view *view) {
  const tenon_slice_attrs *a = call->attrs;
  const tenon_tensor *x = &call->in[0];
  view->offset = 0;
  for (int d = 0; d < x->rank; ++d) {
    int64_t step = move_step_of(x, d);
    view->offset += a->begin.data[d] * step;
    step *= a->step.data[d];
    if (step > INT32_MAX || step < -INT32_MAX) return false;
    view->strides[d] = (int32_t)step;
  }
  return tenon_element_bits(x->dtype) >= 8;
}

CORE_KERNEL_RANGE(slice_ref, tenon_core_last_rows, "T -> T",
                  .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    slice, move_slice_infer, (CORE_K(slice_ref)),
    "(Tensor x, *, SymInt[] begin, SymInt[] size, int[] step) -> Tensor",
    "A window: `size` elements from `begin`, `step` apart, in every "
    "dimension.\n"
    "A step may be negative; no element lies outside.",
    CORE_MEMBERS(tenon_slice_attrs, begin, size, step), .view = slice_view);

// --- copy --------------------------------------------------------------------

CORE_KERNEL_RANGE(copy_ref, tenon_core_items, "T -> T", .order = "* -> *");

CORE_OPERATOR(copy, tenon_core_same, (CORE_K(copy_ref)), "(Tensor x) -> Tensor",
              "The same values in memory of their own, dense or strided.");
