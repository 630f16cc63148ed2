// core_reduce.c - core::mean and core::sum.
#include "kern/reduce.h"

#include "ops/core/core_rule.h"

static tenon_status reduce_infer(tenon_infer *c) {
  const tenon_reduce_attrs *a =
      (const tenon_reduce_attrs *)tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  unsigned summed = 0;
  int rank = 0;
  for (size_t i = 0; i < a->dims.count; ++i) {
    int axis;
    TENON_TRY(tenon_core_check_axis(c, a->dims.data[i], x->rank, &axis));
    if (summed & 1u << axis)
      return tenon_infer_fail(c, "'dims' has %d twice", axis);
    summed |= 1u << axis;
  }
  for (int d = 0; d < x->rank; ++d) {
    bool is_kept = !(summed & 1u << d);
    if (is_kept || a->keepdim)
      dims[rank++] = is_kept ? x->dims[d] : tenon_core_dim(1);
  }
  return tenon_core_result(c, dims, rank, x, false);
}

static const tenon_kernel_desc mean_f32 = {
    CORE_RANGE(mean_f32_ref, tenon_core_items),
    .types = "f32 -> f32",
};
TENON_KERNELS_sum(CORE_ROW)

    static const tenon_field fields[] = {
        TENON_FIELD(tenon_reduce_attrs, dims),
        TENON_FIELD(tenon_reduce_attrs, keepdim), TENON_END_FIELDS};

CORE_OP(mean) = {
    CORE_OP_HEADER,
    .schema = "core::mean(Tensor x, int[] dims, bool keepdim=False) -> Tensor",
    .doc = "Means over dimensions; an empty list leaves x as it is.",
    CORE_ATTRS(tenon_reduce_attrs, fields),
    .infer = reduce_infer,
    CORE_KERNELS(&mean_f32),
};

CORE_OP(sum) = {
    CORE_OP_HEADER,
    .schema = "core::sum(Tensor x, int[] dims, bool keepdim=False) -> Tensor",
    .doc = "Sums over dimensions; an empty list leaves x as it is.",
    CORE_ATTRS(tenon_reduce_attrs, fields),
    .infer = reduce_infer,
    CORE_KERNELS(CORE_EACH(sum) NULL),
};
