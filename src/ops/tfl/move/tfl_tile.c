// Repetition: TILE, BROADCAST_TO and FILL, as core::concat of a tensor with
// itself, one axis at a time from the last on, so that runs get long early.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// Repeats of one axis that are one node; more become nodes of nodes.
#define STRIDE 64
// An operator that repeats more goes through an axis of its own.
#define MAX_REPEATS (1 << 16)

static tenon_value *tile_join(tenon_rewriter *rw, tenon_value *x, int axis,
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

static tenon_value *tile_repeat(tenon_rewriter *rw, tenon_value *x, int axis,
                                int64_t n) {
  const tenon_dim none = tenon_tfl_fixed(0);
  if (n == 0) return tenon_tfl_part(rw, x, axis, none, none, 1);
  tenon_value *all = NULL;
  // Powers of STRIDE of x, as many of each as n has in that digit.
  for (tenon_value *power = x; n > 0; n /= STRIDE) {
    int64_t digit = n % STRIDE;
    tenon_value *part = digit > 1 ? tile_join(rw, power, axis, digit) : power;
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
    if (n >= STRIDE) power = tile_join(rw, power, axis, STRIDE);
  }
  return all;
}

// The same where a size is open, or so many that they are no operands: a new
// axis in front of it, along which x is repeated, and both as one.
static tenon_value *repeat_open(tenon_rewriter *rw, tenon_value *x, int axis,
                                tenon_dim times) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape one = {.rank = 3}, all, y = tenon_tfl_shape_of(t);
  tenon_dim before = tenon_tfl_fixed(1), after = before;
  for (int i = 0; i < axis; ++i)
    before = rw->api->dim(rw, TENON_DIM_MUL, before, t->dims[i]);
  for (int i = axis; i < t->rank; ++i)
    after = rw->api->dim(rw, TENON_DIM_MUL, after, t->dims[i]);
  one.dims[0] = before;
  one.dims[1] = tenon_tfl_fixed(1);
  one.dims[2] = after;
  all = one;
  all.dims[1] = times;
  y.dims[axis] = rw->api->dim(rw, TENON_DIM_MUL, t->dims[axis], times);
  tenon_type like = *t;
  x = tenon_tfl_expand(rw, tenon_tfl_reshape(rw, x, &one, NULL), &all);
  like.dims = y.dims;
  return tenon_tfl_reshape(rw, x, &y, &like);
}

// Repeats x, which has the rank of the result.
static tenon_status repeat_to(tenon_rewriter *rw, const tenon_node *node,
                              tenon_value *x, const tenon_dim *times) {
  for (int i = tenon_rw_type(rw, x)->rank; i-- > 0;) {
    bool is_open = times[i].symbol || tenon_rw_type(rw, x)->dims[i].symbol;
    if (tenon_tfl_is(times[i], 1)) continue;
    x = is_open || times[i].value > MAX_REPEATS
            ? repeat_open(rw, x, i, times[i])
            : tile_repeat(rw, x, i, times[i].value);
  }
  return tenon_rw_replace(rw, node, x);
}

// ---------------------------------------------------------------------------
// TILE
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_tile_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *t;
  tenon_dim times[TFL_MAX_NUMBERS];
  TENON_TRY(tenon_tfl_operand(c, 1, "multiples", 1, &t));
  if (tenon_tfl_list(c, 1, times) != x->rank)
    return tenon_infer_fail(c, "'multiples' is no list of %d integers",
                            x->rank);
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  for (int i = 0; i < y.rank; ++i) {
    if (tenon_tfl_is(times[i], TENON_UNKNOWN))
      times[i] = c->api->decided(c, times[i]);
    if (!times[i].symbol && (times[i].value < 0 || times[i].value > INT32_MAX))
      return tenon_infer_fail(c, "dimension %d %lld times", i,
                              (long long)times[i].value);
    if (!y.dims[i].symbol && !times[i].symbol)
      y.dims[i].value *= times[i].value;
    else if (!tenon_tfl_is(times[i], 1))
      y.dims[i] = c->api->dim(c, TENON_DIM_MUL, y.dims[i], times[i]);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_tile_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_dim times[TENON_MAX_RANK];
  (void)tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 1), times);
  return repeat_to(rw, node, tenon_tfl_in(rw, node, 0), times);
}

// ---------------------------------------------------------------------------
// BROADCAST_TO, FILL
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_broadcast_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_sizes(c, 1, "shape", &y));
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
  const tenon_type *value;
  tenon_tfl_shape y;
  TENON_TRY(tenon_tfl_operand(c, 1, "value", 0, &value));
  TENON_TRY(tenon_tfl_sizes(c, 0, "dims", &y));
  return tenon_tfl_result(c, 0, &y, value->dtype, value);
}

