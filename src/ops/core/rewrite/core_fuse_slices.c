// core_fuse_slices.c - pass `fuse`: of a product with constant weights of which
// a slice of channels is taken, those channels alone, by as much of the
// weights.
//
// So are queries, keys and values made that a network computes by one matrix:
// each becomes a product of its own, and nothing is copied out of their common
// rows. Sums of one channel do not depend on the others, so all bits stay. It
// is done where no more is computed than before: the result is only read by
// slices, so many that they are at most the whole. A cast of the result to 16
// bits, or a shape it is given, goes to each slice.
#include <string.h>

#include "kern/product/conv.h"
#include "ops/core/rewrite/core_rewrite.h"

// Channels begin .. begin + count of a product's result.
typedef struct cut {
  const tenon_node *product;
  int64_t begin, count;
  bool is_cast;  // the result is, before it is cut
} cut;

static bool fuse_slices_is_float(const tenon_type *t) {
  return !t->quant && (t->dtype == TENON_F32 || t->dtype == TENON_F16 ||
                       t->dtype == TENON_BF16);
}

// The node behind which *x is reshaped, or cast from floats, and nothing else;
// *x: its result.
static const tenon_node *fuse_slices_behind(tenon_rewriter *rw, tenon_value **x,
                                            bool *is_cast) {
  const tenon_node *p = rw->api->producer(rw, *x);
  *is_cast = false;
  for (int i = 0; p && i < 3; ++i) {
    const bool casts =
        !*is_cast && strcmp(rw->api->op(rw, p), "core::cast") == 0;
    if (!casts && strcmp(rw->api->op(rw, p), "core::reshape") != 0) return p;
    tenon_value *from = tenon_rw_operand(rw, p, 0);
    if (rw->api->uses(rw, from) != 1 ||
        (casts && tenon_rw_type(rw, from)->dtype != TENON_F32))
      return NULL;
    *is_cast |= casts;
    *x = from;
    p = rw->api->producer(rw, from);
  }
  return p;
}

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

// A convolution whose windows of x are not transformed for all of its channels
// at once (pass `winograd`) is one as well.
static bool fuse_slices_is_product(tenon_rewriter *rw, const tenon_node *p) {
  if (strcmp(rw->api->op(rw, p), "core::fully_connected") == 0) return true;
  if (strcmp(rw->api->op(rw, p), "core::conv") != 0) return false;
  const tenon_conv_attrs *a = (const tenon_conv_attrs *)tenon_rw_attrs(rw, p);
  const tenon_type *w = tenon_rw_type(rw, tenon_rw_operand(rw, p, 1));
  return a->groups == 1 && w->rank == 4 &&
         w->dims[1].value * w->dims[2].value < 9;
}

static bool fuse_slices_find(tenon_rewriter *rw, const tenon_node *n, cut *c) {
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_slice_attrs *a = tenon_rw_attrs(rw, n);
  if (!fuse_slices_is_float(t) || tenon_core_type_count(t) < 1 ||
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
  const tenon_node *p = fuse_slices_behind(rw, &x, &c->is_cast);
  if (!p || !fuse_slices_is_product(rw, p)) return false;
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

CORE_LOWER(fuse_slice) {
  tenon_value *in[5] = {NULL};
  tenon_core_args args;
  cut c;
  // Panels of weights are not cut, which the kernels pack.
  if (!fuse_slices_find(rw, n, &c) || c.count % 32 != 0 || c.begin % 32 != 0 ||
      !tenon_core_take_args(rw, c.product, &args))
    return TENON_OK;
  in[0] = tenon_rw_operand(rw, c.product, 0);
  if (!fuse_slices_is_float(tenon_rw_type(rw, in[0]))) return TENON_OK;
  for (int i = 1; i < 5; ++i)
    if (!take_rows(rw, tenon_rw_operand(rw, c.product, i), &c, &in[i]))
      return TENON_OK;
  tenon_value *y =
      tenon_rw_op(rw, rw->api->op(rw, c.product), in, 5, args.list);
  const tenon_type *want = rw->api->result(rw, n, 0);
  if (c.is_cast) {
    tenon_arg as[] = {{"dtype", TENON_KIND_DTYPE, {0}}, TENON_END_ARGS};
    as[0].as.i = want->dtype;
    y = tenon_rw_op(rw, "core::cast", &y, 1, as);
  }
  y = tenon_rw_op(
      rw, "core::reshape", &y, 1,
      TENON_ARGS(tenon_arg_dims("shape", want->dims, (size_t)want->rank)));
  return rw->api->replace(rw, n, &y, 1);
}
