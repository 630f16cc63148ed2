// Windows on a tensor: SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK,
// REVERSE_V2. All become core::slice, with a core::reshape behind it where axes
// come or go.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// A window: of each axis of x where it begins, how many, and by which step.
typedef struct window {
  tenon_dim begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
  // Axes of which the run computes where the window begins; `size` is what is
  // taken of them behind the others, TENON_UNKNOWN where the run computes it.
  bool is_computed[TENON_MAX_RANK];
  // Axes whose elements are taken one by one, since the run computes by which
  // step, or where from and to by another step than 1.
  bool is_stepped[TENON_MAX_RANK];
} window;

static window slice_all_of(const tenon_type *x) {
  window w = {.step = {0}};
  for (int i = 0; i < x->rank; ++i) {
    w.begin[i] = tenon_tfl_fixed(0);
    w.size[i] = x->dims[i];
    w.step[i] = 1;
  }
  return w;
}

// `begin` has a number for each computed axis.
static tenon_value *slice_take(tenon_rewriter *rw, tenon_value *x,
                               const window *w, tenon_value *const *begin,
                               const tenon_type *like) {
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1)}, 1};
  tenon_dim size[TENON_MAX_RANK], found[TENON_MAX_RANK];
  tenon_value *in[TENON_MAX_RANK], *both[2];
  int64_t axes[TENON_MAX_RANK];
  uint32_t n = 0;
  for (int i = 0; i < t->rank; ++i) {
    size[i] = w->is_computed[i] || w->is_stepped[i] ? t->dims[i] : w->size[i];
    if (!w->is_computed[i]) continue;
    axes[n] = i;
    found[n] = w->size[i];
    in[n++] = tenon_tfl_reshape(rw, begin[i], &one, NULL);
  }
  x = tenon_tfl_slice(rw, x, w->begin, size, w->step, like);
  if (n == 0) return x;
  both[0] = x;
  both[1] = n == 1 ? in[0] : tenon_tfl_join(rw, in, n, 0, NULL);
  tenon_type y = *tenon_rw_type(rw, x);
  for (int i = 0; i < t->rank; ++i)
    if (!w->is_stepped[i]) size[i] = w->size[i];
  y.dims = size;
  return tenon_tfl_make(rw, "core::dynamic_slice", both, 2,
                        TENON_ARGS(tenon_arg_ints("axes", axes, n),
                                   tenon_arg_dims("size", found, n)),
                        &y);
}

// --- Numbers that a run computes ---------------------------------------------

static tenon_value *slice_number(tenon_rewriter *rw, int64_t v) {
  return tenon_rw_scalar(rw, TENON_S64, (double)v);
}

static tenon_value *from_end(tenon_rewriter *rw, tenon_value *v,
                             tenon_value *size) {
  // One behind the other: of two arguments either may be built first.
  tenon_value *sum = tenon_rw_op2(rw, "core::add", v, size);
  return tenon_rw_where(
      rw, tenon_rw_op2(rw, "core::lt", v, slice_number(rw, 0)), sum, v);
}

static tenon_value *slice_within(tenon_rewriter *rw, tenon_value *v,
                                 tenon_value *size) {
  v = tenon_rw_op2(rw, "core::maximum", v, slice_number(rw, 0));
  return tenon_rw_op2(rw, "core::minimum", v, size);
}

static bool slice_is_known(tenon_dim d) {
  return d.symbol || d.value != TENON_UNKNOWN;
}

// Results that hold a part of a list that is known.
static void slice_hold(tenon_infer *c, const window *w) {
  tenon_dim list[TFL_MAX_NUMBERS], y[TFL_MAX_NUMBERS];
  int n = tenon_tfl_list(c, 0, list);
  if (n < 1 || tenon_infer_in(c, 0)->rank != 1 || w->is_computed[0] ||
      w->begin[0].symbol || w->size[0].symbol)
    return;
  for (int64_t i = 0; i < w->size[0].value; ++i)
    y[i] = list[w->begin[0].value + i * w->step[0]];
  tenon_tfl_hold(c, 0, y, (int)w->size[0].value);
}

