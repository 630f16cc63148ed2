// One tensor into several along an axis: SPLIT, SPLIT_V, UNPACK; and
// REVERSE_V2, which takes windows with steps of -1.
#include "ops/tfl/tfl_op.h"

// The parts: how large each is along the axis.
typedef struct parts {
  int64_t size[TFL_MAX_TENSORS];
  int n, axis;
} parts;

static const char OPEN[] = "parts of an open size are not supported";

static bool tfl_split_axis_of(const tenon_tensor *t, int rank, int *axis) {
  int64_t v;
  if (tenon_tfl_ints(t, &v, 1) != 1 || v < -rank || v >= rank) return false;
  *axis = (int)(v < 0 ? v + rank : v);
  return true;
}

// Equal parts; what is wrong, or null.
static const char *equal_parts(const tenon_type *x, int64_t n, parts *p) {
  if (n < 1 || n > TFL_MAX_TENSORS) return "the number of parts";
  tenon_dim d = x->dims[p->axis];
  if (d.symbol) return OPEN;
  if (d.value % n != 0) return "unequal parts";
  p->n = (int)n;
  for (int i = 0; i < p->n; ++i)
    p->size[i] = d.value / n;
  return NULL;
}

static const char *listed_parts(const tenon_type *x, const tenon_tensor *sizes,
                                parts *p) {
  int64_t left = x->dims[p->axis].value;
  int open = -1;
  p->n = tenon_tfl_ints(sizes, p->size, TFL_MAX_TENSORS);
  if (p->n < 1) return "sizes that are no list of integers";
  if (x->dims[p->axis].symbol) return OPEN;
  for (int i = 0; i < p->n; ++i) {
    if (p->size[i] == -1 && open < 0) {
      open = i;
    } else if (p->size[i] < 0 || p->size[i] > left) {
      return "sizes that do not add up";
    } else {
      left -= p->size[i];
    }
  }
  if (open >= 0) {
    p->size[open] = left;
  } else if (left) {
    return "sizes that do not add up";
  }
  return NULL;
}

// Each part as a result, of the type of x but for its size along the axis.
static tenon_status type_parts(tenon_infer *c, const tenon_type *x,
                               const parts *p, bool is_dropped) {
  TENON_TRY(c->api->results(c, 0, p->n));
  for (int i = 0; i < p->n; ++i) {
    tenon_tfl_shape y = tenon_tfl_shape_of(x);
    y.dims[p->axis] = tenon_tfl_fixed(p->size[i]);
    if (is_dropped) {
      --y.rank;
      for (int d = p->axis; d < y.rank; ++d)
        y.dims[d] = x->dims[d + 1];
    }
    TENON_TRY(tenon_tfl_result(c, i, &y, x->dtype, x));
  }
  return TENON_OK;
}

static tenon_status take_parts(tenon_rewriter *rw, const tenon_node *node,
                               tenon_value *x, const parts *p,
                               bool is_dropped) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_value *out[TFL_MAX_TENSORS];
  int64_t at = 0;
  for (int i = 0; i < p->n; ++i) {
    const tenon_type *y = rw->api->result(rw, node, i);
    tenon_tfl_shape size = tenon_tfl_shape_of(t);
    tenon_dim begin[TENON_MAX_RANK] = {{0, 0}};
    begin[p->axis] = tenon_tfl_fixed(p->size[i] ? at : 0);
    size.dims[p->axis] = tenon_tfl_fixed(p->size[i]);
    out[i] = tenon_tfl_slice(rw, x, begin, size.dims, NULL, y);
    tenon_tfl_shape shape = tenon_tfl_shape_of(y);
    if (is_dropped) out[i] = tenon_tfl_reshape(rw, out[i], &shape, NULL);
    at += p->size[i];
  }
  return rw->api->replace(rw, node, out, p->n);
}

// ---------------------------------------------------------------------------
// SPLIT, SPLIT_V
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_split_infer(tenon_infer *c) {
  const tenon_tfl_split_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 1);
  parts p;
  if (a->num_splits < 1 || a->num_splits > TFL_MAX_TENSORS)
    return tenon_infer_fail(c, "%lld parts", (long long)a->num_splits);
  if (!c->api->constant(c, 0))
    return tenon_tfl_decided_parts(c, x, -1, (int)a->num_splits, true);
  if (!tfl_split_axis_of(c->api->constant(c, 0), x->rank, &p.axis))
    return tenon_infer_fail(c, "'axis' is no axis of 'x'");
  const char *fault = equal_parts(x, a->num_splits, &p);
  if (fault == OPEN)
    return tenon_tfl_decided_parts(c, x, p.axis, (int)a->num_splits, true);
  if (fault)
    return tenon_infer_fail(c, "%s: %lld of dimension %d", fault,
                            (long long)a->num_splits, p.axis);
  return type_parts(c, x, &p, false);
}

