// core_select.c - operators that read and write at places given by indices.
#include "kern/loop/select.h"

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

static bool is_index(const tenon_type *t) {
  return t->dtype == TENON_S64 || t->dtype == TENON_S32;
}

// Operands from `first` are index tensors of one shape, one for each dimension
// of x from `axis`.
static tenon_status check_indices(tenon_infer *c, int first, int n,
                                  int64_t axis) {
  const tenon_type *x = tenon_infer_in(c, 0), *i0 = tenon_infer_in(c, first);
  if (n < 1 || axis < 0 || axis + n > x->rank)
    return tenon_infer_fail(c, "%d indices from dimension %lld of %d", n,
                            (long long)axis, x->rank);
  for (int i = 0; i < n; ++i) {
    const tenon_type *t = tenon_infer_in(c, first + i);
    bool fits = is_index(t) && t->rank == i0->rank;
    for (int d = 0; fits && d < t->rank; ++d)
      fits = tenon_core_equal(c, t->dims[d], i0->dims[d]);
    if (!fits)
      return tenon_infer_fail(
          c, "index %d is not of 32 or 64 bits, or of another shape", i);
  }
  return TENON_OK;
}

// Dimensions of what `n` indices from `axis` select.
static tenon_status selected(tenon_infer *c, int first, int n, int64_t axis,
                             tenon_dim *dims, int *rank) {
  const tenon_type *x = tenon_infer_in(c, 0), *i0 = tenon_infer_in(c, first);
  TENON_TRY(check_indices(c, first, n, axis));
  if (x->rank - n + i0->rank > TENON_MAX_RANK)
    return tenon_infer_fail(c, "a result of rank %d, at most %d is possible",
                            x->rank - n + i0->rank, TENON_MAX_RANK);
  *rank = 0;
  for (int d = 0; d < axis; ++d)
    dims[(*rank)++] = x->dims[d];
  for (int d = 0; d < i0->rank; ++d)
    dims[(*rank)++] = i0->dims[d];
  for (int d = (int)axis + n; d < x->rank; ++d)
    dims[(*rank)++] = x->dims[d];
  return TENON_OK;
}

// --- index -------------------------------------------------------------------

static tenon_status index_infer(tenon_infer *c) {
  const tenon_index_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  int first = 1, rank = 0, n = c->api->group(c, 1, &first);
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(selected(c, first, n, a->axis, dims, &rank));
  if (x->quant && (x->quant->channels > 1 || x->quant->block))
    return tenon_infer_fail(c, "x has several scales");
  return tenon_core_result(c, dims, rank, x, true);
}

static int64_t index_items(const tenon_call *c) {
  const tenon_index_attrs *a = c->attrs;
  int64_t n = (int64_t)tenon_count(&c->in[1]);
  for (int d = 0; d < a->axis; ++d)
    n *= c->in[0].dims[d];
  return n;
}

CORE_KERNEL_FAILING_RANGE(index_ref, index_items, "T, s32|s64... -> T",
                          .match = tenon_core_whole_bytes);

CORE_OPERATOR(
    index, index_infer, (CORE_K(index_ref)),
    "(Tensor x, Tensor[] indices, int axis=0, *, bool wrap=True) -> Tensor",
    "Elements of the dimensions from `axis` that index tensors of one shape "
    "select.\n"
    "Their shape takes the place of those dimensions. Negative indices count "
    "from the end, unless `wrap` is false; one out of range is an error.",
    CORE_MEMBERS(tenon_index_attrs, axis, wrap));

// --- gather ------------------------------------------------------------------

// The index may be smaller than x in all dimensions but the axis.
static tenon_status check_along(tenon_infer *c, int64_t axis) {
  const tenon_type *x = tenon_infer_in(c, 0), *index = tenon_infer_in(c, 1);
  if (!is_index(index) || index->rank != x->rank || axis < 0 ||
      (x->rank && axis >= x->rank))
    return tenon_infer_fail(c,
                            "the index must have x's rank, 32 or 64 bits, and "
                            "an axis of x");
  for (int d = 0; d < x->rank; ++d) {
    if (d != axis && !tenon_core_at_most(c, index->dims[d], x->dims[d]))
      return tenon_infer_fail(c, "the index is larger than x in dimension %d",
                              d);
  }
  return TENON_OK;
}

static tenon_status gather_infer(tenon_infer *c) {
  const tenon_gather_attrs *a = tenon_infer_attrs(c);
  const tenon_type *index = tenon_infer_in(c, 1);
  TENON_TRY(check_along(c, a->axis));
  return tenon_core_result(c, index->dims, index->rank, tenon_infer_in(c, 0),
                           false);
}

CORE_KERNEL_FAILING_RANGE(gather_ref, tenon_core_items, "T, s32|s64 -> T",
                          .match = tenon_core_whole_bytes);

CORE_OPERATOR(gather, gather_infer, (CORE_K(gather_ref)),
              "(Tensor x, Tensor index, int axis=0) -> Tensor",
              "For each element of the index, the one of x at the same place "
              "but for the axis, where the index says which.\n"
              "An index below zero or out of range is an error.",
              CORE_MEMBERS(tenon_gather_attrs, axis));

// --- index_put, scatter ------------------------------------------------------

// How often each element was written to, where that matters.
static size_t count_scratch(const tenon_call *c, int64_t mode,
                            bool include_self) {
  if (mode == TENON_SCATTER_SET || (mode != TENON_SCATTER_MEAN && include_self))
    return 0;
  return tenon_count(&c->in[0]) * sizeof(int32_t);
}

