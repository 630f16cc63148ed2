// TRANSPOSE_CONV, CONV_3D and CONV_3D_TRANSPOSE: core::conv3d and
// core::conv_transpose3d, of which images have a depth of one. Volumes are
// floats.
#include <stdio.h>

#include "ops/tfl/tfl_op.h"

// Along d, h, w.
typedef struct volume {
  int64_t size[3], stride[3], dilation[3];
  int64_t padding, activation;
  int n;  // 3, or 2 without d
} volume;

static volume of_image(const tenon_tfl_transpose_conv_attrs *a,
                       const tenon_type *w) {
  volume v = {{1, w->dims[1].value, w->dims[2].value},
              {1, a->stride_h, a->stride_w},
              {1, 1, 1},
              a->padding,
              a->fused_activation_function,
              2};
  return v;
}

static volume of_volume(const tenon_tfl_conv3d_attrs *a, const tenon_type *w) {
  volume v = {
      {w->dims[0].value, w->dims[1].value, w->dims[2].value},
      {a->stride_d, a->stride_h, a->stride_w},
      {a->dilation_d_factor, a->dilation_h_factor, a->dilation_w_factor},
      a->padding,
      a->fused_activation_function,
      3};
  return v;
}

// Direction i of a tensor of d (if any), h and w behind the batch.
static tenon_dim tfl_volume_along(const volume *v, const tenon_type *t, int i) {
  int at = i - (3 - v->n);
  return at < 0 ? tenon_tfl_fixed(1) : t->dims[1 + at];
}

static tenon_tfl_window tfl_volume_window_of(const volume *v, tenon_dim in,
                                             int i) {
  tenon_tfl_window w = {in, v->size[i], v->stride[i], v->dilation[i],
                        v->padding};
  return w;
}

static const char *const directions[] = {"depth", "height", "width"};

// Elements from the first tap to the last.
static int64_t tfl_volume_reach(const volume *v, int i) {
  return (v->size[i] - 1) * v->dilation[i] + 1;
}

static tenon_status tfl_volume_check_weights(tenon_infer *c,
                                             const tenon_type *w) {
  for (int i = 0; i < w->rank; ++i) {
    if (w->dims[i].symbol || w->dims[i].value < 1)
      return tenon_infer_fail(c, "dimension %d of 'w' is open or 0", i);
  }
  return TENON_OK;
}

static tenon_status check_bias(tenon_infer *c, int i, tenon_dim channels) {
  const tenon_type *bias = tenon_infer_in(c, i);
  if (bias && (bias->rank != 1 || tenon_tfl_differ(bias->dims[0], channels)))
    return tenon_infer_fail(c, "'bias' is no list of %lld numbers",
                            (long long)channels.value);
  return TENON_OK;
}

// `i`: the operand that x is.
static tenon_status check_channels(tenon_infer *c, int i, const tenon_type *x,
                                   tenon_dim channels) {
  if (tenon_tfl_differ(x->dims[x->rank - 1], channels))
    return tenon_infer_fail(
        c, "operand %d, 'x', has %lld in dimension %d, not %lld like 'w'", i,
        (long long)x->dims[x->rank - 1].value, x->rank - 1,
        (long long)channels.value);
  return TENON_OK;
}

// ---------------------------------------------------------------------------
// Shape rules
// ---------------------------------------------------------------------------

tenon_status tenon_tfl_conv3d_infer(tenon_infer *c) {
  const tenon_type *x, *w;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 5, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 5, &w));
  volume v = of_volume(tenon_infer_attrs(c), w);
  TENON_TRY(tfl_volume_check_weights(c, w));
  TENON_TRY(tenon_tfl_check_activation(c, v.activation));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", w, "w"));
  TENON_TRY(check_channels(c, 0, x, w->dims[3]));
  TENON_TRY(check_bias(c, 2, w->dims[4]));
  tenon_tfl_shape y = {{x->dims[0], {0, 0}, {0, 0}, {0, 0}, w->dims[4]}, 5};
  for (int i = 0; i < 3; ++i) {
    tenon_tfl_window win =
        tfl_volume_window_of(&v, tfl_volume_along(&v, x, i), i);
    TENON_TRY(tenon_tfl_window_out(c, directions[i], &win, &y.dims[1 + i]));
  }
  return tenon_tfl_result(c, 0, &y, x->dtype, x);
}

