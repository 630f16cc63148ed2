// Convolutions.
//
// PyTorch's have channels first and the core's have them last, so there is a
// permutation on either side; what stands between two convolutions is then
// computed with channels last (ops/core/rewrite/core_layout.c), and
// permutations of weights are folded. Two dimensions of f32 go to core::conv,
// whose kernels are fast, and one dimension as two; volumes and transposed ones
// too, where nn_conv_images.c covers them. All else goes to core::conv3d.
#include <string.h>

#include "ops/aten/nn/nn_conv.h"

static const tenon_dim one = {1, 0};

// --- Arguments ---------------------------------------------------------------

static tenon_status read_padding(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_nn_conv *c) {
  const char *how = tenon_aten_str(rw, n, "padding");
  if (!how) {
    TENON_TRY(tenon_nn_ints(rw, n, "padding", c->n, 0, c->before));
    memcpy(c->behind, c->before, sizeof c->behind);
    return TENON_OK;
  }
  if (strcmp(how, "valid") == 0) return TENON_OK;
  if (strcmp(how, "same") != 0) return tenon_rw_fail(rw, "padding '%s'", how);
  for (int i = 0; i < c->n; ++i) {
    tenon_dim taps = tenon_nn_dim(rw, c->w, 2 + i);
    if (taps.symbol || c->stride[i] != 1)
      return tenon_rw_fail(rw, "padding 'same' with strides");
    int64_t total = c->dilation[i] * (taps.value - 1);
    c->before[i] = total / 2;
    c->behind[i] = total - c->before[i];
  }
  return TENON_OK;
}

// As it is computed with: integers in 64 bits, where they wrap.
static tenon_value *nn_conv_number(tenon_rewriter *rw, tenon_value *x) {
  return tenon_aten_is_integer(tenon_nn_type(rw, x))
             ? tenon_aten_cast(rw, x, TENON_S64)
             : tenon_nn_wide(rw, x);
}

static tenon_status read_conv(tenon_rewriter *rw, const tenon_node *n,
                              bool is_transposed, tenon_nn_conv *c) {
  tenon_value *bias = tenon_nn_rounded(rw, n, 2);
  tenon_value *w = tenon_nn_rounded(rw, n, 1);
  memset(c, 0, sizeof *c);
  c->x = nn_conv_number(rw, tenon_nn_rounded(rw, n, 0));
  c->w = nn_conv_number(rw, w);
  c->is_known = rw->api->constant(rw, w) != NULL;
  c->bias = bias ? nn_conv_number(rw, bias) : NULL;
  c->n = tenon_nn_rank(rw, c->w) - 2;
  c->groups = tenon_aten_int(rw, n, "groups");
  c->is_transposed = is_transposed;
  if (tenon_nn_type(rw, c->x) == TENON_BOOL)
    return tenon_rw_fail(rw, "not defined for elements of bool");
  if (c->n < 1 || c->n > 3)
    return tenon_rw_fail(rw, "weights with %d dimensions", c->n + 2);
  for (int i = 0; i < c->n + 2; ++i)
    if (tenon_nn_dim(rw, c->w, i).symbol)
      return tenon_rw_fail(rw, "dimension %d of the weights is open", i);
  int rank = tenon_nn_rank(rw, c->x);
  if ((rank != c->n + 1 && rank != c->n + 2) || c->groups < 1)
    return tenon_rw_fail(rw, "%d dimensions, %lld groups", rank,
                         (long long)c->groups);
  TENON_TRY(tenon_nn_ints(rw, n, "stride", c->n, 1, c->stride));
  TENON_TRY(tenon_nn_ints(rw, n, "dilation", c->n, 1, c->dilation));
  if (is_transposed)
    TENON_TRY(tenon_nn_ints(rw, n, "output_padding", c->n, 0, c->more));
  else
    tenon_aten_without_effect(rw, n, "output_padding");
  return read_padding(rw, n, c);
}

// --- Volumes -----------------------------------------------------------------

// Three dimensions; those in front have one element.
static void nn_conv_spread(tenon_nn_conv *c) {
  int64_t *const lists[] = {c->stride, c->before, c->behind, c->dilation,
                            c->more};
  static const int64_t fill[] = {1, 0, 0, 1, 0};
  for (int k = 0; k < 5; ++k) {
    for (int i = 2; i >= 0; --i)
      lists[k][i] = i >= 3 - c->n ? lists[k][i - (3 - c->n)] : fill[k];
  }
}

// [n, c, ...] with `have` dimensions behind, as `want` of them.
static void image_dims(tenon_rewriter *rw, tenon_value *x, int have, int want,
                       tenon_dim *dims) {
  int rank = tenon_nn_rank(rw, x), at = 0;
  dims[at++] = rank == have + 2 ? tenon_nn_dim(rw, x, 0) : one;
  dims[at++] = tenon_nn_dim(rw, x, rank - have - 1);
  for (int i = have; i < want; ++i)
    dims[at++] = one;
  for (int i = 0; i < have; ++i)
    dims[at++] = tenon_nn_dim(rw, x, rank - have + i);
}

