// Slopes along dimensions: of both neighbours inside, of one or two neighbours
// at the ends.
//
// Steps are a number for each dimension, or the places of its elements.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

// One dimension of what the slopes are taken of.
typedef struct line {
  tenon_rewriter *rw;
  tenon_value *y;       // whole numbers only where elements are `step` apart
  tenon_value *places;  // beside the dimension; null: `step` apart
  double step;
  int axis;
  int64_t size;
} line;

static tenon_value *gradient_part(const line *l, tenon_value *x, int64_t begin,
                                  int64_t size) {
  return tenon_nn_cut(l->rw, x, l->axis, begin, tenon_aten_fixed(size));
}

// Distances of neighbours from `begin` on.
static tenon_value *steps(const line *l, int64_t begin, int64_t size) {
  return tenon_nn_sub(l->rw, gradient_part(l, l->places, begin + 1, size),
                      gradient_part(l, l->places, begin, size));
}

// a * y[begin], b * y[begin + 1] and c * y[begin + 2], added.
static tenon_value *of_three(const line *l, int64_t begin, int64_t size,
                             tenon_value *a, tenon_value *b, tenon_value *c) {
  return tenon_aten_formula(l->rw, "a b c x y z: a * x + b * y + c * z", a, b,
                            c, gradient_part(l, l->y, begin, size),
                            gradient_part(l, l->y, begin + 1, size),
                            gradient_part(l, l->y, begin + 2, size));
}

// At an element with a neighbour on both sides, or where `end` is -1 or 1, the
// first or the last of three; elements are `one` and `two` apart.
static tenon_value *uneven(const line *l, int64_t begin, int64_t size,
                           int end) {
  tenon_rewriter *rw = l->rw;
  tenon_value *one = steps(l, begin, size), *two = steps(l, begin + 1, size);
  tenon_value *a = NULL, *b = NULL;
  tenon_value *c = tenon_aten_formula(
      rw,
      end < 0   ? "one two &a &b: both = one + two;"
                  "a = -(one + both) / (one * both);"
                  "b = both / (one * two); -one / (two * both)"
      : end > 0 ? "one two &a &b: both = one + two; a = two / (one * both);"
                  "b = -both / (one * two); (two + both) / (two * both)"
                : "one two &a &b: both = one + two; a = -two / (one * both);"
                  "b = (two - one) / (one * two); one / (two * both)",
      one, two, &a, &b);
  return of_three(l, begin, size, a, b, c);
}

static tenon_value *in_float(const line *l, tenon_value *x) {
  const bool is_float = tenon_aten_is_float(tenon_nn_type(l->rw, x));
  return is_float ? x : tenon_aten_cast(l->rw, x, TENON_F32);
}

// A rise over `count` steps. Whole numbers have wrapped by now.
static tenon_value *over_steps(const line *l, tenon_value *rise, double count) {
  return tenon_nn_times(l->rw, in_float(l, rise), 1 / (count * l->step));
}

// From one neighbour, `begin` and the one behind it.
static tenon_value *of_two(const line *l, int64_t begin) {
  tenon_value *rise = tenon_nn_sub(l->rw, gradient_part(l, l->y, begin + 1, 1),
                                   gradient_part(l, l->y, begin, 1));
  if (l->places) return tenon_nn_div(l->rw, rise, steps(l, begin, 1));
  return over_steps(l, rise, 1);
}

// What three elements rise by at the first of them, or with `sign` -1 fall by
// at the last: -1.5 a + 2 b - 0.5 c. Only the double is made in whole numbers.
static tenon_value *over_three(const line *l, tenon_value *a, tenon_value *b,
                               tenon_value *c, double sign) {
  tenon_rewriter *rw = l->rw;
  a = tenon_nn_times(rw, in_float(l, a), -1.5 * sign);
  b = in_float(l, tenon_nn_times(rw, b, 2 * sign));
  c = tenon_nn_times(rw, in_float(l, c), -0.5 * sign);
  return tenon_nn_add(rw, tenon_nn_add(rw, a, b), c);
}

static tenon_value *at_end(const line *l, int64_t order, int end) {
  const int64_t begin = end < 0 ? 0 : l->size - 1 - order;
  if (order == 1) return of_two(l, begin);
  if (l->places) return uneven(l, begin, 1, end);
  tenon_value *first = gradient_part(l, l->y, begin, 1);
  tenon_value *middle = gradient_part(l, l->y, begin + 1, 1);
  tenon_value *last = gradient_part(l, l->y, begin + 2, 1);
  return over_steps(l,
                    end < 0 ? over_three(l, first, middle, last, 1)
                            : over_three(l, last, middle, first, -1),
                    1);
}

static tenon_status slope(const line *l, int64_t order, tenon_value **out) {
  tenon_value *parts[3], *inner = NULL;
  const int64_t between = l->size - 2;
  if (l->size <= order)
    return tenon_rw_fail(l->rw, "%lld elements along dimension %d",
                         (long long)l->size, l->axis);
  int n = 0;
  if (between > 0 && l->places) inner = uneven(l, 0, between, 0);
  if (between > 0 && !l->places)
    inner = over_steps(l,
                       tenon_nn_sub(l->rw, gradient_part(l, l->y, 2, between),
                                    gradient_part(l, l->y, 0, between)),
                       2);
  parts[n++] = at_end(l, order, -1);
  if (inner) parts[n++] = inner;
  parts[n++] = at_end(l, order, 1);
  *out = tenon_rw_concat(l->rw, parts, n, l->axis);
  return TENON_OK;
}

