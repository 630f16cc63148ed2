// What writes single elements: pooling undone, indices behind a mask; and what
// counts equal ones.
#include <string.h>

#include "ops/aten/index/index_op.h"
#include "ops/aten/nn/aten_nn.h"

// Planes of `inner` dimensions as one dimension.
static tenon_value *flat_planes(tenon_rewriter *rw, tenon_value *x, int inner,
                                const tenon_type *like) {
  const tenon_type *t = like ? like : tenon_rw_type(rw, x);
  tenon_dim dims[TENON_MAX_RANK];
  if (!t || t->rank < inner) return x;
  int kept = t->rank - inner;
  for (int d = 0; d < kept; ++d)
    dims[d] = t->dims[d];
  dims[kept] = tenon_aten_product(rw, t->dims + kept, inner);
  if (like) return tenon_nn_filled(rw, t->dtype, dims, kept + 1, 0);
  return tenon_aten_reshape(rw, x, dims, kept + 1);
}

// The user: how many dimensions a plane has, and "+", that the gradient is
// added where maxima were.
TENON_ATEN_LOWER(unpool) {
  const char *form = tenon_aten_user(rw);
  const int inner = form[0] - '0';
  const bool adds = form[1] == '+';
  const tenon_type *y = tenon_aten_result(rw, n, 0);
  if (!y || y->rank < inner)
    return tenon_rw_fail(rw, "the file does not say its result");
  // Indices are places in the result, whose type says its sizes; where maxima
  // were was found in operand 1.
  if (adds) (void)tenon_aten_in(rw, n, 1);
  tenon_aten_without_effect(
      rw, n, "output_size kernel_size stride padding dilation ceil_mode");
  tenon_value *in[3] = {
      flat_planes(rw, NULL, inner, y),
      flat_planes(rw, tenon_aten_in(rw, n, adds ? 2 : 1), inner, NULL),
      flat_planes(rw, tenon_aten_in(rw, n, 0), inner, NULL)};
  tenon_value *out = tenon_rw_op(
      rw, "core::scatter", in, 3,
      TENON_ARGS(
          tenon_arg_int("axis", y->rank - inner),
          tenon_arg_int("mode", adds ? TENON_SCATTER_ADD : TENON_SCATTER_SET)));
  return tenon_rw_replace(rw, n, tenon_aten_reshape(rw, out, y->dims, y->rank));
}

// The largest count of equal elements; the smallest of several such elements,
// and the last place where it stands.
TENON_ATEN_LOWER(mode) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[2];
  const tenon_type *t = tenon_rw_type(rw, x);
  int axis = 0;
  bool keeps = tenon_aten_bool(rw, n, "keepdim");
  if (t->rank == 0)
    return tenon_aten_replace_two(rw, n, x, tenon_aten_real(rw, TENON_S64, 0));
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  tenon_dim size = t->dims[axis];
  tenon_dtype type = t->dtype;
  const int last = t->rank - 1;
  if (size.symbol || size.value < 1 || size.value > 2048)
    return tenon_rw_fail(rw, "of an open size, or more than 2048 elements");
  tenon_value *v = tenon_aten_move(
      rw, type == TENON_BOOL ? tenon_aten_cast(rw, x, TENON_S32) : x, axis,
      last);
  const uint32_t bits = 1u << last;
  tenon_value *count = tenon_aten_formula(
      rw, "a b @d: sum(s64(a == b), d)", tenon_aten_unsqueeze(rw, v, last + 1),
      tenon_aten_unsqueeze(rw, v, last), (int)(bits << 1));
  // Among floats, what is not a number equals nothing: it counts as none.
  tenon_value *value = NULL;
  tenon_value *place = tenon_aten_formula(
      rw,
      "v count ramp @d @real &value:"
      "chosen = count == amax(count, d, 1);"
      "value = amin(chosen ? v : if(real, inf, amax(v, d, 1)), d, 1);"
      "amax(v == value ? ramp + 1 : 0, d, 1) - 1",
      v, count, tenon_aten_ramp(rw, TENON_S64, size), (int)bits,
      (int)tenon_aten_is_float(type), &value);
  out[0] = tenon_aten_cast(rw, value, type);
  out[1] = place;
  for (int i = 0; i < 2; ++i)
    out[i] = keeps ? tenon_aten_move(rw, out[i], last, axis)
                   : tenon_aten_squeeze(rw, out[i], last);
  if (tenon_aten_is_float(type)) {
    tenon_value *known = tenon_aten_formula(rw, "x: all(x == x)", x);
    tenon_aten_check(rw, known, "mode of what is not a number");
  }
  return rw->api->replace(rw, n, out, 2);
}

