// core_layout.c - rewrites of pass `canonicalise` that move a permutation
// behind what does not care for the order of dimensions, or a reshape behind
// what does not care for those of 1 (core_units.c).
//
// A model whose images have channels first has a permutation on either side of
// every convolution, since the core's have channels last. What stands between
// two of them is done on the permuted operand here, and its result permuted
// instead; then the two meet and cancel. Every element is computed from the
// same elements in the same order, so nothing changes but where it stands.
#include <string.h>

#include "core/dim.h"
#include "kern/loop/reduce.h"
#include "kern/op/move.h"
#include "ops/core/rewrite/core_rewrite.h"

// Result dimension i of a permutation is dimension dims[i] of its operand.
typedef struct order {
  int64_t dims[TENON_MAX_RANK];
  int rank;
  tenon_value *inner;  // what is permuted
} order;

// The permutation that makes a plain value; false: something else does.
static bool layout_op_order_of(tenon_rewriter *rw, tenon_value *x, order *out) {
  const tenon_node *p = x ? rw->api->producer(rw, x) : NULL;
  if (!p || strcmp(rw->api->op(rw, p), "core::permute") != 0) return false;
  const tenon_permute_attrs *a = tenon_rw_attrs(rw, p);
  out->inner = tenon_rw_operand(rw, p, 0);
  out->rank = (int)a->dims.count;
  for (int i = 0; i < out->rank; ++i)
    out->dims[i] =
        a->dims.data[i] < 0 ? a->dims.data[i] + out->rank : a->dims.data[i];
  return !tenon_rw_type(rw, x)->quant;
}

static bool same_order(const order *a, const order *b) {
  return a->rank == b->rank &&
         memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

// `n` replaced by y in another order.
static tenon_status layout_op_give(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *y, const int64_t *dims,
                                   int rank) {
  return tenon_core_rewrite_as(
      rw, n, "core::permute", &y, 1,
      TENON_ARGS(tenon_arg_ints("dims", dims, (size_t)rank)));
}

// `n`, which is element-wise, of operands in another order.
static tenon_value *layout_op_each(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value *const *x, uint32_t count,
                                   const order *o) {
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type type = *rw->api->result(rw, n, 0);
  for (int i = 0; i < o->rank; ++i)
    dims[o->dims[i]] = type.dims[i];
  type.dims = dims;
  return tenon_rw_op_as(rw, rw->api->op(rw, n), x, count, NULL,
                        rw->api->args(rw, n), &type);
}

// --- One operand -------------------------------------------------------------

static tenon_status move_unary(tenon_rewriter *rw, const tenon_node *n) {
  order o;
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (y->quant) return TENON_OK;
  if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, 0), &o))
    return tenon_core_units_unary(rw, n);
  if (y->rank != o.rank) return TENON_OK;
  tenon_value *v = layout_op_each(rw, n, &o.inner, 1, &o);
  return layout_op_give(rw, n, v, o.dims, o.rank);
}

// A list with an entry per dimension, in the order of the operand.
static bool turn_list(tenon_core_args *args, const char *name, const order *o,
                      int64_t *room) {
  tenon_arg *a = tenon_core_find_arg(args, name);
  if (!a || a->kind != TENON_KIND_INTS || a->as.ints.count != (size_t)o->rank)
    return false;
  for (int i = 0; i < o->rank; ++i)
    room[o->dims[i]] = a->as.ints.data[i];
  a->as.ints.data = room;
  return true;
}

// pad and slice; `fill`: what stands in a list for a dimension of 1.
static tenon_status window(tenon_rewriter *rw, const tenon_node *n,
                           const char *const *lists, const int64_t *fill,
                           int n_lists) {
  int64_t room[3][TENON_MAX_RANK];
  tenon_core_args args;
  order o;
  if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, 0), &o))
    return tenon_core_units_lists(rw, n, lists, fill, n_lists);
  if (!tenon_core_take_args(rw, n, &args)) return TENON_OK;
  for (int i = 0; i < n_lists; ++i)
    if (!turn_list(&args, lists[i], &o, room[i])) return TENON_OK;
  tenon_value *v = tenon_rw_op(rw, rw->api->op(rw, n), &o.inner, 1, args.list);
  return layout_op_give(rw, n, v, o.dims, o.rank);
}

