// Operators that move no number: RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, and
// SHAPE and RANK, which only read sizes.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// A result that holds x's elements in another shape.
static tenon_status tfl_shape_moved(tenon_infer *c, const tenon_tfl_shape *y,
                                    const tenon_type *x) {
  return tenon_tfl_result(c, 0, y, x->dtype, x);
}

// The sizes of the result are known by now: SQUEEZE and EXPAND_DIMS are
// reshapes to them.
tenon_status tenon_tfl_expand_dims_lower(tenon_rewriter *rw,
                                         const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_type y = *rw->api->result(rw, node, 0);
  tenon_tfl_shape from = tenon_tfl_shape_of(tenon_rw_type(rw, x)), to;
  int64_t axis;
  if (tenon_tfl_in_ints(rw, node, 1, &axis, 1) != 1)
    return tenon_tfl_expand_dims_computed(rw, node);
  to.rank = from.rank + 1;
  if (axis < 0) axis += to.rank;
  if (axis < 0 || axis >= to.rank)
    return tenon_rw_fail(rw, "axis %lld of %d dimensions", (long long)axis,
                         to.rank);
  for (int i = 0; i < to.rank; ++i)
    to.dims[i] = i == axis ? tenon_tfl_fixed(1) : from.dims[i - (i > axis)];
  y.dims = to.dims;
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &to, &y));
}

tenon_status tenon_tfl_to_shape_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, y));
}

// ---------------------------------------------------------------------------
// RESHAPE
// ---------------------------------------------------------------------------

// The wanted sizes, from operand 1 or else from the options; `computed[i]`: the
// run finds out what size i is, and whether it is -1.
static tenon_status wanted(tenon_infer *c, tenon_tfl_shape *y, bool *computed) {
  const tenon_tfl_reshape_attrs *a = tenon_infer_attrs(c);
  const tenon_type *t = tenon_infer_in(c, 1);
  tenon_dim list[TFL_MAX_NUMBERS];
  // Anything but a vector is a habit of old converters, which then wrote the
  // sizes into the options.
  if (t && t->rank == 1) {
    int n = tenon_tfl_list(c, 1, list);
    if (n < 0 || n > TENON_MAX_RANK)
      return tenon_infer_fail(c, "'shape' is no list of at most %d integers",
                              TENON_MAX_RANK);
    y->rank = n;
    for (int i = 0; i < n; ++i) {
      computed[i] = tenon_tfl_is(list[i], TENON_UNKNOWN);
      y->dims[i] = computed[i] ? c->api->decided(c, list[i]) : list[i];
    }
    return TENON_OK;
  }
  if (a->new_shape.count > TENON_MAX_RANK)
    return tenon_infer_fail(c, "new_shape has %zu sizes, at most %d",
                            a->new_shape.count, TENON_MAX_RANK);
  y->rank = (int)a->new_shape.count;
  for (int i = 0; i < y->rank; ++i)
    y->dims[i] = tenon_tfl_fixed(a->new_shape.data[i]);
  // [0] stood for a number without dimensions.
  if (y->rank == 1 && tenon_tfl_is(y->dims[0], 0)) y->rank = 0;
  return TENON_OK;
}

static int64_t nonzero_product(const tenon_dim *dims, int rank) {
  int64_t p = 1;
  for (int i = 0; i < rank; ++i) {
    if (!dims[i].symbol && dims[i].value) p *= dims[i].value;
  }
  return p;
}

// The product of what is open, without what both have: said as it is, x / x is
// no 1.
static tenon_dim open_product(tenon_infer *c, const tenon_dim *dims, int rank,
                              const bool *skip) {
  tenon_dim y = tenon_tfl_fixed(1);
  for (int i = 0; i < rank; ++i) {
    if (skip[i] || !dims[i].symbol) continue;
    y = tenon_tfl_is(y, 1) ? dims[i]
                           : c->api->dim(c, TENON_DIM_MUL, y, dims[i]);
  }
  return y;
}