// x, with ones in front, repeated where it has 1 and the result has not.
static tenon_status tile_spread(tenon_rewriter *rw, const tenon_node *node,
                                tenon_value *x, tenon_value *sizes) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape y, ones;
  tenon_dim times[TENON_MAX_RANK];
  bool is_open = false;
  y.rank = tenon_tfl_sizes_in(rw, sizes, y.dims);
  ones.rank = y.rank;
  for (int i = 0; i < y.rank; ++i) {
    int from = i - (y.rank - t->rank);
    ones.dims[i] = from < 0 ? tenon_tfl_fixed(1) : t->dims[from];
    is_open |= ones.dims[i].symbol || y.dims[i].symbol;
    times[i] = tenon_tfl_is(ones.dims[i], 1) ? y.dims[i] : tenon_tfl_fixed(1);
  }
  // Whether what is open in x is 1 is known in the run, which expands then.
  if (is_open) return tenon_rw_replace(rw, node, tenon_tfl_expand(rw, x, &y));
  return repeat_to(rw, node, tenon_tfl_reshape(rw, x, &ones, NULL), times);
}

tenon_status tenon_tfl_broadcast_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  return tile_spread(rw, node, tenon_tfl_in(rw, node, 0),
                     tenon_tfl_in(rw, node, 1));
}

tenon_status tenon_tfl_fill_lower(tenon_rewriter *rw, const tenon_node *node) {
  return tile_spread(rw, node, tenon_tfl_in(rw, node, 1),
                     tenon_tfl_in(rw, node, 0));
}

// ---------------------------------------------------------------------------
// BROADCAST_ARGS
// ---------------------------------------------------------------------------

// The size that a and b are both broadcast to.
static tenon_dim wider(tenon_dim a, tenon_dim b) {
  const tenon_dim unknown = {TENON_UNKNOWN, 0};
  if (tenon_tfl_is(a, 1)) return b;
  if (tenon_tfl_is(b, 1) || tenon_tfl_same(a, b)) return a;
  // Of a fixed size that is not 1 and another, the other is it or 1.
  if (!a.symbol && tenon_tfl_is_known(a)) return a;
  return !b.symbol && tenon_tfl_is_known(b) ? b : unknown;
}

tenon_status tenon_tfl_broadcast_args_infer(tenon_infer *c) {
  static const char *const names[] = {"a", "b"};
  const tenon_type *t[2];
  tenon_dim list[2][TFL_MAX_NUMBERS], y[TFL_MAX_NUMBERS];
  int n[2];
  for (int i = 0; i < 2; ++i) {
    TENON_TRY(tenon_tfl_operand(c, i, names[i], 1, &t[i]));
    n[i] = tenon_tfl_list(c, i, list[i]);
    if (n[i] < 0 || n[i] > TENON_MAX_RANK)
      return tenon_infer_fail(c, "'%s' is no list of at most %d sizes",
                              names[i], TENON_MAX_RANK);
  }
  TENON_TRY(tenon_tfl_check_alike(c, t[0], "a", t[1], "b"));
  const int most = n[0] > n[1] ? n[0] : n[1];
  for (int k = 0; k < most; ++k) {
    const int i = k - (most - n[0]), j = k - (most - n[1]);
    y[k] = wider(i < 0 ? tenon_tfl_fixed(1) : list[0][i],
                 j < 0 ? tenon_tfl_fixed(1) : list[1][j]);
  }
  const tenon_tfl_shape shape = {{tenon_tfl_fixed(most)}, 1};
  TENON_TRY(tenon_tfl_result(c, 0, &shape, t[0]->dtype, t[0]));
  tenon_tfl_hold(c, 0, y, most);
  return TENON_OK;
}

// x with ones in front, up to n numbers.
static tenon_value *led(tenon_rewriter *rw, tenon_value *x, int64_t n) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tfl_shape ones = {{tenon_tfl_fixed(n - t->dims[0].value)}, 1};
  if (tenon_tfl_is(ones.dims[0], 0)) return x;
  tenon_value *parts[] = {
      tenon_tfl_expand(rw, tenon_rw_scalar(rw, t->dtype, 1), &ones), x};
  return tenon_tfl_join(rw, parts, 2, 0, NULL);
}

// Whether the rule has seen all of both.
static bool is_held(tenon_rewriter *rw, const tenon_node *node) {
  tenon_dim d;
  for (int i = 0; i < 2; ++i) {
    tenon_value *v = tenon_tfl_in(rw, node, i);
    for (int k = 0; k < (int)tenon_rw_type(rw, v)->dims[0].value; ++k)
      if (!rw->api->element(rw, v, k, &d)) return false;
  }
  return true;
}

tenon_status tenon_tfl_broadcast_args_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  const int64_t n = y->dims[0].value;
  tenon_value *a = led(rw, tenon_tfl_in(rw, node, 0), n);
  tenon_value *b = led(rw, tenon_tfl_in(rw, node, 1), n);
  if (!is_held(rw, node))
    TENON_TRY(tenon_tfl_require(
        rw, tenon_aten_formula(rw, "a b: a == b | a == 1 | b == 1", a, b),
        "sizes that broadcast to each other"));
  return tenon_rw_replace(rw, node,
                          tenon_aten_formula(rw, "a b: a == 1 ? b : a", a, b));
}
