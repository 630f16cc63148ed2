// core_fuse_heads.c - pass `fuse`: attention whose operands are brought from
// [..., rows, heads, width] into the order that it takes reads them as they
// lie, and its result is brought back instead.
//
// A network makes rows of all heads by products of matrices, and the next
// product wants such rows again: so nothing is copied between them. Every sum
// is that of the same elements, so all bits stay.
#include <string.h>

#include "kern/op/move.h"
#include "kern/product/attention.h"
#include "ops/core/rewrite/core_rewrite.h"

static bool is_one(tenon_dim d) {
  return !d.symbol && d.value == 1;
}

// Places of the dimensions that are not 1; how many.
static int longer_dims(const tenon_type *t, int *places) {
  int n = 0;
  for (int d = 0; d < t->rank; ++d)
    if (!is_one(t->dims[d])) places[n++] = d;
  return n;
}

static bool heads_same_dims(const tenon_type *a, const int *places_a,
                            const tenon_type *b, const int *places_b, int n) {
  for (int i = 0; i < n; ++i) {
    const tenon_dim x = a->dims[places_a[i]], y = b->dims[places_b[i]];
    if (x.symbol != y.symbol || x.value != y.value) return false;
  }
  return true;
}

// The rows of heads of which a permutation makes [..., heads, rows, width],
// under dimensions of that order; null: something else made it. Dimensions of 1
// may stand elsewhere, and a cast behind it.
static tenon_value *rows_of_heads(tenon_rewriter *rw, tenon_value *v) {
  int own[TENON_MAX_RANK], made[TENON_MAX_RANK];
  const tenon_type *t = tenon_rw_type(rw, v);
  const int rank = t->rank, n = longer_dims(t, own);
  tenon_value *x = v;
  const tenon_node *p = rw->api->producer(rw, x);
  const tenon_node *cast = NULL;
  if (p && strcmp(rw->api->op(rw, p), "core::cast") == 0) {
    cast = p;
    x = tenon_rw_operand(rw, p, 0);
    p = rw->api->producer(rw, x);
  }
  if (p && strcmp(rw->api->op(rw, p), "core::reshape") == 0) {
    x = tenon_rw_operand(rw, p, 0);
    p = rw->api->producer(rw, x);
  }
  if (!p || strcmp(rw->api->op(rw, p), "core::permute") != 0 || n < 3 ||
      own[n - 3] != rank - 3 || own[n - 2] != rank - 2)
    return NULL;
  const tenon_permute_attrs *a = tenon_rw_attrs(rw, p);
  const tenon_type *y = tenon_rw_type(rw, x);
  if (longer_dims(y, made) != n || !heads_same_dims(t, own, y, made, n))
    return NULL;
  // Where they come from: in order, but for heads and rows.
  int64_t last = -1;
  for (int i = 0; i < n; ++i) {
    const int at = i == n - 3 ? n - 2 : i == n - 2 ? n - 3 : i;
    int64_t from = a->dims.data[made[at]];
    if (from < 0) from += y->rank;
    if (from < last) return NULL;
    last = from;
  }
  tenon_dim dims[TENON_MAX_RANK];
  memcpy(dims, t->dims, sizeof *dims * (size_t)rank);
  dims[rank - 3] = t->dims[rank - 2];
  dims[rank - 2] = t->dims[rank - 3];
  const tenon_arg shape[] = {tenon_arg_dims("shape", dims, (size_t)rank),
                             TENON_END_ARGS};
  x = tenon_rw_operand(rw, p, 0);
  const tenon_type *lies = tenon_rw_type(rw, x);
  tenon_type turned = *t;
  turned.dims = dims;
  turned.dtype = lies->dtype;
  if (!tenon_core_same_type(lies, &turned))
    x = tenon_rw_op(rw, "core::reshape", &x, 1, shape);
  return cast ? tenon_rw_op(rw, "core::cast", &x, 1, rw->api->args(rw, cast))
              : x;
}

CORE_LOWER(fuse_heads) {
  tenon_value *in[4] = {NULL, NULL, NULL, tenon_rw_operand(rw, n, 3)};
  tenon_core_args args;
  if (!tenon_core_take_args(rw, n, &args)) return TENON_OK;
  tenon_arg *first = tenon_core_find_arg(&args, "rows_first");
  if (!first || first->kind != TENON_KIND_BOOL || first->as.i) return TENON_OK;
  for (int i = 0; i < 3; ++i) {
    in[i] = rows_of_heads(rw, tenon_rw_operand(rw, n, i));
    if (!in[i]) return TENON_OK;
  }
  first->as.i = 1;
  const int rank = rw->api->result(rw, n, 0)->rank;
  int64_t dims[TENON_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    dims[d] = d;
  dims[rank - 3] = rank - 2;
  dims[rank - 2] = rank - 3;
  tenon_value *y = tenon_rw_op(rw, "core::attention", in, 4, args.list);
  return tenon_core_rewrite_as(
      rw, n, "core::permute", &y, 1,
      TENON_ARGS(tenon_arg_ints("dims", dims, (size_t)rank)));
}
