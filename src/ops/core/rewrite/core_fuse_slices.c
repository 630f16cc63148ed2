// core_fuse_slices.c - pass `fuse`: of a product with constant weights of which
// a slice of channels is taken, those channels alone, by as much of the
// weights.
//
// So are queries, keys and values made that a network computes by one matrix:
// each becomes a product of its own, and nothing is copied out of their common
// rows. Sums of one channel do not depend on the others, so all bits stay. It
// is done where no more is computed than before: the result is only read by
// slices, so many that they are at most the whole.
#include <string.h>

#include "ops/core/rewrite/core_rewrite.h"

// Channels begin .. begin + count of a product's result.
typedef struct cut {
  const tenon_node *product;
  int64_t begin, count;
} cut;

// The only dimension that a slice cuts, -1: there is none, or it takes steps.
static int dimension_of(const tenon_type *x, const tenon_slice_attrs *a) {
  int found = -1;
  for (int d = 0; d < x->rank; ++d) {
    if (a->begin.data[d] == 0 && a->size.data[d] == x->dims[d].value &&
        a->step.data[d] == 1)
      continue;
    if (found >= 0 || a->step.data[d] != 1 || a->begin.data[d] < 0) return -1;
    found = d;
  }
  return found;
}

static bool fuse_slices_find(tenon_rewriter *rw, const tenon_node *n, cut *c) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_slice_attrs *a = (const tenon_slice_attrs *)tenon_rw_attrs(rw, n);
  if (t->dtype != TENON_F32 || t->quant || tenon_core_type_count(t) < 1 ||
      a->begin.count != t->rank || a->size.count != t->rank ||
      a->step.count != t->rank)
    return false;
  const int d = dimension_of(t, a);
  // A size that is open is below 0.
  if (d < 0 || a->size.data[d] < 1 ||
      a->size.data[d] > t->dims[d].value / rw->api->uses(rw, x))
    return false;
  // Rows of channels may have been cut into matrices.
  int64_t inner = 1;
  for (int i = d + 1; i < t->rank; ++i)
    inner *= t->dims[i].value;
  const tenon_node *p = rw->api->producer(rw, x);
  if (p && strcmp(rw->api->op(rw, p), "core::reshape") == 0) {
    x = tenon_rw_operand(rw, p, 0);
    if (rw->api->uses(rw, x) != 1) return false;
    p = rw->api->producer(rw, x);
  }
  if (!p || strcmp(rw->api->op(rw, p), "core::fully_connected") != 0)
    return false;
  const tenon_type *y = tenon_rw_type(rw, x);
  c->product = p;
  c->begin = a->begin.data[d] * inner;
  c->count = a->size.data[d] * inner;
  return t->dims[d].value * inner == y->dims[y->rank - 1].value;
}

// So many rows of a constant of floats; an absent one stays so. False: it is
// something else.
static bool take_rows(tenon_rewriter *rw, tenon_value *v, const cut *c,
                      tenon_value **out) {
  *out = NULL;
  if (!v) return true;
  if (tenon_rw_type(rw, v)->dtype != TENON_F32) return false;
  *out = rw->api->rows(rw, v, c->begin, c->count);
  return *out != NULL;
}

static tenon_status slice(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *in[5] = {NULL};
  tenon_core_args args;
  cut c;
  // Panels of weights are not cut, which the kernels pack.
  if (!fuse_slices_find(rw, n, &c) || c.count % 32 != 0 || c.begin % 32 != 0 ||
      !tenon_core_take_args(rw, c.product, &args))
    return TENON_OK;
  in[0] = tenon_rw_operand(rw, c.product, 0);
  if (tenon_rw_type(rw, in[0])->dtype != TENON_F32) return TENON_OK;
  for (int i = 1; i < 5; ++i)
    if (!take_rows(rw, tenon_rw_operand(rw, c.product, i), &c, &in[i]))
      return TENON_OK;
  tenon_value *y = tenon_rw_op(rw, "core::fully_connected", in, 5, args.list);
  const tenon_type *want = rw->api->result(rw, n, 0);
  const tenon_arg shape[] = {
      tenon_arg_dims("shape", want->dims, (size_t)want->rank), TENON_END_ARGS};
  y = tenon_rw_op(rw, "core::reshape", &y, 1, shape);
  return rw->api->replace(rw, n, &y, 1);
}

const tenon_lowering_desc tenon_core_fuse_slices =
    CORE_REWRITE(slice, "core slice into product", "core::slice", "fuse",
                 "core::fully_connected core::reshape");
