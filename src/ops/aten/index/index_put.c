// Operators that write at places given by index tensors or masks.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/index/index_places.h"

// "sum", "prod", "mean", "amax", "amin", and the older "add" and "multiply".
static int mode_of(const char *reduce) {
  static const struct {
    const char *name;
    int mode;
  } modes[] = {{"sum", TENON_SCATTER_ADD},  {"add", TENON_SCATTER_ADD},
               {"prod", TENON_SCATTER_MUL}, {"multiply", TENON_SCATTER_MUL},
               {"amax", TENON_SCATTER_MAX}, {"amin", TENON_SCATTER_MIN},
               {"mean", TENON_SCATTER_MEAN}};
  for (size_t i = 0; reduce && i < sizeof modes / sizeof *modes; ++i)
    if (strcmp(modes[i].name, reduce) == 0) return modes[i].mode;
  return -1;
}

// --- index_put ---------------------------------------------------------------

// One mask of the first dimensions and one number: an operator without sizes
// that data decide.
static tenon_value *where_masked(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x, tenon_value *values) {
  int first = 1, count = rw->api->group(rw, n, 1, &first);
  tenon_value *mask = count == 1 ? tenon_aten_in(rw, n, first) : NULL;
  const tenon_type *m = mask ? tenon_rw_type(rw, mask) : NULL;
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, dims);
  const tenon_type *v = tenon_rw_type(rw, values);
  if (!m || m->dtype != TENON_BOOL || m->rank == 0 || !v || v->rank != 0 ||
      tenon_aten_bool(rw, n, "accumulate"))
    return NULL;
  for (int d = 0; d < rank; ++d)
    dims[d] = d < m->rank ? m->dims[d] : tenon_aten_fixed(1);
  return tenon_rw_where(rw, tenon_aten_reshape(rw, mask, dims, rank), values,
                        x);
}

// Replaces n by operand 0 with values at these places.
static tenon_status put_at(tenon_rewriter *rw, const tenon_node *n,
                           const tenon_places *p, tenon_value *values,
                           int mode) {
  tenon_dim dims[TENON_MAX_RANK], from[TENON_MAX_RANK];
  int64_t back[TENON_MAX_RANK] = {0};
  int rank = 0, had = tenon_aten_dims_of(rw, p->x, from);
  if (had - p->count + p->rank > TENON_MAX_RANK)
    return tenon_rw_fail(rw, "values of too many dimensions");
  for (int d = 0; d < p->axis; ++d)
    dims[rank++] = from[d];
  for (int d = 0; d < p->rank; ++d)
    dims[rank++] = p->shape[d];
  for (int d = p->axis + p->count; d < had; ++d)
    dims[rank++] = from[d];
  const tenon_type *v = tenon_rw_type(rw, values);
  while (v && v->rank > rank && tenon_aten_is(v->dims[0], 1)) {
    values = tenon_aten_squeeze(rw, values, 0);
    v = tenon_rw_type(rw, values);
  }
  values = tenon_aten_expand(rw, values, dims, rank);
  tenon_value *y = tenon_aten_put(rw, p->x, values, p->indices, p->count,
                                  p->axis, mode, true, TENON_ATEN_FROM_END);
  for (int d = 0; d < had; ++d)
    back[p->order[d]] = d;
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, y, back, had));
}

// The arguments: self, indices, values, accumulate.
TENON_ATEN_LOWER(index_put) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *values, *y;
  int first = 0;
  tenon_places p;
  (void)rw->api->group(rw, n, 2, &first);
  values = tenon_aten_cast(rw, tenon_aten_in(rw, n, first),
                           tenon_aten_known(rw, x)->dtype);
  y = where_masked(rw, n, x, values);
  if (y) return tenon_rw_replace(rw, n, y);
  TENON_TRY(tenon_aten_places(rw, n, 1, &p));
  return put_at(rw, n, &p, values,
                tenon_aten_bool(rw, n, "accumulate") ? TENON_SCATTER_ADD
                                                     : TENON_SCATTER_SET);
}

// The arguments: self, mask, indices, values. Nothing is added where the mask
// is not set, and indices outside are brought inside.
TENON_ATEN_LOWER(masked_index_put) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *values;
  const tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  int first = 0;
  tenon_places p;
  (void)rw->api->group(rw, n, 3, &first);
  values = tenon_aten_in(rw, n, first);
  TENON_TRY(tenon_aten_places(rw, n, 2, &p));
  tenon_aten_places_clamp(rw, n, &p);
  values =
      tenon_rw_where(rw, tenon_aten_in(rw, n, 1),
                     tenon_aten_cast(rw, values, t), tenon_aten_real(rw, t, 0));
  return put_at(rw, n, &p, values, TENON_SCATTER_ADD);
}

// --- along a dimension, slices -----------------------------------------------

// The number `value` in the type of x.
static tenon_value *value_as(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *x) {
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  return tenon_aten_number(
      rw, t, tenon_aten_fit(t, tenon_aten_scalar(rw, n, "value")));
}

