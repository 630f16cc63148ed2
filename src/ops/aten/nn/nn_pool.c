// Pools.
//
// Images and lines of f32 go to core::avg_pool and core::max_pool, with
// channels last like the convolutions around them. All others look at planes,
// so nothing has to be moved for them.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

typedef struct pool {
  tenon_value *x;
  int n;  // dimensions of a plane
  int64_t window[3], stride[3], before[3], behind[3], dilation[3];
  tenon_dim most[3];  // windows that there are at most; 0: all that fit
} pool;

static const tenon_dim one = {1, 0};

// --- Arguments ---------------------------------------------------------------

// With ceil_mode the last window may begin in the image and end beyond the
// padding; how many there are is in the type of the result. Where that is open
// there is padding for one more, which may begin beyond the image, and goes.
static tenon_status read_behind(tenon_rewriter *rw, const tenon_node *n,
                                pool *p) {
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  memcpy(p->behind, p->before, sizeof p->behind);
  if (!tenon_aten_bool(rw, n, "ceil_mode")) return TENON_OK;
  if (!y || y->rank < p->n)
    return tenon_rw_fail(rw, "ceil_mode with a result of open size");
  for (int i = 0; i < p->n; ++i) {
    tenon_dim from = tenon_nn_dim(rw, p->x, i - p->n);
    tenon_dim to = y->dims[y->rank - p->n + i];
    if (from.symbol || to.symbol) {
      p->behind[i] += p->stride[i] - 1;
      p->most[i] = to;
      continue;
    }
    int64_t reach = (p->window[i] - 1) * p->dilation[i] + 1;
    int64_t end = (to.value - 1) * p->stride[i] + reach - p->before[i];
    if (end - from.value > p->behind[i]) p->behind[i] = end - from.value;
  }
  return TENON_OK;
}

static tenon_status read_pool(tenon_rewriter *rw, const tenon_node *n, int dims,
                              bool has_dilation, pool *p) {
  memset(p, 0, sizeof *p);
  p->x = tenon_aten_in(rw, n, 0);
  p->n = dims;
  int rank = tenon_nn_rank(rw, p->x);
  if (rank != dims + 1 && rank != dims + 2)
    return tenon_rw_fail(rw, "%d dimensions", rank);
  for (int i = 0; i < 3; ++i)
    p->dilation[i] = 1;
  TENON_TRY(tenon_nn_ints(rw, n, "kernel_size", dims, 1, p->window));
  TENON_TRY(tenon_nn_ints(rw, n, "padding", dims, 0, p->before));
  if (has_dilation)
    TENON_TRY(tenon_nn_ints(rw, n, "dilation", dims, 1, p->dilation));
  tenon_dim given[TENON_MAX_RANK];
  if (tenon_aten_dims(rw, n, "stride", given) == 0)
    memcpy(p->stride, p->window, sizeof p->stride);
  else
    TENON_TRY(tenon_nn_ints(rw, n, "stride", dims, 1, p->stride));
  return read_behind(rw, n, p);
}

// Integers are pooled in 64 bits.
static tenon_status as_number(tenon_rewriter *rw, tenon_value **x) {
  tenon_dtype t = tenon_nn_type(rw, *x);
  if (t == TENON_U64 || t == TENON_BOOL)
    return tenon_rw_fail(rw, "not defined for elements of %s",
                         tenon_dtype_name(t));
  *x = tenon_aten_is_integer(t) ? tenon_aten_cast(rw, *x, TENON_S64)
                                : tenon_nn_wide(rw, *x);
  return TENON_OK;
}

// Of what ceil_mode has one window too many of.
static tenon_value *nn_pool_cut(tenon_rewriter *rw, const pool *p,
                                tenon_value *y) {
  for (int i = 0; i < p->n; ++i)
    if (p->most[i].symbol || p->most[i].value)
      y = tenon_nn_cut(rw, y, tenon_nn_rank(rw, y) - p->n + i, 0, p->most[i]);
  return y;
}

// --- Planes ------------------------------------------------------------------

// Three dimensions; those in front have one element.
static void nn_pool_spread(int64_t *list, int n, int64_t fill) {
  for (int i = 2; i >= 0; --i)
    list[i] = i >= 3 - n ? list[i - (3 - n)] : fill;
}

static tenon_value *planes(tenon_rewriter *rw, tenon_value *x, int n) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;
  tenon_dim dims[4] = {tenon_aten_product(rw, t->dims, t->rank - n), one, one,
                       one};
  for (int i = 0; i < n; ++i)
    dims[4 - n + i] = t->dims[t->rank - n + i];
  return tenon_aten_reshape(rw, x, dims, 4);
}

