// Operators that read at places given by index tensors or masks.
#include "ops/aten/index/index_op.h"
#include "ops/aten/index/index_places.h"
#include "ops/aten/nn/aten_nn.h"

// Rows of the places where x is not zero. Of a tensor without elements there
// are none, which a file states as a fixed size.
static tenon_value *find_places(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_aten_known(rw, x);
  const tenon_dim dims[2] = {tenon_aten_fixed(0), tenon_aten_fixed(t->rank)};
  for (int d = 0; d < t->rank; ++d)
    if (!t->dims[d].symbol && t->dims[d].value == 0)
      return tenon_nn_filled(rw, TENON_S64, dims, 2, 0.0);
  return tenon_rw_op1(rw, "core::nonzero", x);
}

// --- index tensors of a list -------------------------------------------------

static bool index_select_is_mask(const tenon_type *t) {
  return t->dtype == TENON_BOOL || t->dtype == TENON_U8;
}

// The columns of the places where a mask is set, one per dimension of it.
static tenon_status put_mask(tenon_rewriter *rw, tenon_places *p,
                             tenon_value *mask) {
  const tenon_type *t = tenon_rw_type(rw, mask), *x = tenon_rw_type(rw, p->x);
  int rank = t->rank;
  if (p->n + rank > x->rank)
    return tenon_rw_fail(rw, "more indices than dimensions");
  tenon_value *rows = find_places(rw, mask);
  for (int d = 0; d < rank; ++d, ++p->n) {
    p->dims[p->count] = p->n;
    p->indices[p->count++] =
        tenon_aten_select(rw, rows, 1, tenon_aten_fixed(d));
  }
  return TENON_OK;
}

static tenon_status put_one(tenon_rewriter *rw, tenon_places *p,
                            tenon_value *index) {
  const tenon_type *t = index ? tenon_rw_type(rw, index) : NULL;
  if (!index) {
    ++p->n;
    return TENON_OK;
  }
  if (!t) return tenon_rw_fail(rw, "an index has no type");
  if (index_select_is_mask(t) && t->rank > 0) return put_mask(rw, p, index);
  if (t->dtype != TENON_S64 && t->dtype != TENON_S32)
    return tenon_rw_fail(rw, "an index of %s", tenon_dtype_name(t->dtype));
  if (p->n >= tenon_aten_known(rw, p->x)->rank)
    return tenon_rw_fail(rw, "more indices than dimensions");
  p->dims[p->count] = p->n++;
  p->indices[p->count++] = index;
  return TENON_OK;
}

// All index tensors of one shape.
static tenon_status broadcast_all(tenon_rewriter *rw, tenon_places *p) {
  tenon_dim next[TENON_MAX_RANK];
  p->rank = 0;
  for (int i = 0; i < p->count; ++i) {
    tenon_type all = {.dims = p->shape, .rank = (uint8_t)p->rank};
    TENON_TRY(tenon_aten_broadcast(rw, &all, tenon_rw_type(rw, p->indices[i]),
                                   next, &p->rank));
    for (int d = 0; d < p->rank; ++d)
      p->shape[d] = next[d];
  }
  for (int i = 0; i < p->count; ++i)
    p->indices[i] = tenon_aten_expand(rw, p->indices[i], p->shape, p->rank);
  return TENON_OK;
}