// ---------------------------------------------------------------------------
// SLICE
// ---------------------------------------------------------------------------

// What is wrong, or null. Sizes of -1 reach to the end.
static const char *slice_of(const tenon_type *x, const tenon_dim *begin,
                            const tenon_dim *size, window *w, int *at) {
  *w = slice_all_of(x);
  for (*at = 0; *at < x->rank; ++*at) {
    int i = *at;
    tenon_dim d = x->dims[i];
    bool is_rest = tenon_tfl_is(size[i], -1);
    if (tenon_tfl_is(begin[i], 0) && is_rest) continue;
    w->is_computed[i] = d.symbol || begin[i].symbol || size[i].symbol ||
                        !slice_is_known(begin[i]) || !slice_is_known(size[i]);
    if (w->is_computed[i]) {
      w->size[i] = is_rest ? tenon_tfl_fixed(TENON_UNKNOWN) : size[i];
      if (!size[i].symbol && slice_is_known(size[i]) && size[i].value < -1)
        return "it ends outside";
      continue;
    }
    int64_t b = begin[i].value, n = size[i].value;
    if (b < 0 || b > d.value) return "it begins outside";
    if (n < -1 || n > d.value - b) return "it ends outside";
    w->size[i] = tenon_tfl_fixed(n == -1 ? d.value - b : n);
    // An empty window begins nowhere.
    w->begin[i] = tenon_tfl_fixed(w->size[i].value ? b : 0);
  }
  return NULL;
}

tenon_status tenon_tfl_slice_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *t;
  tenon_dim begin[TFL_MAX_NUMBERS], size[TFL_MAX_NUMBERS];
  window w;
  int at;
  TENON_TRY(tenon_tfl_operand(c, 1, "begin", 1, &t));
  TENON_TRY(tenon_tfl_operand(c, 2, "size", 1, &t));
  if (tenon_tfl_list(c, 1, begin) != x->rank ||
      tenon_tfl_list(c, 2, size) != x->rank)
    return tenon_infer_fail(c, "'begin' and 'size' are no lists of %d integers",
                            x->rank);
  const char *fault = slice_of(x, begin, size, &w, &at);
  if (fault)
    return tenon_infer_fail(c, "dimension %d: %s (begin %lld, size %lld)", at,
                            fault, (long long)begin[at].value,
                            (long long)size[at].value);
  tenon_tfl_shape y = {.rank = x->rank};
  for (int i = 0; i < x->rank; ++i) {
    y.dims[i] =
        slice_is_known(w.size[i]) ? w.size[i] : c->api->decided(c, x->dims[i]);
    if (w.is_computed[i] &&
        !c->api->require(c, TENON_RELATION_LE, y.dims[i], x->dims[i]))
      return tenon_infer_fail(c, "dimension %d: it ends outside", i);
  }
  TENON_TRY(tenon_tfl_result(c, 0, &y, x->dtype, x));
  slice_hold(c, &w);
  return TENON_OK;
}

tenon_status tenon_tfl_slice_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *from[TENON_MAX_RANK] = {NULL};
  tenon_value *lists[] = {tenon_tfl_in(rw, node, 1), tenon_tfl_in(rw, node, 2)};
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  window w;
  int at;
  for (int i = 0; i < t->rank; ++i) {
    const tenon_dim unknown = tenon_tfl_fixed(TENON_UNKNOWN);
    if (!rw->api->element(rw, lists[0], i, &begin[i])) begin[i] = unknown;
    if (!rw->api->element(rw, lists[1], i, &size[i])) size[i] = unknown;
  }
  const char *fault = slice_of(t, begin, size, &w, &at);
  if (fault) return tenon_rw_fail(rw, "dimension %d: %s", at, fault);
  for (int i = 0; i < t->rank; ++i) {
    if (!w.is_computed[i]) continue;
    from[i] = tenon_tfl_element(rw, lists[0], i);
    if (slice_is_known(w.size[i])) continue;
    tenon_value *n = tenon_tfl_element(rw, lists[1], i);
    tenon_value *rest = tenon_rw_op2(
        rw, "core::sub", tenon_tfl_size(rw, t->dims[i], TENON_S64), from[i]);
    n = tenon_rw_where(rw, tenon_rw_op2(rw, "core::lt", n, slice_number(rw, 0)),
                       rest, n);
    w.size[i] = rw->api->number(rw, n);
  }
  return tenon_rw_replace(
      rw, node, slice_take(rw, x, &w, from, rw->api->result(rw, node, 0)));
}