static void spread_pool(pool *p, int64_t *pad, tenon_aten_args *args) {
  nn_pool_spread(p->window, p->n, 1);
  nn_pool_spread(p->stride, p->n, 1);
  nn_pool_spread(p->dilation, p->n, 1);
  nn_pool_spread(p->before, p->n, 0);
  nn_pool_spread(p->behind, p->n, 0);
  for (int i = 0; i < 3; ++i) {
    pad[i] = p->before[i];
    pad[3 + i] = p->behind[i];
  }
  tenon_aten_add(args, tenon_arg_ints("window", p->window, 3));
  tenon_aten_add(args, tenon_arg_ints("stride", p->stride, 3));
  tenon_aten_add(args, tenon_arg_ints("pad", pad, 6));
}

// --- Images ------------------------------------------------------------------

// A pool of the core on images with channels last, by parameters from `at` on.
static tenon_value *nn_pool_last(tenon_rewriter *rw, const char *op,
                                 const pool *p, int at, int n, tenon_value *x) {
  const bool has_two = n == 2;
  const int64_t window[] = {p->window[at], has_two ? p->window[at + 1] : 1};
  const int64_t stride[] = {p->stride[at], has_two ? p->stride[at + 1] : 1};
  const int64_t pad[] = {p->before[at], has_two ? p->before[at + 1] : 0,
                         p->behind[at], has_two ? p->behind[at + 1] : 0};
  return tenon_rw_op(rw, op, &x, 1,
                     TENON_ARGS(tenon_arg_ints("window", window, 2),
                                tenon_arg_ints("stride", stride, 2),
                                tenon_arg_ints("pad", pad, 4)));
}

// Of [n, c, h, w], or of one dimension, [n, c, h]: channels last at that rank,
// so that permutations of neighbours meet.
static tenon_value *nn_pool_flat(tenon_rewriter *rw, const char *op,
                                 const pool *p) {
  static const int64_t last[][4] = {{0, 2, 1}, {0, 2, 3, 1}};
  static const int64_t first[][4] = {{0, 2, 1}, {0, 3, 1, 2}};
  const int rank = tenon_nn_rank(rw, p->x), own = p->n + 2, front = own - rank;
  tenon_dim dims[4] = {one, one, one, one};
  for (int i = 0; i < rank && front + i < own; ++i)
    dims[front + i] = tenon_nn_dim(rw, p->x, i);
  tenon_value *x = tenon_aten_reshape(rw, p->x, dims, own);
  x = tenon_aten_permute(rw, x, last[p->n - 1], own);
  if (p->n == 1) {
    const tenon_dim column[] = {dims[0], dims[2], one, dims[1]};
    x = tenon_aten_reshape(rw, x, column, 4);
  }
  x = nn_pool_last(rw, op, p, 0, p->n, x);
  if (p->n == 1) {
    const tenon_dim row[] = {dims[0], tenon_nn_dim(rw, x, 1), dims[1]};
    x = tenon_aten_reshape(rw, x, row, 3);
  }
  return nn_pool_cut(rw, p, tenon_aten_permute(rw, x, first[p->n - 1], own));
}

// Padding that counts and that windows reach, as zeros of the image.
static void nn_pool_border(tenon_rewriter *rw, pool *p) {
  int64_t before[TENON_MAX_RANK] = {0}, after[TENON_MAX_RANK] = {0};
  const int rank = tenon_nn_rank(rw, p->x);
  for (int i = 0; i < p->n; ++i) {
    const int at = rank - p->n + i;
    before[at] = p->before[i];
    after[at] = p->behind[i] < p->before[i] ? p->behind[i] : p->before[i];
    if (after[at] < 0) after[at] = 0;
    p->behind[i] -= after[at];
    p->before[i] = 0;
  }
  p->x = tenon_rw_op(rw, "core::pad", &p->x, 1,
                     TENON_ARGS(tenon_arg_ints("before", before, (size_t)rank),
                                tenon_arg_ints("after", after, (size_t)rank),
                                tenon_arg_float("value", 0)));
}

// Maxima of [n, c, d, h, w]: over planes, and then over layers.
static tenon_value *nn_pool_layers(tenon_rewriter *rw, const pool *p) {
  static const int64_t last[] = {0, 2, 3, 4, 1}, first[] = {0, 4, 1, 2, 3};
  const int rank = tenon_nn_rank(rw, p->x), front = 5 - rank;
  tenon_dim dims[5] = {one}, flat[4];
  for (int i = 0; i < rank && front + i < 5; ++i)
    dims[front + i] = tenon_nn_dim(rw, p->x, i);
  tenon_value *x = tenon_aten_reshape(rw, p->x, dims, 5);
  x = tenon_aten_permute(rw, x, last, 5);
  for (int i = 0; i < 5; ++i)
    dims[i] = tenon_nn_dim(rw, x, i);
  flat[0] = tenon_aten_product(rw, dims, 2);
  for (int i = 1; i < 4; ++i)
    flat[i] = dims[i + 1];
  x = tenon_aten_reshape(rw, x, flat, 4);
  x = nn_pool_last(rw, "core::max_pool", p, 1, 2, x);
  dims[2] = tenon_nn_dim(rw, x, 1);
  dims[3] = tenon_nn_dim(rw, x, 2);
  flat[0] = dims[0];
  flat[1] = dims[1];
  flat[2] = tenon_aten_product(rw, dims + 2, 2);
  x = tenon_aten_reshape(rw, x, flat, 4);
  x = nn_pool_last(rw, "core::max_pool", p, 0, 1, x);
  dims[1] = tenon_nn_dim(rw, x, 1);
  x = tenon_aten_reshape(rw, x, dims, 5);
  return nn_pool_cut(rw, p, tenon_aten_permute(rw, x, first, 5));
}

