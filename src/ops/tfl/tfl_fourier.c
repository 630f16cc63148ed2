// RFFT2D, and what becomes of its complex numbers: REAL, IMAG, COMPLEX_ABS.
#include "ops/tfl/tfl_op.h"

tenon_status tenon_tfl_rfft2d_infer(tenon_infer *c) {
  const tenon_type *x, *length;
  int64_t size[2];
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  TENON_TRY(tenon_tfl_operand(c, 1, "fft_length", 1, &length));
  if (x->dtype != TENON_F32)
    return tenon_infer_fail(c, "'x' is %s, expected f32",
                            tenon_tfl_dtype_name(x->dtype));
  if (x->rank < 2)
    return tenon_infer_fail(c, "'x' has %d dimensions, expected at least 2",
                            x->rank);
  if (length->dtype != TENON_S32 || length->dims[0].symbol ||
      length->dims[0].value != 2)
    return tenon_infer_fail(c, "'fft_length' is no two s32");
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  const tenon_tensor *constant = c->api->constant(c, 1);
  if (!constant) return tenon_tfl_as_declared(c);
  if (tenon_tfl_ints(constant, size, 2) != 2)
    return tenon_infer_fail(c, "'fft_length' is no two s32");
  for (int i = 0; i < 2; ++i)
    if (size[i] <= 0 || (size[i] & (size[i] - 1)))
      return tenon_infer_fail(c, "'fft_length' %lld is no power of two",
                              (long long)size[i]);
  y.dims[y.rank - 2] = tenon_tfl_fixed(size[0]);
  y.dims[y.rank - 1] = tenon_tfl_fixed(size[1] / 2 + 1);
  return tenon_tfl_result(c, 0, &y, TENON_C64, NULL);
}

tenon_status tenon_tfl_rfft2d_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_tfl_args args = {0};
  int64_t size[2];
  if (tenon_tfl_in_ints(rw, node, 1, size, 2) != 2)
    return tenon_rw_fail(
        rw, "an fft_length that is computed in a run is not supported");
  tenon_tfl_arg(&args, tenon_arg_ints("size", size, 2));
  return tenon_tfl_become(rw, node, "core::rfft2", &x, 1, &args);
}

tenon_status tenon_tfl_complex_infer(tenon_infer *c) {
  const tenon_type *x;
  TENON_TRY(tenon_tfl_operand(c, 0, "x", -1, &x));
  if (x->dtype != TENON_C64)
    return tenon_infer_fail(c, "'x' is %s, expected c64",
                            tenon_tfl_dtype_name(x->dtype));
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  return tenon_tfl_result(c, 0, &y, TENON_F32, NULL);
}
