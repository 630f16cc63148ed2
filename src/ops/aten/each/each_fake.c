// Fake quantisation: what is left of numbers when they have been integers.
//
// How: PyTorch's kernels for the CPU (fake_quantize_core.cpp) multiply with the
// inverse of the scale, of f32, round to the nearest (even) integer, clamp, and
// multiply in f32; along a dimension of f64 in that. NaN becomes the lowest
// integer on the way, and along a dimension all that no integer of 64 bits
// holds.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"

typedef struct fake {
  tenon_rewriter *rw;
  tenon_dtype wide;           // f32, and f64 of f64
  tenon_value *scale, *zero;  // of `wide`; beside x
} fake;

// The user's letters: t, scale and zero point are tensors; c, of a dimension;
// m, a second result tells what was not clamped.
static tenon_status read_fake(fake *f, const tenon_node *n, tenon_value *x,
                              const char *form) {
  tenon_rewriter *rw = f->rw;
  if (!strchr(form, 't')) {
    f->scale = tenon_aten_real(rw, TENON_F32, tenon_aten_float(rw, n, "scale"));
    f->zero = tenon_aten_real(rw, f->wide,
                              (double)tenon_aten_int(rw, n, "zero_point"));
    return TENON_OK;
  }
  f->scale = tenon_aten_in(rw, n, 1);
  f->zero = tenon_aten_in(rw, n, 2);
  if (tenon_aten_is_float(tenon_nn_type(rw, f->zero)))
    return tenon_rw_fail(rw, "zero points that are no integers");
  f->scale = tenon_aten_cast(rw, f->scale, TENON_F32);
  f->zero = tenon_aten_cast(rw, f->zero, f->wide);
  if (strchr(form, 'c')) {
    int axis = 0;
    const int rank = tenon_nn_rank(rw, x);
    TENON_TRY(tenon_aten_axis(rw, tenon_aten_int(rw, n, "axis"), rank, &axis));
    f->scale = tenon_nn_beside(rw, f->scale, rank, axis);
    f->zero = tenon_nn_beside(rw, f->zero, rank, axis);
    return TENON_OK;
  }
  f->scale = tenon_aten_reshape(rw, f->scale, NULL, 0);
  f->zero = tenon_aten_reshape(rw, f->zero, NULL, 0);
  return TENON_OK;
}

TENON_ATEN_LOWER(fake_quantize) {
  const char *form = tenon_aten_user(rw);
  tenon_value *x = tenon_aten_in(rw, n, 0), *out[2] = {NULL, NULL};
  const tenon_dtype t = tenon_nn_type(rw, x);
  fake f = {rw, t == TENON_F64 ? TENON_F64 : TENON_F32, NULL, NULL};
  TENON_TRY(tenon_nn_need_float(rw, x));
  TENON_TRY(read_fake(&f, n, x, form));
  const bool is_channel = strchr(form, 'c') != NULL;
  const tenon_dtype product = is_channel ? f.wide : TENON_F32;
  const double least = (double)tenon_aten_int(rw, n, "quant_min"),
               most = (double)tenon_aten_int(rw, n, "quant_max");
  tenon_value *q = tenon_aten_formula(
      rw, "x scale zero: round(x * like(1 / scale, x)) + zero",
      tenon_aten_cast(rw, x, f.wide), f.scale, f.zero);
  // NaN, and along a dimension what 64 bits do not hold.
  q = tenon_aten_formula(rw,
                         is_channel ? "q #limit: q < limit ? q : -limit"
                                    : "q #limit: q <= inf ? q : -limit",
                         q, 9223372036854775808.0);
  if (strchr(form, 'm'))
    out[1] = tenon_aten_formula(rw, "q #least #most: q >= least & q <= most", q,
                                least, most);
  q = tenon_aten_formula(
      rw, "q zero #least #most: minimum(maximum(q, least), most) - zero", q,
      f.zero, least, most);
  q = tenon_nn_mul(rw, tenon_aten_cast(rw, q, product),
                   tenon_aten_cast(rw, f.scale, product));
  out[0] = tenon_aten_cast(rw, q, t);
  return rw->api->replace(rw, n, out, out[1] ? 2 : 1);
}
