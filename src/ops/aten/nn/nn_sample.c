// Elements at points between elements, grids of such points, and windows as
// columns.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

static const tenon_dim one = {1, 0};

// --- grid_sampler ------------------------------------------------------------

// Images are volumes with one plane, of whose points x and y say all.
static tenon_value *as_volume(tenon_rewriter *rw, tenon_value *grid) {
  const tenon_type *t = tenon_rw_type(rw, grid);
  if (!t || t->rank != 4) return grid;
  const tenon_dim wide[] = {t->dims[0], one, t->dims[1], t->dims[2],
                            tenon_aten_fixed(2)};
  return tenon_aten_reshape(rw, grid, wide, 5);
}

TENON_ATEN_LOWER(grid_sampler) {
  tenon_value *x = tenon_nn_in(rw, n, 0);
  tenon_value *grid = tenon_nn_in(rw, n, 1);
  const tenon_type *t = x ? tenon_rw_type(rw, x) : NULL;
  int64_t mode = tenon_aten_int(rw, n, "interpolation_mode");
  tenon_dtype given = tenon_nn_type(rw, tenon_aten_in(rw, n, 0));
  TENON_TRY(tenon_nn_need_float(rw, x));
  // PyTorch computes places in 16 bits, so it may take another element.
  if (given == TENON_F16 || given == TENON_BF16)
    return tenon_rw_fail(rw, "not implemented for elements of %s",
                         tenon_dtype_name(given));
  if (!t || (t->rank != 4 && t->rank != 5) || (mode == 2 && t->rank == 5))
    return tenon_rw_fail(rw, "mode %lld with these dimensions",
                         (long long)mode);
  if (t->rank == 4) {
    const tenon_dim dims[] = {t->dims[0], t->dims[1], one, t->dims[2],
                              t->dims[3]};
    x = tenon_aten_reshape(rw, x, dims, 5);
  }
  tenon_value *in[] = {x, as_volume(rw, grid)};
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_int("mode", mode));
  tenon_aten_add(
      &args, tenon_arg_int("padding", tenon_aten_int(rw, n, "padding_mode")));
  tenon_aten_add(
      &args,
      tenon_arg_bool("align_corners", tenon_aten_bool(rw, n, "align_corners")));
  return tenon_nn_give(rw, n,
                       tenon_rw_op(rw, "core::grid_sample", in, 2, args.list));
}

// --- affine_grid_generator ---------------------------------------------------

enum { MAX_SIDE = 4096 };

// Points along one axis, from -1 to 1, or within by half of a distance.
static tenon_value *points(tenon_rewriter *rw, tenon_dtype dtype, int64_t count,
                           bool align) {
  float at32[MAX_SIDE];
  double at[MAX_SIDE];
  for (int64_t i = 0; i < count; ++i) {
    at[i] = count == 1 ? 0 : -1 + 2 * (double)i / (double)(count - 1);
    if (!align) at[i] *= (double)(count - 1) / (double)count;
    at32[i] = (float)at[i];
  }
  const tenon_dim dims[] = {tenon_aten_fixed(count)};
  const tenon_type t = {.dims = dims, .dtype = dtype, .rank = 1};
  return rw->api->literal(
      rw, &t, dtype == TENON_F64 ? (const void *)at : (const void *)at32);
}

// Points [1, ..., 1] and the matrices of theta [n, k, k + 1].
TENON_ATEN_LOWER(affine_grid) {
  tenon_value *theta = tenon_nn_in(rw, n, 0);
  tenon_dim size[TENON_MAX_RANK], shape[5], points_dims[3];
  int rank = tenon_aten_dims(rw, n, "size", size), k = rank - 2;
  bool align = tenon_aten_bool(rw, n, "align_corners");
  tenon_dtype t = tenon_nn_type(rw, theta);
  tenon_value *columns[4];
  TENON_TRY(tenon_nn_need_float(rw, theta));
  if (k < 2 || k > 3 || !t) return tenon_rw_fail(rw, "%d sizes", rank);
  for (int d = 0; d < k; ++d) {
    if (size[2 + d].symbol || size[2 + d].value > MAX_SIDE)
      return tenon_rw_fail(rw, "an open or too large size");
    shape[d] = size[2 + d];
  }
  shape[k] = one;
  for (int c = 0; c <= k; ++c) {
    int d = k - 1 - c;  // x is the last dimension
    tenon_value *v =
        c == k ? tenon_nn_filled(rw, t, shape, k + 1, 1)
               : tenon_nn_beside(rw, points(rw, t, shape[d].value, align),
                                 k + 1, d);
    columns[c] =
        tenon_rw_op(rw, "core::expand", &v, 1,
                    TENON_ARGS(tenon_arg_dims("shape", shape, (size_t)k + 1)));
  }
  tenon_value *grid = tenon_rw_concat(rw, columns, k + 1, k);
  points_dims[0] = one;
  points_dims[1] = tenon_aten_product(rw, shape, k);
  points_dims[2] = tenon_aten_fixed(k + 1);
  grid = tenon_aten_reshape(rw, grid, points_dims, 3);
  return tenon_nn_give(
      rw, n,
      tenon_rw_op2(rw, "core::matmul", grid, tenon_nn_swap(rw, theta, 1, 2)));
}

// --- im2col and col2im -------------------------------------------------------

static tenon_status read_window(tenon_rewriter *rw, const tenon_node *n,
                                int64_t (*lists)[2], tenon_aten_args *args) {
  static const char *const theirs[] = {"kernel_size", "dilation", "padding",
                                       "stride"};
  static const char *const ours[] = {"window", "dilation", "pad", "stride"};
  for (int i = 0; i < 4; ++i) {
    TENON_TRY(tenon_nn_ints(rw, n, theirs[i], 2, i == 2 ? 0 : 1, lists[i]));
    tenon_aten_add(args, tenon_arg_ints(ours[i], lists[i], 2));
  }
  return TENON_OK;
}

// With a batch in front of `rank` dimensions.
static tenon_value *nn_sample_in_batch(tenon_rewriter *rw, tenon_value *x,
                                       int rank) {
  tenon_dim dims[4] = {one};
  if (tenon_nn_rank(rw, x) != rank) return x;
  for (int d = 0; d < rank; ++d)
    dims[1 + d] = tenon_nn_dim(rw, x, d);
  return tenon_aten_reshape(rw, x, dims, rank + 1);
}

TENON_ATEN_LOWER(im2col) {
  tenon_value *x = nn_sample_in_batch(rw, tenon_aten_in(rw, n, 0), 3);
  int64_t lists[4][2];
  tenon_aten_args args = {0};
  TENON_TRY(read_window(rw, n, lists, &args));
  return tenon_nn_give(rw, n,
                       tenon_rw_op(rw, "core::im2col", &x, 1, args.list));
}

TENON_ATEN_LOWER(col2im) {
  tenon_value *x = nn_sample_in_batch(rw, tenon_nn_in(rw, n, 0), 2);
  int64_t lists[4][2], size[2];
  tenon_aten_args args = {0};
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(tenon_nn_ints(rw, n, "output_size", 2, 1, size));
  tenon_aten_add(&args, tenon_arg_ints("size", size, 2));
  TENON_TRY(read_window(rw, n, lists, &args));
  return tenon_nn_give(rw, n,
                       tenon_rw_op(rw, "core::col2im", &x, 1, args.list));
}