// ---------------------------------------------------------------------------
// STRIDED_SLICE
// ---------------------------------------------------------------------------

typedef struct strided {
  window window;
  tenon_tfl_shape shape;      // of the result, with axes added and dropped
  int axis[TENON_MAX_RANK];   // of x, for each of its dimensions; -1: a new one
  int entry[TENON_MAX_RANK];  // of the lists, for each computed axis of x
} strided;

// Indices of 64 bits are cut to what no dimension reaches, so that sums of them
// do not overflow.
static int64_t slice_cut(int64_t v) {
  const int64_t most = (int64_t)1 << 40;
  return v < -most ? -most : v > most ? most : v;
}

// One axis of x. `i` is the bit of the masks that belongs to it.
static const char *one_axis(const tenon_tfl_strided_slice_attrs *a, int i,
                            tenon_dim d, const tenon_dim *v, window *w,
                            int at) {
  int64_t begin = slice_cut(v[0].value), end = slice_cut(v[1].value),
          step = v[2].value;
  bool from_start = a->begin_mask >> i & 1, to_end = a->end_mask >> i & 1;
  bool is_index = a->shrink_axis_mask >> i & 1;
  bool is_any_step = !is_index && (v[2].symbol || !slice_is_known(v[2]));
  if (is_index || is_any_step) step = 1;
  if (step == 0 || step < -INT32_MAX || step > INT32_MAX)
    return "a step of 0 or beyond 32 bits";
  bool is_open =
      d.symbol || (!from_start && (v[0].symbol || !slice_is_known(v[0]))) ||
      (!to_end && !is_index && (v[1].symbol || !slice_is_known(v[1])));
  if (is_any_step || (is_open && step != 1)) {
    w->is_stepped[at] = true;
    w->size[at] = tenon_tfl_fixed(TENON_UNKNOWN);
    return NULL;
  }
  if (is_open) {
    if (from_start && to_end && !is_index) return NULL;
    w->is_computed[at] = true;
    w->size[at] = tenon_tfl_fixed(is_index ? 1 : TENON_UNKNOWN);
    return NULL;
  }
  int64_t low = step > 0 ? 0 : -1, high = low + d.value;
  if (from_start) {
    begin = step > 0 ? low : high;
  } else if (begin < 0) {
    begin += d.value;
  }
  if (is_index) {
    if (begin < 0 || begin >= d.value) return "an index outside";
    end = begin + 1;
    step = 1;
    high = d.value;
  } else {
    if (a->offset) end = begin + end;
    if (!a->offset && end < 0) end += d.value;
    if (to_end) end = step > 0 ? high : low;
    begin = begin < low ? low : begin > high ? high : begin;
    end = end < low ? low : end > high ? high : end;
  }
  int64_t size = step > 0 ? (end - begin + step - 1) / step
                          : (begin - end - step - 1) / -step;
  w->size[at] = tenon_tfl_fixed(size > 0 ? size : 0);
  w->begin[at] = tenon_tfl_fixed(size > 0 ? begin : 0);
  w->step[at] = size > 0 ? step : 1;
  return NULL;
}

