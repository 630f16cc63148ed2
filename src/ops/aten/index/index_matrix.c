// Operators on diagonals and triangles, and shuffles of channels.
#include "ops/aten/nn/aten_nn.h"

// Matrices, in the last two dimensions, with x on a diagonal.
static tenon_value *embed(tenon_rewriter *rw, tenon_value *x, int64_t offset) {
  tenon_dim dims[TENON_MAX_RANK + 1], steps[TENON_MAX_RANK + 1], at;
  int64_t k = offset < 0 ? -offset : offset;
  tenon_dtype t = tenon_aten_known(rw, x)->dtype;
  int rank = tenon_aten_dims_of(rw, x, dims);
  dims[rank - 1] = tenon_aten_plus(rw, dims[rank - 1], tenon_aten_fixed(k));
  dims[rank] = dims[rank - 1];
  tenon_value *y = tenon_nn_filled(rw, t, dims, rank + 1, 0);
  tenon_aten_steps(rw, y, steps);
  at = tenon_aten_times(rw, steps[offset < 0 ? rank - 1 : rank],
                        tenon_aten_fixed(k));
  steps[rank - 1] = tenon_aten_plus(rw, steps[rank - 1], steps[rank]);
  return tenon_aten_update(rw, y, x, steps, rank, at);
}

TENON_ATEN_LOWER(diag_embed) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int rank = tenon_aten_known(rw, x)->rank, a, b, next = 0;
  int64_t order[TENON_MAX_RANK], offset = tenon_aten_int(rw, n, "offset");
  if (rank == 0 || rank >= TENON_MAX_RANK)
    return tenon_rw_fail(rw, "a diagonal of rank %d", rank);
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim1"), rank + 1, &a));
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim2"), rank + 1, &b));
  if (a == b) return tenon_rw_fail(rw, "a dimension stands twice");
  if (a > b) {
    int other = a;
    a = b;
    b = other;
    offset = -offset;
  }
  x = embed(rw, x, offset);
  for (int d = 0; d <= rank; ++d)
    order[d] = d == a ? rank - 1 : d == b ? rank : next++;
  return tenon_rw_replace(rw, n, tenon_aten_permute(rw, x, order, rank + 1));
}

// The diagonal of a matrix, as a view.
static tenon_value *index_matrix_diagonal(tenon_rewriter *rw, tenon_value *x,
                                          int64_t k) {
  tenon_dim dims[TENON_MAX_RANK], steps[TENON_MAX_RANK], at;
  (void)tenon_aten_dims_of(rw, x, dims);
  tenon_aten_steps(rw, x, steps);
  at = tenon_aten_times(rw, steps[k < 0 ? 0 : 1],
                        tenon_aten_fixed(k < 0 ? -k : k));
  dims[0] = tenon_aten_plus(rw, dims[0], tenon_aten_fixed(k < 0 ? k : 0));
  dims[1] = tenon_aten_plus(rw, dims[1], tenon_aten_fixed(k > 0 ? -k : 0));
  dims[0] = rw->api->dim(rw, TENON_DIM_MIN, dims[0], dims[1]);
  dims[0] = rw->api->dim(rw, TENON_DIM_MAX, dims[0], tenon_aten_fixed(0));
  if (tenon_aten_is(dims[0], 0)) at = tenon_aten_fixed(0);
  steps[0] = tenon_aten_plus(rw, steps[0], steps[1]);
  return tenon_aten_window(rw, x, dims, steps, 1, at);
}

TENON_ATEN_LOWER(diag) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  int rank = tenon_aten_known(rw, x)->rank;
  int64_t k = tenon_aten_int(rw, n, "diagonal");
  if (rank != 1 && rank != 2) return tenon_rw_fail(rw, "rank %d", rank);
  return tenon_rw_replace(
      rw, n, rank == 1 ? embed(rw, x, k) : index_matrix_diagonal(rw, x, k));
}

TENON_ATEN_LOWER(diagflat) {
  tenon_value *x = tenon_aten_flat(rw, tenon_aten_in(rw, n, 0));
  return tenon_rw_replace(rw, n, embed(rw, x, tenon_aten_int(rw, n, "offset")));
}

TENON_ATEN_LOWER(trace) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *t = tenon_rw_type(rw, x);
  if (t->rank != 2) return tenon_rw_fail(rw, "rank %d", t->rank);
  if (!tenon_aten_is_float(t->dtype)) x = tenon_aten_cast(rw, x, TENON_S64);
  return tenon_rw_replace(
      rw, n,
      tenon_aten_reduce(rw, "core::sum", index_matrix_diagonal(rw, x, 0), 1u,
                        false));
}

// A class out of range is an error of the run.
TENON_ATEN_LOWER(one_hot) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  const tenon_type *stated = tenon_aten_stated(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK + 1];
  int rank = tenon_aten_dims_of(rw, x, dims);
  dims[rank] = tenon_aten_fixed(tenon_aten_int(rw, n, "num_classes"));
  if (dims[rank].value < 0 && stated && !stated->dims[rank].symbol)
    dims[rank] = stated->dims[rank];
  if (dims[rank].value < 1)
    return tenon_rw_fail(rw, "the number of classes is left to the data");
  tenon_value *in[] = {tenon_nn_filled(rw, TENON_S64, dims, rank + 1, 0),
                       tenon_aten_unsqueeze(rw, x, rank),
                       tenon_aten_real(rw, TENON_S64, 1.0)};
  return tenon_rw_replace(rw, n,
                          tenon_rw_op(rw, "core::scatter", in, 3,
                                      TENON_ARGS(tenon_arg_int("axis", rank))));
}

// --- channels ----------------------------------------------------------------

