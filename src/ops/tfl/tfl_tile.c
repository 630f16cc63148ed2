// Repetition: TILE, BROADCAST_TO and FILL, as core::concat of a tensor with
// itself, one axis at a time from the last on, so that runs get long early.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// Repeats of one axis that are one node; more become nodes of nodes.
#define STRIDE 64
// An operator that repeats more is refused: it wants a kernel of its own.
#define MAX_REPEATS (1 << 16)

static tenon_value *join(tenon_rewriter *rw, tenon_value *x, int axis,
                         int64_t n) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_value *in[STRIDE];
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type joined = *t;
  for (int64_t i = 0; i < n; ++i)
    in[i] = x;
  memcpy(dims, t->dims, t->rank * sizeof *dims);
  dims[axis].value *= n;
  joined.dims = dims;
  return tenon_tfl_join(rw, in, (uint32_t)n, axis, &joined);
}

static tenon_value *nothing(tenon_rewriter *rw, tenon_value *x, int axis) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
  for (int i = 0; i < t->rank; ++i) {
    begin[i] = tenon_tfl_fixed(0);
    size[i] = i == axis ? tenon_tfl_fixed(0) : t->dims[i];
    step[i] = 1;
  }
  return tenon_tfl_slice(rw, x, begin, size, step, t);
}

static tenon_value *repeat(tenon_rewriter *rw, tenon_value *x, int axis,
                           int64_t n) {
  if (n == 0) return nothing(rw, x, axis);
  tenon_value *all = NULL;
  // Powers of STRIDE of x, as many of each as n has in that digit.
  for (tenon_value *power = x; n > 0; n /= STRIDE) {
    int64_t digit = n % STRIDE;
    tenon_value *part = digit > 1 ? join(rw, power, axis, digit) : power;
    if (digit && !all) {
      all = part;
    } else if (digit) {
      tenon_value *in[] = {all, part};
      tenon_tfl_shape shape = tenon_tfl_shape_of(tenon_rw_type(rw, all));
      tenon_type joined = *tenon_rw_type(rw, all);
      shape.dims[axis].value += tenon_rw_type(rw, part)->dims[axis].value;
      joined.dims = shape.dims;
      all = tenon_tfl_join(rw, in, 2, axis, &joined);
    }
    if (n >= STRIDE) power = join(rw, power, axis, STRIDE);
  }
  return all;
}

// Repeats x, which has the rank of the result.
static tenon_status repeat_to(tenon_rewriter *rw, const tenon_node *node,
                              tenon_value *x, const int64_t *times) {
  for (int i = tenon_rw_type(rw, x)->rank; i-- > 0;) {
    if (times[i] == 1) continue;
    if (tenon_rw_type(rw, x)->dims[i].symbol)
      return tenon_rw_fail(rw, "repetition of an open size is not supported");
    if (times[i] > MAX_REPEATS)
      return tenon_rw_fail(rw, "%lld repetitions, at most %d are supported",
                           (long long)times[i], MAX_REPEATS);
    x = repeat(rw, x, i, times[i]);
  }
  return tenon_rw_replace(rw, node, x);
}

static tenon_status computed(tenon_rewriter *rw) {
  return tenon_rw_fail(rw,
                       "sizes that are computed in a run are not supported");
}

