// core_empty.c - core::empty: a tensor that others fill. Two of them are not
// the same one, so it is not pure.
#include "kern/op/make.h"
#include "ops/core/core_rule.h"

static tenon_status empty_infer(tenon_infer *c) {
  const tenon_empty_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  const tenon_type like = {.dtype = a->dtype};
  TENON_TRY(tenon_core_sizes(c, "size", a->size, dims));
  return tenon_core_result(c, dims, (int)a->size.count, &like, true);
}

// Zeros, so that two runs give the same where somebody reads them after all.
CORE_KERNEL(empty_ref) = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL | TENON_KERNEL_ZERO_OUT,
    .symbol = "tenon_k_empty_ref",
    .run = tenon_k_empty_ref,
    .source = &tenon_source_empty_ref_c,
    .types = "-> T",
};

CORE_LIST(empty, CORE_K(empty_ref));
CORE_OP(empty) = {
    .struct_size = sizeof(tenon_op_desc),
    .schema = "core::empty(*, SymInt[] size, ScalarType dtype) -> Tensor",
    .doc =
        "Elements of any value, for whoever writes all of them before they "
        "are read.",
    CORE_MEMBERS(tenon_empty_attrs, size, dtype),
    .infer = empty_infer,
    CORE_KERNELS(empty),
};
