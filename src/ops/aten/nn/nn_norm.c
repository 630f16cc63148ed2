// Normalisation: less the mean, over the root of the variance, times a weight,
// plus a bias.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

// --- What is shared ----------------------------------------------------------

typedef struct moments {
  tenon_value *mean, *variance;  // with the reduced dimensions as 1
  tenon_value *centred;          // x less the mean
} moments;

static moments moments_of(tenon_rewriter *rw, tenon_value *x, uint32_t axes) {
  moments m;
  m.variance = tenon_aten_formula(
      rw,
      "x @d &mean &less: mean = mean(x, d, 1); less = x - mean;"
      "mean(less * less, d, 1)",
      x, (int)axes, &m.mean, &m.centred);
  return m;
}

static tenon_value *inverse_root(tenon_rewriter *rw, tenon_value *variance,
                                 double eps) {
  return tenon_rw_op1(rw, "core::rsqrt", tenon_nn_plus(rw, variance, eps));
}

// Weights and biases may be of a wider type than x, as in mixed precision.
static tenon_value *nn_norm_like(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *w) {
  tenon_dtype t = tenon_nn_type(rw, x);
  return w && t ? tenon_aten_cast(rw, w, t) : w;
}

// y * weight + bias; each a vector beside dimension 1.
static tenon_value *affine(tenon_rewriter *rw, tenon_value *y, tenon_value *w,
                           tenon_value *bias) {
  int rank = tenon_nn_rank(rw, y);
  w = nn_norm_like(rw, y, w);
  bias = nn_norm_like(rw, y, bias);
  if (w) y = tenon_nn_mul(rw, y, tenon_nn_beside(rw, w, rank, 1));
  if (bias) y = tenon_nn_add(rw, y, tenon_nn_beside(rw, bias, rank, 1));
  return y;
}

// All dimensions but the batch and the channels.
static uint32_t inner_axes(int rank) {
  return ((1u << rank) - 1) & ~3u;
}

// --- Over the batch ----------------------------------------------------------

// With known moments it is one product and one sum, of vectors that depend on
// constants alone.
static tenon_value *by_statistics(tenon_rewriter *rw, tenon_value *x,
                                  tenon_value *w, tenon_value *bias,
                                  tenon_value *mean, tenon_value *variance,
                                  double eps) {
  tenon_value *term = NULL,
              *factor = inverse_root(rw, nn_norm_like(rw, x, variance), eps);
  factor = tenon_aten_formula(
      rw,
      "x factor w bias mean &term: f = if(has(w), factor * like(w, x), factor);"
      "m = like(mean, x) * f; term = if(has(bias), like(bias, x) - m, -m); f",
      x, factor, w, bias, mean, &term);
  return affine(rw, x, factor, term);
}

typedef struct batch {
  tenon_value *x, *w, *bias, *mean, *variance;
  double eps;
} batch;

static tenon_status read_batch(tenon_rewriter *rw, const tenon_node *n,
                               bool has_statistics, batch *b) {
  memset(b, 0, sizeof *b);
  b->x = tenon_nn_in(rw, n, 0);
  b->w = tenon_nn_in(rw, n, 1);
  b->bias = tenon_nn_in(rw, n, 2);
  if (has_statistics) {
    b->mean = tenon_nn_in(rw, n, 3);
    b->variance = tenon_nn_in(rw, n, 4);
  }
  b->eps = tenon_aten_float(rw, n, "eps");
  if (tenon_nn_rank(rw, b->x) < 2)
    return tenon_rw_fail(rw, "%d dimensions", tenon_nn_rank(rw, b->x));
  return tenon_nn_need_float(rw, b->x);
}

// How many elements a channel has, as a number of x's type.
static tenon_status nn_norm_count_of(tenon_rewriter *rw, tenon_value *x,
                                     double *count) {
  int64_t n = 1;
  for (int d = 0; d < tenon_nn_rank(rw, x); ++d) {
    tenon_dim size = tenon_nn_dim(rw, x, d);
    if (d == 1) continue;
    if (size.symbol) return tenon_rw_fail(rw, "an open size in training");
    n *= size.value;
  }
  *count = (double)n;
  return TENON_OK;
}

