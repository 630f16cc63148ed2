// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, but for results of 16 bits
// from uint8 (tfl_dense_words.c); rules of the latter: tfl_dense_rule.c.
//
// The three take the same combinations of types: floats; 8- or 16-bit numbers
// with 8-bit weights; and floats with 8-bit weights ("hybrid"), where the
// kernel quantises x in the run. Weights below 8 bits become those of 8;
// 16-bit weights have FULLY_CONNECTED alone.
#include <string.h>

#include "ops/tfl/tfl_op.h"

static bool tfl_conv_is_narrow(tenon_dtype t) {
  return t == TENON_S4 || t == TENON_S2 || t == TENON_U4;
}

static bool is_hybrid(const tenon_type *x, const tenon_type *w) {
  return x->dtype == TENON_F32 && w->dtype != TENON_F32;
}

// What w and bias may be beside x.
static bool tfl_conv_fits(tenon_dtype x, tenon_dtype w, tenon_dtype bias) {
  bool is_int_bias = !bias || bias == TENON_S32;
  switch (x) {
    case TENON_F32:
      return (w == TENON_F32 || w == TENON_S8 || w == TENON_U8 ||
              tfl_conv_is_narrow(w)) &&
             (!bias || bias == TENON_F32);
    case TENON_S8:
      return (w == TENON_S8 || tfl_conv_is_narrow(w)) && is_int_bias;
    case TENON_U8:
      return w == TENON_U8 && is_int_bias;
    case TENON_S16:
      return (w == TENON_S8 || w == TENON_S16 || tfl_conv_is_narrow(w)) &&
             (is_int_bias || bias == TENON_S64);
    default:
      return false;
  }
}

tenon_status tenon_tfl_check_dense_types(tenon_infer *c, const tenon_type *x,
                                         const tenon_type *w, int axis,
                                         int64_t activation) {
  const tenon_type *bias = tenon_infer_in(c, 2);
  if (!tfl_conv_fits(x->dtype, w->dtype, bias ? bias->dtype : 0))
    return tenon_infer_fail(c, "'x' is %s, 'w' is %s and 'bias' is %s",
                            tenon_dtype_name(x->dtype),
                            tenon_dtype_name(w->dtype),
                            bias ? tenon_dtype_name(bias->dtype) : "absent");
  TENON_TRY(tenon_tfl_check_scale(c, x, "x"));
  TENON_TRY(tenon_tfl_check_weights(c, w, axis));
  TENON_TRY(tenon_tfl_check_activation(c, activation));
  if (!bias) return TENON_OK;
  tenon_dim open;
  TENON_TRY(tenon_tfl_operand(c, 2, "bias", -1, &bias));
  int64_t count = tenon_tfl_product(c, bias->dims, bias->rank, &open);
  if (!tenon_tfl_is(open, 1) ||
      tenon_tfl_differ(w->dims[axis], tenon_tfl_fixed(count)))
    return tenon_infer_fail(c, "'bias' has %lld elements for %lld channels",
                            (long long)count, (long long)w->dims[axis].value);
  return TENON_OK;
}

// What kernels cannot be given, although the format knows it.
static tenon_status check_served(tenon_rewriter *rw, const tenon_type *x,
                                 const tenon_type *w, bool is_dense) {
  if (w->quant && w->quant->block)
    return tenon_rw_fail(rw,
                         "weights with a scale per block are not supported");
  if (tfl_conv_is_narrow(w->dtype) || (w->dtype == TENON_S16 && !is_dense) ||
      (is_hybrid(x, w) && w->dtype == TENON_U8))
    return tenon_rw_fail(rw, "%s weights with %s inputs are not supported",
                         tenon_dtype_name(w->dtype),
                         tenon_dtype_name(x->dtype));
  return TENON_OK;
}