// Channels that fill no register: too few for images with channels last.
enum { NN_POOL_FEW = 8, NN_POOL_LARGE = 9 };

// Large windows of few planes, whose dimensions are known.
static bool nn_pool_is_narrow(tenon_rewriter *rw, const pool *p) {
  const tenon_dim channels = tenon_nn_dim(rw, p->x, -3);
  return p->n == 2 && !channels.symbol && channels.value < NN_POOL_FEW &&
         p->window[0] > 1 && p->window[1] > 1 &&
         p->window[0] * p->window[1] >= NN_POOL_LARGE;
}

// Maxima of [n, c, h, w] along columns, and of these along rows, with what is
// beside them in lanes: the first of equals is the same.
static tenon_value *nn_pool_narrow(tenon_rewriter *rw, const pool *p) {
  static const int64_t turned[] = {0, 3, 2, 1};
  const int rank = tenon_nn_rank(rw, p->x);
  tenon_dim dims[4], flat[4];
  for (int i = 0; i < rank; ++i)
    dims[i] = tenon_nn_dim(rw, p->x, i);
  flat[0] = tenon_aten_product(rw, dims, rank - 2);
  flat[1] = dims[rank - 2];
  flat[2] = one;
  flat[3] = dims[rank - 1];
  tenon_value *x = tenon_aten_reshape(rw, p->x, flat, 4);
  x = nn_pool_last(rw, "core::max_pool", p, 0, 1, x);
  x = tenon_aten_permute(rw, x, turned, 4);
  x = nn_pool_last(rw, "core::max_pool", p, 1, 1, x);
  x = tenon_aten_permute(rw, x, turned, 4);
  dims[rank - 2] = tenon_nn_dim(rw, x, 1);
  dims[rank - 1] = tenon_nn_dim(rw, x, 3);
  return nn_pool_cut(rw, p, tenon_aten_reshape(rw, x, dims, rank));
}

// --- Maxima ------------------------------------------------------------------

static int dims_of(tenon_rewriter *rw) {
  return *tenon_aten_user(rw) - '0';
}

static tenon_value *nn_pool_maxima(tenon_rewriter *rw, const pool *p) {
  if (p->n == 3) return nn_pool_layers(rw, p);
  return nn_pool_is_narrow(rw, p) ? nn_pool_narrow(rw, p)
                                  : nn_pool_flat(rw, "core::max_pool", p);
}

// "1", "2", "3"; with "+" behind it, the second result says where.
TENON_ATEN_LOWER(max_pool) {
  const bool has_places = tenon_aten_user(rw)[1] == '+';
  pool p;
  int64_t pad[6];
  TENON_TRY(read_pool(rw, n, dims_of(rw), true, &p));
  const tenon_dtype given = tenon_nn_type(rw, p.x);
  TENON_TRY(as_number(rw, &p.x));
  const bool is_dense = tenon_nn_type(rw, p.x) == TENON_F32 &&
                        p.dilation[0] == 1 && p.dilation[1] == 1 &&
                        p.dilation[2] == 1;
  if (!has_places && is_dense)
    return tenon_nn_give(rw, n, nn_pool_maxima(rw, &p));
  const pool plane = p;
  tenon_aten_args args = {0};
  tenon_value *y[2] = {NULL, NULL}, *x = planes(rw, p.x, p.n);
  spread_pool(&p, pad, &args);
  tenon_aten_add(&args, tenon_arg_ints("dilation", p.dilation, 3));
  tenon_aten_make_all(rw, "core::max_pool3d", &x, 1, args.list, y, 2);
  for (int i = 0; i < 2; ++i)
    y[i] = nn_pool_cut(rw, &plane, y[i]);
  // Decomposed programs ask for places that nobody reads; then these go.
  if (is_dense) y[0] = nn_pool_maxima(rw, &plane);
  y[0] = tenon_aten_cast(rw, y[0], given);
  return tenon_nn_give_all(rw, n, y, 1 + has_places);
}

// --- Means -------------------------------------------------------------------