// `v` holds begin, end and step of each of `n` entries. An entry is an axis of
// x, all axes that the others leave (ellipsis, once), or a new axis of size 1.
// What is wrong, or null.
static const char *strided_of(const tenon_tfl_strided_slice_attrs *a,
                              const tenon_type *x, tenon_dim (*v)[3], int n,
                              strided *s) {
  int given = 0, at = 0;
  bool has_rest = false;
  s->window = slice_all_of(x);
  s->shape.rank = 0;
  for (int i = 0; i < n; ++i)
    given += !((a->ellipsis_mask | a->new_axis_mask) >> i & 1);
  if (given > x->rank) return "more entries than dimensions";
  for (int i = 0; i <= n; ++i) {
    // Without an ellipsis there is one behind the last entry.
    bool is_rest = i == n ? !has_rest : a->ellipsis_mask >> i & 1;
    if (i == n && has_rest) break;
    if (is_rest && has_rest) return "more than one ellipsis";
    int count = is_rest ? x->rank - given : 1;
    has_rest |= is_rest;
    bool is_new = !is_rest && (a->new_axis_mask >> i & 1);
    for (int k = 0; k < count; ++k) {
      if (s->shape.rank == TENON_MAX_RANK) return "too many dimensions";
      if (is_new) {
        s->axis[s->shape.rank] = -1;
        s->shape.dims[s->shape.rank++] = tenon_tfl_fixed(1);
        continue;
      }
      if (!is_rest) {
        const char *fault = one_axis(a, i, x->dims[at], v[i], &s->window, at);
        if (fault) return fault;
        s->entry[at] = i;
      }
      if (is_rest || !(a->shrink_axis_mask >> i & 1)) {
        s->axis[s->shape.rank] = at;
        s->shape.dims[s->shape.rank++] = s->window.size[at];
      }
      ++at;
    }
  }
  return NULL;
}

tenon_status tenon_tfl_strided_slice_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *t;
  tenon_dim v[TENON_MAX_RANK][3], list[TFL_MAX_NUMBERS];
  strided s;
  int n = -1;
  static const char *const names[] = {"begin", "end", "strides"};
  for (int k = 0; k < 3; ++k) {
    TENON_TRY(tenon_tfl_operand(c, k + 1, names[k], 1, &t));
    int m = tenon_tfl_list(c, k + 1, list);
    if (m < 0 || m > TENON_MAX_RANK || (k && m != n))
      return tenon_infer_fail(
          c, "'begin', 'end' and 'strides' are no equal lists of integers");
    n = m;
    for (int i = 0; i < n; ++i)
      v[i][k] = list[i];
  }
  const char *fault = strided_of(tenon_infer_attrs(c), x, v, n, &s);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  for (int i = 0; i < s.shape.rank; ++i)
    if (!slice_is_known(s.shape.dims[i]))
      s.shape.dims[i] = c->api->decided(c, x->dims[s.axis[i]]);
  TENON_TRY(tenon_tfl_result(c, 0, &s.shape, x->dtype, x));
  slice_hold(c, &s.window);
  return TENON_OK;
}

// Where a computed axis begins, and its size, if that is not known.
static tenon_value *slice_computed(tenon_rewriter *rw, const tenon_node *node,
                                   const tenon_tfl_strided_slice_attrs *a,
                                   int i, tenon_dim dim, tenon_dim *size) {
  tenon_value *d = tenon_tfl_size(rw, dim, TENON_S64);
  tenon_value *begin = slice_number(rw, 0), *end = d;
  bool is_index = a->shrink_axis_mask >> i & 1;
  tenon_value *given = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 1), i);
  if (!(a->begin_mask >> i & 1)) begin = from_end(rw, given, d);
  if (is_index) return begin;
  begin = slice_within(rw, begin, d);
  if (!(a->end_mask >> i & 1)) {
    end = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 2), i);
    end = a->offset ? tenon_rw_op2(rw, "core::add", given, end)
                    : from_end(rw, end, d);
    end = slice_within(rw, end, d);
  }
  end = tenon_rw_op2(rw, "core::sub", end, begin);
  *size = rw->api->number(
      rw, tenon_rw_op2(rw, "core::maximum", end, slice_number(rw, 0)));
  return begin;
}

