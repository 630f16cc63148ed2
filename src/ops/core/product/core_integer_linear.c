// core_integer_linear.c - core::integer_linear and core::dynamic_linear: rows
// of 8-bit integers times a transposed matrix of them, without scales that a
// type would have.
#include "ops/core/product/core_integer_linear.h"

#include <inttypes.h>
#include <string.h>

#include "ops/core/core_rule.h"

// The result's dimensions, of x [..., k] and w [n, k].
static tenon_status rows_by_outputs(tenon_infer *c, tenon_dim *dims) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (w->rank != 2 || w->dims[0].symbol || w->dims[1].symbol)
    return tenon_infer_fail(c, "w has no two dimensions of known sizes");
  if (x->rank < 1 || !tenon_core_equal(c, x->dims[x->rank - 1], w->dims[1]))
    return tenon_infer_fail(c, "x has no rows of %" PRId64, w->dims[1].value);
  for (int d = 0; d < x->rank - 1; ++d)
    dims[d] = x->dims[d];
  dims[x->rank - 1] = w->dims[0];
  return TENON_OK;
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

static tenon_status integer_linear_infer(tenon_infer *c) {
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(rows_by_outputs(c, dims));
  return tenon_core_out(c, 0, TENON_S32, dims, tenon_infer_in(c, 0)->rank);
}

static tenon_status dynamic_linear_infer(tenon_infer *c) {
  const tenon_type *w = tenon_infer_in(c, 1), *scale = tenon_infer_in(c, 4);
  const tenon_type *bias = tenon_infer_in(c, 5);
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(rows_by_outputs(c, dims));
  TENON_TRY(check_rows(c, 2, "x_scale"));
  TENON_TRY(check_rows(c, 3, "x_zero"));
  if (scale &&
      (scale->rank != 2 || scale->dims[1].symbol || scale->dims[1].value < 1 ||
       !tenon_core_equal(c, scale->dims[0], w->dims[0]) ||
       w->dims[1].value % scale->dims[1].value))
    return tenon_infer_fail(c,
                            "scale must have a row for each of w, whose "
                            "%" PRId64 " columns fall into its blocks",
                            w->dims[1].value);
  if (bias &&
      (bias->rank != 1 || !tenon_core_equal(c, bias->dims[0], w->dims[0])))
    return tenon_infer_fail(c, "bias must have %" PRId64 " elements",
                            w->dims[0].value);
  return tenon_core_out(c, 0, TENON_F32, dims, tenon_infer_in(c, 0)->rank);
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