// What is written has x's dimensions but for the axis, where the index has its
// own; it is operand 2 or `value`. The row: "set", "add", or "fill", whose
// indices count from the end, too; else `reduce` says how.
TENON_ATEN_LOWER(index_along) {
  const char *how = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_value *index = tenon_aten_flat(rw, tenon_aten_in(rw, n, 1));
  const tenon_scalar alpha = tenon_aten_scalar(rw, n, "alpha");
  const int mode = !how ? mode_of(tenon_aten_str(rw, n, "reduce"))
                   : strcmp(how, "add") == 0 ? TENON_SCATTER_ADD
                                             : TENON_SCATTER_SET;
  tenon_dim dims[TENON_MAX_RANK];
  const int rank = tenon_aten_dims_of(rw, x, dims);
  int axis;
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (mode < 0) return tenon_rw_fail(rw, "an unknown way to reduce");
  tenon_value *values = tenon_aten_arg(rw, n, "value")->kind
                            ? value_as(rw, n, x)
                            : tenon_aten_in(rw, n, 2);
  const tenon_dtype t = tenon_aten_known(rw, values)->dtype;
  if (alpha.kind && tenon_aten_real_of(alpha) != 1)
    values = tenon_rw_op2(
        rw, t == TENON_BOOL ? "core::bitwise_and" : "core::mul", values,
        tenon_aten_number(rw, t, tenon_aten_fit(t, alpha)));
  if (rank == 0) x = tenon_aten_flat(rw, x);
  dims[axis] = tenon_aten_size(rw, index, 0);
  values = tenon_aten_cast(rw, values, tenon_aten_known(rw, x)->dtype);
  values = tenon_aten_expand(rw, values, dims, rank ? rank : 1);
  x = tenon_aten_put(
      rw, x, values, &index, 1, axis, mode,
      how || tenon_aten_bool(rw, n, "include_self"),
      how && *how == 'f' ? TENON_ATEN_FROM_END : TENON_ATEN_FROM_START);
  return tenon_rw_replace(rw, n,
                          rank == 0 ? tenon_aten_reshape(rw, x, dims, 0) : x);
}

// --- along a dimension, elements ---------------------------------------------

// `reduce` and `include_self` where the schema has them; the source is operand
// 2 or `value`.
TENON_ATEN_LOWER(scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *index = tenon_aten_in(rw, n, 1);
  const char *reduce = tenon_aten_user(rw);
  const tenon_arg *self = tenon_aten_arg(rw, n, "include_self");
  int axis, mode = TENON_SCATTER_SET, rank = tenon_aten_known(rw, x)->rank;
  tenon_dim dims[TENON_MAX_RANK];
  if (!reduce) reduce = tenon_aten_str(rw, n, "reduce");
  if (reduce) mode = mode_of(reduce);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (mode < 0) return tenon_rw_fail(rw, "an unknown way to reduce");
  tenon_value *src = tenon_aten_has(rw, n, "value") ? value_as(rw, n, x)
                                                    : tenon_aten_in(rw, n, 2);
  if (rank == 0) {
    x = tenon_aten_flat(rw, x);
    index = tenon_aten_flat(rw, index);
    if (tenon_aten_known(rw, src)->rank) src = tenon_aten_flat(rw, src);
  } else if (tenon_aten_known(rw, index)->rank == 0) {
    index = tenon_aten_flat(rw, index);
    src = tenon_aten_flat(rw, src);
  } else if (tenon_aten_is(tenon_aten_product(
                               rw, dims, tenon_aten_dims_of(rw, index, dims)),
                           0)) {
    return tenon_rw_replace(rw, n, x);
  }
  tenon_value *in[] = {x, index, src};
  x = tenon_rw_op(
      rw, "core::scatter", in, 3,
      TENON_ARGS(tenon_arg_int("axis", axis), tenon_arg_int("mode", mode),
                 tenon_arg_bool("include_self", !self->kind || self->as.i)));
  if (rank == 0) x = tenon_aten_reshape(rw, x, dims, 0);
  return tenon_rw_replace(rw, n, x);
}

// --- masks -------------------------------------------------------------------

TENON_ATEN_LOWER(masked_fill) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *mask = tenon_aten_in(rw, n, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_value *v = tenon_aten_has(rw, n, "value")
                       ? value_as(rw, n, x)
                       : tenon_aten_cast(rw, tenon_aten_in(rw, n, 2), t->dtype);
  tenon_value *in[] = {mask, v, x};
  return tenon_rw_replace(rw, n,
                          tenon_aten_make(rw, "core::where", in, 3, NULL,
                                          tenon_aten_stated(rw, n, 0)));
}

TENON_ATEN_LOWER(masked_scatter) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *mask = tenon_aten_in(rw, n, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  TENON_TRY(tenon_aten_broadcast(rw, tenon_rw_type(rw, x),
                                 tenon_rw_type(rw, mask), dims, &rank));
  x = tenon_aten_expand(rw, x, dims, rank);
  mask = tenon_aten_expand(rw, mask, dims, rank);
  tenon_value *in[] = {x, mask, tenon_aten_in(rw, n, 2)};
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::masked_scatter", in, 3, NULL));
}
