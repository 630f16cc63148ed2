// Windows on a tensor: SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK,
// REVERSE_V2. All become core::slice, with a core::reshape behind it where axes
// come or go.
#include <string.h>

#include "ops/tfl/tfl_op.h"

// A window: of each axis of x where it begins, how many, and by which step.
typedef struct window {
  tenon_dim begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
} window;

static window all_of(const tenon_type *x) {
  window w = {.step = {0}};
  for (int i = 0; i < x->rank; ++i) {
    w.begin[i] = tenon_tfl_fixed(0);
    w.size[i] = x->dims[i];
    w.step[i] = 1;
  }
  return w;
}

static tenon_value *take(tenon_rewriter *rw, tenon_value *x, const window *w,
                         const tenon_type *like) {
  return tenon_tfl_slice(rw, x, w->begin, w->size, w->step, like);
}

// What a window cannot be taken from before a run.
static const char OPEN[] = "a part of an open size is not supported";

// ---------------------------------------------------------------------------
// SLICE
// ---------------------------------------------------------------------------

// What is wrong, or null. Sizes of -1 reach to the end.
static const char *slice_of(const tenon_type *x, const int64_t *begin,
                            const int64_t *size, window *w, int *at) {
  *w = all_of(x);
  for (*at = 0; *at < x->rank; ++*at) {
    int i = *at;
    tenon_dim d = x->dims[i];
    if (begin[i] == 0 && size[i] == -1) continue;
    if (d.symbol) return OPEN;
    if (begin[i] < 0 || begin[i] > d.value) return "it begins outside";
    if (size[i] < -1 || size[i] > d.value - begin[i]) return "it ends outside";
    w->size[i] = tenon_tfl_fixed(size[i] == -1 ? d.value - begin[i] : size[i]);
    // An empty window begins nowhere.
    w->begin[i] = tenon_tfl_fixed(w->size[i].value ? begin[i] : 0);
  }
  return NULL;
}

tenon_status tenon_tfl_slice_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  int64_t begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  window w;
  int at;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "begin", 1, &t));
  TENON_TRY(tenon_tfl_operand(c, 2, "size", 1, &t));
  const tenon_tensor *b = c->api->constant(c, 1), *s = c->api->constant(c, 2);
  if (!b || !s) return tenon_tfl_as_declared(c);
  if (tenon_tfl_ints(b, begin, TENON_MAX_RANK) != x->rank ||
      tenon_tfl_ints(s, size, TENON_MAX_RANK) != x->rank)
    return tenon_infer_fail(c, "'begin' and 'size' are no lists of %d integers",
                            x->rank);
  const char *fault = slice_of(x, begin, size, &w, &at);
  if (fault == OPEN) return tenon_tfl_as_declared(c);
  if (fault)
    return tenon_infer_fail(c, "dimension %d: %s (begin %lld, size %lld)", at,
                            fault, (long long)begin[at], (long long)size[at]);
  tenon_tfl_shape y = {.rank = x->rank};
  memcpy(y.dims, w.size, sizeof y.dims);
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

tenon_status tenon_tfl_slice_lower(tenon_rewriter *rw, const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  int64_t begin[TENON_MAX_RANK], size[TENON_MAX_RANK];
  window w;
  int at;
  if (tenon_tfl_in_ints(rw, node, 1, begin, TENON_MAX_RANK) < 0 ||
      tenon_tfl_in_ints(rw, node, 2, size, TENON_MAX_RANK) < 0)
    return tenon_rw_fail(rw,
                         "a window that is computed in a run is not supported");
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  const char *fault = slice_of(tenon_rw_type(rw, x), begin, size, &w, &at);
  if (fault) return tenon_rw_fail(rw, "dimension %d: %s", at, fault);
  return tenon_rw_replace(rw, node,
                          take(rw, x, &w, rw->api->result(rw, node, 0)));
}

// ---------------------------------------------------------------------------
// STRIDED_SLICE
// ---------------------------------------------------------------------------

typedef struct strided {
  window window;
  tenon_tfl_shape shape;  // of the result, with axes added and dropped
} strided;