// What makes x does not fit: sizes that do, where x has no open ones.
static tenon_status refuse_sizes(tenon_infer *c, const volume *v,
                                 const tenon_type *x, tenon_dim channels,
                                 const char *why) {
  char list[128];
  int at = snprintf(list, sizeof list, "%lld", (long long)x->dims[0].value);
  if (!tenon_tfl_is_fixed(x)) return tenon_infer_fail(c, "%s", why);
  for (int i = 3 - v->n; i < 3; ++i) {
    const int64_t from = tfl_volume_along(v, x, i).value, step = v->stride[i];
    const int64_t to = v->padding == TFL_SAME
                           ? from * step
                           : (from - 1) * step + tfl_volume_reach(v, i);
    at +=
        snprintf(list + at, sizeof list - (size_t)at, ", %lld", (long long)to);
  }
  return tenon_infer_fail(
      c, "%s; for this 'x' operand 0, 'shape', must hold [%s, %lld]", why, list,
      (long long)channels.value);
}

// The result's sizes are an operand; x is what a convolution makes of them.
static tenon_status tfl_volume_transposed_infer(tenon_infer *c, const volume *v,
                                                const tenon_type *x,
                                                tenon_dim channels) {
  tenon_dim sizes[TFL_MAX_NUMBERS];
  char why[128];
  TENON_TRY(tenon_tfl_check_activation(c, v->activation));
  TENON_TRY(check_bias(c, 3, channels));
  for (int i = 3 - v->n; i < 3; ++i) {
    tenon_tfl_window win = tfl_volume_window_of(v, tenon_tfl_fixed(1), i);
    TENON_TRY(tenon_tfl_window_check(c, directions[i], &win));
  }
  tenon_tfl_shape y = {.rank = v->n + 2};
  if (tenon_tfl_list(c, 0, sizes) != y.rank)
    return tenon_infer_fail(c, "operand 0, 'shape', is no list of %d integers",
                            y.rank);
  // Of batch and channels x and w say the same; of the rest the run does.
  if (!tenon_tfl_is_known(sizes[0])) sizes[0] = x->dims[0];
  if (!tenon_tfl_is_known(sizes[y.rank - 1])) sizes[y.rank - 1] = channels;
  for (int i = 0; i < y.rank; ++i) {
    if (!tenon_tfl_is_known(sizes[i])) {
      const int at = i + 2 - v->n;
      tenon_dim most = c->api->dim(c, TENON_DIM_MUL, tfl_volume_along(v, x, at),
                                   tenon_tfl_fixed(v->stride[at]));
      y.dims[i] = c->api->decided(
          c, c->api->dim(c, TENON_DIM_ADD, most,
                         tenon_tfl_fixed(tfl_volume_reach(v, at))));
      continue;
    }
    if (!sizes[i].symbol &&
        (sizes[i].value < 0 || sizes[i].value > INT32_MAX)) {
      (void)snprintf(why, sizeof why, "size %d of 'shape' is %lld", i,
                     (long long)sizes[i].value);
      return refuse_sizes(c, v, x, channels, why);
    }
    y.dims[i] = sizes[i];
  }
  if (!c->api->require(c, TENON_RELATION_EQ, y.dims[0], x->dims[0]) ||
      tenon_tfl_differ(y.dims[y.rank - 1], channels)) {
    (void)snprintf(why, sizeof why,
                   "'shape' asks for %lld images of %lld "
                   "channels",
                   (long long)sizes[0].value,
                   (long long)sizes[y.rank - 1].value);
    return refuse_sizes(c, v, x, channels, why);
  }
  tenon_type t = {y.dims, NULL, 0, (uint8_t)y.rank, 0};
  for (int i = 3 - v->n; i < 3; ++i) {
    tenon_dim n;
    tenon_tfl_window win =
        tfl_volume_window_of(v, tfl_volume_along(v, &t, i), i);
    TENON_TRY(tenon_tfl_window_out(c, directions[i], &win, &n));
    if (tenon_tfl_differ(n, tfl_volume_along(v, x, i))) {
      (void)snprintf(why, sizeof why, "the %s of 'x' is %lld, expected %lld",
                     directions[i], (long long)tfl_volume_along(v, x, i).value,
                     (long long)n.value);
      return refuse_sizes(c, v, x, channels, why);
    }
  }
  return tenon_tfl_number(c, &y, x);
}