// ---------------------------------------------------------------------------
// TILE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_tile_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  int64_t times[TENON_MAX_RANK];
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "multiples", 1, &t));
  if (!c->api->constant(c, 1)) return tenon_tfl_as_declared(c);
  if (tenon_tfl_ints(c->api->constant(c, 1), times, TENON_MAX_RANK) != x->rank)
    return tenon_infer_fail(c, "'multiples' is no list of %d integers",
                            x->rank);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 0; i < y.rank; ++i) {
    if (times[i] < 0 || times[i] > INT32_MAX)
      return tenon_infer_fail(c, "dimension %d %lld times", i,
                              (long long)times[i]);
    if (!y.dims[i].symbol) {
      y.dims[i].value *= times[i];
    } else if (times[i] != 1) {
      y.dims[i] =
          c->api->dim(c, TENON_DIM_MUL, y.dims[i], tenon_tfl_fixed(times[i]));
    }
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_tile_lower(tenon_rewriter *rw, const tenon_node *node) {
  int64_t times[TENON_MAX_RANK];
  if (tenon_tfl_in_ints(rw, node, 1, times, TENON_MAX_RANK) < 0)
    return computed(rw);
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  return repeat_to(rw, node, tenon_tfl_in(rw, node, 0), times);
}

// ---------------------------------------------------------------------------
// BROADCAST_TO, FILL
// ---------------------------------------------------------------------------

// The sizes that an operand gives; what is wrong, or null.
static const char *sizes_of(const tenon_tensor *t, tenon_tfl_shape *y) {
  int64_t sizes[TENON_MAX_RANK];
  y->rank = tenon_tfl_ints(t, sizes, TENON_MAX_RANK);
  if (y->rank < 0) return "the sizes are no short list of integers";
  for (int i = 0; i < y->rank; ++i) {
    if (sizes[i] < 0 || sizes[i] > INT32_MAX) return "a size below 0";
    y->dims[i] = tenon_tfl_fixed(sizes[i]);
  }
  return NULL;
}

tenon_status tenon_tfl_broadcast_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "shape", 1, &t));
  if (!c->api->constant(c, 1)) return tenon_tfl_as_declared(c);
  const char *fault = sizes_of(c->api->constant(c, 1), &y);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  if (y.rank < x->rank)
    return tenon_infer_fail(c, "%d dimensions from %d", y.rank, x->rank);
  for (int i = 1; i <= x->rank; ++i) {
    tenon_dim from = x->dims[x->rank - i], to = y.dims[y.rank - i];
    if (!tenon_tfl_is(from, 1) && tenon_tfl_differ(from, to))
      return tenon_infer_fail(c, "%lld does not broadcast to %lld",
                              (long long)from.value, (long long)to.value);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_fill_infer(tenon_infer *c) {
  const tenon_type *t, *value;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_operand(c, 0, "dims", 1, &t));
  TENON_TRY(tenon_tfl_operand(c, 1, "value", 0, &value));
  if (!c->api->constant(c, 0)) return tenon_tfl_as_declared(c);
  const char *fault = sizes_of(c->api->constant(c, 0), &y);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  return tenon_tfl_result(c, 0, &y, value->dtype, value);
}

// x, with ones in front, repeated where it has 1 and the result has not. Sizes
// come from the operand: it may have become constant after its rule ran.
static tenon_status spread(tenon_rewriter *rw, const tenon_node *node,
                           tenon_value *x, tenon_value *sizes) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tensor *constant = rw->api->constant(rw, sizes);
  tenon_tfl_shape y, ones;
  int64_t times[TENON_MAX_RANK];
  if (!constant) return computed(rw);
  const char *fault = sizes_of(constant, &y);
  if (fault || y.rank < t->rank)
    return tenon_rw_fail(rw, "%s", fault ? fault : "fewer dimensions");
  ones.rank = y.rank;
  for (int i = 0; i < y.rank; ++i) {
    int from = i - (y.rank - t->rank);
    ones.dims[i] = from < 0 ? tenon_tfl_fixed(1) : t->dims[from];
    if (ones.dims[i].symbol)
      return tenon_rw_fail(rw, "repetition of an open size is not supported");
    times[i] = ones.dims[i].value == 1 ? y.dims[i].value : 1;
  }
  return repeat_to(rw, node, tenon_tfl_reshape(rw, x, &ones, NULL), times);
}

tenon_status tenon_tfl_broadcast_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return spread(rw, node, tenon_tfl_in(rw, node, 0), tenon_tfl_in(rw, node, 1));
}

tenon_status tenon_tfl_fill_lower(tenon_rewriter *rw, const tenon_node *node) {
  return spread(rw, node, tenon_tfl_in(rw, node, 1), tenon_tfl_in(rw, node, 0));
}