// Fills in the size that is given as -1, at `at`; the others are in `y`.
static tenon_status tfl_shape_fill(tenon_infer *c, const tenon_type *x,
                                   tenon_tfl_shape *y, int at) {
  bool in_x[TENON_MAX_RANK] = {false}, in_y[TENON_MAX_RANK] = {false};
  tenon_dim open, unused;
  int64_t have = tenon_tfl_product(c, x->dims, x->rank, &unused);
  y->dims[at] = tenon_tfl_fixed(1);
  int64_t rest = tenon_tfl_product(c, y->dims, y->rank, &unused);
  for (int i = 0; i < x->rank; ++i) {
    for (int k = 0; x->dims[i].symbol && k < y->rank && !in_x[i]; ++k) {
      if (in_y[k] || !tenon_tfl_same(x->dims[i], y->dims[k])) continue;
      in_x[i] = in_y[k] = true;
    }
  }
  open = open_product(c, x->dims, x->rank, in_x);
  const tenon_dim by = open_product(c, y->dims, y->rank, in_y);
  if (tenon_tfl_is(open, 1) && tenon_tfl_is(by, 1)) {
    // With empty tensors: as many as the sizes but the zeros leave.
    int64_t size = have == 0 && rest != 0
                       ? 0
                       : nonzero_product(x->dims, x->rank) /
                             nonzero_product(y->dims, y->rank);
    y->dims[at] = tenon_tfl_fixed(size);
    return TENON_OK;
  }
  if (rest == 0)
    return tenon_infer_fail(c, "a size of 0 and one of -1, with open ones");
  if (tenon_tfl_is(by, 1)) {
    y->dims[at] = tenon_tfl_quotient(c, have, open, rest);
    return TENON_OK;
  }
  // What the file says of the others is checked when they are known.
  open = c->api->dim(c, TENON_DIM_MUL, open, tenon_tfl_fixed(have));
  tenon_dim all = c->api->dim(c, TENON_DIM_MUL, by, tenon_tfl_fixed(rest));
  if (!c->api->require(c, TENON_RELATION_LT, tenon_tfl_fixed(0), all))
    return tenon_infer_fail(c, "a size of 0 and one of -1");
  y->dims[at] = c->api->dim(c, TENON_DIM_DIV, open, all);
  return TENON_OK;
}

tenon_status tenon_tfl_reshape_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t count = 1;
  int at = -1;
  bool computed[TENON_MAX_RANK] = {false};
  tenon_tfl_shape y;
  TENON_TRY(wanted(c, &y, computed));
  for (int i = 0; i < y.rank; ++i) {
    if (y.dims[i].symbol) continue;
    int64_t size = y.dims[i].value;
    if (size < -1 || size > INT32_MAX)
      return tenon_infer_fail(c, "size %d of the shape is %lld", i,
                              (long long)size);
    if (size == -1 && at >= 0)
      return tenon_infer_fail(c, "sizes %d and %d of the shape are both -1", at,
                              i);
    if (size == -1) at = i;
    // Two such products fit 64 bits, so none overflows.
    if (size > 0 && count > INT32_MAX / size)
      return tenon_infer_fail(c, "the shape has more than 2^31 elements");
    if (size > 0) count *= size;
  }
  if (at >= 0) TENON_TRY(tfl_shape_fill(c, x, &y, at));
  tenon_dim open_x, open_y;
  int64_t have = tenon_tfl_product(c, x->dims, x->rank, &open_x);
  int64_t want = tenon_tfl_product(c, y.dims, y.rank, &open_y);
  if (tenon_tfl_is(open_x, 1) && tenon_tfl_is(open_y, 1) && have != want)
    return tenon_infer_fail(c, "'x' has %lld elements, the shape %lld",
                            (long long)have, (long long)want);
  return tfl_shape_moved(c, &y, x);
}

// The shape of a result that was typed before `sizes` were known.
static bool tfl_shape_resolve(const tenon_type *x, const int64_t *sizes, int n,
                              tenon_tfl_shape *y) {
  int64_t have = 1, want = 1;
  int at = -1;
  y->rank = n;
  for (int i = 0; i < x->rank; ++i) {
    if (x->dims[i].symbol) return false;
    have *= x->dims[i].value;
  }
  for (int i = 0; i < n; ++i) {
    y->dims[i] = tenon_tfl_fixed(sizes[i]);
    if (sizes[i] == -1 && at < 0) {
      at = i;
    } else if (sizes[i] < 0 || sizes[i] > INT32_MAX || want > INT32_MAX) {
      return false;
    } else {
      want *= sizes[i];
    }
  }
  if (at < 0) return have == want;
  if (want == 0 || have % want != 0) return false;
  y->dims[at] = tenon_tfl_fixed(have / want);
  return true;
}

// How many elements x has, as a number of this type.
static tenon_value *tfl_shape_count_of(tenon_rewriter *rw, tenon_value *x,
                                       tenon_dtype t) {
  const tenon_type *type = tenon_rw_type(rw, x);
  tenon_dim all = tenon_tfl_fixed(1);
  for (int i = 0; i < type->rank; ++i)
    all = rw->api->dim(rw, TENON_DIM_MUL, all, type->dims[i]);
  return tenon_tfl_size(rw, all, t);
}

