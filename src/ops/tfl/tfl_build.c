// Making core operators in place of one of this set.
#include <string.h>

#include "ops/tfl/tfl_op.h"

int tenon_tfl_in_ints(tenon_rewriter *rw, const tenon_node *node, int i,
                      int64_t *out, int most) {
  tenon_value *v = tenon_tfl_in(rw, node, i);
  const tenon_tensor *t = v ? rw->api->constant(rw, v) : NULL;
  return t ? tenon_tfl_ints(t, out, most) : -1;
}

static bool tfl_build_is_open(const tenon_type *t) {
  for (int i = 0; t && i < t->rank; ++i) {
    if (t->dims[i].symbol) return true;
  }
  return false;
}

tenon_status tenon_tfl_check_known(tenon_rewriter *rw, const tenon_node *node,
                                   int x) {
  if (tfl_build_is_open(tenon_tfl_type(rw, node, x)) ||
      !tfl_build_is_open(rw->api->result(rw, node, 0)))
    return TENON_OK;
  return tenon_rw_fail(
      rw, "sizes that were open when the file was read are not supported");
}

tenon_value *tenon_tfl_make(tenon_rewriter *rw, const char *op,
                            tenon_value *const *in, uint32_t n_in,
                            const tenon_arg *args, const tenon_type *type) {
  return tenon_rw_op_as(rw, op, in, n_in, NULL, args, type);
}

bool tenon_tfl_is_fixed(const tenon_type *t) {
  for (int i = 0; i < t->rank; ++i)
    if (t->dims[i].symbol) return false;
  return true;
}

bool tenon_tfl_holds(tenon_ints list, int64_t v) {
  for (size_t i = 0; i < list.count; ++i)
    if (list.data[i] == v) return true;
  return false;
}

tenon_value *tenon_tfl_join(tenon_rewriter *rw, tenon_value *const *in,
                            uint32_t n, int64_t axis, const tenon_type *type) {
  const uint16_t group[] = {0, (uint16_t)n};
  return tenon_rw_op_as(rw, "core::concat", in, n, group,
                        TENON_ARGS(tenon_arg_int("axis", axis)), type);
}

tenon_status tenon_tfl_become(tenon_rewriter *rw, const tenon_node *node,
                              const char *op, tenon_value *const *in,
                              uint32_t n_in, const tenon_arg *args) {
  tenon_value *y =
      tenon_tfl_make(rw, op, in, n_in, args, rw->api->result(rw, node, 0));
  return tenon_rw_replace(rw, node, y);
}

tenon_status tenon_tfl_become_of(tenon_rewriter *rw, const tenon_node *node,
                                 const char *op, int n, const tenon_arg *args) {
  tenon_value *in[3];
  for (int i = 0; i < n; ++i)
    in[i] = tenon_tfl_in(rw, node, i);
  return tenon_tfl_become(rw, node, op, in, (uint32_t)n, args);
}

tenon_status tenon_tfl_refuse(tenon_rewriter *rw, const tenon_type *t) {
  return tenon_rw_fail(rw, "%s operands%s are not supported",
                       tenon_dtype_name(t->dtype),
                       t->quant ? " with a scale" : "");
}

tenon_status tenon_tfl_refuse_scale(tenon_rewriter *rw, const tenon_type *t) {
  return t->quant ? tenon_tfl_refuse(rw, t) : TENON_OK;
}

tenon_value *tenon_tfl_reshape(tenon_rewriter *rw, tenon_value *x,
                               const tenon_tfl_shape *shape,
                               const tenon_type *type) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;  // a failed value: `replace` reports it
  tenon_type like = type ? *type : *t;
  bool is_same = t->rank == shape->rank && !type;
  for (int i = 0; is_same && i < shape->rank; ++i)
    is_same = tenon_tfl_same(t->dims[i], shape->dims[i]);
  if (is_same) return x;
  like.dims = shape->dims;
  like.rank = (uint8_t)shape->rank;
  return tenon_tfl_make(
      rw, "core::reshape", &x, 1,
      TENON_ARGS(tenon_arg_dims("shape", shape->dims, (size_t)shape->rank)),
      &like);
}