// [ic, oc / groups, taps] as [oc, taps, ic / groups].
static tenon_value *turn_weights(tenon_rewriter *rw, const tenon_nn_conv *c,
                                 const tenon_dim *dims) {
  static const int64_t order[] = {0, 2, 3, 4, 5, 1};
  tenon_dim split[6] = {tenon_aten_fixed(c->groups),
                        tenon_aten_fixed(dims[0].value / c->groups),
                        dims[1],
                        dims[2],
                        dims[3],
                        dims[4]};
  tenon_dim joined[5] = {tenon_aten_fixed(dims[1].value * c->groups), dims[2],
                         dims[3], dims[4], split[1]};
  tenon_value *w = tenon_aten_reshape(rw, c->w, split, 6);
  return tenon_aten_reshape(rw, tenon_aten_permute(rw, w, order, 6), joined, 5);
}

// Channels last, at the rank that the file has, so that permutations of
// neighbours meet; then with `want` dimensions, two or three.
static tenon_value *channels_last(tenon_rewriter *rw, tenon_value *x, int n,
                                  int want) {
  int64_t order[5];
  tenon_dim dims[5], wide[5];
  image_dims(rw, x, n, n, dims);
  x = tenon_aten_reshape(rw, x, dims, n + 2);
  for (int i = 0; i < n + 2; ++i)
    order[i] = i == 0 ? 0 : i == n + 1 ? 1 : i + 1;
  x = tenon_aten_permute(rw, x, order, n + 2);
  wide[0] = dims[0];
  for (int i = 0; i < want; ++i)
    wide[1 + i] = i < want - n ? one : dims[2 + i - (want - n)];
  wide[want + 1] = dims[1];
  return tenon_aten_reshape(rw, x, wide, want + 2);
}

// And back.
static tenon_value *channels_first(tenon_rewriter *rw, tenon_value *y, int n) {
  int64_t order[5];
  tenon_dim dims[5];
  const int last = tenon_nn_rank(rw, y) - 1;
  dims[0] = tenon_nn_dim(rw, y, 0);
  for (int i = 0; i < n; ++i)
    dims[1 + i] = tenon_nn_dim(rw, y, last - n + i);
  dims[n + 1] = tenon_nn_dim(rw, y, last);
  for (int i = 0; i < n + 2; ++i)
    order[i] = i == 0 ? 0 : i == 1 ? n + 1 : i - 1;
  y = tenon_aten_reshape(rw, y, dims, n + 2);
  return tenon_aten_permute(rw, y, order, n + 2);
}

static tenon_value *volumes(tenon_rewriter *rw, tenon_nn_conv *c) {
  int64_t pad[6];
  tenon_dim w_dims[5];
  image_dims(rw, c->w, c->n, 3, w_dims);
  nn_conv_spread(c);
  tenon_value *x = channels_last(rw, c->x, c->n, 3);
  tenon_value *w = c->is_transposed ? tenon_aten_reshape(rw, c->w, w_dims, 5)
                                    : channels_last(rw, c->w, c->n, 3);
  tenon_value *y = tenon_nn_conv_images(rw, c, x, w);
  if (y) return channels_first(rw, y, c->n);
  for (int i = 0; i < 3; ++i) {
    pad[i] = c->before[i];
    pad[3 + i] = c->behind[i] - c->more[i];
  }
  tenon_value *in[] = {x, c->is_transposed ? turn_weights(rw, c, w_dims) : w,
                       c->bias};
  y = tenon_rw_op(rw,
                  c->is_transposed ? "core::conv_transpose3d" : "core::conv3d",
                  in, c->bias ? 3 : 2,
                  TENON_ARGS(tenon_arg_ints("stride", c->stride, 3),
                             tenon_arg_ints("pad", pad, 6),
                             tenon_arg_ints("dilation", c->dilation, 3),
                             tenon_arg_int("groups", c->groups)));
  return channels_first(rw, y, c->n);
}

// --- Images ------------------------------------------------------------------

// From so many images on they fill registers as channels do; a line of so many
// pixels does, with windows of at most so many taps.
enum { NN_SINGLE_IMAGES = 16, NN_SINGLE_LINE = 32, NN_SINGLE_TAPS = 64 };

static tenon_value *nn_conv_flat(tenon_rewriter *rw, const tenon_nn_conv *c);

// Images of one channel with one output each, as channels of one image.
static tenon_value *nn_conv_turned(tenon_rewriter *rw, const tenon_nn_conv *c,
                                   const tenon_dim *dims,
                                   const tenon_dim *w_dims) {
  const tenon_dim image[] = {one, dims[0], dims[2], dims[3]};
  const tenon_dim window[] = {dims[0], one, w_dims[2], w_dims[3]};
  tenon_nn_conv all = *c;
  all.x = tenon_aten_reshape(rw, c->x, image, 4);
  all.w = tenon_aten_expand(rw, c->w, window, 4);
  if (c->bias) all.bias = tenon_aten_expand(rw, c->bias, dims, 1);
  all.groups = dims[0].value;
  tenon_value *y = nn_conv_flat(rw, &all);
  const tenon_dim images[] = {dims[0], one, tenon_nn_dim(rw, y, 2),
                              tenon_nn_dim(rw, y, 3)};
  return tenon_aten_reshape(rw, y, images, 4);
}

