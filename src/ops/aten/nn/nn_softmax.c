// softmax and its logarithm.
//
// Floats of 32 bits have a core operator; those of 64 bits are put together.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

tenon_value *tenon_nn_softmax(tenon_rewriter *rw, tenon_value *x, int axis,
                              bool is_log) {
  if (tenon_nn_type(rw, x) == TENON_F32) {
    return tenon_rw_op(rw, is_log ? "core::log_softmax" : "core::softmax", &x,
                       1, TENON_ARGS(tenon_arg_int("axis", axis)));
  }
  // Of no elements there is no largest, and nothing to compute.
  for (int d = 0; d < tenon_nn_rank(rw, x); ++d)
    if (tenon_aten_is(tenon_nn_dim(rw, x, d), 0)) return x;
  return tenon_aten_formula(rw,
                            "x @d @log: y = x - amax(x, d, 1); e = exp(y);"
                            "if(log, y - log(sum(e, d, 1)), e / sum(e, d, 1))",
                            x, (int)(1u << axis), (int)is_log);
}

// Zero in rows that have nothing but negative infinity.
tenon_value *tenon_nn_safe_softmax(tenon_rewriter *rw, tenon_value *x,
                                   int axis) {
  return tenon_aten_formula(rw, "x y @d: amax(x, d, 1) == -inf ? 0 : y", x,
                            tenon_nn_softmax(rw, x, axis, false),
                            (int)(1u << axis));
}

// "softmax", "log", "safe".
TENON_ATEN_LOWER(softmax) {
  const char *form = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0);
  tenon_dtype t = tenon_aten_dtype(rw, n, "dtype");
  int axis = 0, rank = tenon_nn_rank(rw, x);
  const tenon_dim one = tenon_aten_fixed(1);
  TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "dim"), rank, &axis));
  if (tenon_aten_bool(rw, n, "half_to_float")) t = TENON_F32;
  if (t) x = tenon_aten_cast(rw, x, t);
  x = tenon_nn_wide(rw, x);
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (rank == 0) x = tenon_aten_reshape(rw, x, &one, 1);
  tenon_value *y =
      strcmp(form, "safe") == 0
          ? tenon_nn_safe_softmax(rw, x, axis)
          : tenon_nn_softmax(rw, x, axis, strcmp(form, "log") == 0);
  return tenon_nn_give(rw, n, y);
}