TENON_ATEN_LOWER(avg_pool) {
  pool p;
  int64_t pad[6];
  bool counts = tenon_aten_bool(rw, n, "count_include_pad"), has_pad = false;
  TENON_TRY(read_pool(rw, n, dims_of(rw), false, &p));
  TENON_TRY(as_number(rw, &p.x));
  for (int i = 0; i < p.n; ++i)
    has_pad = has_pad || p.before[i];
  bool has_divisor = tenon_aten_has(rw, n, "divisor_override");
  if (p.n < 3 && tenon_nn_type(rw, p.x) == TENON_F32 && !has_divisor) {
    if (counts && has_pad) nn_pool_border(rw, &p);
    return tenon_nn_give(rw, n, nn_pool_flat(rw, "core::avg_pool", &p));
  }
  tenon_aten_args args = {0};
  tenon_value *x = planes(rw, p.x, p.n);
  spread_pool(&p, pad, &args);
  tenon_aten_add(&args, tenon_arg_bool("count_pad", counts));
  if (has_divisor)
    tenon_aten_add(
        &args,
        tenon_arg_int("divisor", tenon_aten_int(rw, n, "divisor_override")));
  x = tenon_rw_op(rw, "core::avg_pool3d", &x, 1, args.list);
  return tenon_nn_give(rw, n, nn_pool_cut(rw, &p, x));
}

// --- As many windows as asked for --------------------------------------------

// Windows of one size, where all sizes divide.
static bool divides(tenon_rewriter *rw, const int64_t *size, pool *p) {
  for (int i = 0; i < p->n; ++i) {
    tenon_dim d = tenon_nn_dim(rw, p->x, i - p->n);
    if (d.symbol || size[i] < 1 || d.value % size[i] || !d.value) return false;
    p->window[i] = p->stride[i] = d.value / size[i];
  }
  return true;
}

static tenon_status nn_pool_read_size(tenon_rewriter *rw, const tenon_node *n,
                                      int dims, pool *p, int64_t *size) {
  tenon_dim given[TENON_MAX_RANK];
  memset(p, 0, sizeof *p);
  p->n = dims;
  p->x = tenon_aten_in(rw, n, 0);
  if (tenon_nn_rank(rw, p->x) <= dims)
    return tenon_rw_fail(rw, "%d dimensions", tenon_nn_rank(rw, p->x));
  if (tenon_aten_dims(rw, n, "output_size", given) < 1)
    return tenon_rw_fail(rw, "'output_size' has no entries");
  return tenon_nn_ints(rw, n, "output_size", dims, 1, size);
}

TENON_ATEN_LOWER(adaptive_avg_pool) {
  pool p;
  int64_t size[3];
  TENON_TRY(nn_pool_read_size(rw, n, dims_of(rw), &p, size));
  TENON_TRY(tenon_nn_need_float(rw, p.x));
  p.x = tenon_nn_wide(rw, p.x);
  int rank = tenon_nn_rank(rw, p.x);
  bool is_one = true, is_f32 = tenon_nn_type(rw, p.x) == TENON_F32;
  for (int i = 0; i < p.n; ++i)
    is_one = is_one && size[i] == 1;
  if (is_one && is_f32) {
    uint32_t axes = ((1u << p.n) - 1) << (rank - p.n);
    return tenon_nn_give(rw, n,
                         tenon_aten_reduce(rw, "core::mean", p.x, axes, true));
  }
  if (is_f32 && p.n == 2 && rank < 5 && divides(rw, size, &p))
    return tenon_nn_give(rw, n, nn_pool_flat(rw, "core::avg_pool", &p));
  tenon_value *x = planes(rw, p.x, p.n);
  nn_pool_spread(size, p.n, 1);
  return tenon_nn_give(
      rw, n,
      tenon_rw_op(rw, "core::adaptive_avg_pool3d", &x, 1,
                  TENON_ARGS(tenon_arg_ints("size", size, 3))));
}

TENON_ATEN_LOWER(adaptive_max_pool) {
  pool p;
  int64_t size[3];
  TENON_TRY(nn_pool_read_size(rw, n, dims_of(rw), &p, size));
  const tenon_dtype given = tenon_nn_type(rw, p.x);
  TENON_TRY(tenon_nn_need_float(rw, p.x));
  p.x = tenon_nn_wide(rw, p.x);
  tenon_value *y[2] = {NULL, NULL}, *x = planes(rw, p.x, p.n);
  nn_pool_spread(size, p.n, 1);
  tenon_aten_make_all(rw, "core::adaptive_max_pool3d", &x, 1,
                      TENON_ARGS(tenon_arg_ints("size", size, 3)), y, 2);
  y[0] = tenon_aten_cast(rw, y[0], given);
  return tenon_nn_give_all(rw, n, y, 2);
}
