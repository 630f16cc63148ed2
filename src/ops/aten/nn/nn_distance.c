// Distances and directions.
#include <math.h>
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

// The p-norm along the dimension.
static tenon_value *distance_norm(tenon_rewriter *rw, tenon_value *x, double p,
                                  uint32_t axes, bool keepdim) {
  const char *formula =
      p == 2           ? "x @d @k #p: sqrt(sum(x * x, d, k))"
      : p == 1         ? "x @d @k #p: sum(abs(x), d, k)"
      : p == INFINITY  ? "x @d @k #p: amax(abs(x), d, k)"
      : p == -INFINITY ? "x @d @k #p: amin(abs(x), d, k)"
      : p == 0         ? "x @d @k #p: sum(like(abs(x) != 0, x), d, k)"
                       : "x @d @k #p: pow(sum(pow(abs(x), p), d, k), 1 / p)";
  return tenon_aten_formula(rw, formula, x, (int)axes, (int)keepdim, p);
}

static tenon_status read_two(tenon_rewriter *rw, const tenon_node *n,
                             tenon_value **x, tenon_value **y) {
  tenon_aten_promotion p = {0, 0, 0};
  *x = tenon_aten_in(rw, n, 0);
  *y = tenon_aten_in(rw, n, 1);
  tenon_aten_promote_value(rw, &p, *x);
  tenon_aten_promote_value(rw, &p, *y);
  tenon_dtype t = tenon_aten_promoted(&p);
  if (!tenon_aten_is_float(t))
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t));
  *x = tenon_nn_wide(rw, tenon_aten_cast(rw, *x, t));
  *y = tenon_nn_wide(rw, tenon_aten_cast(rw, *y, t));
  return TENON_OK;
}

// [..., m, k] and [..., n, k]: every pair of rows.
TENON_ATEN_LOWER(cdist) {
  // How, not what.
  tenon_aten_without_effect(rw, n, "compute_mode");
  tenon_value *in[2];
  TENON_TRY(read_two(rw, n, &in[0], &in[1]));
  for (int i = 0; i < 2; ++i) {
    const tenon_type *t = tenon_rw_type(rw, in[i]);
    tenon_dim dims[TENON_MAX_RANK + 1];
    if (!t || t->rank < 2 || t->rank >= TENON_MAX_RANK)
      return tenon_rw_fail(rw, "%d dimensions", t ? t->rank : 0);
    int at = t->rank - 1 - i;
    for (int d = 0, from = 0; d <= t->rank; ++d)
      dims[d] = d == at ? tenon_aten_fixed(1) : t->dims[from++];
    in[i] = tenon_aten_reshape(rw, in[i], dims, t->rank + 1);
  }
  tenon_value *d = tenon_nn_sub(rw, in[0], in[1]);
  uint32_t last = 1u << (tenon_nn_rank(rw, d) - 1);
  return tenon_nn_give(
      rw, n, distance_norm(rw, d, tenon_aten_float(rw, n, "p"), last, false));
}

TENON_ATEN_LOWER(pairwise_distance) {
  tenon_value *x = NULL, *y = NULL;
  x = tenon_aten_in(rw, n, 0);
  y = tenon_aten_in(rw, n, 1);
  const tenon_dtype tx = tenon_nn_type(rw, x), ty = tenon_nn_type(rw, y);
  const bool is_integer =
      tenon_aten_is_integer(tx) && tenon_aten_is_integer(ty);
  if (is_integer && tx != ty)
    return tenon_rw_fail(rw, "the distance of two integer types");
  if (!is_integer) TENON_TRY(read_two(rw, n, &x, &y));
  // The difference of integers wraps; eps makes a float of it.
  tenon_value *d = tenon_nn_sub(rw, x, y);
  if (is_integer) d = tenon_aten_cast(rw, d, TENON_F32);
  d = tenon_nn_plus(rw, d, tenon_aten_float(rw, n, "eps"));
  if (tenon_nn_rank(rw, d) < 1) return tenon_rw_fail(rw, "no dimensions");
  uint32_t last = 1u << (tenon_nn_rank(rw, d) - 1);
  return tenon_nn_give(
      rw, n, distance_norm(rw, d, tenon_aten_float(rw, n, "p"), last, false));
}

// x over its norm, which is at least eps.
static tenon_value *direction(tenon_rewriter *rw, tenon_value *x, uint32_t axis,
                              double eps) {
  return tenon_aten_formula(rw, "x length #eps: x / maximum(length, eps)", x,
                            distance_norm(rw, x, 2, axis, true), eps);
}

TENON_ATEN_LOWER(cosine_similarity) {
  tenon_value *in[2];
  tenon_dim dims[TENON_MAX_RANK];
  int rank = 0, axis = 0;
  TENON_TRY(read_two(rw, n, &in[0], &in[1]));
  const tenon_type *p = tenon_rw_type(rw, in[0]);
  const tenon_type *q = tenon_rw_type(rw, in[1]);
  if (!p || !q) return tenon_nn_give(rw, n, in[0]);
  TENON_TRY(tenon_aten_broadcast(rw, p, q, dims, &rank));
  if (rank == 0) dims[rank++] = tenon_aten_fixed(1);
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), rank, &axis));
  for (int i = 0; i < 2; ++i) {
    in[i] = tenon_aten_expand(rw, in[i], dims, rank);
    in[i] = direction(rw, in[i], 1u << axis, tenon_aten_float(rw, n, "eps"));
  }
  return tenon_nn_give(
      rw, n,
      tenon_aten_reduce(rw, "core::sum", tenon_nn_mul(rw, in[0], in[1]),
                        1u << axis, false));
}

// --- cross -------------------------------------------------------------------

// Elements `first`, then `second`, then `third` along a dimension of three.
static tenon_value *distance_turned(tenon_rewriter *rw, tenon_value *x,
                                    int axis, int by) {
  tenon_value *parts[] = {
      tenon_nn_cut(rw, x, axis, by, tenon_aten_fixed(3 - by)),
      tenon_nn_cut(rw, x, axis, 0, tenon_aten_fixed(by))};
  return tenon_rw_concat(rw, parts, 2, axis);
}

TENON_ATEN_LOWER(cross) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *y = tenon_aten_in(rw, n, 1);
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  int axis = 0;
  if (!t) return tenon_rw_fail(rw, "the file does not say its result");
  if (tenon_aten_has(rw, n, "dim")) {
    TENON_TRY(
        tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), t->rank, &axis));
  } else {
    while (axis < t->rank && !tenon_aten_is(t->dims[axis], 3))
      ++axis;
  }
  if (axis >= t->rank || !tenon_aten_is(t->dims[axis], 3))
    return tenon_rw_fail(rw, "no dimension of 3 elements");
  tenon_value *in[] = {tenon_aten_cast(rw, x, t->dtype),
                       tenon_aten_cast(rw, y, t->dtype)};
  for (int i = 0; i < 2; ++i) {
    in[i] = tenon_aten_expand(rw, in[i], t->dims, t->rank);
  }
  tenon_value *a = tenon_nn_mul(rw, distance_turned(rw, in[0], axis, 1),
                                distance_turned(rw, in[1], axis, 2));
  tenon_value *b = tenon_nn_mul(rw, distance_turned(rw, in[0], axis, 2),
                                distance_turned(rw, in[1], axis, 1));
  return tenon_nn_give(rw, n, tenon_nn_sub(rw, a, b));
}