// Indices of 64 bits are cut to what no dimension reaches, so that sums of them
// do not overflow.
static int64_t cut(int64_t v) {
  const int64_t most = (int64_t)1 << 40;
  return v < -most ? -most : v > most ? most : v;
}

// One axis of x. `i` is the bit of the masks that belongs to it.
static const char *one_axis(const tenon_tfl_strided_slice_attrs *a, int i,
                            tenon_dim d, const int64_t *v, window *w, int at) {
  int64_t begin = cut(v[0]), end = cut(v[1]), step = v[2];
  bool from_start = a->begin_mask >> i & 1, to_end = a->end_mask >> i & 1;
  bool is_index = a->shrink_axis_mask >> i & 1;
  if (step == 0 || step < -INT32_MAX || step > INT32_MAX)
    return "a step of 0 or beyond 32 bits";
  if (d.symbol) {
    if (from_start && to_end && step == 1 && !is_index) return NULL;
    return OPEN;
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
                              const tenon_type *x, int64_t (*v)[3], int n,
                              strided *s) {
  int given = 0, at = 0;
  bool has_rest = false;
  s->window = all_of(x);
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
        s->shape.dims[s->shape.rank++] = tenon_tfl_fixed(1);
        continue;
      }
      if (!is_rest) {
        const char *fault = one_axis(a, i, x->dims[at], v[i], &s->window, at);
        if (fault) return fault;
      }
      if (is_rest || !(a->shrink_axis_mask >> i & 1))
        s->shape.dims[s->shape.rank++] = s->window.size[at];
      ++at;
    }
  }
  return NULL;
}

// Puts three lists of equal length together; -1 if they are none.
static int interleave(const tenon_tensor *const *t, int64_t (*v)[3]) {
  int64_t list[TENON_MAX_RANK];
  int n = -1;
  for (int k = 0; k < 3; ++k) {
    int m = tenon_tfl_ints(t[k], list, TENON_MAX_RANK);
    if (m < 0 || (k && m != n)) return -1;
    n = m;
    for (int i = 0; i < n; ++i)
      v[i][k] = list[i];
  }
  return n;
}

tenon_status tenon_tfl_strided_slice_infer(tenon_infer *c) {
  const tenon_type *x, *t;
  const tenon_tensor *lists[3];
  int64_t v[TENON_MAX_RANK][3];
  strided s;
  static const char *const names[] = {"begin", "end", "strides"};
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  for (int i = 0; i < 3; ++i) {
    TENON_TRY(tenon_tfl_operand(c, i + 1, names[i], 1, &t));
    lists[i] = c->api->constant(c, i + 1);
    if (!lists[i]) return tenon_tfl_as_declared(c);
  }
  int n = interleave(lists, v);
  if (n < 0)
    return tenon_infer_fail(
        c, "'begin', 'end' and 'strides' are no equal lists of integers");
  const char *fault = strided_of(
      (const tenon_tfl_strided_slice_attrs *)tenon_infer_attrs(c), x, v, n, &s);
  if (fault == OPEN) return tenon_tfl_as_declared(c);
  if (fault) return tenon_infer_fail(c, "%s", fault);
  return tenon_tfl_result(c, 0, &s.shape, x->dtype, x);
}

tenon_status tenon_tfl_strided_slice_lower(tenon_rewriter *rw,
                                           const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  const tenon_tensor *lists[3];
  int64_t v[TENON_MAX_RANK][3];
  strided s;
  for (int i = 0; i < 3; ++i) {
    lists[i] = rw->api->constant(rw, tenon_tfl_in(rw, node, i + 1));
    if (!lists[i])
      return tenon_rw_fail(
          rw, "a window that is computed in a run is not supported");
  }
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  int n = interleave(lists, v);
  const tenon_tfl_strided_slice_attrs *a =
      (const tenon_tfl_strided_slice_attrs *)tenon_rw_attrs(rw, node);
  const char *fault = n < 0 ? "lists of several lengths"
                            : strided_of(a, tenon_rw_type(rw, x), v, n, &s);
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  tenon_value *part = take(rw, x, &s.window, y);
  return tenon_rw_replace(rw, node,
                          tenon_tfl_reshape(rw, part, &s.shape, NULL));
}
