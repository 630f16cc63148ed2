// core_solve.c - core::det and core::inverse.
#include "kern/product/solve.h"

#include "kern/loop/element.h"
#include "ops/core/core_rule.h"

static tenon_status core_solve_check_square(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank < 2 ||
      !tenon_core_equal(c, x->dims[x->rank - 1], x->dims[x->rank - 2]))
    return tenon_infer_fail(c, "x has no square matrices");
  return TENON_OK;
}

static tenon_status det_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(core_solve_check_square(c));
  return tenon_core_result(c, x->dims, x->rank - 2, x, false);
}

static tenon_status inverse_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  TENON_TRY(core_solve_check_square(c));
  const tenon_type info = {
      .dims = x->dims, .dtype = TENON_S32, .rank = (uint8_t)(x->rank - 2)};
  TENON_TRY(tenon_core_result(c, x->dims, x->rank, x, false));
  return tenon_infer_out(c, 1, &info);
}

static int64_t inverse_items(const tenon_call *c) {
  return (int64_t)tenon_count(&c->out[1]);
}

static size_t matrix_scratch(const tenon_call *c, int64_t items) {
  const tenon_tensor *x = &c->in[0];
  size_t n = (size_t)x->dims[x->rank - 1];
  (void)items;
  return n * n * (size_t)tenon_element_size(x);
}

#define KERNEL(name, t, its_items, results)                            \
  CORE_KERNEL_RANGE(name##_##t##_ref, its_items, #t " -> " #t results, \
                    .scratch = matrix_scratch)
KERNEL(det, f32, tenon_core_items, "");
KERNEL(det, f64, tenon_core_items, "");
// These can fail.
#define INVERSE_KERNEL(t)                       \
  CORE_KERNEL(inverse_##t##_ref) = {            \
      .struct_size = sizeof(tenon_kernel_desc), \
      .symbol = "tenon_k_inverse_" #t "_ref",   \
      .types = #t " -> " #t ", s32",            \
      .run_range = tenon_k_inverse_##t##_ref,   \
      .items = inverse_items,                   \
      .scratch = matrix_scratch,                \
      .source = &tenon_source_inverse_##t##_ref_c}
INVERSE_KERNEL(f32);
INVERSE_KERNEL(f64);

CORE_OPERATOR(det, det_infer, (CORE_K(det_f32_ref), CORE_K(det_f64_ref)),
              "(Tensor x) -> Tensor",
              "Determinants of square matrices, x [..., n, n].");

CORE_OPERATOR(inverse, inverse_infer,
              (CORE_K(inverse_f32_ref), CORE_K(inverse_f64_ref)),
              "(Tensor x, *, bool check=False) -> (Tensor y, Tensor info)",
              "Inverses of square matrices, x [..., n, n].\n"
              "info is 0, or which pivot is zero, counted from 1; with "
              "`check`, that is a fault.",
              CORE_MEMBERS(tenon_inverse_attrs, check));