tenon_status tenon_tfl_conv3d_transpose_infer(tenon_infer *c) {
  const tenon_type *w, *x;
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 5, &w));
  TENON_TRY(tenon_tfl_operand(c, 2, "x", 5, &x));
  TENON_TRY(tfl_volume_check_weights(c, w));
  TENON_TRY(tenon_tfl_check_alike(c, x, "x", w, "w"));
  TENON_TRY(check_channels(c, 2, x, w->dims[4]));
  volume v = of_volume(tenon_infer_attrs(c), w);
  return tfl_volume_transposed_infer(c, &v, x, w->dims[3]);
}

tenon_status tenon_tfl_transpose_conv_infer(tenon_infer *c) {
  const tenon_type *w, *x;
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 4, &w));
  TENON_TRY(tenon_tfl_operand(c, 2, "x", 4, &x));
  TENON_TRY(tfl_volume_check_weights(c, w));
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  TENON_TRY(tenon_tfl_check_weights(c, w, 0));
  TENON_TRY(check_channels(c, 2, x, w->dims[3]));
  volume v = of_image(tenon_infer_attrs(c), w);
  return tfl_volume_transposed_infer(c, &v, x, w->dims[0]);
}

// ---------------------------------------------------------------------------
// Lowerings
// ---------------------------------------------------------------------------

// What of a larger result a run says that there is.
typedef struct part {
  tenon_dim whole[3];     // the larger sizes
  tenon_value *begin[3];  // s64[]
  tenon_tfl_shape to;     // of the node's result
} part;

static tenon_value *tfl_volume_part_of(tenon_rewriter *rw, const volume *v,
                                       tenon_value *z, const part *p,
                                       const tenon_type *y) {
  const int rank = v->n + 2;
  tenon_value *begin[5];
  tenon_type moved = *y;
  for (int i = 0; i < rank; ++i)
    begin[i] = i == 0 || i == rank - 1 ? tenon_rw_scalar(rw, TENON_S64, 0)
                                       : p->begin[i + 2 - v->n];
  moved.dims = p->to.dims;
  return tenon_tfl_window_at(rw, z, tenon_tfl_listed(rw, begin, rank), &p->to,
                             &moved);
}

// Weights as [oc, d, h, w, ic] and x as [n, d, h, w, c]; p: what to take of the
// result, or null for all of it.
static tenon_status become_volume(tenon_rewriter *rw, const tenon_node *node,
                                  const char *op, const volume *v,
                                  tenon_value *in[3], const int64_t *pad,
                                  const part *p) {
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_tfl_args args = {0}, limits = {0};
  tenon_tfl_shape five = {.rank = 5};
  for (int i = 0; i < 3; ++i)
    five.dims[1 + i] = p ? p->whole[i] : tfl_volume_along(v, y, i);
  five.dims[0] = y->dims[0];
  five.dims[4] = y->dims[y->rank - 1];
  tenon_quant q;
  int32_t zero;
  const tenon_type stored = tenon_tfl_signed_type(y, &q, &zero);
  const tenon_type whole = {five.dims, stored.quant, stored.dtype, 5, 0};
  tenon_tfl_arg(&args, tenon_arg_ints("stride", v->stride, 3));
  tenon_tfl_arg(&args, tenon_arg_ints("pad", pad, 6));
  tenon_tfl_arg(&args, tenon_arg_ints("dilation", v->dilation, 3));
  if (y->dtype == TENON_U8)
    tenon_tfl_arg(&args, tenon_arg_bool("single_scale", true));
  tenon_value *z = tenon_tfl_make(rw, op, in, 3, args.list, &whole);
  tenon_tfl_shape shape = tenon_tfl_shape_of(y);
  for (int i = 3 - v->n; p && i < 3; ++i)
    shape.dims[i + v->n - 2] = p->whole[i];
  z = tenon_tfl_reshape(rw, z, &shape, NULL);
  tenon_type result = stored;
  result.dims = y->dims;
  result.rank = y->rank;
  if (p) z = tfl_volume_part_of(rw, v, z, p, &result);
  TENON_TRY(tenon_tfl_clamp(rw, v->activation, &limits));
  if (limits.n && y->quant)
    return tenon_rw_fail(rw, "a fused activation of %s is not supported",
                         tenon_dtype_name(y->dtype));
  if (limits.n) z = tenon_rw_op(rw, "core::clamp", &z, 1, limits.list);
  return tenon_rw_replace(rw, node, tenon_tfl_unsigned(rw, z, y));
}

static tenon_status refuse_types(tenon_rewriter *rw, const tenon_type *x,
                                 const tenon_type *w) {
  if (tenon_tfl_is_float(x) && tenon_tfl_is_float(w)) return TENON_OK;
  return tenon_rw_fail(rw, "%s weights with %s inputs are not supported",
                       tenon_dtype_name(w->dtype), tenon_dtype_name(x->dtype));
}

