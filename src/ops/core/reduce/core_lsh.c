// core_lsh.c - core::lsh_projection: bits of anything by what it hashes to
// (kern/num/fingerprint.h).
#include "kern/num/fingerprint.h"
#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

static tenon_status lsh_infer(tenon_infer *c) {
  const tenon_lsh_projection_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 1);
  tenon_shapes s = {.n_names = 0};
  if (x->rank < 1 || x->quant)
    return tenon_infer_fail(c, "x has no dimension, or a scale");
  tenon_shapes_set(&s, "rows", x->dims[0]);
  TENON_TRY(tenon_core_shapes_with(
      c, &s,
      a->sparse ? "hash f32[h,bits], x, weight? f32[rows] -> s32[h]"
                : "hash f32[h,bits], x, weight? f32[rows] -> s32[h*bits]"));
  return tenon_core_some(c, x->dims[0]) &&
                 tenon_core_at_most(c, tenon_shapes_get(&s, "bits"),
                                    tenon_core_dim(32))
             ? TENON_OK
             : tenon_infer_fail(c,
                                "x has no row, or a result more than 32 bits");
}

static bool lsh_match(const tenon_call *c) {
  return c->in[1].dtype == TENON_STR ||
         tenon_element_bits(c->in[1].dtype) % 8 == 0;
}

CORE_KERNEL_RANGE(lsh_projection_ref, tenon_core_items, "f32, T, f32? -> s32",
                  .match = lsh_match);

CORE_OPERATOR(
    lsh_projection, lsh_infer, (CORE_K(lsh_projection_ref)),
    "(Tensor hash, Tensor x, Tensor? weight=None, *, bool sparse=False) -> "
    "Tensor",
    "Bits of x by locality sensitive hashing, as TensorFlow Lite's.\n"
    "hash: seeds; each gives a bit, whether the rows of x, hashed with it, "
    "have a sum by their weights that is above zero. sparse: a number of the "
    "bits of each row of seeds, above those of the rows before.",
    CORE_MEMBERS(tenon_lsh_projection_attrs, sparse));
