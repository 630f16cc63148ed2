// RFFT2D, and what becomes of its complex numbers: REAL, IMAG, COMPLEX_ABS,
// MUL.
#include "ops/tfl/tfl_op.h"

// Pairs of floats have the bytes of complex numbers.
tenon_value *tenon_tfl_complex(tenon_rewriter *rw, tenon_value *re,
                               tenon_value *im) {
  tenon_tfl_shape shape = tenon_tfl_shape_of(tenon_rw_type(rw, re));
  tenon_tfl_shape column = shape;
  if (shape.rank == TENON_MAX_RANK) {
    (void)tenon_rw_fail(
        rw, "complex numbers of %d dimensions are not supported", shape.rank);
    return re;
  }
  column.dims[column.rank++] = tenon_tfl_fixed(1);
  tenon_value *pair[] = {
      tenon_tfl_reshape(rw, re, &column, NULL),
      im ? tenon_tfl_reshape(rw, im, &column, NULL)
         : tenon_tfl_expand(rw, tenon_rw_scalar(rw, TENON_F32, 0), &column)};
  tenon_value *x = tenon_tfl_join(rw, pair, 2, column.rank - 1, NULL);
  x = tenon_rw_op(rw, "core::bitcast", &x, 1,
                  TENON_ARGS(tenon_arg_dtype("dtype", TENON_C64)));
  return tenon_tfl_reshape(rw, x, &shape, NULL);
}

tenon_value *tenon_tfl_complex_product(tenon_rewriter *rw, tenon_value *a,
                                       tenon_value *b) {
#define PART(op, x) tenon_rw_op1(rw, "core::" op, x)
#define OP(op, x, y) tenon_rw_op2(rw, "core::" op, x, y)
  tenon_value *ar = PART("real", a), *ai = PART("imag", a);
  tenon_value *br = PART("real", b), *bi = PART("imag", b);
  return tenon_tfl_complex(rw, OP("sub", OP("mul", ar, br), OP("mul", ai, bi)),
                           OP("add", OP("mul", ar, bi), OP("mul", ai, br)));
#undef OP
#undef PART
}

tenon_status tenon_tfl_rfft2d_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *length;
  const tenon_type pair = {.dtype = TENON_C64};
  tenon_tfl_shape size;
  TENON_TRY(tenon_tfl_operand(c, 1, "fft_length", 1, &length));
  if (x->dtype != TENON_F32)
    return tenon_infer_fail(c, "'x' is %s, expected f32",
                            tenon_dtype_name(x->dtype));
  if (x->rank < 2)
    return tenon_infer_fail(c, "'x' has %d dimensions, expected at least 2",
                            x->rank);
  if (length->dtype != TENON_S32 || length->dims[0].symbol ||
      length->dims[0].value != 2)
    return tenon_infer_fail(c, "'fft_length' is no two s32");
  tenon_tfl_shape y = tenon_tfl_shape_of(x);
  TENON_TRY(tenon_tfl_sizes(c, 1, "fft_length", &size));
  for (int i = 0; i < 2; ++i) {
    const int64_t n = size.dims[i].value;
    if (!size.dims[i].symbol && (n <= 0 || (n & (n - 1))))
      return tenon_infer_fail(c, "'fft_length' %lld is no power of two",
                              (long long)n);
    y.dims[y.rank - 2 + i] = size.dims[i];
  }
  tenon_dim *columns = &y.dims[y.rank - 1];
  *columns = c->api->dim(c, TENON_DIM_DIV, *columns, tenon_tfl_fixed(2));
  *columns = c->api->dim(c, TENON_DIM_ADD, *columns, tenon_tfl_fixed(1));
  return tenon_tfl_result(c, 0, &y, TENON_C64, &pair);
}

tenon_status tenon_tfl_rfft2d_lower(tenon_rewriter *rw,
                                    const tenon_node *node) {
  tenon_value *x = tenon_tfl_in(rw, node, 0);
  tenon_tfl_args args = {0};
  tenon_dim size[2];
  (void)tenon_tfl_sizes_in(rw, tenon_tfl_in(rw, node, 1), size);
  tenon_tfl_arg(&args, tenon_arg_dims("size", size, 2));
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = *rw->api->result(rw, node, 0);
  for (int i = 0; i < y.rank; ++i)
    dims[i] = y.dims[i];
  dims[y.rank - 2] = size[0];
  dims[y.rank - 1] =
      rw->api->dim(rw, TENON_DIM_DIV, size[1], tenon_tfl_fixed(2));
  dims[y.rank - 1] =
      rw->api->dim(rw, TENON_DIM_ADD, dims[y.rank - 1], tenon_tfl_fixed(1));
  y.dims = dims;
  return tenon_rw_replace(
      rw, node, tenon_tfl_make(rw, "core::rfft2", &x, 1, args.list, &y));
}

tenon_status tenon_tfl_complex_infer(tenon_infer *c) {
  return tenon_tfl_shapes(c, NULL, "x c64[...] -> f32[...]");
}
