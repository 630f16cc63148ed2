// auto_functionalized: the region calls the operator on views of the bases;
// what it wrote there goes back into them. The pass `functional` has made the
// region return the written values before this runs.
#include <string.h>

#include "core/strided.h"
#include "ops/higher_order/ho_op.h"

#define MOST_WRITTEN 64

// Attributes are lists of sizes, read as they are needed.
typedef struct views {
  tenon_rewriter *rw;
  const tenon_node *node;
  int n;        // written arguments
  int strided;  // those with strides so far
  int entries;  // entries of size and stride so far
} views;

// One written argument's window on its base.
typedef struct window {
  int base;
  bool is_whole;
  bool is_strided;  // as the file says, which may have an element twice
  tenon_dim offset;
  tenon_dim size[TENON_MAX_RANK], stride[TENON_MAX_RANK];
  int rank;
} window;

static tenon_dim ho_entry(const views *v, const char *list, int i) {
  return v->rw->api->size(v->rw, v->node, list, i);
}

static tenon_dim ho_apply(tenon_rewriter *rw, tenon_dim_op op, tenon_dim a,
                          tenon_dim b) {
  return rw->api->dim(rw, op, a, b);
}

// As Python cuts: from the end when negative, brought within.
static tenon_dim ho_bound(tenon_rewriter *rw, tenon_dim at, tenon_dim whole) {
  if (!at.symbol && at.value < 0) at = ho_apply(rw, TENON_DIM_ADD, whole, at);
  at = ho_apply(rw, TENON_DIM_MIN, at, whole);
  return ho_apply(rw, TENON_DIM_MAX, at, tenon_ho_dim(0));
}

static void dense(tenon_rewriter *rw, const tenon_type *t, window *w) {
  tenon_dim below = tenon_ho_dim(1);
  w->rank = t->rank;
  w->offset = tenon_ho_dim(0);
  for (int d = t->rank; d-- > 0;) {
    w->size[d] = t->dims[d];
    w->stride[d] = below;
    below = ho_apply(rw, TENON_DIM_MUL, below, t->dims[d]);
  }
}

static tenon_status ho_cut(const views *v, int i, const tenon_type *t,
                           window *w) {
  tenon_rewriter *rw = v->rw;
  int64_t d = ho_entry(v, "slice", 3 * i).value;
  if (d < -t->rank || d >= t->rank)
    return tenon_rw_fail(rw,
                         "written argument %d is cut along dimension %lld "
                         "of %d",
                         i, (long long)d, t->rank);
  tenon_dim begin = ho_bound(rw, ho_entry(v, "slice", 3 * i + 1), t->dims[d]);
  tenon_dim end = ho_bound(rw, ho_entry(v, "slice", 3 * i + 2), t->dims[d]);
  w->size[d] = ho_apply(rw, TENON_DIM_MAX, tenon_ho_dim(0),
                        ho_apply(rw, TENON_DIM_SUB, end, begin));
  w->offset = ho_apply(rw, TENON_DIM_MUL, begin, w->stride[d]);
  w->is_whole = false;
  return TENON_OK;
}

static tenon_status ho_spread(views *v, int i, int rank, window *w) {
  if (rank > TENON_MAX_RANK)
    return tenon_rw_fail(v->rw, "written argument %d has %d dimensions", i,
                         rank);
  w->rank = rank;
  w->is_whole = false;
  w->is_strided = true;
  w->offset = ho_entry(v, "offset", v->strided++);
  bool is_short = tenon_dim_is_none(w->offset);
  for (int d = 0; d < rank; ++d, ++v->entries) {
    w->size[d] = ho_entry(v, "size", v->entries);
    w->stride[d] = ho_entry(v, "stride", v->entries);
    is_short |=
        tenon_dim_is_none(w->size[d]) || tenon_dim_is_none(w->stride[d]);
  }
  if (is_short)
    return tenon_rw_fail(v->rw,
                         "the strides of written argument %d are not "
                         "all there",
                         i);
  return TENON_OK;
}