// Weights of fewer than 8 bits as integers of 8, and those with a scale per
// block as the floats that they stand for: both are folded into constants.
static tenon_value *tfl_conv_widened(tenon_rewriter *rw, const tenon_type *x,
                                     tenon_value *w, bool is_dense) {
  tenon_type wide = *tenon_rw_type(rw, w);
  // Convolutions of LiteRT have 2 bits beside floats alone.
  bool is_signed =
      wide.dtype == TENON_S4 ||
      (wide.dtype == TENON_S2 && (is_dense || x->dtype == TENON_F32));
  if (wide.quant && wide.quant->block && x->dtype == TENON_F32) {
    wide.dtype = TENON_F32;
    wide.quant = NULL;
    return tenon_tfl_make(rw, "core::dequantize", &w, 1, NULL, &wide);
  }
  if (!wide.quant || wide.quant->block || !is_signed) return w;
  wide.dtype = TENON_S8;
  return tenon_tfl_make(rw, "core::quantize", &w, 1, NULL, &wide);
}

// LiteRT only asks for as many elements as channels; core takes one dimension.
static tenon_value *tfl_conv_flat(tenon_rewriter *rw, tenon_value *bias,
                                  tenon_dim n) {
  tenon_tfl_shape shape = {.rank = 1};
  shape.dims[0] = n;
  return bias ? tenon_tfl_reshape(rw, bias, &shape, NULL) : NULL;
}

// ---------------------------------------------------------------------------
// Windows over images
// ---------------------------------------------------------------------------

typedef struct image {
  tenon_tfl_window h, w;
} image;

static image image_of(const tenon_type *x, const tenon_type *w,
                      const tenon_tfl_conv_attrs *a) {
  image i = {{x->dims[1], w->dims[1].value, a->stride_h, a->dilation_h_factor,
              a->padding},
             {x->dims[2], w->dims[2].value, a->stride_w, a->dilation_w_factor,
              a->padding}};
  return i;
}

// DEPTHWISE_CONV_2D has the members of CONV_2D and one more.
static tenon_tfl_conv_attrs tfl_conv_common(
    const tenon_tfl_depthwise_attrs *a) {
  tenon_tfl_conv_attrs b = {.padding = a->padding,
                            .stride_w = a->stride_w,
                            .stride_h = a->stride_h,
                            .dilation_w_factor = a->dilation_w_factor,
                            .dilation_h_factor = a->dilation_h_factor};
  b.fused_activation_function = a->fused_activation_function;
  return b;
}

static tenon_status window_infer(tenon_infer *c, const tenon_tfl_conv_attrs *a,
                                 const tenon_type *x, const tenon_type *w,
                                 int axis) {
  tenon_tfl_shape y = {.rank = 4};
  for (int i = 0; i < 4; ++i) {
    if (w->dims[i].symbol) return tenon_infer_fail(c, "'w' has an open size");
    if (w->dims[i].value == 0)
      return tenon_infer_fail(c, "dimension %d of 'w' is 0", i);
  }
  TENON_TRY(
      tenon_tfl_check_dense_types(c, x, w, axis, a->fused_activation_function));
  image i = image_of(x, w, a);
  y.dims[0] = x->dims[0];
  TENON_TRY(tenon_tfl_window_out(c, "height", &i.h, &y.dims[1]));
  TENON_TRY(tenon_tfl_window_out(c, "width", &i.w, &y.dims[2]));
  y.dims[3] = w->dims[axis];
  return tenon_tfl_number(c, &y, x);
}

tenon_status tenon_tfl_conv_infer(tenon_infer *c) {
  const tenon_tfl_conv_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *w;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 4, &w));
  int64_t ic = x->dims[3].value, depth = w->dims[3].value;
  // Fewer channels in the weights mean groups.
  if (x->dims[3].symbol || w->dims[3].symbol || ic < 1 || depth < 1 ||
      ic % depth != 0)
    return tenon_infer_fail(c, "'w' has %lld channels, 'x' has %lld",
                            (long long)depth, (long long)ic);
  if (w->dims[0].value % (ic / depth) != 0)
    return tenon_infer_fail(c, "%lld filters do not divide into %lld groups",
                            (long long)w->dims[0].value,
                            (long long)(ic / depth));
  return window_infer(c, a, x, w, 0);
}