// (1 - momentum) * old + momentum * fresh.
static tenon_value *nn_norm_moved(tenon_rewriter *rw, tenon_value *old,
                                  tenon_value *fresh, double momentum) {
  return tenon_aten_formula(
      rw, "old fresh #m: old * (1 - m) + like(fresh, old) * m", old, fresh,
      momentum);
}

// Results: y, the mean and the inverse root of the variance of the batch, and
// where statistics are kept, the new ones; of six, the fourth has no elements.
static tenon_status in_training(tenon_rewriter *rw, const tenon_node *n,
                                const batch *b, int n_results) {
  if (!b->mean) tenon_aten_without_effect(rw, n, "momentum");
  int rank = tenon_nn_rank(rw, b->x);
  moments m = moments_of(rw, b->x, inner_axes(rank) | 1u);
  tenon_value *root = inverse_root(rw, m.variance, b->eps);
  tenon_value *y = affine(rw, tenon_nn_mul(rw, m.centred, root), b->w, b->bias);
  tenon_dim channels = tenon_nn_dim(rw, b->x, 1);
  tenon_value *out[6] = {y, m.mean, root, NULL, NULL, NULL};
  if (n_results >= 5) {
    double count = 0, momentum = tenon_aten_float(rw, n, "momentum");
    TENON_TRY(nn_norm_count_of(rw, b->x, &count));
    if (count < 2) return tenon_rw_fail(rw, "one element of each channel");
    tenon_value *variance = tenon_nn_times(rw, m.variance, count / (count - 1));
    out[n_results - 2] = nn_norm_moved(
        rw, b->mean, tenon_aten_reshape(rw, m.mean, &channels, 1), momentum);
    out[n_results - 1] =
        nn_norm_moved(rw, b->variance,
                      tenon_aten_reshape(rw, variance, &channels, 1), momentum);
  }
  const tenon_type *none = tenon_aten_result(rw, n, 3);
  if (n_results == 6 && !none)
    return tenon_rw_fail(rw, "the file does not say its results");
  if (n_results == 6)
    out[3] = tenon_nn_filled(rw, none->dtype, none->dims, none->rank, 0);
  for (int i = 0; i < n_results; ++i)
    if (n_results < 6 || i != 3) out[i] = tenon_nn_as_result(rw, n, i, out[i]);
  return rw->api->replace(rw, n, out, n_results);
}

TENON_ATEN_LOWER(batch_norm) {
  batch b;
  TENON_TRY(read_batch(rw, n, true, &b));
  if (tenon_aten_bool(rw, n, "training")) {
    if (b.mean || b.variance)
      return tenon_rw_fail(
          rw, "it would change its running statistics (training=True)");
    return in_training(rw, n, &b, 1);
  }
  if (!b.mean || !b.variance) return tenon_rw_fail(rw, "no running statistics");
  tenon_aten_without_effect(rw, n, "momentum");
  return tenon_nn_give(
      rw, n, by_statistics(rw, b.x, b.w, b.bias, b.mean, b.variance, b.eps));
}

// "eval", "batch" (no statistics are kept), "update", or an argument says:
// "both", or "old", whose schema does not tell that it writes (nn_stats.c).
TENON_ATEN_LOWER(native_batch_norm) {
  const char *form = tenon_aten_user(rw);
  bool keeps = strcmp(form, "batch") != 0;
  batch b;
  TENON_TRY(read_batch(rw, n, keeps, &b));
  if (strcmp(form, "update") == 0) {
    if (!b.mean || !b.variance)
      return tenon_rw_fail(rw, "no running statistics");
    return in_training(rw, n, &b, 6);
  }
  bool is_training =
      strcmp(form, "eval") != 0 && tenon_aten_bool(rw, n, "training");
  if (is_training && b.mean && strcmp(form, "old") == 0)
    return tenon_rw_fail(
        rw, "it would change its running statistics (training=True)");
  if (is_training && keeps && !b.mean) return in_training(rw, n, &b, 3);
  if (is_training) return in_training(rw, n, &b, keeps ? 5 : 3);
  if (!b.mean || !b.variance) return tenon_rw_fail(rw, "no running statistics");
  tenon_aten_without_effect(rw, n, "momentum");
  tenon_value *out[5] = {
      by_statistics(rw, b.x, b.w, b.bias, b.mean, b.variance, b.eps), NULL,
      NULL, b.mean, b.variance};
  // What training would have needed: nothing.
  for (int i = 1; i < 3; ++i) {
    const tenon_type *t = tenon_aten_result(rw, n, i);
    if (!t) return tenon_rw_fail(rw, "the file does not say its results");
    out[i] = tenon_nn_filled(rw, t->dtype, t->dims, t->rank, 0);
    if (tenon_aten_is(t->dims[0], 0)) continue;
    out[i] = i == 1 ? b.mean : inverse_root(rw, b.variance, b.eps);
  }
  int n_results = strcmp(form, "both") == 0 ? 5 : 3;
  return tenon_nn_give_all(rw, n, out, n_results);
}

