// Branches whose results have different sizes. How: each branch lengthens such
// a result to the most that it may be in either, and returns beside it which of
// the places are its own; behind the branch those are looked up, so that what
// is taken decides the size.
#include "ops/higher_order/ho_op.h"

static tenon_ho_open *branches_find(tenon_ho_opens *all, int result, int dim) {
  for (int i = 0; i < all->n; ++i)
    if (all->data[i].result == result && all->data[i].dim == dim)
      return &all->data[i];
  return NULL;
}

tenon_status tenon_ho_find_open(tenon_rewriter *rw, int branch,
                                const tenon_type *const *stated,
                                tenon_value *const *given, int n,
                                tenon_ho_opens *all) {
  for (int k = 0; k < n; ++k) {
    const tenon_type *t = given[k] ? tenon_rw_type(rw, given[k]) : NULL;
    if (!t) continue;  // `replace` reports it
    for (int d = 0; d < stated[k]->rank && d < t->rank; ++d) {
      tenon_ho_open *o = branches_find(all, k, d);
      if (!stated[k]->dims[d].symbol ||
          tenon_dim_equals(t->dims[d], stated[k]->dims[d]))
        continue;
      if (!o && all->n == HO_MOST_OPEN)
        return tenon_rw_fail(rw, "which branch runs decides more than %d sizes",
                             HO_MOST_OPEN);
      if (!o) o = &all->data[all->n++];
      o->result = k;
      o->dim = d;
      o->sizes[branch] = t->dims[d];
      o->bounds[branch] = rw->api->most(rw, t->dims[d]);
      if (tenon_dim_is_none(
              o->bounds[branch]))  // then what the file says, or --dim
        o->bounds[branch] = rw->api->most(rw, stated[k]->dims[d]);
      if (tenon_dim_is_none(o->bounds[branch]))
        return tenon_rw_fail(
            rw,
            "nothing bounds how long dimension %d of result %d of a branch "
            "becomes; bound it with --dim",
            d, k);
    }
  }
  return TENON_OK;
}

// One value in every place.
static tenon_value *branches_fill(tenon_rewriter *rw, tenon_dtype dtype,
                                  const tenon_dim *dims, int rank,
                                  bool is_true) {
  tenon_value *one = tenon_rw_scalar(rw, dtype, is_true ? 1 : 0);
  return tenon_ho_make(rw, "core::expand", &one, 1,
                       TENON_ARGS(tenon_arg_dims("shape", dims, (size_t)rank)),
                       NULL);
}

// x with zeros behind what it has along one dimension.
static tenon_value *lengthen(tenon_rewriter *rw, tenon_value *x, int axis,
                             tenon_dim has, tenon_dim most) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  if (!t || tenon_dim_equals(has, most)) return x;
  for (int d = 0; d < t->rank; ++d)
    dims[d] = t->dims[d];
  dims[axis] = rw->api->dim(rw, TENON_DIM_SUB, most, has);
  tenon_value *const both[] = {
      x, branches_fill(rw, t->dtype, dims, t->rank, false)};
  return tenon_rw_concat(rw, both, 2, axis);
}

static tenon_dim branches_most_of(tenon_rewriter *rw, const tenon_ho_open *o) {
  return rw->api->dim(rw, TENON_DIM_MAX, o->bounds[0], o->bounds[1]);
}

void tenon_ho_close_open(tenon_rewriter *rw, int branch,
                         const tenon_ho_opens *all, tenon_value **results,
                         int n) {
  for (int i = 0; i < all->n; ++i) {
    const tenon_ho_open *o = &all->data[i];
    tenon_dim has = o->sizes[branch], most = branches_most_of(rw, o);
    results[o->result] = lengthen(rw, results[o->result], o->dim, has, most);
    tenon_value *own = branches_fill(rw, TENON_BOOL, &has, 1, true);
    results[n + i] = lengthen(rw, own, 0, has, most);
  }
}

void tenon_ho_type_open(tenon_rewriter *rw, tenon_ho_opens *all,
                        const tenon_type **types, int n) {
  for (int i = 0; i < all->n; ++i) {
    tenon_ho_open *o = &all->data[i];
    o->most = branches_most_of(rw, o);
    o->type = *types[o->result];
    for (int d = 0; d < o->type.rank; ++d)
      o->dims[d] = types[o->result]->dims[d];
    o->dims[o->dim] = o->most;
    o->type.dims = o->dims;
    types[o->result] = &o->type;
    o->mask = (tenon_type){.dims = &o->most, .dtype = TENON_BOOL, .rank = 1};
    types[n + i] = &o->mask;
  }
}

static tenon_value *branches_take(tenon_rewriter *rw, tenon_value *x,
                                  tenon_value *index, int axis) {
  tenon_value *const in[] = {x, index};
  static const uint16_t group[] = {0, 1, 2};
  return tenon_rw_op_of_lists(rw, "core::index", in, 2, group,
                              TENON_ARGS(tenon_arg_int("axis", axis)));
}

void tenon_ho_take_open(tenon_rewriter *rw, tenon_ho_opens *all,
                        const tenon_type *const *stated, tenon_value **results,
                        int n) {
  for (int i = 0; i < all->n; ++i) {
    tenon_ho_open *o = &all->data[i];
    uint32_t symbol = stated[o->result]->dims[o->dim].symbol;
    // One size that two results have is decided once.
    for (int k = 0; k < i && !o->places; ++k) {
      const tenon_ho_open *other = &all->data[k];
      if (stated[other->result]->dims[other->dim].symbol == symbol)
        o->places = other->places;
    }
    if (!o->places) {
      tenon_value *rows =
          tenon_ho_make(rw, "core::nonzero", &results[n + i], 1, NULL, NULL);
      const tenon_type *t = tenon_rw_type(rw, rows);
      o->places = t ? tenon_ho_reshape(rw, rows, t->dims, 1) : rows;
    }
    results[o->result] =
        branches_take(rw, results[o->result], o->places, o->dim);
  }
}