tenon_status tenon_tfl_depthwise_infer(tenon_infer *c) {
  const tenon_tfl_depthwise_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x, *w;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", 4, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "w", 4, &w));
  int64_t ic = x->dims[3].value, oc = w->dims[3].value;
  if (!tenon_tfl_is(w->dims[0], 1))
    return tenon_infer_fail(c, "'w' has %lld filters, expected 1",
                            (long long)w->dims[0].value);
  if (x->dims[3].symbol || w->dims[3].symbol || ic < 1 || oc % ic != 0)
    return tenon_infer_fail(c, "'w' has %lld channels, 'x' has %lld",
                            (long long)oc, (long long)ic);
  // 0: written by converters that leave it to the weights.
  if (a->depth_multiplier && a->depth_multiplier != oc / ic)
    return tenon_infer_fail(c, "depth_multiplier is %lld, the weights say %lld",
                            (long long)a->depth_multiplier,
                            (long long)(oc / ic));
  tenon_tfl_conv_attrs b = tfl_conv_common(a);
  return window_infer(c, &b, x, w, 3);
}

// Whether x is quantised with a zero point in the run: LiteRT does so for
// weights whose channels have different scales, and only for these.
static bool is_asymmetric(const tenon_type *w) {
  for (int32_t i = 1; w->quant && i < w->quant->channels; ++i) {
    if (w->quant->scale[i] != w->quant->scale[0]) return true;
  }
  return false;
}

// Whether a depthwise convolution of x is one of all channels: of the only one,
// tap by tap the same sums. Kernels of these compute several filters at once.
static bool tfl_conv_is_whole(tenon_rewriter *rw, const tenon_node *node,
                              const tenon_type *x, const tenon_type *w) {
  return !x->dims[3].symbol && x->dims[3].value == 1 && w->dims[3].value > 1 &&
         !is_hybrid(x, w) &&
         rw->api->constant(rw, tenon_rw_operand(rw, node, 1));
}

// Weights [1, kh, kw, oc] as [oc, kh, kw, 1].
static tenon_value *filters_first(tenon_rewriter *rw, tenon_value *w) {
  const int64_t dims[] = {3, 1, 2, 0};
  return tenon_rw_op(rw, "core::permute", &w, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, 4)));
}

// Padding that hangs on an open size: x with as much around as any size needs,
// and of that the window that this one needs, without padding of its own.
static tenon_value *tfl_conv_padded(tenon_rewriter *rw, tenon_value *x,
                                    const tenon_type *y, const image *i,
                                    int64_t *pad) {
  const tenon_tfl_window *windows[] = {&i->h, &i->w};
  const tenon_dim zero = tenon_tfl_fixed(0);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begin[4] = {zero, zero, zero, zero}, size[4];
  int64_t around[4] = {0};
  memcpy(size, t->dims, sizeof size);
  for (int k = 0; k < 2; ++k) {
    const tenon_tfl_window *w = windows[k];
    const int64_t reach = (w->size - 1) * w->dilation + 1;
    tenon_dim all =
        rw->api->dim(rw, TENON_DIM_SUB, y->dims[1 + k], tenon_tfl_fixed(1));
    all = rw->api->dim(rw, TENON_DIM_MUL, all, tenon_tfl_fixed(w->stride));
    all = rw->api->dim(rw, TENON_DIM_ADD, all, tenon_tfl_fixed(reach));
    tenon_dim more = rw->api->dim(rw, TENON_DIM_SUB, all, t->dims[1 + k]);
    more = rw->api->dim(rw, TENON_DIM_MAX, more, zero);
    more = rw->api->dim(rw, TENON_DIM_DIV, more, tenon_tfl_fixed(2));
    around[1 + k] = reach;
    begin[1 + k] =
        rw->api->dim(rw, TENON_DIM_SUB, tenon_tfl_fixed(reach), more);
    size[1 + k] = all;
  }
  x = tenon_tfl_padded(rw, x, around, around, NULL);
  memset(pad, 0, 4 * sizeof *pad);
  return tenon_tfl_slice(rw, x, begin, size, NULL, t);
}

