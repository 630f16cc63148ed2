// Operators that look at the same elements in another order.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

TENON_ATEN_LOWER(permute) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_ints dims = tenon_aten_ints(rw, n, "dims");
  int rank = tenon_aten_known(rw, x)->rank, at = 0;
  int64_t order[TENON_MAX_RANK];
  if (dims.count != (size_t)rank)
    return tenon_rw_fail(rw, "%d dimensions in an order of %zu", rank,
                         dims.count);
  for (int i = 0; i < rank; ++i) {
    TENON_TRY(tenon_aten_axis(rw, dims.data[i], rank, &at));
    order[i] = at;
  }
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, x, order, rank));
}

// The arguments are the first two behind the tensor, whatever they are called.
TENON_ATEN_LOWER(transpose) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_arg *args = tenon_rw_attrs(rw, n);
  int a, b;
  TENON_TRY(tenon_aten_axis_of(rw, n, args[0].name, x, &a));
  TENON_TRY(tenon_aten_axis_of(rw, n, args[1].name, x, &b));
  return tenon_rw_replace(rw, n, tenon_nn_swap(rw, x, a, b));
}

TENON_ATEN_LOWER(t) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int rank = tenon_aten_known(rw, x)->rank;
  if (rank < 2) return tenon_rw_replace(rw, n, x);
  return tenon_rw_replace(rw, n, tenon_nn_swap(rw, x, rank - 2, rank - 1));
}

// All dimensions in reverse.
TENON_ATEN_LOWER(reverse_dims) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int rank = tenon_aten_known(rw, x)->rank;
  int64_t order[TENON_MAX_RANK];
  for (int d = 0; d < rank; ++d)
    order[d] = rank - 1 - d;
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, x, order, rank));
}

static tenon_status axis_list(tenon_rewriter *rw, const tenon_node *n,
                              const char *name, int rank, int *out,
                              int *count) {
  const tenon_arg *a = tenon_aten_arg(rw, n, name);
  int64_t one = a->as.i;
  tenon_ints list = {&one, 1};
  uint32_t seen;
  if (a->kind == TENON_KIND_INTS) list = a->as.ints;
  TENON_TRY(tenon_aten_axes(rw, list, rank, false, &seen));
  for (size_t i = 0; i < list.count; ++i)
    TENON_TRY(tenon_aten_axis(rw, list.data[i], rank, &out[i]));
  *count = (int)list.count;
  return TENON_OK;
}

TENON_ATEN_LOWER(movedim) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int rank = tenon_aten_known(rw, x)->rank, count, other;
  int from[TENON_MAX_RANK + 1], to[TENON_MAX_RANK + 1];
  int64_t order[TENON_MAX_RANK];
  bool is_moved[TENON_MAX_RANK] = {false};
  if (rank == 0) return tenon_rw_replace(rw, n, x);
  TENON_TRY(axis_list(rw, n, "source", rank, from, &count));
  TENON_TRY(axis_list(rw, n, "destination", rank, to, &other));
  if (count != other) return tenon_rw_fail(rw, "%d moves to %d", count, other);
  memset(order, 0xff, sizeof order);
  for (int i = 0; i < count; ++i) {
    order[to[i]] = from[i];
    is_moved[from[i]] = true;
  }
  for (int d = 0, next = 0; d < rank; ++d) {
    if (order[d] >= 0) continue;
    while (is_moved[next])
      ++next;
    order[d] = next++;
  }
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, x, order, rank));
}

// --- backwards ---------------------------------------------------------------

TENON_ATEN_LOWER(flip) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  uint32_t axes;
  TENON_TRY(tenon_aten_axes(rw, tenon_aten_ints(rw, n, "dims"),
                            tenon_aten_known(rw, x)->rank, false, &axes));
  for (int d = 0; d < TENON_MAX_RANK; ++d)
    if (axes >> d & 1) x = tenon_aten_flip(rw, x, d);
  return tenon_rw_replace(rw, n, x);
}

