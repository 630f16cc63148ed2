// Gradients that core ATen has operators for: of pools, convolutions,
// embeddings and norms. What an `output_mask` leaves out is None.
#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

bool tenon_nn_asked(tenon_rewriter *rw, const tenon_node *n, int i) {
  const tenon_arg *mask = tenon_aten_arg(rw, n, "output_mask");
  return mask->kind == TENON_KIND_BOOLS && (size_t)i < mask->as.bools.count &&
         mask->as.bools.data[i];
}

tenon_status tenon_nn_give_asked(tenon_rewriter *rw, const tenon_node *n,
                                 tenon_value **out, int count) {
  // Torch gives no tensor there, which is one without elements here.
  static const tenon_dim none = {0, 0};
  static const tenon_type type = {.dims = &none, .dtype = TENON_U8, .rank = 1};
  for (int i = 0; i < count; ++i)
    out[i] = out[i] ? tenon_nn_as_result(rw, n, i, out[i])
                    : rw->api->literal(rw, &type, "");
  return rw->api->replace(rw, n, out, count);
}

// --- Pools -------------------------------------------------------------------

// 0, 1 ... beside each other along the rows or the columns of a matrix.
static tenon_value *backward_beside(tenon_rewriter *rw, tenon_dim n,
                                    bool is_row) {
  const tenon_dim one = tenon_aten_fixed(1);
  const tenon_dim dims[] = {is_row ? one : n, is_row ? n : one};
  return tenon_aten_reshape(rw, tenon_aten_ramp(rw, TENON_S64, n), dims, 2);
}

typedef struct pool {
  int64_t window[2], stride[2], pad[2];
  bool is_adaptive, counts_pad, has_divisor;
} pool;

// What each element gets of each window along dimension d: 1 / count inside,
// else 0. Windows o of a line of `size` elements begin at `begin`, end before
// `end`, and divide by `count`. Elements times windows for the rows, windows
// times elements for the columns.
static tenon_value *backward_share_of(tenon_rewriter *rw, const pool *p, int d,
                                      tenon_dim size, tenon_dim n,
                                      tenon_value *like) {
  tenon_value *o = backward_beside(rw, n, d == 0),
              *at = backward_beside(rw, size, d == 1);
  if (p->is_adaptive)
    return tenon_aten_formula(
        rw,
        "at o g $size $n: begin = floor_div(o * size, n);"
        "end = floor_div((o + 1) * size + (like(n, o) - 1), n);"
        "like(at >= begin & at < end, g) / like(end - begin, g)",
        at, o, like, size, n);
  return tenon_aten_formula(
      rw,
      "at o g $size #stride #window #pad @counts_pad @has_divisor:"
      "begin = o * stride - pad; end = begin + window;"
      "inside = like(at >= begin & at < end, g);"
      "first = if(counts_pad, begin, maximum(begin, 0));"
      "last = if(counts_pad, minimum(end, like(size, o) + pad),"
      "          minimum(end, size));"
      "if(has_divisor, inside, inside / like(last - first, g))",
      at, o, like, size, (double)p->stride[d], (double)p->window[d],
      (double)p->pad[d], (int)p->counts_pad, (int)p->has_divisor);
}

// Each window's gradient goes to its elements: between two matrices.
static tenon_status pool_backward(tenon_rewriter *rw, const tenon_node *n,
                                  const pool *p, double divisor) {
  tenon_value *g = tenon_nn_in(rw, n, 0);
  tenon_value *x = tenon_aten_in(rw, n, 1);
  TENON_TRY(tenon_nn_need_float(rw, g));
  tenon_value *rows = backward_share_of(rw, p, 0, tenon_nn_dim(rw, x, -2),
                                        tenon_nn_dim(rw, g, -2), g);
  tenon_value *columns = backward_share_of(rw, p, 1, tenon_nn_dim(rw, x, -1),
                                           tenon_nn_dim(rw, g, -1), g);
  tenon_value *y = tenon_aten_formula(
      rw, "rows g columns: matmul(matmul(rows, g), columns)", rows, g, columns);
  return tenon_nn_give(rw, n, tenon_nn_times(rw, y, 1 / divisor));
}