static size_t scatter_scratch(const tenon_call *c, int64_t items) {
  const tenon_scatter_attrs *a = c->attrs;
  (void)items;
  return count_scratch(c, a->mode, a->include_self);
}

static size_t index_put_scratch(const tenon_call *c, int64_t items) {
  const tenon_index_put_attrs *a = c->attrs;
  (void)items;
  return count_scratch(c, a->mode, a->include_self);
}

static tenon_status check_select_mode(tenon_infer *c, int64_t mode) {
  if (mode < TENON_SCATTER_SET || mode > TENON_SCATTER_MEAN)
    return tenon_infer_fail(c, "mode %lld", (long long)mode);
  return TENON_OK;
}

static tenon_status index_put_infer(tenon_infer *c) {
  const tenon_index_put_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  int first = 2, rank = 0, n = c->api->group(c, 2, &first);
  const tenon_type *x = tenon_infer_in(c, 0), *v = tenon_infer_in(c, 1);
  TENON_TRY(check_select_mode(c, a->mode));
  TENON_TRY(selected(c, first, n, a->axis, dims, &rank));
  bool fits = v->rank == rank && v->dtype == x->dtype;
  for (int d = 0; fits && d < rank; ++d)
    fits = tenon_core_equal(c, v->dims[d], dims[d]);
  if (!fits)
    return tenon_infer_fail(
        c, "values must have x's type and the shape of what is indexed");
  return tenon_core_same(c);
}

// Complex numbers are put as they are alone.
static bool index_put_fits(const tenon_call *c) {
  const tenon_index_put_attrs *a = c->attrs;
  return tenon_core_plain(c) ||
         (a->mode == TENON_SCATTER_SET && c->in[0].dtype == TENON_C64);
}

CORE_KERNEL_FAILING_RUN(index_put_ref, "T, T, s32|s64... -> T",
                        .in_place = TENON_IN_PLACE(0, 0),
                        .match = index_put_fits, .scratch = index_put_scratch);

CORE_OPERATOR(index_put, index_put_infer, (CORE_K(index_put_ref)),
              "(Tensor x, Tensor values, Tensor[] indices, *, int axis=0, int "
              "mode=0, bool include_self=True, bool wrap=True) -> Tensor",
              "x with values where core::index would read.\n"
              "Mode 0 sets, 1 adds, 2 multiplies, 3 and 4 keep the larger and "
              "the smaller, 5 takes the mean. Without `include_self` the "
              "elements that x had there do not count.",
              CORE_MEMBERS(tenon_index_put_attrs, axis, mode, include_self,
                           wrap));

static tenon_status scatter_infer(tenon_infer *c) {
  const tenon_scatter_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *index = tenon_infer_in(c, 1);
  const tenon_type *src = tenon_infer_in(c, 2);
  TENON_TRY(check_select_mode(c, a->mode));
  TENON_TRY(check_along(c, a->axis));
  bool fits =
      (src->rank == 0 || src->rank == index->rank) && src->dtype == x->dtype;
  for (int d = 0; fits && d < src->rank; ++d)
    fits = tenon_core_at_most(c, index->dims[d], src->dims[d]);
  if (!fits)
    return tenon_infer_fail(
        c, "the source must have x's type and no dimension below the index's");
  return tenon_core_same(c);
}

CORE_KERNEL_FAILING_RUN(scatter_ref, "T, s32|s64, T -> T",
                        .in_place = TENON_IN_PLACE(0, 0),
                        .match = tenon_core_plain, .scratch = scatter_scratch);

CORE_OPERATOR(scatter, scatter_infer, (CORE_K(scatter_ref)),
              "(Tensor x, Tensor index, Tensor src, *, int axis=0, int mode=0, "
              "bool include_self=True) -> Tensor",
              "x with elements of a source (or its only one) where "
              "core::gather would read.\n"
              "Modes are those of core::index_put.",
              CORE_MEMBERS(tenon_scatter_attrs, axis, mode, include_self));

// --- masked_scatter ----------------------------------------------------------

static tenon_status masked_scatter_infer(tenon_infer *c) {
  TENON_TRY(tenon_core_shapes(c, "x[...], mask bool[...], source x"));
  return tenon_core_same(c);
}

CORE_KERNEL_FAILING_RUN(masked_scatter_ref, "T, bool, T -> T",
                        .in_place = TENON_IN_PLACE(0, 0),
                        .match = tenon_core_whole_bytes);

CORE_OPERATOR(masked_scatter, masked_scatter_infer,
              (CORE_K(masked_scatter_ref)),
              "(Tensor x, Tensor mask, Tensor source) -> Tensor",
              "x with the elements of a source, one after the other, where the "
              "mask is set.");

// --- check -------------------------------------------------------------------

static tenon_status check_infer(tenon_infer *c) {
  if (tenon_infer_in(c, 0)->dtype != TENON_BOOL)
    return tenon_infer_fail(c, "the condition must be bool");
  return TENON_OK;
}

CORE_KERNEL_FAILING_RUN(check_ref, "bool -> ()");

// Not pure: it has no result, and stays for what it says.
CORE_LIST(check, CORE_K(check_ref));
CORE_OP(check) = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "core::check(Tensor condition, *, str message=\"a condition of the "
        "program does not hold\") -> ()",
    .doc = "Fails in the run, with a message, where an element is false.",
    CORE_MEMBERS(tenon_check_attrs, message),
    .infer = check_infer,
    CORE_KERNELS(check),
};
