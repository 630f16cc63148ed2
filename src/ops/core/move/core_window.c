// core_window.c - views by strides, what is written through them, and
// triangles.
#include <inttypes.h>

#include "kern/loop/select.h"
#include "ops/core/core_rule.h"

static int64_t dense_step(const tenon_tensor *x, int d) {
  int64_t step = 1;
  for (int i = d + 1; i < x->rank; ++i)
    step *= x->dims[i];
  return step;
}

// --- expand ------------------------------------------------------------------

static tenon_status expand_infer(tenon_infer *c) {
  const tenon_expand_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = (int)a->shape.count, added = rank - x->rank;
  if (a->shape.count > TENON_MAX_RANK || added < 0)
    return tenon_infer_fail(c, "a shape of rank %zu for rank %d",
                            a->shape.count, x->rank);
  for (int d = 0; d < rank; ++d) {
    dims[d] = c->api->size(c, "shape", d);
    tenon_dim from = d < added ? tenon_core_dim(1) : x->dims[d - added];
    bool is_one = !from.symbol && from.value == 1;
    if (!dims[d].symbol && dims[d].value < 0)
      return tenon_infer_fail(c, "dimension %d of the shape is %" PRId64, d,
                              dims[d].value);
    if (!is_one && !tenon_core_equal(c, from, dims[d]))
      return tenon_infer_fail(c, "%" PRId64 " elements become %" PRId64,
                              from.value, dims[d].value);
  }
  if (x->quant && x->quant->channels > 1)
    return tenon_infer_fail(c, "x has several scales");
  return tenon_core_result(c, dims, rank, x, true);
}

static bool expand_view(const tenon_call *call, tenon_view *view) {
  const tenon_tensor *x = &call->in[0], *y = &call->out[0];
  int added = y->rank - x->rank;
  view->offset = 0;
  for (int d = 0; d < y->rank; ++d) {
    int from = d - added;
    int64_t step = 0;
    if (from >= 0 && x->dims[from] != 1)
      step = x->strides ? x->strides[from] : dense_step(x, from);
    if (step > INT32_MAX) return false;
    view->strides[d] = (int32_t)step;
  }
  return tenon_element_bits(x->dtype) >= 8;
}

CORE_KERNEL_RANGE(expand_ref, tenon_core_items, "T -> T",
                  .match = tenon_core_whole_bytes);

CORE_OPERATOR(expand, expand_infer, (CORE_K(expand_ref)),
              "(Tensor x, SymInt[] shape) -> Tensor",
              "Dimensions of size 1 repeated, and new ones in front.\n"
              "Sizes are final, no -1.",
              CORE_MEMBERS(tenon_expand_attrs, shape), .view = expand_view);

// --- as_strided --------------------------------------------------------------

// First and last element of a window lie within x. Where sizes are open, the
// run checks.
static tenon_status core_window_check_window(tenon_infer *c,
                                             const tenon_dim *dims, int rank) {
  const tenon_type *x = tenon_infer_in(c, 0);
  const tenon_dim zero = tenon_core_dim(0);
  tenon_dim low = c->api->size(c, "offset", 0), high = low;
  tenon_dim n = tenon_core_dim(1);
  for (int d = 0; d < x->rank; ++d)
    n = c->api->dim(c, TENON_DIM_MUL, n, x->dims[d]);
  for (int d = 0; d < rank; ++d) {
    tenon_dim step = c->api->size(c, "stride", d), reach;
    bool is_back = !step.symbol && step.value < 0;
    if (!dims[d].symbol && dims[d].value == 0) return TENON_OK;
    if (step.symbol && !c->api->require(c, TENON_RELATION_LE, zero, step))
      return tenon_infer_fail(c, "an open stride below zero");
    reach = c->api->dim(c, TENON_DIM_SUB, dims[d], tenon_core_dim(1));
    reach = c->api->dim(c, TENON_DIM_MUL, reach, step);
    if (is_back)
      low = c->api->dim(c, TENON_DIM_ADD, low, reach);
    else
      high = c->api->dim(c, TENON_DIM_ADD, high, reach);
  }
  if (!c->api->require(c, TENON_RELATION_LE, zero, low) ||
      !c->api->require(c, TENON_RELATION_LT, high, n))
    return tenon_infer_fail(c,
                            "elements %" PRId64 " to %" PRId64 " of %" PRId64,
                            low.value, high.value, n.value);
  return TENON_OK;
}

static tenon_status as_strided_infer(tenon_infer *c) {
  const tenon_as_strided_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = (int)a->size.count;
  if (a->size.count > TENON_MAX_RANK || a->size.count != a->stride.count)
    return tenon_infer_fail(c, "%zu sizes and %zu strides", a->size.count,
                            a->stride.count);
  for (int d = 0; d < rank; ++d) {
    dims[d] = c->api->size(c, "size", d);
    if (!dims[d].symbol && (dims[d].value < 0 || dims[d].value > INT32_MAX))
      return tenon_infer_fail(c, "size %" PRId64 " in dimension %d",
                              dims[d].value, d);
  }
  TENON_TRY(core_window_check_window(c, dims, rank));
  return tenon_core_result(c, dims, rank, x, true);
}