tenon_value *tenon_tfl_slice(tenon_rewriter *rw, tenon_value *x,
                             const tenon_dim *begin, const tenon_dim *size,
                             const int64_t *step, const tenon_type *like) {
  static const tenon_dim first[TENON_MAX_RANK];
  const tenon_type *whole = tenon_rw_type(rw, x);
  int64_t ones[TENON_MAX_RANK];
  if (!whole) return x;
  tenon_type t = *whole;
  size_t rank = t.rank;
  for (size_t i = 0; i < rank; ++i)
    ones[i] = 1;
  if (!begin) begin = first;
  if (!step) step = ones;
  t.dims = size;
  if (like) t.quant = like->quant;
  return tenon_tfl_make(rw, "core::slice", &x, 1,
                        TENON_ARGS(tenon_arg_dims("begin", begin, rank),
                                   tenon_arg_dims("size", size, rank),
                                   tenon_arg_ints("step", step, rank)),
                        &t);
}

tenon_value *tenon_tfl_part(tenon_rewriter *rw, tenon_value *x, int axis,
                            tenon_dim from, tenon_dim n, int64_t by) {
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_dim begin[TENON_MAX_RANK] = {{0, 0}};
  int64_t step[TENON_MAX_RANK];
  if (!t) return x;
  tenon_tfl_shape size = tenon_tfl_shape_of(t);
  for (int i = 0; i < t->rank; ++i)
    step[i] = i == axis ? by : 1;
  begin[axis] = from;
  size.dims[axis] = n;
  return tenon_tfl_slice(rw, x, begin, size.dims, step, NULL);
}

tenon_value *tenon_tfl_listed(tenon_rewriter *rw, tenon_value *const *in,
                              int n) {
  const tenon_tfl_shape one = {{tenon_tfl_fixed(1)}, 1};
  tenon_value *parts[TFL_MAX_TENSORS];
  for (int i = 0; i < n; ++i)
    parts[i] = tenon_tfl_reshape(rw, in[i], &one, NULL);
  if (n == 0) return NULL;
  return n == 1 ? parts[0] : tenon_tfl_join(rw, parts, (uint32_t)n, 0, NULL);
}

tenon_value *tenon_tfl_row(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;
  const tenon_tfl_shape row = {{tenon_aten_product(rw, t->dims, t->rank)}, 1};
  return tenon_tfl_reshape(rw, x, &row, NULL);
}

static tenon_arg every_axis(int64_t *axes, int rank) {
  for (int i = 0; i < rank; ++i)
    axes[i] = i;
  return tenon_arg_ints("axes", axes, (size_t)rank);
}

tenon_value *tenon_tfl_window_at(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *begin, const tenon_tfl_shape *to,
                                 const tenon_type *y) {
  tenon_value *in[] = {x, begin};
  int64_t axes[TENON_MAX_RANK];
  tenon_type part = *y;
  if (to->rank == 0) return x;
  part.dims = to->dims;
  return tenon_tfl_make(
      rw, "core::dynamic_slice", in, 2,
      TENON_ARGS(every_axis(axes, to->rank),
                 tenon_arg_dims("size", to->dims, (size_t)to->rank)),
      &part);
}

tenon_value *tenon_tfl_update_at(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *update, tenon_value *begin,
                                 int rank) {
  tenon_value *in[] = {x, update, begin};
  int64_t axes[TENON_MAX_RANK];
  if (rank == 0) return update;
  return tenon_rw_op(rw, "core::dynamic_update", in, 3,
                     TENON_ARGS(every_axis(axes, rank)));
}