// The last three dimensions, what is in front as one.
static tenon_status images_of(tenon_rewriter *rw, tenon_value *x,
                              tenon_dim *dims, int *rank, tenon_dim four[4]) {
  *rank = tenon_aten_dims_of(rw, x, dims);
  if (*rank < 3) return tenon_rw_fail(rw, "rank %d", *rank);
  four[0] = tenon_aten_product(rw, dims, *rank - 3);
  for (int d = 0; d < 3; ++d)
    four[1 + d] = dims[*rank - 3 + d];
  return TENON_OK;
}

static tenon_dim index_matrix_over(tenon_rewriter *rw, tenon_dim a,
                                   int64_t by) {
  return rw->api->dim(rw, TENON_DIM_DIV, a, tenon_aten_fixed(by));
}
static tenon_dim index_matrix_times(tenon_rewriter *rw, tenon_dim a,
                                    int64_t by) {
  return tenon_aten_times(rw, a, tenon_aten_fixed(by));
}

// The row has the name of the factor: of "upscale_factor", channels become
// pixels between pixels; else the other way round.
TENON_ATEN_LOWER(pixel_shuffle) {
  static const int64_t orders[2][6] = {{0, 1, 3, 5, 2, 4}, {0, 1, 4, 2, 5, 3}};
  const bool is_up = *tenon_aten_user(rw) == 'u';
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], four[4];
  const int64_t r = tenon_aten_int(rw, n, tenon_aten_user(rw));
  const tenon_dim by = tenon_aten_fixed(r);
  int rank;
  TENON_TRY(images_of(rw, x, dims, &rank, four));
  if (r < 1) return tenon_rw_fail(rw, "a factor of %lld", (long long)r);
  tenon_dim *last = dims + rank - 3;
  last[0] = is_up ? index_matrix_over(rw, four[1], r * r)
                  : index_matrix_times(rw, four[1], r * r);
  for (int i = 1; i < 3; ++i)
    last[i] = is_up ? index_matrix_times(rw, four[1 + i], r)
                    : index_matrix_over(rw, four[1 + i], r);
  const tenon_dim up[] = {four[0], last[0], by, by, four[2], four[3]},
                  down[] = {four[0], four[1], last[1], by, last[2], by};
  x = tenon_aten_reshape(rw, x, is_up ? up : down, 6);
  x = tenon_aten_permute(rw, x, orders[is_up], 6);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, rank));
}

TENON_ATEN_LOWER(channel_shuffle) {
  static const int64_t order[] = {0, 2, 1, 3};
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim dims[TENON_MAX_RANK], four[4];
  int64_t groups = tenon_aten_int(rw, n, "groups");
  int rank = tenon_aten_dims_of(rw, x, dims);
  if (rank < 3 || groups < 1)
    return tenon_rw_fail(rw, "%lld groups of rank %d", (long long)groups, rank);
  four[0] = dims[0];
  four[1] = tenon_aten_fixed(groups);
  four[2] = index_matrix_over(rw, dims[1], groups);
  four[3] = tenon_aten_product(rw, dims + 2, rank - 2);
  x = tenon_aten_permute(rw, tenon_aten_reshape(rw, x, four, 4), order, 4);
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, rank));
}

// --- other -------------------------------------------------------------------

// Sums over what has to become 1, or go.
TENON_ATEN_LOWER(sum_to_size) {
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dim from[TENON_MAX_RANK], dims[TENON_MAX_RANK];
  int had = tenon_aten_dims_of(rw, x, from);
  int rank = tenon_aten_dims(rw, n, "size", dims);
  uint32_t axes = 0;
  if (rank < 0 || rank > had) return tenon_rw_fail(rw, "%d dimensions", rank);
  for (int d = 0; d < had; ++d) {
    int to = d - had + rank;
    if (to < 0 || (tenon_aten_is(dims[to], 1) && !tenon_aten_is(from[d], 1)))
      axes |= 1u << d;
  }
  // What is no float is summed in 64 bits, and stays what it is without a sum;
  // of a number, PyTorch takes the sum.
  if ((axes || had == 0) &&
      !tenon_aten_is_float(tenon_aten_known(rw, x)->dtype))
    x = tenon_aten_cast(rw, x, TENON_S64);
  x = axes ? tenon_aten_reduce(rw, "core::sum", x, axes, true) : x;
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, x, dims, rank));
}

// What the file states is compared; nothing is left for a run.
TENON_ATEN_LOWER(assert_metadata) {
  // Strides are the planner's.
  tenon_aten_without_effect(rw, n, "stride");
  const tenon_type *x = tenon_rw_type(rw, tenon_aten_in(rw, n, 0));
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  tenon_dim dims[TENON_MAX_RANK];
  if (x && t && t != x->dtype)
    return tenon_rw_fail(rw, "the program asserts elements of %s, found %s",
                         tenon_dtype_name(t), tenon_dtype_name(x->dtype));
  if (x && tenon_aten_has(rw, n, "size")) {
    int rank = tenon_aten_dims(rw, n, "size", dims);
    if (!tenon_aten_has_dims(x, dims, rank))
      return tenon_rw_fail(rw, "the program asserts other sizes");
  }
  return rw->api->replace(rw, n, NULL, 0);
}

// A condition that only a run knows. Where the schema has a token, that is what
// keeps the order in PyTorch; here the check stays where it stands.
TENON_ATEN_LOWER(assert) {
  tenon_value *x = tenon_aten_cast(rw, tenon_aten_in(rw, n, 0), TENON_BOOL);
  tenon_value *token = tenon_aten_in(rw, n, 1);
  const char *message = tenon_aten_str(rw, n, "assert_msg");
  tenon_aten_check(rw, x, message);
  return rw->api->replace(rw, n, &token, token ? 1 : 0);
}