// --- Arguments ---------------------------------------------------------------

// Which dimensions, in order; none are all.
static tenon_status gradient_axes_of(tenon_rewriter *rw, const tenon_node *n,
                                     int rank, int *axes, int *count) {
  const tenon_arg *dim = tenon_aten_arg(rw, n, "dim");
  const tenon_ints list = tenon_aten_ints(rw, n, "dim");
  *count = rank;
  for (int d = 0; d < rank; ++d)
    axes[d] = d;
  if (dim->kind == TENON_KIND_INT) {
    *count = 1;
    return tenon_aten_axis(rw, dim->as.i, rank, axes);
  }
  if (!list.data) return TENON_OK;
  if (list.count > TENON_MAX_RANK) return tenon_rw_fail(rw, "too many `dim`");
  *count = (int)list.count;
  for (int i = 0; i < *count; ++i)
    TENON_TRY(tenon_aten_axis(rw, list.data[i], rank, &axes[i]));
  return TENON_OK;
}

// The step of dimension i of `count`.
static tenon_status gradient_step_of(tenon_rewriter *rw, const tenon_node *n,
                                     int i, int count, double *step) {
  const tenon_arg *a = tenon_aten_arg(rw, n, "spacing");
  tenon_scalar s = tenon_aten_scalar(rw, n, "spacing");
  if (a->kind == TENON_KIND_SCALARS) {
    if (a->as.scalars.count != (size_t)count)
      return tenon_rw_fail(rw, "%zu steps for %d dimensions",
                           a->as.scalars.count, count);
    s = a->as.scalars.data[i];
  }
  *step = s.kind ? tenon_aten_real_of(s) : 1;
  return TENON_OK;
}

// The places of the elements of a dimension. PyTorch promotes to wider ones
// than y inside alone, not at the ends.
static tenon_status gradient_put_places(line *l, tenon_value *x, tenon_dim size,
                                        tenon_dtype *t) {
  const tenon_type *p = tenon_aten_known(l->rw, x);
  tenon_aten_promotion both = {0};
  tenon_aten_promote_value(l->rw, &both, l->y);
  tenon_aten_promote_value(l->rw, &both, x);
  const tenon_dtype own = *t;
  *t = tenon_aten_promoted_float(&both);
  if (tenon_aten_is_float(tenon_nn_type(l->rw, l->y)) && *t != own)
    return tenon_rw_fail(l->rw, "places in a wider type than the values");
  if (p->rank != 1 || !tenon_aten_same(p->dims[0], size) || !*t)
    return tenon_rw_fail(l->rw, "places that are not those of dimension %d",
                         l->axis);
  const tenon_dtype wide = *t == TENON_F64 ? TENON_F64 : TENON_F32;
  const int rank = tenon_nn_rank(l->rw, l->y);
  l->y = tenon_aten_cast(l->rw, l->y, wide);
  l->places =
      tenon_nn_beside(l->rw, tenon_aten_cast(l->rw, x, wide), rank, l->axis);
  return TENON_OK;
}

// The row says "places" where the steps are tensors.
TENON_ATEN_LOWER(gradient) {
  tenon_value *y = tenon_aten_in(rw, n, 0), *out[TENON_MAX_RANK];
  const int64_t order = tenon_aten_int(rw, n, "edge_order");
  const bool has_places = tenon_aten_user(rw) != NULL;
  const tenon_dtype from = tenon_nn_type(rw, y);
  int axes[TENON_MAX_RANK], count = 0, first = 1;
  if (order != 1 && order != 2)
    return tenon_rw_fail(rw, "edge_order is %lld", (long long)order);
  TENON_TRY(gradient_axes_of(rw, n, tenon_nn_rank(rw, y), axes, &count));
  if (has_places && rw->api->group(rw, n, 1, &first) != count)
    return tenon_rw_fail(rw, "places for other than %d dimensions", count);
  for (int i = 0; i < count; ++i) {
    line l = {rw, y, NULL, 1, axes[i], 0};
    tenon_dtype t = tenon_aten_is_float(from) ? from : TENON_F32;
    const tenon_dim size = tenon_nn_dim(rw, y, axes[i]);
    if (size.symbol) return tenon_rw_fail(rw, "an open size");
    l.size = size.value;
    if (has_places) {
      TENON_TRY(
          gradient_put_places(&l, tenon_aten_in(rw, n, first + i), size, &t));
    } else {
      TENON_TRY(gradient_step_of(rw, n, i, count, &l.step));
      if (tenon_aten_is_float(from)) l.y = tenon_nn_wide(rw, y);
    }
    TENON_TRY(slope(&l, order, &out[i]));
    out[i] = tenon_aten_cast(rw, out[i], t);
  }
  return rw->api->replace(rw, n, out, count);
}
