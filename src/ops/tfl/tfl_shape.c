// Operators that move no number: RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE, and
// SHAPE and RANK, which only read sizes.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// A result that holds x's elements in another shape.
static tenon_status moved(tenon_infer *c, const tenon_tfl_shape *y,
                          const tenon_type *x) {
  return tenon_tfl_result(c, 0, y, x->dtype, x);
}

// The sizes of the result are known by now: SQUEEZE and EXPAND_DIMS are
// reshapes to them.
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

// The wanted sizes, from operand 1 or else from the options. *is_open: operand
// 1 is computed in a run.
static tenon_status wanted(tenon_infer *c, int64_t *out, int *n,
                           bool *is_open) {
  const tenon_tfl_reshape_attrs *a =
      (const tenon_tfl_reshape_attrs *)tenon_infer_attrs(c);
  const tenon_type *t = tenon_infer_in(c, 1);
  *is_open = false;
  // Anything but a vector is a habit of old converters, which then wrote the
  // sizes into the options.
  if (t && t->rank == 1) {
    const tenon_tensor *constant = c->api->constant(c, 1);
    *is_open = !constant;
    if (!constant) return TENON_OK;
    *n = tenon_tfl_ints(constant, out, TENON_MAX_RANK);
    if (*n < 0)
      return tenon_infer_fail(c, "'shape' is no list of at most %d integers",
                              TENON_MAX_RANK);
    return TENON_OK;
  }
  if (a->new_shape.count > TENON_MAX_RANK)
    return tenon_infer_fail(c, "new_shape has %zu sizes, at most %d",
                            a->new_shape.count, TENON_MAX_RANK);
  *n = (int)a->new_shape.count;
  for (int i = 0; i < *n; ++i)
    out[i] = a->new_shape.data[i];
  // [0] stood for a number without dimensions.
  if (*n == 1 && out[0] == 0) *n = 0;
  return TENON_OK;
}

static int64_t nonzero_product(const tenon_dim *dims, int rank) {
  int64_t p = 1;
  for (int i = 0; i < rank; ++i) {
    if (!dims[i].symbol && dims[i].value) p *= dims[i].value;
  }
  return p;
}

// Fills in the size that is given as -1, at `at`; the others are in `y`.
static tenon_status fill(tenon_infer *c, const tenon_type *x,
                         tenon_tfl_shape *y, int at) {
  tenon_dim open, unused;
  int64_t have = tenon_tfl_product(c, x->dims, x->rank, &open);
  y->dims[at] = tenon_tfl_fixed(1);
  int64_t rest = tenon_tfl_product(c, y->dims, y->rank, &unused);
  if (tenon_tfl_is(open, 1)) {
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
  y->dims[at] = tenon_tfl_quotient(c, have, open, rest);
  return TENON_OK;
}

tenon_status tenon_tfl_reshape_infer(tenon_infer *c) {
  const tenon_type *x;
  int64_t sizes[TENON_MAX_RANK], count = 1;
  int n = 0, at = -1;
  bool is_open;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(wanted(c, sizes, &n, &is_open));
  if (is_open) return tenon_tfl_as_declared(c);
  tenon_tfl_shape y = {.rank = n};
  for (int i = 0; i < n; ++i) {
    if (sizes[i] < -1 || sizes[i] > INT32_MAX)
      return tenon_infer_fail(c, "size %d of the shape is %lld", i,
                              (long long)sizes[i]);
    if (sizes[i] == -1 && at >= 0)
      return tenon_infer_fail(c, "sizes %d and %d of the shape are both -1", at,
                              i);
    if (sizes[i] == -1) at = i;
    // Two such products fit 64 bits, so none overflows.
    if (sizes[i] > 0 && count > INT32_MAX / sizes[i])
      return tenon_infer_fail(c, "the shape has more than 2^31 elements");
    if (sizes[i] > 0) count *= sizes[i];
    y.dims[i] = tenon_tfl_fixed(sizes[i]);
  }
  if (at >= 0) TENON_TRY(fill(c, x, &y, at));
  tenon_dim open_x, open_y;
  int64_t have = tenon_tfl_product(c, x->dims, x->rank, &open_x);
  int64_t want = tenon_tfl_product(c, y.dims, y.rank, &open_y);
  if (tenon_tfl_is(open_x, 1) && have != want)
    return tenon_infer_fail(c, "'x' has %lld elements, the shape %lld",
                            (long long)have, (long long)want);
  return moved(c, &y, x);
}

// The shape of a result that was typed before `sizes` were known.
static bool resolve(const tenon_type *x, const int64_t *sizes, int n,
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

tenon_status tenon_tfl_reshape_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *list = tenon_tfl_in(rw, node, 1);
  const tenon_type *y = rw->api->result(rw, node, 0);
  int64_t sizes[TENON_MAX_RANK];
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  bool is_vector = list && tenon_rw_type(rw, list)->rank == 1;
  int n = is_vector ? tenon_tfl_in_ints(rw, node, 1, sizes, TENON_MAX_RANK) : 0;
  if (n < 0)
    return tenon_rw_fail(rw,
                         "a shape that is computed in a run is not supported");
  if (!is_vector || !resolve(tenon_rw_type(rw, x), sizes, n, &shape)) {
    shape = tenon_tfl_shape_of(y);
    TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  }
  return tenon_rw_replace(rw, node, tenon_tfl_reshape(rw, x, &shape, y));
}

// ---------------------------------------------------------------------------
// SQUEEZE, EXPAND_DIMS
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_squeeze_infer(tenon_infer *c) {
  const tenon_tfl_squeeze_attrs *a =
      (const tenon_tfl_squeeze_attrs *)tenon_infer_attrs(c);
  const tenon_type *x;
  bool drop[TENON_MAX_RANK] = {false};
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
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
  return moved(c, &y, x);
}

tenon_status tenon_tfl_expand_dims_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  int64_t value;
  int axis;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "axis", -1, &t));
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_as_declared(c);
  if (tenon_tfl_ints(constant, &value, 1) != 1)
    return tenon_infer_fail(c, "'axis' is not one integer");
  TENON_TRY(tenon_tfl_axis(c, value, x->rank + 1, &axis));
  if (x->rank == TENON_MAX_RANK)
    return tenon_infer_fail(c, "'x' has %d dimensions already", x->rank);
  tenon_tfl_shape y = {.rank = x->rank + 1};
  for (int i = 0; i < y.rank; ++i)
    y.dims[i] = i == axis ? tenon_tfl_fixed(1) : x->dims[i - (i > axis)];
  return moved(c, &y, x);
}