tenon_status tenon_aten_places(tenon_rewriter *rw, const tenon_node *n,
                               int list, tenon_places *p) {
  int first = 1, count = rw->api->group(rw, n, list, &first), at = 0;
  bool is_indexed[TENON_MAX_RANK] = {false}, is_apart = false;
  p->x = tenon_aten_in(rw, n, 0);
  p->n = p->count = 0;
  int rank = tenon_aten_known(rw, p->x)->rank;
  for (int i = 0; i < count; ++i)
    TENON_TRY(put_one(rw, p, tenon_aten_in(rw, n, first + i)));
  if (p->count == 0) return tenon_rw_fail(rw, "no index");
  TENON_TRY(broadcast_all(rw, p));
  for (int i = 0; i < p->count; ++i) {
    is_indexed[p->dims[i]] = true;
    is_apart = is_apart || p->dims[i] != p->dims[0] + i;
  }
  p->axis = is_apart ? 0 : p->dims[0];
  p->is_moved = is_apart;
  for (int i = 0; is_apart && i < p->count; ++i)
    p->order[at++] = p->dims[i];
  for (int d = 0; d < rank; ++d)
    if (!is_apart || !is_indexed[d]) p->order[at++] = d;
  p->x = tenon_aten_permute(rw, p->x, p->order, rank);
  return TENON_OK;
}

TENON_ATEN_LOWER(index) {
  tenon_places p;
  TENON_TRY(tenon_aten_places(rw, n, 1, &p));
  return tenon_rw_replace(rw, n,
                          tenon_aten_index(rw, p.x, p.indices, p.count, p.axis,
                                           TENON_ATEN_FROM_END));
}

void tenon_aten_places_clamp(tenon_rewriter *rw, const tenon_node *n,
                             tenon_places *p) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_dim one = tenon_aten_fixed(1), none = tenon_aten_fixed(0);
  for (int i = 0; i < p->count; ++i) {
    const tenon_dim size = tenon_aten_size(rw, x, p->dims[i]);
    const tenon_dtype t = tenon_aten_known(rw, p->indices[i])->dtype;
    p->indices[i] = tenon_rw_op2(
        rw, "core::maximum", p->indices[i],
        tenon_aten_size_as(rw, tenon_aten_minus(rw, none, size), t));
    p->indices[i] = tenon_rw_op2(
        rw, "core::minimum", p->indices[i],
        tenon_aten_size_as(rw, tenon_aten_minus(rw, size, one), t));
  }
}

// The arguments: self, mask, indices, fill. Indices outside are brought inside,
// and what the mask does not select is `fill`.
TENON_ATEN_LOWER(masked_index) {
  const tenon_dtype t = tenon_aten_known(rw, tenon_aten_in(rw, n, 0))->dtype;
  tenon_places p;
  TENON_TRY(tenon_aten_places(rw, n, 2, &p));
  tenon_aten_places_clamp(rw, n, &p);
  return tenon_rw_replace(
      rw, n,
      tenon_rw_where(
          rw, tenon_aten_in(rw, n, 1),
          tenon_aten_index(rw, p.x, p.indices, p.count, p.axis,
                           TENON_ATEN_FROM_END),
          tenon_aten_number(
              rw, t, tenon_aten_fit(t, tenon_aten_scalar(rw, n, "fill")))));
}

// --- one index along a dimension ---------------------------------------------

TENON_ATEN_LOWER(index_select) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_value *index = tenon_aten_flat(rw, tenon_aten_in(rw, n, 1));
  tenon_dim dims[TENON_MAX_RANK];
  int axis, rank = tenon_aten_dims_of(rw, x, dims);
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  x = tenon_aten_index(rw, rank ? x : tenon_aten_flat(rw, x), &index, 1, axis,
                       TENON_ATEN_FROM_START);
  if (rank == 0) x = tenon_aten_reshape(rw, x, dims, 0);
  return tenon_rw_replace(rw, n, x);
}

// `sparse_grad` is for training only.
TENON_ATEN_LOWER(gather) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *index = tenon_aten_in(rw, n, 1);
  int axis, rank = tenon_aten_known(rw, x)->rank;
  const tenon_type *t = tenon_rw_type(rw, index);
  tenon_dim dims[TENON_MAX_RANK];
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (tenon_aten_is(
          tenon_aten_product(rw, dims, tenon_aten_dims_of(rw, index, dims)), 0))
    return tenon_rw_replace(
        rw, n,
        tenon_aten_expand(
            rw, tenon_aten_real(rw, tenon_aten_known(rw, x)->dtype, 0.0),
            t->dims, t->rank));
  if (rank == 0 && t->rank == 1) x = tenon_aten_flat(rw, x);
  if (rank == 1 && t->rank == 0) {
    x = tenon_aten_gather(rw, x, tenon_aten_flat(rw, index), axis);
    return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, t->dims, 0));
  }
  return tenon_rw_replace(rw, n, tenon_aten_gather(rw, x, index, axis));
}