CORE_LOWER(move_pad) {
  static const char *const lists[] = {"before", "after"};
  static const int64_t fill[] = {0, 0};
  return window(rw, n, lists, fill, 2);
}
CORE_LOWER(move_slice) {
  static const char *const lists[] = {"begin", "size", "step"};
  static const int64_t fill[] = {0, 1, 1};
  return window(rw, n, lists, fill, 3);
}

// An axis, counted in the operand's order.
CORE_LOWER(move_along) {
  tenon_core_args args;
  tenon_value *in[3];
  int at = 0, n_in = 0;
  order o;
  if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, 0), &o) ||
      !tenon_core_take_args(rw, n, &args))
    return TENON_OK;
  tenon_arg *axis = tenon_core_find_arg(&args, "axis");
  if (!axis || axis->kind != TENON_KIND_INT) return TENON_OK;
  int64_t d = axis->as.i < 0 ? axis->as.i + o.rank : axis->as.i;
  if (d < 0 || d >= o.rank) return TENON_OK;
  axis->as.i = o.dims[d];
  while (n_in < 3 && rw->api->group(rw, n, n_in, &at) == 1) {
    in[n_in] = tenon_rw_operand(rw, n, n_in);
    ++n_in;
  }
  in[0] = o.inner;
  tenon_value *v =
      tenon_rw_op(rw, rw->api->op(rw, n), in, (uint32_t)n_in, args.list);
  return layout_op_give(rw, n, v, o.dims, o.rank);
}

// --- Reshapes ----------------------------------------------------------------

// Which dimensions of y are dimension i of t cut into some, begin[i] ..
// begin[i + 1]; false: y is something else, or has other dimensions of 1.
static bool layout_op_cuts(const tenon_type *t, const tenon_type *y,
                           int *begin) {
  int at = 0, ones = 0;
  for (int i = 0; i < y->rank; ++i) {
    if (y->dims[i].symbol || y->dims[i].value < 1) return false;
    ones += y->dims[i].value == 1;
  }
  for (int i = 0; i < t->rank; ++i) {
    if (t->dims[i].symbol || at == y->rank) return false;
    begin[i] = at;
    int64_t size = y->dims[at++].value;
    while (size < t->dims[i].value && at < y->rank)
      size *= y->dims[at++].value;
    if (size != t->dims[i].value) return false;
    ones -= size == 1;
  }
  begin[t->rank] = at;
  return at == y->rank && ones == 0;
}

// Whether elements stay where they are: a permutation that only moves
// dimensions of 1 costs nothing.
static bool layout_op_stays(const order *o, const tenon_type *t) {
  int64_t last = -1;
  for (int i = 0; i < o->rank; ++i) {
    if (!t->dims[i].symbol && t->dims[i].value == 1) continue;
    if (o->dims[i] < last) return false;
    last = o->dims[i];
  }
  return true;
}

// One that cuts dimensions cuts those of the operand as well.
CORE_LOWER(move_reshape) {
  order o;
  int begin[TENON_MAX_RANK + 1], at = 0;
  int64_t dims[TENON_MAX_RANK];
  tenon_dim shape[TENON_MAX_RANK];
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (!layout_op_order_of(rw, x, &o) || y->quant || y->rank <= o.rank ||
      rw->api->uses(rw, x) != 1 || layout_op_stays(&o, tenon_rw_type(rw, x)) ||
      !layout_op_cuts(tenon_rw_type(rw, x), y, begin))
    return TENON_OK;
  for (int d = 0; d < o.rank; ++d) {
    int i = 0;
    while (o.dims[i] != d)
      ++i;
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      dims[k] = at;
      shape[at++] = y->dims[k];
    }
  }
  tenon_value *v =
      tenon_rw_op(rw, "core::reshape", &o.inner, 1,
                  TENON_ARGS(tenon_arg_dims("shape", shape, (size_t)y->rank)));
  return layout_op_give(rw, n, v, dims, y->rank);
}

