// What torch.nn's attention and encoder layers become where no gradients are
// asked for: one operator for the whole of it.
//
// A mask says what is left out, also where it is of floats: PyTorch takes
// whatever is not zero for true.
#include <math.h>

#include "ops/aten/nn/aten_nn.h"

typedef struct heads {
  int64_t count, width;
  double scale;
} heads;

static tenon_status encoder_read_heads(tenon_rewriter *rw, int64_t embed,
                                       int64_t count, heads *h) {
  if (count < 1 || embed < 1 || embed % count)
    return tenon_rw_fail(rw, "%lld heads of %lld", (long long)count,
                         (long long)embed);
  h->count = count;
  h->width = embed / count;
  h->scale = 1 / sqrt((double)h->width);
  return TENON_OK;
}

// [b, t, heads * width] as [b, heads, t, width].
static tenon_value *encoder_split(tenon_rewriter *rw, tenon_value *x,
                                  const heads *h) {
  const tenon_dim dims[] = {tenon_nn_dim(rw, x, 0), tenon_nn_dim(rw, x, 1),
                            tenon_aten_fixed(h->count),
                            tenon_aten_fixed(h->width)};
  return tenon_nn_swap(rw, tenon_aten_reshape(rw, x, dims, 4), 1, 2);
}

static tenon_value *encoder_join(tenon_rewriter *rw, tenon_value *x,
                                 const heads *h) {
  x = tenon_nn_swap(rw, x, 1, 2);
  const tenon_dim dims[] = {tenon_nn_dim(rw, x, 0), tenon_nn_dim(rw, x, 1),
                            tenon_aten_fixed(h->count * h->width)};
  return tenon_aten_reshape(rw, x, dims, 3);
}

// Part i of three that stand below each other in weights and bias.
static tenon_value *project(tenon_rewriter *rw, tenon_value *x, tenon_value *w,
                            tenon_value *bias, int i, const heads *h) {
  const tenon_dim size = tenon_aten_fixed(h->count * h->width);
  const int64_t begin = i * size.value;
  return encoder_split(
      rw,
      tenon_nn_linear(rw, x, tenon_nn_cut(rw, w, 0, begin, size),
                      tenon_nn_cut(rw, bias, 0, begin, size)),
      h);
}

// Of [t, t] (0), [b, t] (1) or [b, heads, t, t] (2).
static tenon_status place_mask(tenon_rewriter *rw, const tenon_node *n,
                               tenon_value **mask) {
  int rank = *mask ? tenon_nn_rank(rw, *mask) : 0;
  const tenon_arg *type = tenon_aten_arg(rw, n, "mask_type");
  if (!*mask) return TENON_OK;
  if (type->kind == 0 || type->as.i < 0 || type->as.i > 2 ||
      rank != (type->as.i == 2 ? 4 : 2))
    return tenon_rw_fail(rw, "a mask of %d dimensions of this mask_type", rank);
  *mask = tenon_aten_cast(rw, *mask, TENON_BOOL);
  if (type->as.i != 1) return TENON_OK;
  const tenon_dim dims[] = {tenon_nn_dim(rw, *mask, 0), tenon_aten_fixed(1),
                            tenon_aten_fixed(1), tenon_nn_dim(rw, *mask, 1)};
  *mask = tenon_aten_reshape(rw, *mask, dims, 4);
  return TENON_OK;
}

// in: query, key, value, and weights and bias of the projections before and
// behind. *weights receives what stands behind the softmax, of every head.
static tenon_value *attend(tenon_rewriter *rw, tenon_value *const in[7],
                           tenon_value *mask, const heads *h,
                           tenon_value **weights) {
  tenon_value *x[3];
  for (int i = 0; i < 3; ++i)
    x[i] = project(rw, in[i], in[3], in[4], i, h);
  tenon_value *scores =
      tenon_rw_op2(rw, "core::matmul", tenon_nn_times(rw, x[0], h->scale),
                   tenon_nn_swap(rw, x[1], 2, 3));
  const tenon_dtype t = tenon_nn_type(rw, scores);
  if (mask && t)
    scores =
        tenon_rw_where(rw, mask, tenon_aten_real(rw, t, -INFINITY), scores);
  *weights = tenon_nn_softmax(rw, scores, 3, false);
  return tenon_nn_linear(
      rw, encoder_join(rw, tenon_rw_op2(rw, "core::matmul", *weights, x[2]), h),
      in[5], in[6]);
}