TENON_ATEN_LOWER(fliplr) {
  return tenon_rw_replace(rw, n,
                          tenon_aten_flip(rw, tenon_aten_in(rw, n, 0), 1));
}

TENON_ATEN_LOWER(flipud) {
  return tenon_rw_replace(rw, n,
                          tenon_aten_flip(rw, tenon_aten_in(rw, n, 0), 0));
}

TENON_ATEN_LOWER(rot90) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_ints dims = tenon_aten_ints(rw, n, "dims");
  int rank = tenon_aten_known(rw, x)->rank, a, b;
  int64_t k = ((tenon_aten_int(rw, n, "k") % 4) + 4) % 4;
  if (dims.count != 2) return tenon_rw_fail(rw, "%zu dimensions", dims.count);
  TENON_TRY(tenon_aten_axis(rw, dims.data[0], rank, &a));
  TENON_TRY(tenon_aten_axis(rw, dims.data[1], rank, &b));
  if (k == 1 || k == 2) x = tenon_aten_flip(rw, x, b);
  if (k == 2 || k == 3) x = tenon_aten_flip(rw, x, a);
  if (k == 1 || k == 3) x = tenon_nn_swap(rw, x, a, b);
  return tenon_rw_replace(rw, n, x);
}

// The last `shift` elements in front of the others.
static tenon_value *roll(tenon_rewriter *rw, tenon_value *x, int axis,
                         tenon_dim shift) {
  tenon_dim size = tenon_aten_size(rw, x, axis), rest;
  if (tenon_aten_is(size, 0) || tenon_aten_is(size, 1)) return x;
  shift = rw->api->dim(rw, TENON_DIM_MOD, shift, size);
  if (tenon_aten_is(shift, 0)) return x;
  rest = tenon_aten_minus(rw, size, shift);
  tenon_value *parts[] = {tenon_aten_cut(rw, x, axis, rest, shift, 1),
                          tenon_nn_cut(rw, x, axis, 0, rest)};
  return tenon_rw_concat(rw, parts, 2, axis);
}

// By half of each dimension; "forth" rounds that down.
TENON_ATEN_LOWER(fft_shift) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const int rank = tenon_aten_known(rw, x)->rank;
  uint32_t axes = (1u << rank) - 1;
  if (rank == 0) return tenon_rw_fail(rw, "no dimensions");
  if (tenon_aten_has(rw, n, "dim"))
    TENON_TRY(
        tenon_aten_axes(rw, tenon_aten_ints(rw, n, "dim"), rank, false, &axes));
  for (int d = 0; d < rank; ++d) {
    if (!(axes >> d & 1)) continue;
    tenon_dim up = tenon_aten_fixed(tenon_aten_user(rw) ? 0 : 1);
    up = tenon_aten_plus(rw, tenon_aten_size(rw, x, d), up);
    x = roll(rw, x, d,
             rw->api->dim(rw, TENON_DIM_DIV, up, tenon_aten_fixed(2)));
  }
  return tenon_rw_replace(rw, n, x);
}

TENON_ATEN_LOWER(roll) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *y = x;
  tenon_ints dims = tenon_aten_ints(rw, n, "dims");
  tenon_dim shifts[TENON_MAX_RANK], from[TENON_MAX_RANK];
  int rank = tenon_aten_dims_of(rw, x, from), axis;
  int count = tenon_aten_dims(rw, n, "shifts", shifts);
  if (dims.count == 0 && count == 1) {
    y = roll(rw, tenon_aten_flat(rw, x), 0, shifts[0]);
    return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, y, from, rank));
  }
  if (count != (int)dims.count)
    return tenon_rw_fail(rw, "%d shifts of %zu dimensions", count, dims.count);
  for (int i = 0; i < count; ++i) {
    TENON_TRY(tenon_aten_axis(rw, dims.data[i], rank, &axis));
    y = roll(rw, y, axis, shifts[i]);
  }
  return tenon_rw_replace(rw, n, y);
}