static tenon_value *nn_conv_flat(tenon_rewriter *rw, const tenon_nn_conv *c) {
  static const int64_t last[] = {0, 2, 3, 1}, depthwise[] = {1, 2, 3, 0};
  tenon_dim dims[4], w_dims[4];
  const int k = 2 - c->n;
  const int64_t stride[] = {k ? 1 : c->stride[0], c->stride[1 - k]};
  const int64_t dilation[] = {k ? 1 : c->dilation[0], c->dilation[1 - k]};
  const int64_t pad[] = {k ? 0 : c->before[0], c->before[1 - k],
                         k ? 0 : c->behind[0], c->behind[1 - k]};
  image_dims(rw, c->x, c->n, 2, dims);
  image_dims(rw, c->w, c->n, 2, w_dims);
  // One channel and one output have the same sums as a depthwise convolution,
  // which computes several pixels at once.
  const bool is_single =
      tenon_aten_is(dims[1], 1) && tenon_aten_is(w_dims[0], 1);
  if (is_single && c->n == 2 && !dims[0].symbol &&
      dims[0].value >= NN_SINGLE_IMAGES)
    return nn_conv_turned(rw, c, dims, w_dims);
  const bool is_depthwise =
      (c->groups > 1 && tenon_aten_is(dims[1], c->groups)) ||
      (is_single && stride[1] == 1 && !dims[3].symbol &&
       dims[3].value >= NN_SINGLE_LINE && !w_dims[2].symbol &&
       !w_dims[3].symbol &&
       w_dims[2].value * w_dims[3].value <= NN_SINGLE_TAPS);
  tenon_value *w = tenon_aten_reshape(rw, c->w, w_dims, 4);
  tenon_value *x = channels_last(rw, c->x, c->n, 2);
  if (is_depthwise) x = tenon_nn_conv_repeat(rw, c, x, w_dims[0].value);
  tenon_value *in[] = {
      x, tenon_aten_permute(rw, w, is_depthwise ? depthwise : last, 4),
      c->bias};
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_ints("stride", stride, 2));
  tenon_aten_add(&args, tenon_arg_ints("pad", pad, 4));
  tenon_aten_add(&args, tenon_arg_ints("dilation", dilation, 2));
  if (!is_depthwise) tenon_aten_add(&args, tenon_arg_int("groups", c->groups));
  tenon_value *y =
      tenon_rw_op(rw, is_depthwise ? "core::depthwise_conv" : "core::conv", in,
                  c->bias ? 3 : 2, args.list);
  return channels_first(rw, y, c->n);
}

// `user` says which: "conv", "transposed", or null where an argument does.
TENON_ATEN_LOWER(conv) {
  const char *form = tenon_aten_user(rw);
  tenon_nn_conv c;
  bool is_transposed = form ? strcmp(form, "transposed") == 0
                            : tenon_aten_bool(rw, n, "transposed");
  TENON_TRY(read_conv(rw, n, is_transposed, &c));
  bool is_flat =
      !is_transposed && c.n < 3 && tenon_nn_type(rw, c.x) == TENON_F32;
  return tenon_nn_give(rw, n, is_flat ? nn_conv_flat(rw, &c) : volumes(rw, &c));
}

// x is [time, batch, channels], w [steps, channels, outputs].
TENON_ATEN_LOWER(conv_tbc) {
  static const int64_t x_order[] = {1, 2, 0}, w_order[] = {2, 1, 0},
                       y_order[] = {2, 0, 1};
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  const int64_t pad[] = {tenon_aten_int(rw, n, "pad")};
  tenon_value *in[3];
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_aten_in(rw, n, i);
  if (tenon_nn_rank(rw, in[0]) != 3 || tenon_nn_rank(rw, in[1]) != 3)
    return tenon_rw_fail(rw, "operands without three dimensions");
  if (!t || t->rank != 3)
    return tenon_rw_fail(rw, "the file does not say its result");
  const tenon_dim dims[] = {t->dims[1], t->dims[2], t->dims[0]};
  const tenon_type turned = {dims, NULL, t->dtype, 3, 0};
  in[0] = tenon_aten_permute(rw, in[0], x_order, 3);
  in[1] = tenon_aten_permute(rw, in[1], w_order, 3);
  tenon_value *y =
      tenon_aten_make(rw, "aten::conv1d", in, 3,
                      TENON_ARGS(tenon_arg_ints("padding", pad, 1)), &turned);
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, y, y_order, 3));
}
