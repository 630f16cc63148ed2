// core_solve.c - core::det and core::inverse.
#include "kern/product/solve.h"

#include "kern/loop/element.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

CORE_SHAPES(det_infer, "x[...,n,n] -> x[...]")
CORE_SHAPES(inverse_infer, "x[...,n,n] -> x[...,n,n], s32[...]")

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
#define INVERSE_KERNEL(t)                                     \
  CORE_KERNEL_FAILING_RANGE(inverse_##t##_ref, inverse_items, \
                            #t " -> " #t ", s32", .scratch = matrix_scratch)
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
