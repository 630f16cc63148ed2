// core_units.c - rewrites of pass `canonicalise` that move a reshape behind
// what does not care for dimensions of 1.
//
// A row of pixels is an image of one line to core::conv, so there is a reshape
// on either side of it. Where one only drops dimensions of 1, what stands
// behind it is done with them instead and the reshape follows; then the two
// between neighbours meet and cancel, and limits, factors and borders stand
// beside the convolution of which they become part. Elements and their order
// stay as they are.
#include <string.h>

#include "core/dim.h"
#include "ops/core/rewrite/core_rewrite.h"

// A reshape: dimension i of what it is of becomes `at[i]`, or -1: is dropped.
typedef struct units {
  int at[TENON_MAX_RANK];
  const tenon_type *from;
  tenon_value *inner;
} units;

// The reshape that makes a plain value by dropping dimensions of 1; false:
// something else does.
static bool units_of(tenon_rewriter *rw, tenon_value *x, units *u) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  if (!p || strcmp(rw->api->op(rw, p), "core::reshape") != 0) return false;
  const tenon_type *t = tenon_rw_type(rw, x);
  int kept = 0;
  u->inner = tenon_rw_operand(rw, p, 0);
  u->from = tenon_rw_type(rw, u->inner);
  if (u->from->rank <= t->rank || t->quant || u->from->quant) return false;
  for (int i = 0; i < u->from->rank; ++i) {
    const tenon_dim d = u->from->dims[i];
    if (kept < t->rank && tenon_dim_equals(d, t->dims[kept]))
      u->at[i] = kept++;
    else if (!d.symbol && d.value == 1)
      u->at[i] = -1;
    else
      return false;
  }
  return kept == t->rank;
}

static bool units_agree(const units *a, const units *b) {
  return a->from->rank == b->from->rank &&
         memcmp(a->at, b->at, (size_t)a->from->rank * sizeof *a->at) == 0;
}

// `n` replaced by v without those dimensions.
static tenon_status units_give(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value *v) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  return tenon_core_rewrite_as(
      rw, n, "core::reshape", &v, 1,
      TENON_ARGS(tenon_arg_dims("shape", y->dims, (size_t)y->rank)));
}

// `n`, which is element-wise, of operands with those dimensions.
static tenon_value *units_each(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value *const *x, uint32_t count,
                               const units *u) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type type = *rw->api->result(rw, n, 0);
  for (int i = 0; i < u->from->rank; ++i)
    dims[i] = u->at[i] < 0 ? (tenon_dim){1, 0} : type.dims[u->at[i]];
  type.dims = dims;
  type.rank = u->from->rank;
  return tenon_rw_op_as(rw, rw->api->op(rw, n), x, count, NULL,
                        rw->api->args(rw, n), &type);
}

tenon_status tenon_core_units_unary(tenon_rewriter *rw, const tenon_node *n) {
  units u;
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (!units_of(rw, x, &u) || y->quant || tenon_rw_type(rw, x)->rank != y->rank)
    return TENON_OK;
  return units_give(rw, n, units_each(rw, n, &u.inner, 1, &u));
}

// An operand beside one that has the dimensions of `u`, with them as well; null
// where that is not certain.
static tenon_value *units_beside(tenon_rewriter *rw, tenon_value *x,
                                 const units *u) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tensor *c = rw->api->constant(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < u->from->rank; ++i)
    rank += u->at[i] >= 0;
  if (t->quant || t->rank > rank) return NULL;
  if (t->rank < 2) return x;
  for (int i = 0; i < u->from->rank; ++i) {
    const int own = u->at[i] - (rank - t->rank);
    const tenon_dim one = {1, 0};
    dims[i] = u->at[i] < 0 || own < 0 ? one : t->dims[own];
  }
  tenon_type type = *t;
  type.dims = dims;
  type.rank = u->from->rank;
  if (c && !c->strides) return rw->api->literal(rw, &type, c->data);
  return tenon_rw_op(rw, "core::reshape", &x, 1,
                     TENON_ARGS(tenon_arg_dims("shape", dims, type.rank)));
}

tenon_status tenon_core_units_binary(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x[] = {tenon_rw_operand(rw, n, 0), tenon_rw_operand(rw, n, 1)};
  const tenon_type *y = rw->api->result(rw, n, 0);
  units u[2];
  bool has[2];
  for (int i = 0; i < 2; ++i)
    has[i] = units_of(rw, x[i], &u[i]);
  if (!has[0] && !has[1]) return TENON_OK;
  const int by = has[0] ? 0 : 1;
  if (y->quant || tenon_rw_type(rw, x[by])->rank != y->rank) return TENON_OK;
  // A last dimension that is dropped would have to be one of lists, too.
  if (u[by].at[u[by].from->rank - 1] < 0) return TENON_OK;
  for (int i = 0; i < 2; ++i) {
    x[i] = has[i] && units_agree(&u[i], &u[by])
               ? u[i].inner
               : units_beside(rw, x[i], &u[by]);
    if (!x[i]) return TENON_OK;
  }
  return units_give(rw, n, units_each(rw, n, x, 2, &u[by]));
}

// pad and slice: lists with an entry per dimension, and what stands in them for
// one of 1.
tenon_status tenon_core_units_lists(tenon_rewriter *rw, const tenon_node *n,
                                    const char *const *lists,
                                    const int64_t *fill, int n_lists) {
  int64_t ints[3][TENON_MAX_RANK];
  tenon_core_args args;
  units u;
  if (!units_of(rw, tenon_rw_operand(rw, n, 0), &u) ||
      !tenon_core_take_args(rw, n, &args))
    return TENON_OK;
  const int rank = u.from->rank;
  for (int k = 0; k < n_lists; ++k) {
    tenon_arg *a = tenon_core_find_arg(&args, lists[k]);
    if (!a || a->kind != TENON_KIND_INTS) return TENON_OK;
    for (int i = 0; i < rank; ++i)
      ints[k][i] = u.at[i] < 0 ? fill[k] : a->as.ints.data[u.at[i]];
    *a = tenon_arg_ints(lists[k], ints[k], (size_t)rank);
  }
  return units_give(
      rw, n, tenon_rw_op(rw, rw->api->op(rw, n), &u.inner, 1, args.list));
}

enum { UNITS_JOINED = 12 };

tenon_status tenon_core_units_concat(tenon_rewriter *rw, const tenon_node *n) {
  const tenon_concat_attrs *a =
      (const tenon_concat_attrs *)tenon_rw_attrs(rw, n);
  const int rank = rw->api->result(rw, n, 0)->rank;
  const int64_t axis = a->axis < 0 ? a->axis + rank : a->axis;
  tenon_value *in[UNITS_JOINED];
  int first = 0, count = rw->api->group(rw, n, 0, &first), at = 0;
  units u[2];
  if (count < 1 || count > UNITS_JOINED) return TENON_OK;
  for (int i = 0; i < count; ++i) {
    units *own = &u[i > 0];
    if (!units_of(rw, tenon_rw_operand(rw, n, first + i), own) ||
        !units_agree(&u[0], own))
      return TENON_OK;
    in[i] = own->inner;
  }
  while (u[0].at[at] != axis)
    ++at;
  return units_give(rw, n, tenon_rw_concat(rw, in, count, at));
}