TENON_ATEN_LOWER(instance_norm) {
  batch b;
  TENON_TRY(read_batch(rw, n, true, &b));
  int rank = tenon_nn_rank(rw, b.x);
  // Statistics that training would change are refused.
  tenon_aten_without_effect(rw, n, "momentum");
  if (!tenon_aten_bool(rw, n, "use_input_stats")) {
    if (!b.mean || !b.variance)
      return tenon_rw_fail(rw, "no running statistics");
    return tenon_nn_give(
        rw, n, by_statistics(rw, b.x, b.w, b.bias, b.mean, b.variance, b.eps));
  }
  if (b.mean || b.variance)
    return tenon_rw_fail(rw, "it would change its running statistics");
  moments m = moments_of(rw, b.x, inner_axes(rank));
  tenon_value *y =
      tenon_nn_mul(rw, m.centred, inverse_root(rw, m.variance, b.eps));
  return tenon_nn_give(rw, n, affine(rw, y, b.w, b.bias));
}

// --- Over the last dimensions ------------------------------------------------

static tenon_status last_axes(tenon_rewriter *rw, const tenon_node *n,
                              tenon_value *x, uint32_t *axes) {
  tenon_dim dims[TENON_MAX_RANK];
  int count = tenon_aten_dims(rw, n, "normalized_shape", dims);
  int rank = tenon_nn_rank(rw, x);
  if (count < 1 || count > rank)
    return tenon_rw_fail(rw, "%d dimensions of %d", count, rank);
  *axes = ((1u << count) - 1) << (rank - count);
  return tenon_nn_need_float(rw, x);
}

// One result, or three: y, mean and inverse root.
TENON_ATEN_LOWER(layer_norm) {
  const int n_results = tenon_aten_user(rw) ? 3 : 1;
  tenon_value *x = tenon_nn_in(rw, n, 0), *w = tenon_nn_in(rw, n, 1);
  tenon_value *bias = tenon_nn_in(rw, n, 2);
  uint32_t axes = 0;
  TENON_TRY(last_axes(rw, n, x, &axes));
  moments m = moments_of(rw, x, axes);
  tenon_value *root =
      inverse_root(rw, m.variance, tenon_aten_float(rw, n, "eps"));
  tenon_value *y = tenon_nn_mul(rw, m.centred, root);
  y = tenon_aten_formula(
      rw,
      "y w b: z = if(has(w), y * like(w, y), y); if(has(b), z + like(b, y), z)",
      y, w, bias);
  tenon_value *out[] = {y, m.mean, root};
  return tenon_nn_give_all(rw, n, out, n_results);
}

// What is added where nothing is said: the distance from 1 to the next number
// of the type that is computed in.
static double nn_norm_least(tenon_dtype t) {
  return t == TENON_F64 ? 0x1p-52 : 0x1p-23;
}

TENON_ATEN_LOWER(rms_norm) {
  const int n_results = tenon_aten_user(rw) ? 2 : 1;
  tenon_value *x = tenon_nn_in(rw, n, 0), *w = tenon_nn_in(rw, n, 1);
  uint32_t axes = 0;
  TENON_TRY(last_axes(rw, n, x, &axes));
  double eps = tenon_aten_has(rw, n, "eps")
                   ? tenon_aten_float(rw, n, "eps")
                   : nn_norm_least(tenon_nn_type(rw, x));
  tenon_value *square =
      tenon_aten_reduce(rw, "core::mean", tenon_nn_mul(rw, x, x), axes, true);
  tenon_value *root = inverse_root(rw, square, eps);
  tenon_value *y = tenon_nn_mul(rw, x, root);
  if (w) y = tenon_nn_mul(rw, y, nn_norm_like(rw, y, w));
  tenon_value *out[] = {y, root};
  return tenon_nn_give_all(rw, n, out, n_results);
}