static tenon_status window_lower(tenon_rewriter *rw, const tenon_node *node,
                                 const tenon_tfl_conv_attrs *a, const char *op,
                                 int axis) {
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  in[1] = tfl_conv_widened(rw, x, in[1], false);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  TENON_TRY(check_served(rw, x, w, false));
  in[2] = tfl_conv_flat(rw, in[2], w->dims[axis]);
  image i = image_of(x, w, a);
  int64_t pad[4];
  if (!tenon_tfl_window_pad(&i.h, &pad[0], &pad[2]) ||
      !tenon_tfl_window_pad(&i.w, &pad[1], &pad[3]))
    in[0] = tfl_conv_padded(rw, in[0], rw->api->result(rw, node, 0), &i, pad);
  const int64_t stride[] = {a->stride_h, a->stride_w};
  const int64_t dilation[] = {a->dilation_h_factor, a->dilation_w_factor};
  tenon_tfl_args args = {0};
  tenon_tfl_arg(&args, tenon_arg_ints("stride", stride, 2));
  tenon_tfl_arg(&args, tenon_arg_ints("pad", pad, 4));
  tenon_tfl_arg(&args, tenon_arg_ints("dilation", dilation, 2));
  if (axis == 0)
    tenon_tfl_arg(&args,
                  tenon_arg_int("groups", x->dims[3].value / w->dims[3].value));
  if (is_hybrid(x, w))
    tenon_tfl_arg(&args,
                  tenon_arg_bool("asymmetric", axis != 0 || is_asymmetric(w)));
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  if (x->dtype == TENON_U8)
    tenon_tfl_arg(&args, tenon_arg_bool("single_scale", true));
  for (int k = 0; k < 2; ++k)
    in[k] = tenon_tfl_signed(rw, in[k]);
  if (axis != 0 && tfl_conv_is_whole(rw, node, x, w)) {
    in[1] = filters_first(rw, in[1]);
    op = "core::conv";
  }
  return tenon_tfl_become_signed(rw, node, op, in, 3, args.list);
}

tenon_status tenon_tfl_conv_lower(tenon_rewriter *rw, const tenon_node *node) {
  return window_lower(rw, node, tenon_rw_attrs(rw, node), "core::conv", 0);
}

tenon_status tenon_tfl_depthwise_lower(tenon_rewriter *rw,
                                       const tenon_node *node) {
  tenon_tfl_conv_attrs a = tfl_conv_common(tenon_rw_attrs(rw, node));
  return window_lower(rw, node, &a, "core::depthwise_conv", 3);
}

// ---------------------------------------------------------------------------
// FULLY_CONNECTED
// ---------------------------------------------------------------------------

bool tenon_tfl_is_of_words(const tenon_type *x, const tenon_type *y) {
  return x->dtype == TENON_U8 && y && y->dtype == TENON_S16;
}

// What LiteRT makes of floats beside weights with a scale per block: each row
// in 8 bits of its own scale and zero point, of which it has found both in
// double, and these as floats again.
static tenon_value *rows_as_bytes(tenon_rewriter *rw, tenon_value *x) {
  const int last = 1 << (tenon_rw_type(rw, x)->rank - 1);
  // Of both ends the one that is hit better; halves away from zero.
  return tenon_aten_formula(
      rw,
      "x @last: least = minimum(f64(amin(x, last, 1)), 0); "
      "most = maximum(f64(amax(x, last, 1)), 0); "
      "scale = least == most ? 1 : (most - least) / 255; "
      "below = least / scale; above = most / scale; "
      "zero = 128 + abs(below) < 127 + abs(above) ? -128 - below : 127 - "
      "above; "
      "zero = minimum(maximum(zero, -128), 127); "
      "zero = f32(copysign(floor(abs(zero) + 0.5), zero)); scale = f32(scale); "
      "q = zero + x * (1 / scale); q = copysign(floor(abs(q) + 0.5), q); "
      "(clamp(q, lo=-128.0, hi=127.0) - zero) * scale",
      x, last);
}