// The list with what -1 stands for, if there is one: all elements by minus the
// product of the list. What fits nowhere is found by the core::reshape.
static tenon_value *without_rest(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *list) {
  const int64_t first = 0;
  const tenon_dtype t = tenon_rw_type(rw, list)->dtype;
  tenon_value *least = tenon_rw_scalar(rw, t, -1),
              *one = tenon_rw_scalar(rw, t, 1);
  tenon_value *others =
      tenon_rw_op(rw, "core::prod", &list, 1,
                  TENON_ARGS(tenon_arg_ints("dims", &first, 1)));
  others = tenon_rw_op2(rw, "core::mul", others, least);
  others = tenon_rw_op2(rw, "core::maximum", others, one);
  tenon_value *rest =
      tenon_rw_op2(rw, "core::floor_div", tfl_shape_count_of(rw, x, t), others);
  return tenon_rw_where(rw, tenon_rw_op2(rw, "core::eq", list, least), rest,
                        list);
}

// Where the run computes sizes.
static tenon_status reshape_computed(tenon_rewriter *rw, const tenon_node *node,
                                     tenon_value *x, tenon_value *list,
                                     bool has_rest) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  tenon_value *whole = has_rest ? list : without_rest(rw, x, list);
  for (int i = 0; i < shape.rank; ++i) {
    tenon_dim d;
    if (!rw->api->element(rw, list, i, &d))
      shape.dims[i] = tenon_tfl_number_in(rw, whole, i);
  }
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, y));
}

tenon_status tenon_tfl_reshape_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *list = tenon_tfl_in(rw, node, 1);
  const tenon_type *y = rw->api->result(rw, node, 0);
  int64_t sizes[TENON_MAX_RANK];
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  bool is_vector = list && tenon_rw_type(rw, list)->rank == 1;
  bool is_computed = false, has_rest = false;
  for (int i = 0; is_vector && i < y->rank; ++i) {
    tenon_dim d;
    bool is_known = rw->api->element(rw, list, i, &d);
    is_computed |= !is_known;
    has_rest |= is_known && tenon_tfl_is(d, -1);
  }
  if (is_computed) return reshape_computed(rw, node, x, list, has_rest);
  int n = is_vector ? tenon_tfl_in_ints(rw, node, 1, sizes, TENON_MAX_RANK) : 0;
  if (!is_vector || n < 0 ||
      !tfl_shape_resolve(tenon_rw_type(rw, x), sizes, n, &shape)) {
    shape = tenon_tfl_shape_of(y);
    if (!is_vector || n >= 0) TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  }
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, y));
}

// ---------------------------------------------------------------------------
// SQUEEZE, EXPAND_DIMS
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_squeeze_infer(tenon_infer *c) {
  const tenon_tfl_squeeze_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  bool drop[TENON_MAX_RANK] = {false};
  for (size_t i = 0; i < a->squeeze_dims.count; ++i) {
    int axis;
    TENON_TRY(tenon_tfl_axis(c, a->squeeze_dims.data[i], x->rank, &axis));
    if (!tenon_tfl_is(x->dims[axis], 1))
      return tenon_infer_fail(c, "dimension %d of 'x' is not 1", axis);
    drop[axis] = true;
  }
  tenon_tfl_shape y = {.rank = 0};
  for (int i = 0; i < x->rank; ++i) {
    bool is_one = tenon_tfl_is(x->dims[i], 1);
    if (!(a->squeeze_dims.count ? drop[i] : is_one))
      y.dims[y.rank++] = x->dims[i];
  }
  return tfl_shape_moved(c, &y, x);
}

tenon_status tenon_tfl_expand_dims_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  int64_t value;
  int axis;
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant && x->rank < TENON_MAX_RANK)
    return tenon_tfl_decided(c, x->rank + 1, x);
  if (!constant || tenon_tfl_ints(constant, &value, 1) != 1)
    return tenon_infer_fail(c, "'axis' is not one integer");
  TENON_TRY(tenon_tfl_axis(c, value, x->rank + 1, &axis));
  if (x->rank == TENON_MAX_RANK)
    return tenon_infer_fail(c, "'x' has %d dimensions already", x->rank);
  tenon_tfl_shape y = {.rank = x->rank + 1};
  for (int i = 0; i < y.rank; ++i)
    y.dims[i] = i == axis ? tenon_tfl_fixed(1) : x->dims[i - (i > axis)];
  return tfl_shape_moved(c, &y, x);
}