static bool as_strided_view(const tenon_call *call, tenon_view *view) {
  const tenon_as_strided_attrs *a = call->attrs;
  if (call->in[0].strides) return false;
  view->offset = a->offset;
  for (int d = 0; d < call->out[0].rank; ++d) {
    int64_t step = a->stride.data[d];
    if (step > INT32_MAX || step < -INT32_MAX) return false;
    view->strides[d] = (int32_t)step;
  }
  return tenon_element_bits(call->in[0].dtype) >= 8;
}

CORE_KERNEL_FAILING_RANGE(as_strided_ref, tenon_core_items, "T -> T",
                          .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    as_strided, as_strided_infer, (CORE_K(as_strided_ref)),
    "(Tensor x, *, SymInt[] size, SymInt[] stride, SymInt offset=0) -> Tensor",
    "A window of any strides, in elements of dense x.\n"
    "Elements may show up several times; none lies outside.",
    CORE_MEMBERS(tenon_as_strided_attrs, size, stride, offset),
    .view = as_strided_view);

// --- strided_update ----------------------------------------------------------

static tenon_status strided_update_infer(tenon_infer *c) {
  const tenon_strided_update_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *src = tenon_infer_in(c, 1);
  if (src->dtype != x->dtype || a->stride.count != src->rank)
    return tenon_infer_fail(
        c, "the source must have x's type and a stride per dimension");
  TENON_TRY(core_window_check_window(c, src->dims, src->rank));
  return tenon_core_same(c);
}

CORE_KERNEL_FAILING_RUN(strided_update_ref, "T, T -> T",
                        .in_place = TENON_IN_PLACE(0, 0),
                        .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    strided_update, strided_update_infer, (CORE_K(strided_update_ref)),
    "(Tensor x, Tensor src, *, SymInt[] stride, SymInt offset=0) -> Tensor",
    "x with a source written through a window of any strides.\n"
    "What is written twice has the later element.",
    CORE_MEMBERS(tenon_strided_update_attrs, stride, offset));

// --- triangular --------------------------------------------------------------

static tenon_status triangular_infer(tenon_infer *c) {
  if (tenon_infer_in(c, 0)->rank < 2)
    return tenon_infer_fail(c, "x has fewer than two dimensions");
  return tenon_core_same(c);
}

static bool triangular_match(const tenon_call *c) {
  return tenon_core_whole_bytes(c) && !c->in[0].quant;
}

CORE_KERNEL_RANGE(triangular_ref, tenon_core_last_rows, "T -> T",
                  .in_place = TENON_IN_PLACE(0, 0), .match = triangular_match);

CORE_OPERATOR(triangular, triangular_infer, (CORE_K(triangular_ref)),
              "(Tensor x, *, SymInt diagonal=0, bool upper=False) -> Tensor",
              "Matrices with zeros above a diagonal, or below it with `upper`.",
              CORE_MEMBERS(tenon_triangular_attrs, diagonal, upper));

static tenon_status triangle_indices_infer(tenon_infer *c) {
  const tenon_triangle_indices_attrs *a = tenon_infer_attrs(c);
  int64_t n = 0;
  if (a->rows < 0 || a->columns < 0 || a->rows > INT32_MAX ||
      a->columns > INT32_MAX)
    return tenon_infer_fail(c, "%" PRId64 " rows and %" PRId64 " columns",
                            a->rows, a->columns);
  for (int64_t row = 0; row < a->rows && n <= INT32_MAX; ++row) {
    // Columns from 0 up to the diagonal; above it or the others.
    int64_t cut = row + a->offset + (a->upper ? 0 : 1);
    cut = cut < 0 ? 0 : cut > a->columns ? a->columns : cut;
    n += a->upper ? a->columns - cut : cut;
  }
  if (n > INT32_MAX / 2) return tenon_infer_fail(c, "too many elements");
  tenon_dim dims[2] = {tenon_core_dim(2), tenon_core_dim(n)};
  return tenon_core_out(c, 0, TENON_S64, dims, 2);
}

CORE_KERNEL_RUN(triangle_indices_ref, "-> s64");

CORE_OPERATOR(
    triangle_indices, triangle_indices_infer, (CORE_K(triangle_indices_ref)),
    "(*, int rows, int columns, int offset=0, bool upper=False) -> Tensor",
    "Rows and columns of what is not above a diagonal, or not below it with "
    "`upper`.",
    CORE_MEMBERS(tenon_triangle_indices_attrs, rows, columns, offset, upper));
