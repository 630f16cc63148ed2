// core_matmul.c - core::matmul.
#include "kern/product/matmul.h"

#include <inttypes.h>

#include "ops/core/core_rule.h"
#include "ops/core/element/core_factor.h"

// `n` and `k`: which dimensions of b, from the last.
static tenon_status product_infer(tenon_infer *c, int n, int k) {
  const tenon_type *a = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  if (a->rank < 2 || b->rank < 2)
    return tenon_infer_fail(c, "matrices have at least 2 dimensions");
  if (a->dtype != b->dtype)
    return tenon_infer_fail(c, "operands have different element types");
  tenon_dim depth = a->dims[a->rank - 1], other = b->dims[b->rank - k];
  if (!tenon_core_equal(c, depth, other))
    return tenon_infer_fail(c, "rows of %" PRId64 " and columns of %" PRId64,
                            depth.value, other.value);
  tenon_type p = *a, q = *b;
  p.rank = (uint8_t)(a->rank - 2);
  q.rank = (uint8_t)(b->rank - 2);
  TENON_TRY(tenon_core_broadcast(c, &p, &q, dims, &rank));
  dims[rank] = a->dims[a->rank - 2];
  dims[rank + 1] = b->dims[b->rank - n];
  return tenon_core_result(c, dims, rank + 2, a, false);
}

static tenon_status matmul_infer(tenon_infer *c) {
  return product_infer(c, 1, 2);
}
static tenon_status transposed_infer(tenon_infer *c) {
  return product_infer(c, 2, 1);
}

static int64_t matmul_macs(const tenon_call *c) {
  return tenon_core_items(c) * c->in[0].dims[c->in[0].rank - 1];
}

#define KERNEL(t)                                           \
  CORE_KERNEL_RANGE(matmul_##t##_ref, tenon_core_last_rows, \
                    #t ", " #t " -> " #t)
KERNEL(f32);
KERNEL(f64);
KERNEL(s32);
KERNEL(s64);

static tenon_status factor_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  // As LiteRT has it for BATCH_MATMUL.
  tenon_core_pack_requant(&c->in[0], &c->in[1], &c->out[0], none, none,
                          TENON_CORE_TWICE_SINGLE, packed);
  return TENON_OK;
}

CORE_KERNEL_RANGE(matmul_s8_ref, tenon_core_last_rows, "s8q, s8q -> s8q",
                  .pack_size = tenon_core_factors_size, .pack = factor_pack);

CORE_KERNEL_RANGE(matmul_s16q_ref, tenon_core_last_rows, "s16q, s16q -> s16q",
                  .pack_size = tenon_core_factors_size, .pack = factor_pack);

CORE_OPERATOR(matmul, matmul_infer,
              (CORE_K(matmul_f32_ref), CORE_K(matmul_f64_ref),
               CORE_K(matmul_s32_ref), CORE_K(matmul_s64_ref),
               CORE_K(matmul_s8_ref), CORE_K(matmul_s16q_ref)),
              "(Tensor a, Tensor b) -> Tensor",
              "Products of matrices: a [..., m, k], b [..., k, n].\n"
              "What stands before the matrices is broadcast; integers wrap.",
              .macs = matmul_macs);

// --- b transposed ------------------------------------------------------------

CORE_KERNEL_RANGE(matmul_transposed_f32_ref, tenon_core_last_rows,
                  "f32, f32 -> f32");

CORE_OPERATOR(matmul_transposed, transposed_infer,
              (CORE_K(matmul_transposed_f32_ref)),
              "(Tensor a, Tensor b) -> Tensor",
              "Products of matrices: a [..., m, k], b [..., n, k].\n"
              "core::matmul of b with its last two dimensions exchanged, which "
              "is not copied: keys of attention as a cache holds them.",
              .macs = matmul_macs);
