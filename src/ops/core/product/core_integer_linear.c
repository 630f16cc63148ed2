// core_integer_linear.c - core::integer_linear and core::dynamic_linear: rows
// of 8-bit integers times a transposed matrix of them, without scales that a
// type would have.
#include "ops/core/product/core_integer_linear.h"

#include <inttypes.h>
#include <string.h>

#include "ops/core/core_rule.h"
#include "ops/core/core_shapes.h"

tenon_status tenon_core_check_blocks(tenon_infer *c, const tenon_shapes *s,
                                     const char *name) {
  const int64_t blocks = tenon_shapes_get(s, name).value;
  const int64_t k = tenon_shapes_get(s, "k").value;
  if (blocks == TENON_UNKNOWN || (blocks > 0 && k % blocks == 0))
    return TENON_OK;
  return tenon_infer_fail(
      c, "%" PRId64 " blocks of rows of w, which have %" PRId64 " columns",
      blocks, k);
}

static bool integer_linear_is_one(tenon_dim d) {
  return !d.symbol && d.value == 1;
}

// A number for all, or for each row of x: dimensions of x, the last one 1.
static tenon_status check_rows(tenon_infer *c, int i, const char *what) {
  const tenon_type *x = tenon_infer_in(c, 0), *t = tenon_infer_in(c, i);
  bool is_single = true, fits = t && t->rank == x->rank;
  for (int d = 0; t && d < t->rank; ++d)
    is_single = is_single && integer_linear_is_one(t->dims[d]);
  if (!t || is_single) return TENON_OK;
  for (int d = 0; fits && d < x->rank; ++d)
    fits = d == x->rank - 1 ? integer_linear_is_one(t->dims[d])
                            : tenon_core_equal(c, t->dims[d], x->dims[d]);
  return fits ? TENON_OK
              : tenon_infer_fail(c, "%s has neither one number nor one a row",
                                 what);
}

CORE_SHAPES(integer_linear_infer, "x[...,k], w[n,k]! -> s32[...,n]")

static tenon_status dynamic_linear_infer(tenon_infer *c) {
  tenon_shapes s = {.n_names = 0};
  TENON_TRY(
      tenon_core_shapes_with(c, &s,
                             "x[...,k], w[n,k]!, x_scale, x_zero?, "
                             "scale?[n,blocks]!, bias?[n] -> f32[...,n]"));
  TENON_TRY(check_rows(c, 2, "x_scale"));
  TENON_TRY(check_rows(c, 3, "x_zero"));
  return tenon_core_check_blocks(c, &s, "blocks");
}

// --- Half bytes --------------------------------------------------------------

bool tenon_core_is_narrow(const tenon_call *c) {
  const int8_t *q = (const int8_t *)c->in[1].data;
  const size_t count = q ? tenon_count(&c->in[1]) : 0;
  for (size_t i = 0; i < count; ++i)
    if (q[i] < -8 || q[i] > 7) return false;
  return count > 0;
}

size_t tenon_core_narrow_size(const tenon_call *c) {
  return (tenon_count(&c->in[1]) + 1) / 2;
}

tenon_status tenon_core_narrow_pack(const tenon_call *c, void *packed) {
  const int8_t *q = (const int8_t *)c->in[1].data;
  uint8_t *to = (uint8_t *)packed;
  memset(to, 0, tenon_core_narrow_size(c));
  for (size_t i = 0; i < tenon_count(&c->in[1]); ++i)
    to[i / 2] = (uint8_t)(to[i / 2] | (q[i] & 15) << (i % 2 ? 4 : 0));
  return TENON_OK;
}

// --- The operators -----------------------------------------------------------

CORE_KERNEL_RANGE(integer_linear_s8_ref, tenon_core_items,
                  TENON_INTEGER_LINEAR_TYPES);
CORE_OPERATOR(
    integer_linear, integer_linear_infer, (CORE_K(integer_linear_s8_ref)),
    "(Tensor x, Tensor w) -> Tensor",
    "Multiplies rows of 8-bit integers by a transposed matrix of them.\n"
    "x [..., k], w [n, k]; sums have 32 bits and wrap.",
    .macs = tenon_core_product_macs);

CORE_KERNEL_RANGE(dynamic_linear_s8_ref, tenon_core_items,
                  TENON_DYNAMIC_LINEAR_TYPES);
CORE_KERNEL_RANGE(dynamic_linear_s8s4_ref, tenon_core_items,
                  TENON_DYNAMIC_LINEAR_TYPES,
                  TENON_CORE_NARROW("core::dynamic_linear"));
CORE_OPERATOR(
    dynamic_linear, dynamic_linear_infer,
    (CORE_K(dynamic_linear_s8_ref), CORE_K(dynamic_linear_s8s4_ref)),
    "(Tensor x, Tensor w, Tensor x_scale, Tensor? x_zero=None, Tensor? "
    "scale=None, Tensor? bias=None) -> Tensor",
    "Multiplies rows of scaled integers by a transposed matrix of them.\n"
    "x stands for (x - x_zero) * x_scale, one of each or one a row, w [n, k] "
    "for w * scale, with scales [n, blocks]; a block's sum is exact.",
    .macs = tenon_core_product_macs);