TENON_ATEN_LOWER(avg_pool_backward) {
  pool p = {.is_adaptive = tenon_aten_user(rw) != NULL};
  double divisor = 1;
  if (p.is_adaptive) return pool_backward(rw, n, &p, divisor);
  TENON_TRY(tenon_nn_ints(rw, n, "kernel_size", 2, 1, p.window));
  TENON_TRY(tenon_nn_ints(rw, n, "padding", 2, 0, p.pad));
  for (int d = 0; d < 2; ++d)
    p.stride[d] = p.window[d];
  if (tenon_aten_ints(rw, n, "stride").count > 0)
    TENON_TRY(tenon_nn_ints(rw, n, "stride", 2, 1, p.stride));
  p.counts_pad = tenon_aten_bool(rw, n, "count_include_pad");
  // The gradient has as many windows as it made.
  tenon_aten_without_effect(rw, n, "ceil_mode");
  p.has_divisor = tenon_aten_has(rw, n, "divisor_override");
  if (p.has_divisor)
    divisor = (double)tenon_aten_int(rw, n, "divisor_override");
  if (divisor == 0) return tenon_rw_fail(rw, "it divides by zero");
  return pool_backward(rw, n, &p, divisor);
}

// --- Embeddings --------------------------------------------------------------

static tenon_value *added_at(tenon_rewriter *rw, tenon_value *to,
                             tenon_value *values, tenon_value *index) {
  tenon_value *in[] = {to, values, index};
  return tenon_rw_op(rw, "core::index_put", in, 3,
                     TENON_ARGS(tenon_arg_int("mode", 1)));
}

TENON_ATEN_LOWER(embedding_backward) {
  tenon_value *g = tenon_nn_in(rw, n, 0);
  tenon_value *index = tenon_aten_cast(rw, tenon_aten_in(rw, n, 1), TENON_S64);
  TENON_TRY(tenon_nn_need_float(rw, g));
  const tenon_type *t = tenon_aten_known(rw, index);
  tenon_dtype type = tenon_nn_type(rw, g);
  if (!type) return tenon_rw_replace(rw, n, g);
  const tenon_dim rows = tenon_aten_dim(rw, n, "num_weights", 0);
  const tenon_dim count = tenon_aten_product(rw, t->dims, t->rank);
  const tenon_dim width = tenon_nn_dim(rw, g, -1);
  const tenon_dim table[] = {rows, width}, line[] = {count, width};
  const tenon_dim column[] = {count, tenon_aten_fixed(1)};
  const int64_t padding = tenon_aten_int(rw, n, "padding_idx");
  if (padding == TENON_UNKNOWN)
    return tenon_rw_fail(rw, "which row is left out is open");
  index = tenon_aten_reshape(rw, index, &count, 1);
  g = tenon_aten_reshape(rw, g, line, 2);
  if (tenon_aten_bool(rw, n, "scale_grad_by_freq")) {
    tenon_value *zero = tenon_nn_filled(rw, type, &rows, 1, 0);
    tenon_value *one = tenon_nn_filled(rw, type, &count, 1, 1);
    tenon_value *often =
        tenon_rw_op2(rw, "core::index", added_at(rw, zero, one, index), index);
    g = tenon_nn_div(rw, g, tenon_aten_reshape(rw, often, column, 2));
  }
  if (padding >= 0)
    g = tenon_aten_formula(rw, "index g #padding: index == padding ? 0 : g",
                           tenon_aten_reshape(rw, index, column, 2), g,
                           (double)padding);
  tenon_value *zeros = tenon_nn_filled(rw, type, table, 2, 0);
  return tenon_nn_give(rw, n, added_at(rw, zeros, g, index));
}

// --- Norms -------------------------------------------------------------------

// What a norm has made of x, and gradients of it before the weights (`g`) and
// behind them; `over` are the dimensions of one mean.
typedef struct normed {
  tenon_value *made, *g, *weighted, *rstd;
  uint32_t over;
  double count;  // of elements of one mean
} normed;

// rstd / count * (count g - sum(g) - made sum(g made)).
static tenon_value *input_gradient(tenon_rewriter *rw, const normed *a) {
  return tenon_aten_formula(
      rw,
      "g made rstd @over #count: (g * count - sum(g, over, 1) -"
      "   made * sum(g * made, over, 1)) * (rstd * (1 / count))",
      a->weighted, a->made, a->rstd, (int)a->over, a->count);
}