tenon_value *tenon_tfl_padded(tenon_rewriter *rw, tenon_value *x,
                              const int64_t *before, const int64_t *after,
                              const tenon_type *type) {
  static const int64_t none[TENON_MAX_RANK];
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;
  return tenon_tfl_make(
      rw, "core::pad", &x, 1,
      TENON_ARGS(tenon_arg_ints("before", before ? before : none, t->rank),
                 tenon_arg_ints("after", after ? after : none, t->rank)),
      type);
}

tenon_value *tenon_tfl_permute(tenon_rewriter *rw, tenon_value *x,
                               const int64_t *dims, size_t n) {
  return tenon_rw_op(rw, "core::permute", &x, 1,
                     TENON_ARGS(tenon_arg_ints("dims", dims, n)));
}

tenon_value *tenon_tfl_expand(tenon_rewriter *rw, tenon_value *x,
                              const tenon_tfl_shape *shape) {
  return tenon_rw_op(
      rw, "core::expand", &x, 1,
      TENON_ARGS(tenon_arg_dims("shape", shape->dims, (size_t)shape->rank)));
}

tenon_value *tenon_tfl_cast(tenon_rewriter *rw, tenon_value *x,
                            tenon_dtype dtype) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || t->dtype == dtype) return x;
  tenon_type y = *t;
  y.dtype = dtype;
  return tenon_tfl_make(rw, "core::cast", &x, 1,
                        TENON_ARGS(tenon_arg_dtype("dtype", dtype)), &y);
}

tenon_value *tenon_tfl_by(tenon_rewriter *rw, const char *op, tenon_value *x,
                          double number) {
  const tenon_type *t = tenon_rw_type(rw, x);
  return t ? tenon_rw_op2(rw, op, x, tenon_rw_scalar(rw, t->dtype, number)) : x;
}

tenon_value *tenon_tfl_stored(tenon_rewriter *rw, tenon_value *x,
                              const tenon_quant *quant) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t || (!t->quant && !quant)) return x;
  tenon_type y = *t;
  y.quant = quant;
  return tenon_tfl_make(rw, "core::reinterpret", &x, 1, NULL, &y);
}

tenon_status tenon_tfl_require(tenon_rewriter *rw, tenon_value *condition,
                               const char *otherwise) {
  tenon_rw_build(rw, "core::check", &condition, 1,
                 TENON_ARGS(tenon_arg_str("message", otherwise)), NULL, 0,
                 NULL);
  return TENON_OK;
}

tenon_status tenon_tfl_require_order(tenon_rewriter *rw, tenon_value *list,
                                     const char *op, const char *otherwise) {
  const int64_t n = tenon_rw_type(rw, list)->dims[0].value;
  const tenon_dim one = tenon_tfl_fixed(1), all = tenon_tfl_fixed(n - 1);
  if (n < 2) return TENON_OK;
  tenon_value *first = tenon_tfl_slice(rw, list, NULL, &all, NULL, NULL);
  tenon_value *second = tenon_tfl_slice(rw, list, &one, &all, NULL, NULL);
  return tenon_tfl_require(rw, tenon_rw_op2(rw, op, first, second), otherwise);
}

static int32_t tfl_build_zero_of(const tenon_type *t) {
  return t->quant && t->quant->zero ? t->quant->zero[0] : 0;
}

tenon_value *tenon_tfl_above_zero(tenon_rewriter *rw, tenon_value *x) {
  const tenon_type *t = tenon_rw_type(rw, x);
  if (!t) return x;
  int32_t zero = tfl_build_zero_of(t);
  x = tenon_tfl_cast(rw, tenon_tfl_stored(rw, x, NULL), TENON_S32);
  return zero ? tenon_tfl_by(rw, "core::sub", x, zero) : x;
}

tenon_value *tenon_tfl_rescale(tenon_rewriter *rw, tenon_value *x,
                               double factor) {
  return tenon_rw_op(rw, "core::rescale", &x, 1,
                     TENON_ARGS(tenon_arg_float("factor", factor)));
}