// Vectors along a dimension, none longer than maxnorm.
TENON_ATEN_LOWER(renorm) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *wide = tenon_nn_wide(rw, x);
  const tenon_type *t = tenon_rw_type(rw, x);
  tenon_scalar p = tenon_aten_scalar(rw, n, "p");
  const double limit = tenon_aten_float(rw, n, "maxnorm");
  int64_t dims[TENON_MAX_RANK];
  int axis = 0;
  size_t count = 0;
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", x, &axis));
  if (!t || t->rank < 2) return tenon_rw_fail(rw, "less than two dimensions");
  for (int d = 0; d < t->rank; ++d)
    if (d != axis) dims[count++] = d;
  tenon_value *size = tenon_rw_op(
      rw, "aten::linalg_vector_norm", &wide, 1,
      TENON_ARGS(tenon_arg_scalar("ord", p), tenon_arg_ints("dim", dims, count),
                 tenon_arg_bool("keepdim", true)));
  return tenon_nn_give(
      rw, n,
      tenon_aten_formula(
          rw,
          "x size #most one: x * (size > most ? like(most, one) / (size + 1e-7)"
          " : like(1, one))",
          wide, size, limit, wide));
}

// As many rows of places as asked for: too many are left out, missing ones
// filled.
TENON_ATEN_LOWER(nonzero_static) {
  tenon_value *x = tenon_aten_in(rw, n, 0), *parts[2];
  tenon_dim dims[2] = {tenon_aten_dim(rw, n, "size", 0),
                       tenon_aten_fixed(tenon_nn_rank(rw, x))};
  parts[0] = tenon_rw_op1(rw, "core::nonzero", x);
  parts[1] = tenon_nn_filled(rw, TENON_S64, dims, 2,
                             (double)tenon_aten_int(rw, n, "fill_value"));
  tenon_value *y = tenon_rw_concat(rw, parts, 2, 0);
  return tenon_rw_replace(rw, n, tenon_nn_cut(rw, y, 0, 0, dims[0]));
}

// The part of the gradient that softmax gives back.
TENON_ATEN_LOWER(softmax_backward) {
  // The result's type says it.
  tenon_aten_without_effect(rw, n, "input_dtype");
  const bool is_log = tenon_aten_user(rw) != NULL;
  tenon_value *grad = tenon_nn_in(rw, n, 0);
  tenon_value *y = tenon_nn_in(rw, n, 1);
  int axis = 0;
  TENON_TRY(tenon_nn_need_float(rw, y));
  if (tenon_nn_type(rw, y) != tenon_nn_type(rw, grad))
    return tenon_rw_fail(rw, "two element types");
  TENON_TRY(tenon_aten_axis_of(rw, n, "dim", y, &axis));
  const uint32_t bits = tenon_nn_rank(rw, y) ? 1u << axis : 0;
  return tenon_nn_give(
      rw, n,
      tenon_aten_formula(
          rw,
          "g y @log @d: p = if(log, g, g * y); s = if(d > 0, sum(p, d, 1), p);"
          "p - if(log, exp(y), y) * s",
          grad, y, (int)is_log, (int)bits));
}