// The places along an axis, s64: from where, by which step, how many.
static tenon_value *stepped(tenon_rewriter *rw, const tenon_node *node,
                            const tenon_tfl_strided_slice_attrs *a, int i,
                            tenon_dim dim, tenon_dim *size) {
  tenon_value *d = tenon_tfl_size(rw, dim, TENON_S64),
              *zero = slice_number(rw, 0);
  tenon_value *step = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 3), i);
  tenon_value *is_up = tenon_rw_op2(rw, "core::gt", step, zero);
  tenon_value *low = tenon_rw_where(rw, is_up, zero, slice_number(rw, -1));
  tenon_value *high = tenon_rw_op2(rw, "core::add", d, low), *ends[2];
  tenon_value *given = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 1), i);
  for (int k = 0; k < 2; ++k) {
    bool is_masked = (k ? a->end_mask : a->begin_mask) >> i & 1;
    tenon_value *v = given;
    if (k) v = tenon_tfl_element(rw, tenon_tfl_in(rw, node, 2), i);
    v = k && a->offset ? tenon_rw_op2(rw, "core::add", given, v)
                       : from_end(rw, v, d);
    v = tenon_rw_op2(rw, "core::minimum",
                     tenon_rw_op2(rw, "core::maximum", v, low), high);
    ends[k] = !is_masked ? v
              : k        ? tenon_rw_where(rw, is_up, high, low)
                         : tenon_rw_where(rw, is_up, low, high);
  }
  tenon_value *one =
      tenon_rw_where(rw, is_up, slice_number(rw, 1), slice_number(rw, -1));
  tenon_value *n = tenon_rw_op2(rw, "core::sub", ends[1], ends[0]);
  n = tenon_rw_op2(rw, "core::sub", tenon_rw_op2(rw, "core::add", n, step),
                   one);
  n = tenon_rw_op2(rw, "core::maximum", tenon_rw_op2(rw, "core::div", n, step),
                   zero);
  *size = rw->api->number(rw, n);
  tenon_value *at = tenon_tfl_line(rw, *size, 1, 0, TENON_S64);
  return tenon_rw_op2(rw, "core::add", tenon_rw_op2(rw, "core::mul", at, step),
                      ends[0]);
}

tenon_status tenon_tfl_strided_slice_lower(tenon_rewriter *rw,
                                           const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *from[TENON_MAX_RANK] = {NULL};
  tenon_value *at[TENON_MAX_RANK] = {NULL};
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_dim v[TENON_MAX_RANK][3];
  strided s;
  int n = (int)tenon_tfl_type(rw, node, 1)->dims[0].value;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      if (!rw->api->element(rw, tenon_tfl_in(rw, node, k + 1), i, &v[i][k]))
        v[i][k] = tenon_tfl_fixed(TENON_UNKNOWN);
  const tenon_tfl_strided_slice_attrs *a = tenon_rw_attrs(rw, node);
  const char *fault = strided_of(a, t, v, n, &s);
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  // In the order of the result's sizes.
  for (int i = 0; i < t->rank; ++i) {
    tenon_dim *size = &s.window.size[i];
    if (s.window.is_computed[i])
      from[i] = slice_computed(rw, node, a, s.entry[i], t->dims[i], size);
    if (s.window.is_stepped[i])
      at[i] = stepped(rw, node, a, s.entry[i], t->dims[i], size);
  }
  for (int i = 0; i < s.shape.rank; ++i)
    if (s.axis[i] >= 0) s.shape.dims[i] = s.window.size[s.axis[i]];
  tenon_value *part = slice_take(rw, x, &s.window, from, y);
  for (int i = 0; i < t->rank; ++i)
    if (at[i]) part = tenon_tfl_index(rw, part, &at[i], 1, i, NULL);
  return tenon_rw_replace(rw, node,
                          tenon_tfl_reshape(rw, part, &s.shape, NULL));
}