// Windows must be asked for in order.
static tenon_status next_window(views *v, int i, const tenon_ho_list *bases,
                                window *w) {
  memset(w, 0, sizeof *w);
  w->is_whole = true;
  w->base = (int)ho_entry(v, "base", i).value;
  if (w->base < 0 || w->base >= bases->n)
    return tenon_rw_fail(v->rw, "written argument %d is of base %d of %d", i,
                         w->base, bases->n);
  const tenon_type *t = tenon_rw_type(v->rw, bases->data[w->base]);
  if (!t) return TENON_OK;  // `replace` reports it
  dense(v->rw, t, w);
  tenon_dim rank = ho_entry(v, "rank", i), dim = ho_entry(v, "slice", 3 * i);
  if (!tenon_dim_is_none(rank) && rank.value >= 0)
    return ho_spread(v, i, (int)rank.value, w);
  return tenon_dim_is_none(dim) || dim.value == -1 ? TENON_OK
                                                   : ho_cut(v, i, t, w);
}

static tenon_value *ho_look(tenon_rewriter *rw, const window *w,
                            tenon_value *x) {
  if (w->is_whole) return x;
  return tenon_ho_make(
      rw, "core::as_strided", &x, 1,
      TENON_ARGS(tenon_arg_dims("size", w->size, (size_t)w->rank),
                 tenon_arg_dims("stride", w->stride, (size_t)w->rank),
                 tenon_arg_dims("offset", &w->offset, 1)),
      NULL);
}

static tenon_value *ho_write(tenon_rewriter *rw, const window *w,
                             tenon_value *x, tenon_value *y) {
  tenon_value *in[] = {x, y};
  if (w->is_whole) return y;
  return tenon_ho_make(
      rw, "core::strided_update", in, 2,
      TENON_ARGS(tenon_arg_dims("stride", w->stride, (size_t)w->rank),
                 tenon_arg_dims("offset", &w->offset, 1)),
      NULL);
}

// As numbers; false: some are not known.
static bool find_elements(const window *w, int64_t *size, int64_t *stride,
                          tenon_strided *out) {
  bool is_known = !w->offset.symbol;
  for (int d = 0; d < w->rank; ++d) {
    is_known &= !w->size[d].symbol && !w->stride[d].symbol;
    size[d] = w->size[d].value;
    stride[d] = w->stride[d].value;
  }
  *out = (tenon_strided){w->offset.value, size, stride, w->rank};
  return is_known;
}

// Whether b is more than a for all sizes.
static bool is_less(tenon_rewriter *rw, tenon_dim a, tenon_dim b) {
  tenon_dim apart = ho_apply(rw, TENON_DIM_SUB, b, a);
  return !apart.symbol && apart.value > 0;
}

// Of the elements along one dimension, counted from the first of them.
static tenon_dim ho_last_of(tenon_rewriter *rw, const window *w, int d) {
  tenon_dim steps = ho_apply(rw, TENON_DIM_SUB, w->size[d], tenon_ho_dim(1));
  return ho_apply(rw, TENON_DIM_MUL, steps, w->stride[d]);
}

// Whether all of a window lies in front of another.
static bool ho_is_before(tenon_rewriter *rw, const window *a, const window *b) {
  tenon_dim last = a->offset;
  for (int d = 0; d < a->rank; ++d)
    last = ho_apply(rw, TENON_DIM_ADD, last, ho_last_of(rw, a, d));
  return is_less(rw, last, b->offset);
}

static bool may_share(tenon_rewriter *rw, const window *a, const window *b) {
  int64_t sizes[2][TENON_MAX_RANK], strides[2][TENON_MAX_RANK];
  tenon_strided one, other;
  if (a->base != b->base) return false;
  if (find_elements(a, sizes[0], strides[0], &one) &&
      find_elements(b, sizes[1], strides[1], &other))
    return tenon_strided_shares(&one, &other);
  return !ho_is_before(rw, a, b) && !ho_is_before(rw, b, a);
}