// A permutation of dimensions that a reshape joined of what is permuted already
// is one of what it joined; then the two permutations are one.
CORE_LOWER(move_joined) {
  order own, inner;
  int begin[TENON_MAX_RANK + 1], at = 0;
  int64_t dims[TENON_MAX_RANK];
  tenon_value *joined = tenon_rw_operand(rw, n, 0);
  const tenon_node *p = rw->api->producer(rw, joined);
  const tenon_type *y = rw->api->result(rw, n, 0);
  if (!p || strcmp(rw->api->op(rw, p), "core::reshape") != 0 ||
      rw->api->uses(rw, joined) != 1 || y->quant)
    return TENON_OK;
  tenon_value *x = tenon_rw_operand(rw, p, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (rw->api->uses(rw, x) != 1 || t->rank <= y->rank ||
      !layout_op_order_of(rw, x, &inner) ||
      !layout_op_cuts(tenon_rw_type(rw, joined), t, begin))
    return TENON_OK;
  const tenon_permute_attrs *a = tenon_rw_attrs(rw, n);
  own.rank = (int)a->dims.count;
  for (int i = 0; i < own.rank; ++i) {
    const int64_t from = a->dims.data[i] + (a->dims.data[i] < 0 ? own.rank : 0);
    for (int k = begin[from]; k < begin[from + 1]; ++k)
      dims[at++] = k;
  }
  const tenon_arg order_args[] = {tenon_arg_ints("dims", dims, (size_t)t->rank),
                                  TENON_END_ARGS};
  const tenon_arg shape[] = {tenon_arg_dims("shape", y->dims, (size_t)y->rank),
                             TENON_END_ARGS};
  tenon_value *v = tenon_rw_op(rw, "core::permute", &x, 1, order_args);
  return tenon_core_rewrite_as(rw, n, "core::reshape", &v, 1, shape);
}

// --- Reductions --------------------------------------------------------------

// The order in which elements are summed must stay, so the reduced dimensions
// have to stand in the same order.
CORE_LOWER(move_reduce) {
  const tenon_reduce_attrs *a = tenon_rw_attrs(rw, n);
  int64_t reduced[TENON_MAX_RANK], kept[TENON_MAX_RANK], last = -1;
  int n_reduced = 0, n_kept = 0;
  order o;
  if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, 0), &o)) return TENON_OK;
  for (int d = 0; d < o.rank; ++d) {
    if (tenon_reduce_has(a->dims, d, o.rank)) {
      if (o.dims[d] < last) return TENON_OK;
      reduced[n_reduced++] = last = o.dims[d];
    } else {
      kept[n_kept++] = o.dims[d];
    }
  }
  if (n_reduced == 0) return TENON_OK;
  tenon_value *v =
      tenon_rw_op(rw, rw->api->op(rw, n), &o.inner, 1,
                  TENON_ARGS(tenon_arg_ints("dims", reduced, (size_t)n_reduced),
                             tenon_arg_bool("keepdim", a->keepdim)));
  if (a->keepdim) return layout_op_give(rw, n, v, o.dims, o.rank);
  // Dimensions that are gone no longer count.
  for (int i = 0; i < n_kept; ++i) {
    int64_t below = 0;
    for (int k = 0; k < n_reduced; ++k)
      below += reduced[k] < kept[i];
    kept[i] -= below;
  }
  return layout_op_give(rw, n, v, kept, n_kept);
}

// --- Operands that broadcast
// ------------------------------------------------------------

// An operand with at most one dimension that is not 1 is the same elements in
// any order; null where it is not.
static tenon_value *layout_op_turned(tenon_rewriter *rw, tenon_value *x,
                                     const order *o) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tensor *c = rw->api->constant(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  int wide = 0;
  if (t->quant || t->rank > o->rank) return NULL;
  for (int i = 0; i < o->rank; ++i) {
    int own = i - (o->rank - t->rank);
    tenon_dim one = {1, 0};
    dims[o->dims[i]] = own < 0 ? one : t->dims[own];
    wide += own >= 0 && (t->dims[own].symbol || t->dims[own].value != 1);
  }
  if (wide == 0) return x;
  if (wide > 1) return NULL;
  tenon_type type = *t;
  type.dims = dims;
  type.rank = (uint8_t)o->rank;
  if (c && !c->strides) return rw->api->literal(rw, &type, c->data);
  return tenon_rw_op(
      rw, "core::reshape", &x, 1,
      TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)o->rank)));
}

