// core_whole_rows.c - rewrites of pass `canonicalise` for indices that were
// expanded: rows are read and written whole instead of element by element.
//
// Sums over the edges of a graph are written as core::scatter along one axis,
// with a place for each element, though all elements of a row have the same.
// core::index_put and core::index take that place once, in the same order.
#include <string.h>

#include "core/dim.h"
#include "kern/loop/select.h"
#include "ops/core/rewrite/core_rewrite.h"

// Whether elements of x and of `index` are equally many in all dimensions but
// `axis`.
static bool spans_rows(const tenon_type *x, const tenon_type *index,
                       int64_t axis) {
  if (x->rank < 2 || x->rank != index->rank) return false;
  for (int d = 0; d < x->rank; ++d)
    if (d != axis && !tenon_dim_equals(x->dims[d], index->dims[d]))
      return false;
  return true;
}

// The places of whole rows, as a list; null: elements have places of their own.
static tenon_value *places_of_rows(tenon_rewriter *rw, tenon_value *index,
                                   int64_t axis) {
  const tenon_node *p = rw->api->producer(rw, index);
  if (!p || strcmp(rw->api->op(rw, p), "core::expand") != 0) return NULL;
  tenon_value *list = tenon_rw_operand(rw, p, 0);
  const tenon_type *t = tenon_rw_type(rw, list);
  const tenon_type *y = tenon_rw_type(rw, index);
  const tenon_dim one = {1, 0};
  if (t->rank != y->rank) return NULL;
  for (int d = 0; d < t->rank; ++d)
    if (!tenon_dim_equals(t->dims[d], d == axis ? y->dims[d] : one))
      return NULL;
  return tenon_rw_op(rw, "core::reshape", &list, 1,
                     TENON_ARGS(tenon_arg_dims("shape", &y->dims[axis], 1)));
}

CORE_LOWER(scatter_rows) {
  const tenon_scatter_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_value *index = tenon_rw_operand(rw, n, 1);
  tenon_value *src = tenon_rw_operand(rw, n, 2);
  const tenon_type *t = tenon_rw_type(rw, index);
  if (!spans_rows(tenon_rw_type(rw, x), t, a->axis) ||
      !spans_rows(tenon_rw_type(rw, src), t, a->axis) ||
      !tenon_dim_equals(tenon_rw_type(rw, src)->dims[a->axis],
                        t->dims[a->axis]))
    return TENON_OK;
  tenon_value *places = places_of_rows(rw, index, a->axis);
  if (!places) return TENON_OK;
  tenon_value *in[] = {x, src, places};
  return tenon_core_rewrite_as(
      rw, n, "core::index_put", in, 3,
      TENON_ARGS(tenon_arg_int("axis", a->axis), tenon_arg_int("mode", a->mode),
                 tenon_arg_bool("include_self", a->include_self),
                 tenon_arg_bool("wrap", false)));
}

CORE_LOWER(gather_rows) {
  const tenon_gather_attrs *a = tenon_rw_attrs(rw, n);
  tenon_value *x = tenon_rw_operand(rw, n, 0);
  tenon_value *index = tenon_rw_operand(rw, n, 1);
  if (tenon_rw_type(rw, x)->quant ||
      !spans_rows(tenon_rw_type(rw, x), tenon_rw_type(rw, index), a->axis))
    return TENON_OK;
  tenon_value *places = places_of_rows(rw, index, a->axis);
  if (!places) return TENON_OK;
  tenon_value *in[] = {x, places};
  return tenon_core_rewrite_as(rw, n, "core::index", in, 2,
                               TENON_ARGS(tenon_arg_int("axis", a->axis),
                                          tenon_arg_bool("wrap", false)));
}