// Whether dimensions that are not in `done` can be put around those that are,
// of which the last element is `last`, each stepping over all within it.
static bool is_nested(tenon_rewriter *rw, const window *w, uint32_t done,
                      tenon_dim last) {
  bool is_all = true;
  for (int d = 0; d < w->rank; ++d) {
    if (done >> d & 1) continue;
    is_all = false;
    if (is_less(rw, last, w->stride[d]) &&
        is_nested(rw, w, done | 1u << d,
                  ho_apply(rw, TENON_DIM_ADD, last, ho_last_of(rw, w, d))))
      return true;
  }
  return is_all;
}

static bool may_repeat(tenon_rewriter *rw, const window *w) {
  int64_t size[TENON_MAX_RANK], stride[TENON_MAX_RANK];
  tenon_strided elements;
  uint32_t single = 0;  // dimensions of one element
  if (!w->is_strided) return false;
  if (find_elements(w, size, stride, &elements))
    return tenon_strided_repeats(&elements);
  for (int d = 0; d < w->rank; ++d)
    if (!w->size[d].symbol && w->size[d].value <= 1) single |= 1u << d;
  return !is_nested(rw, w, single, tenon_ho_dim(0));
}

// What lies over something else would be there as the last write leaves it.
static tenon_status check_apart(tenon_rewriter *rw, const window *windows,
                                int i) {
  if (may_repeat(rw, &windows[i]))
    return tenon_rw_fail(rw, "written argument %d has elements twice", i);
  for (int k = 0; k < i; ++k)
    if (may_share(rw, &windows[i], &windows[k]))
      return tenon_rw_fail(rw, "written arguments %d and %d share elements", k,
                           i);
  return TENON_OK;
}

static tenon_status ho_start(views *v) {
  const tenon_arg *a = tenon_rw_attrs(v->rw, v->node);
  for (; a && a->name; ++a)
    if (strcmp(a->name, "base") == 0) v->n = (int)a->as.ints.count;
  if (v->n > MOST_WRITTEN)
    return tenon_rw_fail(v->rw, "more than %d written arguments", MOST_WRITTEN);
  return TENON_OK;
}

tenon_status tenon_ho_functionalized_lower(tenon_rewriter *rw,
                                           const tenon_node *node) {
  views v = {.rw = rw, .node = node};
  window windows[MOST_WRITTEN];
  tenon_ho_list bases = {.n = 0}, args = {.n = 0};
  tenon_value *results[2 * HO_MOST];
  const tenon_type *types[HO_MOST];
  TENON_TRY(ho_start(&v));
  TENON_TRY(tenon_ho_operands(rw, node, 0, &bases));
  for (int i = 0; i < v.n; ++i) {
    TENON_TRY(next_window(&v, i, &bases, &windows[i]));
    TENON_TRY(check_apart(rw, windows, i));
    TENON_TRY(tenon_ho_add(
        rw, &args, ho_look(rw, &windows[i], bases.data[windows[i].base])));
  }
  TENON_TRY(tenon_ho_operands(rw, node, 1, &args));
  int n = tenon_ho_results(rw, node, types) - bases.n;  // of the operator
  if (n < 0) return tenon_rw_fail(rw, "fewer results than bases");
  TENON_TRY(tenon_ho_call(rw, node, 0, args.data, args.n, results, n + v.n));
  for (int i = 0; i < v.n; ++i) {
    if (results[n + i] == args.data[i] && tenon_rw_type(rw, args.data[i]))
      return tenon_rw_fail(rw,
                           "the operator does not write argument %d, which "
                           "the file says it writes",
                           i);
    tenon_value **base = &bases.data[windows[i].base];
    *base = ho_write(rw, &windows[i], *base, results[n + i]);
  }
  for (int i = 0; i < bases.n; ++i)
    results[n + i] = bases.data[i];
  return rw->api->replace(rw, node, results, n + bases.n);
}