// ---------------------------------------------------------------------------
// TRANSPOSE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_transpose_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  int64_t perm[TENON_MAX_RANK];
  uint32_t seen = 0;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "perm", 1, &t));
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_as_declared(c);
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
  return moved(c, &y, x);
}

tenon_status tenon_tfl_transpose_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  int64_t perm[TENON_MAX_RANK];
  int n = tenon_tfl_in_ints(rw, node, 1, perm, TENON_MAX_RANK);
  if (n < 0)
    return tenon_rw_fail(rw,
                         "an order that is computed in a run is not supported");
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("dims", perm, (size_t)n));
  return tenon_tfl_become(rw, node, "core::permute", &x, 1, &args);
}

// ---------------------------------------------------------------------------
// SHAPE, RANK
// ---------------------------------------------------------------------------

static tenon_status sizes_infer(tenon_infer *c, const tenon_tfl_shape *y) {
  const tenon_type *declared = tenon_tfl_declared(c, 0);
  static const tenon_type s32 = {.dtype = TENON_S32};
  if (declared && declared->dtype != TENON_S32 && declared->dtype != TENON_S64)
    return tenon_infer_fail(c, "the result is %s, expected s32 or s64",
                            tenon_tfl_dtype_name(declared->dtype));
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
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  tenon_tfl_shape y = {.rank = 1};
  y.dims[0] = tenon_tfl_fixed(x->rank);
  return sizes_infer(c, &y);
}

tenon_status tenon_tfl_shape_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_type *x = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0));
  int64_t sizes[TENON_MAX_RANK] = {0};
  for (int i = 0; i < x->rank; ++i) {
    if (x->dims[i].symbol)
      return tenon_rw_fail(
          rw, "dimension %d of 'x' is open, which is not supported", i);
    sizes[i] = x->dims[i].value;
  }
  return become_ints(rw, node, sizes, x->rank);
}

tenon_status tenon_tfl_rank_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  tenon_tfl_shape y = {.rank = 0};
  return sizes_infer(c, &y);
}

tenon_status tenon_tfl_rank_lower(tenon_rewriter *rw, const tenon_node *node) {
  const int64_t rank = tenon_rw_type(rw, tenon_tfl_in(rw, node, 0))->rank;
  return become_ints(rw, node, &rank, 1);
}

tenon_status tenon_tfl_densify_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  return tenon_infer_out(c, 0, x);
}

tenon_status tenon_tfl_densify_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  return tenon_rw_replace(rw, node, tenon_tfl_in(rw, node, 0));
}