// Of weight and bias, by the sums over the other dimensions.
static tenon_status backward_give_norm(tenon_rewriter *rw, const tenon_node *n,
                                       tenon_value *dx, const normed *a,
                                       uint32_t others, bool has_weight) {
  tenon_value *out[3] = {dx, NULL, NULL};
  if (tenon_nn_asked(rw, n, 1) && has_weight)
    out[1] = tenon_aten_reduce(rw, "core::sum", tenon_nn_mul(rw, a->g, a->made),
                               others, false);
  if (tenon_nn_asked(rw, n, 2))
    out[2] = tenon_aten_reduce(rw, "core::sum", a->g, others, false);
  return tenon_nn_give_asked(rw, n, out, 3);
}

TENON_ATEN_LOWER(layer_norm_backward) {
  tenon_dim inner[TENON_MAX_RANK];
  tenon_value *g = tenon_nn_in(rw, n, 0);
  tenon_value *x = tenon_nn_in(rw, n, 1);
  tenon_value *mean = tenon_nn_in(rw, n, 2);
  tenon_value *weight = tenon_aten_in(rw, n, 4);
  (void)tenon_aten_in(rw, n, 5);  // the bias changes no gradient
  TENON_TRY(tenon_nn_need_float(rw, x));
  const int rank = tenon_nn_rank(rw, x);
  const int k = tenon_aten_dims(rw, n, "normalized_shape", inner);
  if (k < 1 || k > rank)
    return tenon_rw_fail(rw, "%d of %d dimensions", k, rank);
  const tenon_dim count = tenon_aten_product(rw, inner, k);
  if (count.symbol) return tenon_rw_fail(rw, "the normalized shape is open");
  normed a = {.g = g,
              .weighted = g,
              .rstd = tenon_nn_in(rw, n, 3),
              .over = ((1u << k) - 1u) << (rank - k),
              .count = (double)count.value};
  if (weight) a.weighted = tenon_nn_mul(rw, g, tenon_nn_wide(rw, weight));
  a.made = tenon_aten_formula(rw, "x m s: (x - m) * s", x, mean, a.rstd);
  return backward_give_norm(
      rw, n, tenon_nn_asked(rw, n, 0) ? input_gradient(rw, &a) : NULL, &a,
      (1u << (rank - k)) - 1u, weight != NULL);
}

TENON_ATEN_LOWER(group_norm_backward) {
  tenon_value *x = tenon_nn_in(rw, n, 1);
  tenon_value *weight = tenon_aten_in(rw, n, 4);
  TENON_TRY(tenon_nn_need_float(rw, x));
  const tenon_dim batch = tenon_aten_dim(rw, n, "N", 0);
  const tenon_dim channels = tenon_aten_dim(rw, n, "C", 0);
  const tenon_dim area = tenon_aten_dim(rw, n, "HxW", 0);
  const int64_t groups = tenon_aten_int(rw, n, "group");
  if (channels.symbol || area.symbol || groups < 1 || channels.value % groups)
    return tenon_rw_fail(rw,
                         "channels or their elements are open, or no "
                         "groups of channels");
  const tenon_dim each = tenon_aten_fixed(channels.value / groups);
  const tenon_dim one = tenon_aten_fixed(1);
  const tenon_dim split[] = {batch, tenon_aten_fixed(groups), each, area};
  const tenon_dim joined[] = {batch, channels, area};
  const tenon_dim stat[] = {batch, tenon_aten_fixed(groups), one, one};
  const tenon_dim beside_all[] = {one, tenon_aten_fixed(groups), each, one};
  tenon_value *mean = tenon_nn_in(rw, n, 2);
  tenon_value *g = tenon_nn_in(rw, n, 0);
  normed a = {.g = tenon_aten_reshape(rw, g, split, 4),
              .rstd = tenon_aten_reshape(rw, tenon_nn_in(rw, n, 3), stat, 4),
              .over = 12,  // the last two
              .count = (double)(each.value * area.value)};
  x = tenon_aten_reshape(rw, x, split, 4);
  a.made = tenon_aten_formula(rw, "x m s: (x - m) * s", x,
                              tenon_aten_reshape(rw, mean, stat, 4), a.rstd);
  a.weighted = a.g;
  if (weight)
    a.weighted = tenon_nn_mul(
        rw, a.g,
        tenon_aten_reshape(rw, tenon_nn_wide(rw, weight), beside_all, 4));
  tenon_value *dx = tenon_nn_asked(rw, n, 0) ? input_gradient(rw, &a) : NULL;
  a.g = tenon_aten_reshape(rw, a.g, joined, 3);
  a.made = tenon_aten_reshape(rw, a.made, joined, 3);
  return backward_give_norm(rw, n, dx, &a, 5,
                            weight != NULL);  // all but the channels
}