// --- Over groups of channels -------------------------------------------------

// Channels last, or back. One group is summed so: beside convolutions, which
// have channels last, nothing is permuted for it.
static tenon_value *nn_norm_turned(tenon_rewriter *rw, tenon_value *x,
                                   bool is_back) {
  int64_t order[TENON_MAX_RANK];
  const int rank = tenon_nn_rank(rw, x);
  for (int d = 0; d < rank; ++d)
    order[d] = is_back ? (d == 1 ? rank - 1 : d - (d > 1))
                       : (d == rank - 1 ? 1 : d + (d > 0));
  return tenon_aten_permute(rw, x, order, rank);
}

TENON_ATEN_LOWER(group_norm) {
  const bool is_native = tenon_aten_user(rw) != NULL;
  tenon_aten_without_effect(rw, n, "N C HxW");  // the operand's
  tenon_value *x = tenon_nn_in(rw, n, 0), *w = tenon_nn_in(rw, n, 1);
  tenon_value *bias = tenon_nn_in(rw, n, 2);
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  int64_t groups = tenon_aten_int(rw, n, is_native ? "group" : "num_groups");
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (!t || t->rank < 2 || groups < 1 || t->dims[1].symbol ||
      t->dims[1].value % groups)
    return tenon_rw_fail(rw, "%lld groups of channels", (long long)groups);
  tenon_dim inside = tenon_aten_fixed(t->dims[1].value / groups);
  tenon_dim dims[3] = {t->dims[0], tenon_aten_fixed(groups), inside};
  for (int d = 2; d < t->rank; ++d)
    dims[2] = rw->api->dim(rw, TENON_DIM_MUL, dims[2], t->dims[d]);
  const bool is_turned = groups == 1 && t->rank > 2;
  if (is_turned) x = nn_norm_turned(rw, x, false);
  t = tenon_rw_type(rw, x);
  moments m = moments_of(rw, tenon_aten_reshape(rw, x, dims, 3), 4);
  tenon_value *root =
      inverse_root(rw, m.variance, tenon_aten_float(rw, n, "eps"));
  tenon_value *y = tenon_nn_mul(rw, m.centred, root);
  y = tenon_aten_reshape(rw, y, t->dims, t->rank);
  if (is_turned) y = nn_norm_turned(rw, y, true);
  y = affine(rw, y, w, bias);
  tenon_value *out[] = {y, m.mean, root};
  const int n_results = is_native ? 3 : 1;
  return tenon_nn_give_all(rw, n, out, n_results);
}

// --- Of weights --------------------------------------------------------------

// v times g, over the norm of v in all dimensions but one; dimension -1: in
// all.
TENON_ATEN_LOWER(weight_norm) {
  const int n_results = tenon_aten_user(rw) ? 2 : 1;
  tenon_value *v = tenon_nn_in(rw, n, 0), *g = tenon_nn_in(rw, n, 1);
  const int rank = tenon_nn_rank(rw, v);
  const int64_t dim = tenon_aten_int(rw, n, "dim");
  TENON_TRY(tenon_nn_need_float(rw, v));
  if (dim < -1 || dim >= rank || (n_results == 2 && dim < 0))
    return tenon_rw_fail(rw, "dimension %lld of %d", (long long)dim, rank);
  uint32_t axes = (1u << rank) - 1;
  if (dim >= 0) axes &= ~(1u << dim);
  tenon_value *norm = NULL;
  tenon_value *y = tenon_aten_formula(
      rw,
      "v g @d @k &norm: norm = sqrt(sum(v * v, d, k)); v * (like(g, v) / norm)",
      v, g, (int)axes, (int)(dim >= 0), &norm);
  tenon_value *out[] = {y, norm};
  return tenon_nn_give_all(rw, n, out, n_results);
}
