// Gradients of convolutions, which are convolutions: of the input by the same
// weights the other way round, of the weights by what the images and their
// gradients have in common, samples taken for channels.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

enum { MOST_SPACE = 3, MOST_GROUPS = 1024 };

typedef struct conv {
  tenon_rewriter *rw;
  int space;  // dimensions of an image
  int64_t stride[MOST_SPACE], pad[MOST_SPACE], dilation[MOST_SPACE], groups;
  bool is_transposed;
} conv;

// Sizes of what `convolve` makes, which nobody else states.
static void sizes_of(const conv *c, tenon_value *x, tenon_value *w,
                     const int64_t *stride, const int64_t *dilation,
                     const int64_t *more, bool is_transposed, int64_t groups,
                     tenon_dim *dims) {
  dims[0] = tenon_nn_dim(c->rw, x, 0);
  dims[1] = tenon_nn_dim(c->rw, w, is_transposed ? 1 : 0);
  if (is_transposed) dims[1].value *= groups;
  for (int d = 0; d < c->space; ++d) {
    const int64_t size = tenon_nn_dim(c->rw, x, d + 2).value;
    const int64_t reach =
        dilation[d] * (tenon_nn_dim(c->rw, w, d + 2).value - 1) + 1;
    dims[d + 2] = tenon_aten_fixed(
        is_transposed ? (size - 1) * stride[d] - 2 * c->pad[d] + reach + more[d]
                      : (size + 2 * c->pad[d] - reach) / stride[d] + 1);
  }
}

static tenon_value *convolve(const conv *c, tenon_value *x, tenon_value *w,
                             const int64_t *stride, const int64_t *dilation,
                             const int64_t *more, bool is_transposed,
                             int64_t groups) {
  const size_t n = (size_t)c->space;
  tenon_value *in[] = {x, w, NULL};
  tenon_dim dims[TENON_MAX_RANK];
  sizes_of(c, x, w, stride, dilation, more, is_transposed, groups, dims);
  const tenon_type type = {.dims = dims,
                           .dtype = tenon_nn_type(c->rw, x),
                           .rank = (uint8_t)(c->space + 2)};
  return tenon_aten_make(c->rw, "aten::convolution", in, 3,
                         TENON_ARGS(tenon_arg_ints("stride", stride, n),
                                    tenon_arg_ints("padding", c->pad, n),
                                    tenon_arg_ints("dilation", dilation, n),
                                    tenon_arg_bool("transposed", is_transposed),
                                    tenon_arg_ints("output_padding", more, n),
                                    tenon_arg_int("groups", groups)),
                         &type);
}

static const int64_t no_more[MOST_SPACE] = {0};

// As much of each dimension of the image as `like` says.
static tenon_value *cut_to(const conv *c, tenon_value *x, tenon_value *like) {
  for (int d = 2; d < c->space + 2; ++d)
    if (!tenon_aten_same(tenon_nn_dim(c->rw, x, d),
                         tenon_nn_dim(c->rw, like, d)))
      x = tenon_nn_cut(c->rw, x, d, 0, tenon_nn_dim(c->rw, like, d));
  return x;
}

static tenon_value *conv_backward_input_gradient(const conv *c, tenon_value *g,
                                                 tenon_value *x,
                                                 tenon_value *w) {
  int64_t more[MOST_SPACE];
  for (int d = 0; d < c->space; ++d) {
    const int64_t have = tenon_nn_dim(c->rw, g, d + 2).value;
    const int64_t taps = tenon_nn_dim(c->rw, w, d + 2).value;
    more[d] = tenon_nn_dim(c->rw, x, d + 2).value -
              ((have - 1) * c->stride[d] - 2 * c->pad[d] +
               c->dilation[d] * (taps - 1) + 1);
  }
  return cut_to(
      c,
      convolve(c, g, w, c->stride, c->dilation,
               c->is_transposed ? no_more : more, !c->is_transposed, c->groups),
      x);
}

// Group i of as many channels, dimension 1.
static tenon_value *conv_backward_group_of(const conv *c, tenon_value *x,
                                           int64_t i) {
  const int64_t each = tenon_nn_dim(c->rw, x, 1).value / c->groups;
  return c->groups == 1
             ? x
             : tenon_nn_cut(c->rw, x, 1, i * each, tenon_aten_fixed(each));
}

static tenon_value *weight_gradient(const conv *c, tenon_value *g,
                                    tenon_value *x, tenon_value *w) {
  tenon_value *parts[MOST_GROUPS];
  tenon_value *large = c->is_transposed ? g : x,
              *small = c->is_transposed ? x : g;
  for (int64_t i = 0; i < c->groups; ++i) {
    tenon_value *a =
        tenon_nn_swap(c->rw, conv_backward_group_of(c, large, i), 0, 1);
    tenon_value *b =
        tenon_nn_swap(c->rw, conv_backward_group_of(c, small, i), 0, 1);
    tenon_value *y =
        convolve(c, a, b, c->dilation, c->stride, no_more, false, 1);
    parts[i] = tenon_nn_swap(c->rw, cut_to(c, y, w), 0, 1);
  }
  return tenon_rw_concat(c->rw, parts, (int)c->groups, 0);
}

static bool conv_backward_is_open(tenon_rewriter *rw, tenon_value *x) {
  for (int d = 1; d < tenon_nn_rank(rw, x); ++d)
    if (tenon_nn_dim(rw, x, d).symbol) return true;
  return false;
}

static tenon_status conv_backward_read_conv(tenon_rewriter *rw,
                                            const tenon_node *n,
                                            tenon_value *const in[3], conv *c) {
  memset(c, 0, sizeof *c);
  c->rw = rw;
  c->space = tenon_nn_rank(rw, in[1]) - 2;
  c->groups = tenon_aten_int(rw, n, "groups");
  c->is_transposed = tenon_aten_bool(rw, n, "transposed");
  TENON_TRY(tenon_nn_need_float(rw, in[0]));
  if (c->space < 1 || c->space > MOST_SPACE)
    return tenon_rw_fail(rw, "images of %d dimensions", c->space);
  if (conv_backward_is_open(rw, in[0]) || conv_backward_is_open(rw, in[1]) ||
      conv_backward_is_open(rw, in[2]))
    return tenon_rw_fail(rw, "images or weights of open sizes");
  if (c->groups < 1 || c->groups > MOST_GROUPS)
    return tenon_rw_fail(rw, "%lld groups", (long long)c->groups);
  TENON_TRY(tenon_nn_ints(rw, n, "stride", c->space, 1, c->stride));
  TENON_TRY(tenon_nn_ints(rw, n, "padding", c->space, 0, c->pad));
  return tenon_nn_ints(rw, n, "dilation", c->space, 1, c->dilation);
}

TENON_ATEN_LOWER(conv_backward) {
  conv c;
  tenon_value *in[3], *out[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; ++i)
    in[i] = tenon_nn_in(rw, n, i);
  TENON_TRY(conv_backward_read_conv(rw, n, in, &c));
  // The sizes say what these did.
  tenon_aten_without_effect(rw, n, "bias_sizes output_padding");
  const uint32_t all = (1u << (c.space + 2)) - 1u;
  if (tenon_nn_asked(rw, n, 0))
    out[0] = conv_backward_input_gradient(&c, in[0], in[1], in[2]);
  if (tenon_nn_asked(rw, n, 1))
    out[1] = weight_gradient(&c, in[0], in[1], in[2]);
  if (tenon_nn_asked(rw, n, 2))
    out[2] = tenon_aten_reduce(rw, "core::sum", in[0], all & ~2u, false);
  return tenon_nn_give_asked(rw, n, out, 3);
}