// What operand x repeats, where the other one has all sizes of the result that
// it has not; else null.
static tenon_value *layout_op_unrepeated(tenon_rewriter *rw, tenon_value *x,
                                         tenon_value *other,
                                         const tenon_type *y) {
  const tenon_node *p = rw->api->producer(rw, x);
  if (!p || strcmp(rw->api->op(rw, p), "core::expand") != 0) return NULL;
  tenon_value *inner = tenon_rw_operand(rw, p, 0);
  const tenon_type *t[] = {tenon_rw_type(rw, inner), tenon_rw_type(rw, other)};
  for (int i = 0; i < y->rank; ++i) {
    bool has = !y->dims[i].symbol && y->dims[i].value == 1;
    for (int k = 0; k < 2; ++k) {
      const int own = i - (y->rank - t[k]->rank);
      has = has || (own >= 0 && tenon_dim_equals(t[k]->dims[own], y->dims[i]));
    }
    if (!has) return NULL;
  }
  return y->quant ? NULL : inner;
}

static bool layout_op_is_permuted(tenon_rewriter *rw, tenon_value *const *x,
                                  int count) {
  order o;
  for (int i = 0; i < count; ++i)
    if (layout_op_order_of(rw, x[i], &o)) return true;
  return false;
}

// Operands that broadcast, `count` of them: the first that is permuted says by
// which order, and the others are in it, too, or the same in any.
static tenon_status layout_op_move(tenon_rewriter *rw, const tenon_node *n,
                                   tenon_value **x, int count) {
  const tenon_type *y = rw->api->result(rw, n, 0);
  order by, o;
  int first = 0;
  while (first < count && !layout_op_order_of(rw, x[first], &by))
    ++first;
  if (first == count || by.rank != y->rank || y->quant) return TENON_OK;
  for (int i = 0; i < count; ++i) {
    x[i] = layout_op_order_of(rw, x[i], &o) && same_order(&o, &by)
               ? o.inner
               : layout_op_turned(rw, x[i], &by);
    if (!x[i]) return TENON_OK;
  }
  tenon_value *v = layout_op_each(rw, n, x, (uint32_t)count, &by);
  return layout_op_give(rw, n, v, by.dims, by.rank);
}

static tenon_status move_binary(tenon_rewriter *rw, const tenon_node *n) {
  tenon_value *x[] = {tenon_rw_operand(rw, n, 0), tenon_rw_operand(rw, n, 1)};
  const tenon_type *y = rw->api->result(rw, n, 0);
  for (int i = 0; i < 2; ++i) {
    tenon_value *inner = layout_op_unrepeated(rw, x[i], x[1 - i], y);
    if (!inner) continue;
    x[i] = inner;
    return tenon_core_rewrite_as(rw, n, rw->api->op(rw, n), x, 2,
                                 rw->api->args(rw, n));
  }
  if (!layout_op_is_permuted(rw, x, 2)) return tenon_core_units_binary(rw, n);
  return layout_op_move(rw, n, x, 2);
}

enum { MOST_EACH = 8 };

// What is element-wise, a stranger's too.
CORE_LOWER(move_each) {
  tenon_value *x[MOST_EACH];
  int count = 0, at = 0, size;
  while ((size = rw->api->group(rw, n, count, &at)) != 0) {
    if (size != 1 || count == MOST_EACH) return TENON_OK;
    x[count] = tenon_rw_operand(rw, n, count);
    if (!x[count]) return TENON_OK;
    ++count;
  }
  // One that is left out in between.
  if (tenon_rw_operand(rw, n, count)) return TENON_OK;
  return count == 1   ? move_unary(rw, n)
         : count == 2 ? move_binary(rw, n)
                      : layout_op_move(rw, n, x, count);
}

// --- Many --------------------------------------------------------------------

enum { MAX_JOINED = 12 };

CORE_LOWER(move_concat) {
  const tenon_concat_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *in[MAX_JOINED];
  int first = 0, count = rw->api->group(rw, n, 0, &first);
  order o[2];
  if (count < 1 || count > MAX_JOINED) return TENON_OK;
  if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, first), &o[0]))
    return tenon_core_units_concat(rw, n);
  for (int i = 0; i < count; ++i) {
    order *at = &o[i > 0];
    if (!layout_op_order_of(rw, tenon_rw_operand(rw, n, first + i), at) ||
        !same_order(&o[0], at))
      return TENON_OK;
    in[i] = at->inner;
  }
  int64_t axis = a->axis < 0 ? a->axis + o[0].rank : a->axis;
  tenon_value *v = tenon_rw_concat(rw, in, count, o[0].dims[axis]);
  return layout_op_give(rw, n, v, o[0].dims, o[0].rank);
}