// Everything but the dimension is broadcast. Indices come round at both ends.
TENON_ATEN_LOWER(take_along) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *index = tenon_aten_in(rw, n, 1);
  tenon_dim dims[TENON_MAX_RANK], other[TENON_MAX_RANK], all[TENON_MAX_RANK];
  int axis, rank;
  if (!tenon_aten_has(rw, n, "dim"))
    return tenon_rw_replace(rw, n,
                            tenon_aten_gather(rw, tenon_aten_flat(rw, x),
                                              tenon_aten_flat(rw, index), 0));
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  rank = tenon_aten_dims_of(rw, x, dims);
  if (tenon_aten_dims_of(rw, index, other) != rank || rank == 0)
    return tenon_rw_fail(rw, "x and indices differ in dimensions");
  tenon_dim x_size = dims[axis], index_size = other[axis];
  dims[axis] = other[axis] = tenon_aten_fixed(1);
  tenon_type a = {.dims = dims, .rank = (uint8_t)rank};
  tenon_type b = {.dims = other, .rank = (uint8_t)rank};
  TENON_TRY(tenon_aten_broadcast(rw, &a, &b, all, &rank));
  all[axis] = x_size;
  x = tenon_aten_expand(rw, x, all, rank);
  all[axis] = index_size;
  index = tenon_aten_expand(rw, index, all, rank);
  index = tenon_rw_op2(
      rw, "core::remainder", index,
      tenon_aten_size_as(rw, x_size, tenon_aten_known(rw, index)->dtype));
  return tenon_rw_replace(rw, n, tenon_aten_gather(rw, x, index, axis));
}

// --- masks -------------------------------------------------------------------

TENON_ATEN_LOWER(nonzero) {
  return tenon_rw_replace(rw, n, find_places(rw, tenon_aten_in(rw, n, 0)));
}

TENON_ATEN_LOWER(item) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_rw_build(rw, "core::item", &x, 1, NULL, NULL, 0, NULL);
  return rw->api->replace(rw, n, NULL, 0);
}

// The columns, each by itself; a number counts as one of one dimension.
TENON_ATEN_LOWER(nonzero_numpy) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[TENON_MAX_RANK];
  if (tenon_aten_known(rw, x)->rank == 0) x = tenon_aten_flat(rw, x);
  int rank = tenon_aten_known(rw, x)->rank;
  tenon_value *rows = find_places(rw, x);
  for (int d = 0; d < rank; ++d)
    out[d] = tenon_aten_select(rw, rows, 1, tenon_aten_fixed(d));
  return rw->api->replace(rw, n, out, rank);
}

tenon_value *tenon_aten_masked(tenon_rewriter *rw, tenon_value *x, int axis,
                               tenon_value *mask) {
  tenon_value *rows = find_places(rw, mask);
  tenon_value *index = tenon_aten_select(rw, rows, 1, tenon_aten_fixed(0));
  return tenon_aten_index(rw, x, &index, 1, axis, TENON_ATEN_FROM_END);
}

TENON_ATEN_LOWER(masked_select) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *mask = tenon_aten_in(rw, n, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int rank;
  TENON_TRY(tenon_aten_broadcast(rw, tenon_rw_type(rw, x),
                                 tenon_rw_type(rw, mask), dims, &rank));
  x = tenon_aten_flat(rw, tenon_aten_expand(rw, x, dims, rank));
  mask = tenon_aten_flat(rw, tenon_aten_expand(rw, mask, dims, rank));
  return tenon_rw_replace(rw, n, tenon_aten_masked(rw, x, 0, mask));
}