// A bias of 32 bits beside numbers of 16, of which core takes 64. Where the
// file does not say how many there are, LiteRT reads 64 beside weights of 8
// bits, and 32 beside those of 16.
static tenon_status bias_of_words(tenon_rewriter *rw, const tenon_type *x,
                                  const tenon_type *w, int64_t type,
                                  tenon_value **bias) {
  enum { INT32 = 2, INT64 = 4 };  // of TensorType
  const tenon_type *t = *bias ? tenon_rw_type(rw, *bias) : NULL;
  if (x->dtype != TENON_S16 || !t) return TENON_OK;
  if (w->dtype == TENON_S16 && t->dtype == TENON_S64 && type != INT64)
    return tenon_rw_fail(rw,
                         "a bias of s64 without quantized_bias_type, of "
                         "which LiteRT reads 32 bits, is not supported");
  if (t->dtype != TENON_S32) return TENON_OK;
  if (type != INT32 && w->dtype != TENON_S16)
    return tenon_rw_fail(rw,
                         "a bias of s32 without quantized_bias_type, of "
                         "which LiteRT reads 64 bits, is not supported");
  *bias = tenon_tfl_cast(rw, tenon_tfl_stored(rw, *bias, NULL), TENON_S64);
  return TENON_OK;
}

tenon_status tenon_tfl_dense_lower(tenon_rewriter *rw, const tenon_node *node) {
  const tenon_tfl_dense_attrs *a = tenon_rw_attrs(rw, node);
  const tenon_type *y = rw->api->result(rw, node, 0);
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  const tenon_type *x = tenon_rw_type(rw, in[0]);
  const tenon_type *w = tenon_rw_type(rw, in[1]);
  if (a->weights_format != 0)
    return tenon_rw_fail(rw,
                         "shuffled weights are those of "
                         "tfl::FULLY_CONNECTED_SHUFFLED");
  if (tenon_tfl_is_of_words(x, y))
    return tenon_tfl_words_lower(rw, node, a->fused_activation_function);
  // Blocks of 4 bits: LiteRT's kernel takes blocks of others for such.
  const bool is_by_rows = x->dtype == TENON_F32 && w->dtype == TENON_S4 &&
                          w->quant && w->quant->block;
  in[1] = tfl_conv_widened(rw, x, in[1], true);
  w = tenon_rw_type(rw, in[1]);
  TENON_TRY(check_served(rw, x, w, true));
  tenon_tfl_args args = {0};
  if (is_hybrid(x, w))
    tenon_tfl_arg(&args,
                  tenon_arg_bool("asymmetric", a->asymmetric_quantize_inputs));
  TENON_TRY(tenon_tfl_clamp(rw, a->fused_activation_function, &args));
  in[2] = tfl_conv_flat(rw, in[2], w->dims[0]);
  TENON_TRY(bias_of_words(rw, x, w, a->quantized_bias_type, &in[2]));
  if (!a->keep_num_dims) {
    tenon_tfl_shape rows = {.rank = 2};
    rows.dims[0] = y->dims[0];
    rows.dims[1] = w->dims[1];
    in[0] = tenon_tfl_reshape(rw, in[0], &rows, NULL);
  }
  if (is_by_rows) in[0] = rows_as_bytes(rw, in[0]);
  for (int i = 0; i < 2; ++i)
    in[i] = tenon_tfl_signed(rw, in[i]);
  return tenon_tfl_become_signed(rw, node, "core::fully_connected", in, 3,
                                 args.list);
}
