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

typedef struct along {
  tenon_value *x, *index;  // x with a dimension; flat
  tenon_aten_reach reach;
  int axis, rank;  // as it was
  tenon_dim dims[TENON_MAX_RANK];
} along;

static tenon_status along_of(tenon_rewriter *rw, const tenon_node *n,
                             along *a) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &a->axis));
  a->rank = tenon_aten_dims_of(rw, x, a->dims);
  a->x = a->rank ? x : tenon_aten_flat(rw, x);
  a->index = tenon_aten_flat(rw, tenon_aten_in(rw, n, 1));
  a->reach = TENON_ATEN_FROM_START;
  return TENON_OK;
}

// What is written has x's dimensions but for the axis, where the index has its
// own.
static tenon_status replace_along(tenon_rewriter *rw, const tenon_node *n,
                                  const along *a, tenon_value *values, int mode,
                                  bool include_self) {
  tenon_dim dims[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, a->x, dims);
  tenon_value *index = a->index;
  dims[a->axis] = tenon_aten_size(rw, index, 0);
  values = tenon_aten_cast(rw, values, tenon_aten_known(rw, a->x)->dtype);
  values = tenon_aten_expand(rw, values, dims, rank);
  tenon_value *y = tenon_aten_put(rw, a->x, values, &index, 1, a->axis, mode,
                                  include_self, a->reach);
  if (a->rank == 0) y = tenon_aten_reshape(rw, y, dims, 0);
  return tenon_rw_replace(rw, n, y);
}

TENON_ATEN_LOWER(index_copy) {
  along a;
  TENON_TRY(along_of(rw, n, &a));
  return replace_along(rw, n, &a, tenon_aten_in(rw, n, 2), TENON_SCATTER_SET,
                       true);
}

// The number `value` in the type of x.
static tenon_value *value_as(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value *x) {
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  return tenon_aten_number(
      rw, t, tenon_aten_fit(t, tenon_aten_scalar(rw, n, "value")));
}

TENON_ATEN_LOWER(index_add) {
  tenon_scalar alpha = tenon_aten_scalar(rw, n, "alpha");
  tenon_value *source = tenon_aten_in(rw, n, 2);
  along a;
  TENON_TRY(along_of(rw, n, &a));
  bool is_one =
      alpha.kind == TENON_KIND_FLOAT ? alpha.as.f == 1.0 : alpha.as.i == 1;
  tenon_dtype t = tenon_aten_known(rw, source)->dtype;
  if (alpha.kind && !is_one)
    source = tenon_rw_op2(
        rw, t == TENON_BOOL ? "core::bitwise_and" : "core::mul", source,
        tenon_aten_number(rw, t, tenon_aten_fit(t, alpha)));
  return replace_along(rw, n, &a, source, TENON_SCATTER_ADD, true);
}

TENON_ATEN_LOWER(index_fill) {
  const tenon_arg *value = tenon_aten_arg(rw, n, "value");
  along a;
  TENON_TRY(along_of(rw, n, &a));
  a.reach = TENON_ATEN_FROM_END;
  tenon_value *v = value->kind ? value_as(rw, n, a.x) : tenon_aten_in(rw, n, 2);
  return replace_along(rw, n, &a, v, TENON_SCATTER_SET, true);
}

TENON_ATEN_LOWER(index_reduce) {
  int mode = mode_of(tenon_aten_str(rw, n, "reduce"));
  along a;
  TENON_TRY(along_of(rw, n, &a));
  if (mode < 0) return tenon_rw_fail(rw, "an unknown way to reduce");
  return replace_along(rw, n, &a, tenon_aten_in(rw, n, 2), mode,
                       tenon_aten_bool(rw, n, "include_self"));
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
