// Elements with space between them: DILATE and STABLEHLO_PAD.
//
// How: a tensor of one value, x written into it with steps, and a window of it
// where padding is negative, which takes away.
#include "ops/tfl/tfl_op.h"

// What each axis gets: elements in front, behind, and between any two.
typedef struct spreading {
  int64_t low[TENON_MAX_RANK], high[TENON_MAX_RANK], inner[TENON_MAX_RANK];
} spreading;

static int64_t positive(int64_t v) {
  return v > 0 ? v : 0;
}

// Sizes with what is positive around, and with all of it.
static tenon_status spread_sizes(tenon_infer *c, const tenon_type *x,
                                 const spreading *s) {
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  int64_t count = 1;
  for (int i = 0; i < y.rank; ++i) {
    int64_t n = x->dims[i].value;
    if (x->dims[i].symbol)
      return tenon_infer_fail(c, "dimension %d of 'x' is open", i);
    if (s->inner[i] < 0 || s->inner[i] > INT32_MAX || s->low[i] < -INT32_MAX ||
        s->low[i] > INT32_MAX || s->high[i] < -INT32_MAX ||
        s->high[i] > INT32_MAX)
      return tenon_infer_fail(c, "padding of %lld, %lld and %lld",
                              (long long)s->low[i], (long long)s->inner[i],
                              (long long)s->high[i]);
    n = (n > 0 ? (n - 1) * (s->inner[i] + 1) + 1 : 0) + s->low[i] + s->high[i];
    count = n > 0 && count > INT32_MAX / n ? INT64_MAX : count * positive(n);
    if (n < 0 || n > INT32_MAX || count > INT32_MAX)
      return tenon_infer_fail(c, "dimension %d becomes %lld", i, (long long)n);
    y.dims[i] = tenon_tfl_fixed(n);
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

static tenon_value *strided_update(tenon_rewriter *rw, tenon_value *whole,
                                   tenon_value *x, const spreading *s) {
  const tenon_type *t = tenon_rw_type(rw, whole);
  tenon_dim strides[TENON_MAX_RANK];
  int64_t stride = 1, offset = 0;
  for (int i = t->rank; i-- > 0;) {
    strides[i] = tenon_tfl_fixed(stride * (s->inner[i] + 1));
    offset += stride * positive(s->low[i]);
    stride *= t->dims[i].value;
  }
  const tenon_dim start = tenon_tfl_fixed(offset);
  tenon_value *in[] = {whole, x};
  return tenon_rw_op(rw, "core::strided_update", in, 2,
                     TENON_ARGS(tenon_arg_dims("stride", strides, t->rank),
                                tenon_arg_dims("offset", &start, 1)));
}

static tenon_status tfl_spread_spread(tenon_rewriter *rw,
                                      const tenon_node *node,
                                      tenon_value *value, const spreading *s) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  const tenon_type *t = tenon_rw_type(rw, x), *y = rw->api->result(rw, node, 0);
  tenon_tfl_shape whole = tenon_tfl_shape_of(t);
  tenon_dim begin[TENON_MAX_RANK];
  bool is_window = false, is_empty = false;
  for (int i = 0; i < t->rank; ++i) {
    const int64_t n = t->dims[i].value;
    whole.dims[i] =
        tenon_tfl_fixed((n > 0 ? (n - 1) * (s->inner[i] + 1) + 1 : 0) +
                        positive(s->low[i]) + positive(s->high[i]));
    begin[i] = tenon_tfl_fixed(positive(-s->low[i]));
    is_window |= s->low[i] < 0 || s->high[i] < 0;
    is_empty |= n == 0;
  }
  if (!tenon_tfl_same_scale(t, tenon_rw_type(rw, value)))
    return tenon_rw_fail(rw, "padding of another scale is not supported");
  value = tenon_tfl_expand(rw, tenon_tfl_stored(rw, value, NULL), &whole);
  x = is_empty ? value
               : strided_update(rw, value, tenon_tfl_stored(rw, x, NULL), s);
  if (is_window) x = tenon_tfl_slice(rw, x, begin, y->dims, NULL, NULL);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

// ---------------------------------------------------------------------------
// DILATE
// ---------------------------------------------------------------------------

// Steps of 1 and more become space of 0 and more.
static bool steps_of(const int64_t *steps, int n, spreading *out) {
  *out = (spreading){{0}, {0}, {0}};
  for (int i = 0; i < n; ++i) {
    if (steps[i] < 1) return false;
    out->inner[i] = steps[i] - 1;
  }
  return true;
}

tenon_status tenon_tfl_dilate_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *steps, *value;
  spreading s;
  int64_t n[TENON_MAX_RANK];
  TENON_TRY(tenon_tfl_operand(c, 1, "dilations", 1, &steps));
  TENON_TRY(tenon_tfl_operand(c, 2, "value", 0, &value));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", value, "value"));
  const tenon_tensor *known = c->api->constant(c, 1);
  if (!known) {
    if (tenon_tfl_differ(steps->dims[0], tenon_tfl_fixed(x->rank)))
      return tenon_infer_fail(c, "'dilations' are not %d integers", x->rank);
    return tenon_tfl_decided(c, x->rank, x);
  }
  if (tenon_tfl_ints(known, n, TENON_MAX_RANK) != x->rank ||
      !steps_of(n, x->rank, &s))
    return tenon_infer_fail(c, "'dilations' are not %d positive integers",
                            x->rank);
  return spread_sizes(c, x, &s);
}

// Each element of the result by its place: where a step leads to, and the value
// between.
static tenon_status dilate_computed(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0), *list = tenon_tfl_in(rw, node, 1);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_value *at = tenon_rw_scalar(rw, TENON_S64, 0);
  tenon_value *is_there = tenon_rw_scalar(rw, TENON_BOOL, 1);
  tenon_value *steps[TENON_MAX_RANK];
  tenon_tfl_shape to = {.rank = t->rank};
  tenon_dim stride = tenon_tfl_fixed(1);
  for (int i = 0; i < t->rank; ++i) {
    tenon_value *d = tenon_tfl_size(rw, t->dims[i], TENON_S64);
    steps[i] = tenon_tfl_element(rw, list, i);
    TENON_TRY(tenon_tfl_require(rw, tenon_tfl_by(rw, "core::ge", steps[i], 1),
                                "dilations below 1"));
    to.dims[i] = rw->api->number(
        rw, tenon_aten_formula(rw, "d by: d == 0 ? 0 : (d - 1) * by + 1", d,
                               steps[i]));
  }
  for (int i = t->rank; i-- > 0;) {
    tenon_value *p = tenon_tfl_line(rw, to.dims[i], t->rank, i, TENON_S64);
    at = tenon_aten_formula(rw,
                            "p by is_there at $stride &there: "
                            "there = is_there & remainder(p, by) == 0; "
                            "at + floor_div(p, by) * stride",
                            p, steps[i], is_there, at, stride, &is_there);
    stride = rw->api->dim(rw, TENON_DIM_MUL, stride, t->dims[i]);
  }
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_type plain = *y;
  plain.quant = NULL;
  plain.dims = to.dims;
  x = tenon_tfl_row(rw, tenon_tfl_stored(rw, x, NULL));
  tenon_value *in[] = {is_there, tenon_tfl_index(rw, x, &at, 1, 0, NULL),
                       tenon_tfl_stored(rw, tenon_tfl_in(rw, node, 2), NULL)};
  x = tenon_tfl_make(rw, "core::where", in, 3, NULL, &plain);
  return tenon_rw_replace(rw, node, tenon_tfl_stored(rw, x, y->quant));
}