tenon_status tenon_tfl_split_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_split_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tensor *axis = rw->api->constant(rw, tenon_tfl_in(rw, node, 0));
  parts p;
  bool is_known = axis && tfl_split_axis_of(axis, t->rank, &p.axis);
  if (!is_known || t->dims[p.axis].symbol)
    return tenon_tfl_split_computed(rw, node, is_known ? p.axis : -1,
                                    a->num_splits);
  const char *fault = equal_parts(t, a->num_splits, &p);
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  return take_parts(rw, node, x, &p, false);
}

tenon_status tenon_tfl_split_v_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *sizes;
  parts p;
  TENON_TRY(tenon_tfl_operand(c, 1, "sizes", 1, &sizes));
  const tenon_tensor *axis = c->api->constant(c, 2);
  if (axis && !tfl_split_axis_of(axis, x->rank, &p.axis))
    return tenon_infer_fail(c, "'axis' is no axis of 'x'");
  if (sizes->dims[0].symbol || sizes->dims[0].value < 1 ||
      sizes->dims[0].value > TFL_MAX_TENSORS)
    return tenon_infer_fail(c, "%lld parts", (long long)sizes->dims[0].value);
  if (!axis || !c->api->constant(c, 1) || x->dims[p.axis].symbol)
    return tenon_tfl_decided_parts(c, x, axis ? p.axis : -1,
                                   (int)sizes->dims[0].value, false);
  const char *fault = listed_parts(x, c->api->constant(c, 1), &p);
  if (fault) return tenon_infer_fail(c, "%s: dimension %d", fault, p.axis);
  return type_parts(c, x, &p, false);
}

tenon_status tenon_tfl_split_v_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  const tenon_tensor *sizes = rw->api->constant(rw, tenon_tfl_in(rw, node, 1));
  const tenon_tensor *axis = rw->api->constant(rw, tenon_tfl_in(rw, node, 2));
  parts p;
  bool is_known = axis && tfl_split_axis_of(axis, t->rank, &p.axis);
  if (!sizes || !is_known || t->dims[p.axis].symbol)
    return tenon_tfl_split_v_computed(rw, node, is_known ? p.axis : -1);
  const char *fault = listed_parts(t, sizes, &p);
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  return take_parts(rw, node, x, &p, false);
}

// ---------------------------------------------------------------------------
// UNPACK
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_unpack_infer(tenon_infer *c) {
  const tenon_tfl_unpack_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  parts p;
  TENON_TRY(tenon_tfl_axis(c, a->axis, x->rank, &p.axis));
  if (x->dims[p.axis].symbol) return tenon_tfl_as_declared(c);
  if (!tenon_tfl_is(x->dims[p.axis], a->num) || equal_parts(x, a->num, &p))
    return tenon_infer_fail(c, "%lld tensors from a dimension of %lld",
                            (long long)a->num,
                            (long long)x->dims[p.axis].value);
  return type_parts(c, x, &p, true);
}

tenon_status tenon_tfl_unpack_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  const tenon_tfl_unpack_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  parts p = {.axis = (int)(a->axis < 0 ? a->axis + t->rank : a->axis)};
  const char *fault = equal_parts(t, a->num, &p);
  if (fault) return tenon_rw_fail(rw, "%s", fault);
  return take_parts(rw, node, x, &p, true);
}

// ---------------------------------------------------------------------------
// REVERSE_V2
// ---------------------------------------------------------------------------

static bool reversed(const tenon_type *x, const tenon_tensor *axes,
                     uint32_t *set) {
  int64_t list[TENON_MAX_RANK];
  int n = axes ? tenon_tfl_ints(axes, list, TENON_MAX_RANK) : -1;
  *set = 0;
  for (int i = 0; i < n; ++i) {
    if (list[i] < -x->rank || list[i] >= x->rank) return false;
    uint32_t bit = 1u << (list[i] < 0 ? list[i] + x->rank : list[i]);
    if (*set & bit) return false;
    *set |= bit;
  }
  return n >= 0;
}

tenon_status tenon_tfl_reverse_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *t;
  uint32_t set;
  TENON_TRY(tenon_tfl_operand(c, 1, "axes", 1, &t));
  const tenon_tensor *axes = c->api->constant(c, 1);
  if (axes && !reversed(x, axes, &set))
    return tenon_infer_fail(c, "'axes' is no set of axes of 'x'");
  return tenon_tfl_like(c, x);
}

tenon_status tenon_tfl_reverse_lower(tenon_rewriter *rw,
                                     const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begin[TENON_MAX_RANK];
  int64_t step[TENON_MAX_RANK];
  uint32_t set;
  if (!reversed(t, rw->api->constant(rw, tenon_tfl_in(rw, node, 1)), &set))
    return tenon_tfl_reverse_computed(rw, node);
  for (int i = 0; i < t->rank; ++i) {
    bool is_back = set >> i & 1 && !tenon_tfl_is(t->dims[i], 0);
    if (is_back && t->dims[i].symbol)
      return tenon_tfl_reverse_computed(rw, node);
    begin[i] = tenon_tfl_fixed(is_back ? t->dims[i].value - 1 : 0);
    step[i] = is_back ? -1 : 1;
  }
  return tenon_rw_replace(rw, node,
                          tenon_tfl_slice(rw, x, begin, t->dims, step,
                                          rw->api->result(rw, node, 0)));
}