static tenon_status need_rank(tenon_rewriter *rw, tenon_value *x) {
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (tenon_nn_rank(rw, x) == 3) return TENON_OK;
  return tenon_rw_fail(rw, "not of 3 dimensions");
}

TENON_ATEN_LOWER(native_attention) {
  tenon_value *in[7], *mask = tenon_aten_in(rw, n, 7), *out[2];
  heads h;
  TENON_TRY(encoder_read_heads(rw, tenon_aten_int(rw, n, "embed_dim"),
                               tenon_aten_int(rw, n, "num_head"), &h));
  for (int i = 0; i < 7; ++i)
    in[i] = tenon_nn_in(rw, n, i);
  for (int i = 0; i < 3; ++i)
    TENON_TRY(need_rank(rw, in[i]));
  TENON_TRY(place_mask(rw, n, &mask));
  out[0] = attend(rw, in, mask, &h, &out[1]);
  const bool averages = tenon_aten_bool(rw, n, "average_attn_weights");
  const int n_out = tenon_aten_bool(rw, n, "need_weights") ? 2 : 1;
  if (averages) out[1] = tenon_aten_reduce(rw, "core::mean", out[1], 2, false);
  return tenon_nn_give_all(rw, n, out, n_out);
}

// --- A layer -----------------------------------------------------------------

// One result of x's type.
static tenon_value *encoder_like(tenon_rewriter *rw, const char *op,
                                 tenon_value **in, uint32_t n_in,
                                 const tenon_arg *args) {
  return tenon_aten_make(rw, op, in, n_in, args, tenon_rw_type(rw, in[0]));
}

// With the weights and bias that begin at operand `first`.
static tenon_value *encoder_norm(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x, int first) {
  tenon_value *in[] = {x, tenon_nn_in(rw, n, first),
                       tenon_nn_in(rw, n, first + 1)};
  const tenon_dim size = tenon_nn_dim(rw, x, 2);
  return encoder_like(
      rw, "aten::layer_norm", in, 3,
      TENON_ARGS(tenon_arg_dims("normalized_shape", &size, 1),
                 tenon_arg_float("eps", tenon_aten_float(rw, n, "eps"))));
}

static tenon_value *encoder_feed(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value *x) {
  x = tenon_nn_linear(rw, x, tenon_nn_in(rw, n, 9), tenon_nn_in(rw, n, 10));
  x = encoder_like(
      rw, tenon_aten_bool(rw, n, "use_gelu") ? "aten::gelu" : "aten::relu", &x,
      1, NULL);
  return tenon_nn_linear(rw, x, tenon_nn_in(rw, n, 11), tenon_nn_in(rw, n, 12));
}

TENON_ATEN_LOWER(encoder_layer) {
  enum { NORM_1 = 5, NORM_2 = 7 };
  const bool norm_first = tenon_aten_bool(rw, n, "norm_first");
  tenon_value *src = tenon_nn_in(rw, n, 0), *mask = tenon_aten_in(rw, n, 13);
  tenon_value *weights = NULL;
  heads h;
  TENON_TRY(need_rank(rw, src));
  TENON_TRY(encoder_read_heads(rw, tenon_aten_int(rw, n, "embed_dim"),
                               tenon_aten_int(rw, n, "num_heads"), &h));
  TENON_TRY(place_mask(rw, n, &mask));
  tenon_value *x = norm_first ? encoder_norm(rw, n, src, NORM_1) : src;
  tenon_value *in[7] = {x, x, x};
  for (int i = 3; i < 7; ++i)
    in[i] = tenon_nn_in(rw, n, i - 2);
  x = tenon_nn_add(rw, attend(rw, in, mask, &h, &weights), src);
  if (!norm_first) x = encoder_norm(rw, n, x, NORM_1);
  tenon_value *y = norm_first ? encoder_norm(rw, n, x, NORM_2) : x;
  y = tenon_nn_add(rw, encoder_feed(rw, n, y), x);
  return tenon_nn_give(rw, n, norm_first ? y : encoder_norm(rw, n, y, NORM_2));
}