tenon_status tenon_tfl_dilate_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  spreading s;
  int64_t n[TENON_MAX_RANK];
  const int count = tenon_tfl_in_ints(rw, node, 1, n, TENON_MAX_RANK);
  if (count < 0) return dilate_computed(rw, node);
  TENON_TRY(tenon_tfl_check_known(rw, node, 0));
  if (!steps_of(n, count, &s))
    return tenon_rw_fail(rw, "dilations below 1 are not supported");
  return tfl_spread_spread(rw, node, tenon_tfl_in(rw, node, 2), &s);
}

// ---------------------------------------------------------------------------
// STABLEHLO_PAD
// ---------------------------------------------------------------------------

static bool padding_of(const tenon_tfl_stablehlo_pad_attrs *a, int rank,
                       spreading *s) {
  const size_t n = (size_t)rank;
  if (a->edge_padding_low.count != n || a->edge_padding_high.count != n ||
      a->interior_padding.count != n)
    return false;
  for (size_t i = 0; i < n; ++i) {
    s->low[i] = a->edge_padding_low.data[i];
    s->high[i] = a->edge_padding_high.data[i];
    s->inner[i] = a->interior_padding.data[i];
  }
  return true;
}

tenon_status tenon_tfl_stablehlo_pad_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *value;
  spreading s = {{0}, {0}, {0}};
  TENON_TRY(tenon_tfl_operand(c, 1, "value", 0, &value));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", value, "value"));
  if (!padding_of(tenon_infer_attrs(c), x->rank, &s))
    return tenon_infer_fail(c, "padding is not said of %d dimensions", x->rank);
  return spread_sizes(c, x, &s);
}

tenon_status tenon_tfl_stablehlo_pad_lower(tenon_rewriter *rw,
                                           const tenon_node *node) {
  spreading s = {{0}, {0}, {0}};
  const tenon_type *x = tenon_tfl_type(rw, node, 0);
  (void)padding_of(tenon_rw_attrs(rw, node), x->rank, &s);
  return tfl_spread_spread(rw, node, tenon_tfl_in(rw, node, 1), &s);
}
