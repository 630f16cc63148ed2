// core_dynamic.c - core::dynamic_slice and dynamic_update: windows whose place
// a run finds out. They are what loops walk over tensors with.
#include "kern/op/dynamic.h"
#include "ops/core/core_rule.h"

// Refuses axes that are not different dimensions of x, or do not go with
// `begin`.
static tenon_status check_axes(tenon_infer *c, tenon_ints axes,
                               const tenon_type *x, const tenon_type *begin,
                               int at[TENON_MAX_RANK]) {
  tenon_dim count = tenon_core_dim(1);
  unsigned seen = 0;
  if (axes.count > x->rank)
    return tenon_infer_fail(c, "%zu axes of a tensor of rank %d", axes.count,
                            x->rank);
  for (size_t i = 0; i < axes.count; ++i) {
    TENON_TRY(tenon_core_check_axis(c, axes.data[i], x->rank, &at[i]));
    if (seen & 1u << at[i])
      return tenon_infer_fail(c, "'axes' has %d twice", at[i]);
    seen |= 1u << at[i];
  }
  if (begin->dtype != TENON_S32 && begin->dtype != TENON_S64)
    return tenon_infer_fail(c, "'begin' is neither s32 nor s64");
  for (int d = 0; d < begin->rank; ++d)
    count = c->api->dim(c, TENON_DIM_MUL, count, begin->dims[d]);
  if (!tenon_core_equal(c, count, tenon_core_dim((int64_t)axes.count)))
    return tenon_infer_fail(
        c, "'begin' has not one element for each of %zu axes", axes.count);
  return TENON_OK;
}

static bool has_scales(const tenon_type *t) {
  return t->quant && (t->quant->block || t->quant->channels > 1);
}

// --- dynamic_slice -----------------------------------------------------------

static tenon_status slice_infer(tenon_infer *c) {
  const tenon_dynamic_slice_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int at[TENON_MAX_RANK];
  TENON_TRY(check_axes(c, a->axes, x, tenon_infer_in(c, 1), at));
  if (a->size.count != a->axes.count)
    return tenon_infer_fail(c, "%zu sizes for %zu axes", a->size.count,
                            a->axes.count);
  for (int d = 0; d < x->rank; ++d)
    dims[d] = x->dims[d];
  for (size_t i = 0; i < a->axes.count; ++i) {
    tenon_dim size = c->api->size(c, "size", (int)i);
    tenon_dim whole = x->dims[at[i]];
    if (!tenon_core_at_most(c, tenon_core_dim(0), size) ||
        !tenon_core_at_most(c, size, whole))
      return tenon_infer_fail(c, "a window of %lld in dimension %d",
                              (long long)size.value, at[i]);
    dims[at[i]] = size;
  }
  if (has_scales(x)) return tenon_infer_fail(c, "x has several scales");
  return tenon_core_result(c, dims, x->rank, x, true);
}

CORE_KERNEL_RUN(dynamic_slice_ref, "T, s32|s64 -> T",
                .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    dynamic_slice, slice_infer, (CORE_K(dynamic_slice_ref)),
    "(Tensor x, Tensor begin, *, int[] axes, SymInt[] size) -> Tensor",
    "A window that begins at `begin` (s32 or s64, one element per axis) and is "
    "whole along\n"
    "other dimensions. `begin` is brought within x, so that the window lies "
    "inside.",
    CORE_MEMBERS(tenon_dynamic_slice_attrs, axes, size));

// --- dynamic_update ----------------------------------------------------------

static tenon_status update_infer(tenon_infer *c) {
  const tenon_dynamic_update_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *u = tenon_infer_in(c, 1);
  int at[TENON_MAX_RANK];
  unsigned moves = 0;
  TENON_TRY(check_axes(c, a->axes, x, tenon_infer_in(c, 2), at));
  if (u->dtype != x->dtype || u->rank != x->rank)
    return tenon_infer_fail(c, "the update is not of x's type and rank");
  for (size_t i = 0; i < a->axes.count; ++i)
    moves |= 1u << at[i];
  for (int d = 0; d < x->rank; ++d) {
    bool fits = moves & 1u << d ? c->api->require(c, TENON_RELATION_LE,
                                                  u->dims[d], x->dims[d])
                                : tenon_core_equal(c, u->dims[d], x->dims[d]);
    if (!fits)
      return tenon_infer_fail(c, "an update of %lld in dimension %d of %lld",
                              (long long)u->dims[d].value, d,
                              (long long)x->dims[d].value);
  }
  if (has_scales(x)) return tenon_infer_fail(c, "x has several scales");
  return tenon_core_result(c, x->dims, x->rank, x, true);
}

CORE_KERNEL_RUN(dynamic_update_ref, "T, T, s32|s64 -> T",
                .match = tenon_core_whole_bytes,
                .in_place = TENON_IN_PLACE(0, 0));

CORE_OPERATOR(
    dynamic_update, update_infer, (CORE_K(dynamic_update_ref)),
    "(Tensor x, Tensor update, Tensor begin, *, int[] axes) -> Tensor",
    "x with a window replaced, which begins as that of `dynamic_slice` does.",
    CORE_MEMBERS(tenon_dynamic_update_attrs, axes));