// A node's operands at the places of x, w and bias: of floats, w in the order
// that core::conv3d and core::conv_transpose3d read.
static tenon_status tfl_volume_take_operands(tenon_rewriter *rw,
                                             const tenon_node *node,
                                             const int places[3],
                                             const int64_t order[5], volume *v,
                                             tenon_value *in[3]) {
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_in(rw, node, places[i]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  *v = of_volume(tenon_rw_attrs(rw, node), w);
  TENON_TRY(refuse_types(rw, tenon_rw_type(rw, in[0]), w));
  in[1] = tenon_tfl_permute(rw, in[1], order, 5);
  return TENON_OK;
}

tenon_status tenon_tfl_conv3d_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  static const int places[] = {0, 1, 2};
  static const int64_t order[] = {4, 0, 1, 2, 3};
  tenon_value *in[3];
  volume v;
  int64_t pad[6];
  TENON_TRY(tfl_volume_take_operands(rw, node, places, order, &v, in));
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  for (int i = 0; i < 3; ++i) {
    tenon_tfl_window win =
        tfl_volume_window_of(&v, tfl_volume_along(&v, x, i), i);
    if (!tenon_tfl_window_pad(&win, &pad[i], &pad[3 + i]))
      return tenon_rw_fail(
          rw, "padding SAME with a stride is not supported for open sizes");
  }
  return become_volume(rw, node, "core::conv3d", &v, in, pad, NULL);
}

// Of open sizes those that a stride multiplies, with padding SAME, and those
// that windows end at, without.
static bool transposed_open(tenon_rewriter *rw, const volume *v, tenon_dim from,
                            tenon_dim to, int i, int64_t *pad) {
  const int64_t stride = v->stride[i];
  const int64_t size = (v->size[i] - 1) * v->dilation[i] + 1;
  if (!from.symbol || !to.symbol) return false;
  tenon_dim most =
      rw->api->dim(rw, TENON_DIM_MUL, from, tenon_tfl_fixed(stride));
  if (v->padding == TFL_SAME) {
    if (!tenon_tfl_same(most, to)) return false;
    const int64_t cut = size > stride ? size - stride : 0;
    pad[i] = cut / 2;
    pad[3 + i] = size - stride - cut / 2;
    return true;
  }
  most = rw->api->dim(rw, TENON_DIM_ADD, most, tenon_tfl_fixed(size - stride));
  pad[i] = pad[3 + i] = 0;
  return tenon_tfl_same(most, to);
}

// What a convolution of the result would pad is cut off in front; behind stays
// what the result has.
static tenon_status transposed_pad(tenon_rewriter *rw, const volume *v,
                                   const tenon_type *x, const tenon_type *y,
                                   int64_t *pad) {
  for (int i = 0; i < 3; ++i) {
    tenon_dim from = tfl_volume_along(v, x, i), to = tfl_volume_along(v, y, i);
    tenon_tfl_window win = tfl_volume_window_of(v, to, i);
    if (transposed_open(rw, v, from, to, i, pad)) continue;
    if (from.symbol || to.symbol ||
        !tenon_tfl_window_pad(&win, &pad[i], &pad[3 + i]))
      return tenon_rw_fail(rw, "an open %s is not supported", directions[i]);
    int64_t whole =
        (from.value - 1) * v->stride[i] + (v->size[i] - 1) * v->dilation[i] + 1;
    pad[3 + i] = whole - to.value - pad[i];
  }
  return TENON_OK;
}

// Whether the operand with the sizes of the result says them before the run.
static bool has_known_sizes(tenon_rewriter *rw, const tenon_node *node,
                            const volume *v) {
  tenon_dim d;
  for (int i = 1; i <= v->n; ++i)
    if (!rw->api->element(rw, tenon_tfl_in(rw, node, 0), i, &d)) return false;
  return true;
}