tenon_value *tenon_tfl_to_stored(tenon_rewriter *rw, tenon_value *x,
                                 const tenon_type *y) {
  static const double limits[][2] = {[TENON_S8] = {-128, 127},
                                     [TENON_U8] = {0, 255},
                                     [TENON_S16] = {-32768, 32767}};
  int32_t zero = tfl_build_zero_of(y);
  if (zero) x = tenon_tfl_by(rw, "core::add", x, zero);
  x = tenon_tfl_by(rw, "core::maximum", x, limits[y->dtype][0]);
  x = tenon_tfl_by(rw, "core::minimum", x, limits[y->dtype][1]);
  return tenon_tfl_stored(rw, tenon_tfl_cast(rw, x, y->dtype), y->quant);
}

tenon_value *tenon_tfl_index(tenon_rewriter *rw, tenon_value *x,
                             tenon_value *const *indices, int n, int64_t axis,
                             const tenon_type *type) {
  tenon_value *in[1 + TENON_MAX_RANK] = {x};
  const uint16_t group[] = {0, 1, (uint16_t)(1 + n)};
  memcpy(in + 1, indices, (size_t)n * sizeof *indices);
  return tenon_rw_op_as(
      rw, "core::index", in, (uint32_t)n + 1, group,
      TENON_ARGS(tenon_arg_int("axis", axis), tenon_arg_bool("wrap", false)),
      type);
}

tenon_value *tenon_tfl_index_put(tenon_rewriter *rw, tenon_value *x,
                                 tenon_value *values,
                                 tenon_value *const *indices, int n,
                                 tenon_tfl_put mode) {
  tenon_value *in[2 + TENON_MAX_RANK] = {x, values};
  const uint16_t group[] = {0, 1, 2, (uint16_t)(2 + n)};
  memcpy(in + 2, indices, (size_t)n * sizeof *indices);
  return tenon_rw_op_as(
      rw, "core::index_put", in, (uint32_t)n + 2, group,
      TENON_ARGS(tenon_arg_int("mode", mode), tenon_arg_bool("wrap", false)),
      NULL);
}

// A running sum of ones, which is folded.
tenon_value *tenon_tfl_count(tenon_rewriter *rw, tenon_dim n) {
  tenon_tfl_shape line = {{n}, 1};
  tenon_value *one = tenon_rw_scalar(rw, TENON_S32, 1);
  tenon_value *sum = tenon_tfl_expand(rw, one, &line);
  sum = tenon_rw_op(rw, "core::cumsum", &sum, 1,
                    TENON_ARGS(tenon_arg_int("axis", 0)));
  return tenon_rw_op2(rw, "core::sub", sum, one);
}

tenon_value *tenon_tfl_line(tenon_rewriter *rw, tenon_dim n, int rank, int axis,
                            tenon_dtype t) {
  const tenon_tfl_shape line = tenon_tfl_along(rank, axis, n);
  return tenon_tfl_reshape(rw, tenon_tfl_cast(rw, tenon_tfl_count(rw, n), t),
                           &line, NULL);
}

tenon_status tenon_tfl_clamp(tenon_rewriter *rw, int64_t function,
                             tenon_tfl_args *args) {
  switch (function) {
    case TFL_ACT_NONE:
      return TENON_OK;
    case TFL_ACT_RELU:
      tenon_tfl_arg(args, tenon_arg_float("lo", 0));
      return TENON_OK;
    case TFL_ACT_RELU_N1_TO_1:
      tenon_tfl_arg(args, tenon_arg_float("lo", -1));
      tenon_tfl_arg(args, tenon_arg_float("hi", 1));
      return TENON_OK;
    case TFL_ACT_RELU6:
      tenon_tfl_arg(args, tenon_arg_float("lo", 0));
      tenon_tfl_arg(args, tenon_arg_float("hi", 6));
      return TENON_OK;
    default:
      return tenon_rw_fail(rw, "fused activation %s is not supported",
                           function == TFL_ACT_TANH ? "TANH" : "SIGN_BIT");
  }
}
