// core_lsh.c - core::lsh_projection: bits of anything by what it hashes to
// (kern/num/fingerprint.h).
#include "kern/num/fingerprint.h"
#include "ops/core/core_rule.h"

static tenon_status lsh_infer(tenon_infer *c) {
  const tenon_lsh_projection_attrs *a = tenon_infer_attrs(c);
  const tenon_type *hash = tenon_infer_in(c, 0), *x = tenon_infer_in(c, 1);
  const tenon_type *weight = tenon_infer_in(c, 2);
  if (!tenon_core_is_plain_f32(hash) || hash->rank != 2 || x->quant ||
      x->rank < 1)
    return tenon_infer_fail(c,
                            "seeds are f32 of two dimensions, and x has at "
                            "least one, and no scale");
  if (!tenon_core_some(c, x->dims[0]) ||
      !tenon_core_at_most(c, hash->dims[1], tenon_core_dim(32)))
    return tenon_infer_fail(c, "x has no row, or a result more than 32 bits");
  if (weight && !tenon_core_is_plain_f32(weight))
    return tenon_infer_fail(c, "weights are f32");
  TENON_TRY(tenon_core_check_sizes(c, 2, 1, x->dims[0], tenon_core_dim(0)));
  const tenon_dim all =
      a->sparse ? hash->dims[0]
                : c->api->dim(c, TENON_DIM_MUL, hash->dims[0], hash->dims[1]);
  return tenon_core_out(c, 0, TENON_S32, &all, 1);
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