// Sizes that a run computes: all that x can reach and as many zeros as one
// stride behind it, and of that the part that begins behind what a convolution
// of the result would pad.
static tenon_status transposed_computed(tenon_rewriter *rw,
                                        const tenon_node *node, const volume *v,
                                        const tenon_type *x,
                                        tenon_value *in[3]) {
#define OP(name, a, b) tenon_rw_op2(rw, "core::" name, a, b)
#define NUMBER(n) tenon_rw_scalar(rw, TENON_S64, (double)(n))
  tenon_value *sizes = tenon_tfl_in(rw, node, 0);
  const tenon_type *y = rw->api->result(rw, node, 0);
  part p = {.to = tenon_tfl_shape_of(y)};
  int64_t pad[6] = {0};
  for (int i = 0; i < 3; ++i) {
    const int64_t stride = v->stride[i];
    const int at = i + v->n - 2;  // in the list of sizes
    const tenon_dim from = tfl_volume_along(v, x, i);
    p.whole[i] = from;
    if (at < 1) continue;
    pad[3 + i] = -stride;
    p.whole[i] = rw->api->dim(rw, TENON_DIM_MUL, from, tenon_tfl_fixed(stride));
    p.whole[i] = rw->api->dim(rw, TENON_DIM_ADD, p.whole[i],
                              tenon_tfl_fixed(tfl_volume_reach(v, i)));
    tenon_value *n = tenon_tfl_size(rw, from, TENON_S64);
    tenon_value *out = tenon_tfl_element(rw, sizes, at), *windows = out;
    p.to.dims[at] = tenon_tfl_number_in(rw, sizes, at);
    p.begin[i] = NUMBER(0);
    if (v->padding == TFL_SAME) {
      tenon_value *last = OP("mul", OP("sub", n, NUMBER(1)), NUMBER(stride));
      tenon_value *more =
          OP("sub", OP("add", last, NUMBER(tfl_volume_reach(v, i))), out);
      p.begin[i] = OP("div", OP("maximum", more, NUMBER(0)), NUMBER(2));
      windows = OP("add", out, NUMBER(stride - 1));
    } else {
      windows = OP("sub", out, NUMBER(tfl_volume_reach(v, i) - stride));
    }
    windows = OP("floor_div", windows, NUMBER(stride));
    TENON_TRY(tenon_tfl_require(rw, OP("eq", windows, n),
                                "operand 0, 'shape', holds a size of which the "
                                "convolution makes another than 'x' has"));
  }
  return become_volume(rw, node, "core::conv_transpose3d", v, in, pad, &p);
#undef NUMBER
#undef OP
}

tenon_status tenon_tfl_conv3d_transpose_lower(tenon_rewriter *rw,
                                              const tenon_node *node) {
  static const int places[] = {2, 1, 3};
  static const int64_t order[] = {3, 0, 1, 2, 4};
  tenon_value *in[3];
  volume v;
  int64_t pad[6];
  TENON_TRY(tfl_volume_take_operands(rw, node, places, order, &v, in));
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  if (!has_known_sizes(rw, node, &v))
    return transposed_computed(rw, node, &v, x, in);
  TENON_TRY(transposed_pad(rw, &v, x, rw->api->result(rw, node, 0), pad));
  return become_volume(rw, node, "core::conv_transpose3d", &v, in, pad, NULL);
}

// With a depth of one in front of the height.
static tenon_value *deep(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_tfl_shape s = {
      {t->dims[0], tenon_tfl_fixed(1), t->dims[1], t->dims[2], t->dims[3]}, 5};
  return tenon_tfl_reshape(rw, x, &s, NULL);
}

tenon_status tenon_tfl_transpose_conv_lower(tenon_rewriter *rw,
                                            const tenon_node *node) {
  tenon_value *in[] = {tenon_tfl_in(rw, node, 2), tenon_tfl_in(rw, node, 1),
                       tenon_tfl_in(rw, node, 3)};
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  volume v = of_image(tenon_rw_attrs(rw, node), w);
  int64_t pad[6];
  bool is_stored =
      ((x->dtype == TENON_S8 || x->dtype == TENON_S16) &&
       w->dtype == TENON_S8) ||
      (x->dtype == TENON_U8 && w->dtype == TENON_U8 && x->quant && w->quant);
  if (!is_stored) TENON_TRY(refuse_types(rw, x, w));
  if (w->quant && w->quant->block)
    return tenon_rw_fail(rw,
                         "weights with a scale per block are not supported");
  const bool is_known = has_known_sizes(rw, node, &v);
  if (is_known)
    TENON_TRY(transposed_pad(rw, &v, x, rw->api->result(rw, node, 0), pad));
  for (int i = 0; i < 2; ++i)
    in[i] = deep(rw, tenon_tfl_signed(rw, in[i]));
  if (!is_known) return transposed_computed(rw, node, &v, x, in);
  return become_volume(rw, node, "core::conv_transpose3d", &v, in, pad, NULL);
}