// ---------------------------------------------------------------------------
// TRANSPOSE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_transpose_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *t;
  int64_t perm[TENON_MAX_RANK];
  uint32_t seen = 0;
  TENON_TRY(tenon_tfl_operand(c, 1, "perm", 1, &t));
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) {
    if (tenon_tfl_differ(t->dims[0], tenon_tfl_fixed(x->rank)))
      return tenon_infer_fail(c, "'perm' is no list of %d integers", x->rank);
    return tenon_tfl_decided(c, x->rank, x);
  }
  int n = tenon_tfl_ints(constant, perm, TENON_MAX_RANK);
  if (n != x->rank)
    return tenon_infer_fail(c, "'perm' is no list of %d integers", x->rank);
  tenon_tfl_shape y = {.rank = n};
  for (int i = 0; i < n; ++i) {
    if (perm[i] < 0 || perm[i] >= n || seen >> perm[i] & 1)
      return tenon_infer_fail(c, "'perm' is no order of %d dimensions", n);
    seen |= 1u << perm[i];
    y.dims[i] = x->dims[perm[i]];
  }
  return tfl_shape_moved(c, &y, x);
}

tenon_status tenon_tfl_transpose_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  int64_t perm[TENON_MAX_RANK];
  int n = tenon_tfl_in_ints(rw, node, 1, perm, TENON_MAX_RANK);
  if (n < 0) return tenon_tfl_transpose_computed(rw, node);
  tenon_type y = *rw->api->result(rw, node, 0);
  tenon_dim dims[TENON_MAX_RANK];
  for (int i = 0; i < n; ++i)
    dims[i] = tenon_rw_type(rw, x)->dims[perm[i]];
  y.dims = dims;
  return tenon_rw_replace(
      rw, node,
      tenon_tfl_make(rw, "core::permute", &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", perm, (size_t)n)), &y));
}

// ---------------------------------------------------------------------------
// SHAPE, RANK
// ---------------------------------------------------------------------------

static tenon_status sizes_infer(tenon_infer *c, const tenon_tfl_shape *y) {
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  static const tenon_type s32 = {.dtype = TENON_S32};
  if (declared && declared->dtype != TENON_S32 && declared->dtype != TENON_S64)
    return tenon_infer_fail(c, "the result is %s, expected s32 or s64",
                            tenon_dtype_name(declared->dtype));
  return tenon_tfl_result(c, 0, y, 0, &s32);
}

// A constant in place of the node, of its type.
static tenon_status become_ints(tenon_rewriter *rw, const tenon_node *node,
                                const int64_t *values, int n) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  int32_t narrow[TENON_MAX_RANK] = {0};
  const void *data = y->dtype == TENON_S64 ? (const void *)values : narrow;
  for (int i = 0; i < n; ++i)
    narrow[i] = (int32_t)values[i];
  return tenon_rw_replace(rw, node, rw->api->literal(rw, y, data));
}

tenon_status tenon_tfl_shape_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_tfl_shape y = {.rank = 1};
  y.dims[0] = tenon_tfl_fixed(x->rank);
  return sizes_infer(c, &y);
}

tenon_status tenon_tfl_shape_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tfl_shape line = {{tenon_tfl_fixed(1)}, 1};
  tenon_value *parts[TENON_MAX_RANK];
  int64_t sizes[TENON_MAX_RANK] = {0};
  bool is_open = false;
  for (int i = 0; i < x->rank; ++i) {
    is_open |= x->dims[i].symbol != 0;
    sizes[i] = x->dims[i].value;
  }
  if (!is_open) return become_ints(rw, node, sizes, x->rank);
  for (int i = 0; i < x->rank; ++i) {
    parts[i] = tenon_tfl_size(rw, x->dims[i], y->dtype);
    parts[i] = tenon_tfl_reshape(rw, parts[i], &line, NULL);
  }
  if (x->rank == 1) return tenon_rw_replace(rw, node, parts[0]);
  return tenon_rw_replace(rw, node,
                          tenon_tfl_join(rw, parts, (uint32_t)x->rank, 0, y));
}

tenon_status tenon_tfl_rank_infer(tenon_infer *c) {
  tenon_tfl_shape y = {.rank = 0};
  return sizes_infer(c, &y);
}

tenon_status tenon_tfl_rank_lower(tenon_rewriter *rw, const tenon_node *node) {
  const int64_t rank = tenon_tfl_type(rw, node, 0)->rank;
  return become_ints(rw, node, &rank, 1);
}

tenon_status tenon_tfl_densify_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  return tenon_infer_out(c, 0, x);
}

tenon_status tenon_tfl_densify_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  return tenon_rw_replace(rw, node, tenon_tfl_in(rw, node, 0));
}
