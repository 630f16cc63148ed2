// Complex numbers at other places, of other types, summed and multiplied: by
// real operators on their parts.
#include <string.h>

#include "ops/aten/complex/complex_op.h"
#include "ops/aten/nn/aten_nn.h"

// The node's operator on the parts of complex operands. Others are places and
// conditions, which are the same for both parts; real numbers among them would
// not be.
static tenon_status same_of_parts(tenon_rewriter *rw, const tenon_node *n,
                                  bool is_list) {
  tenon_parts_call call;
  tenon_parts of[TENON_PARTS_TENSORS];
  tenon_value *out[TENON_PARTS_TENSORS];
  TENON_TRY(tenon_parts_call_of(rw, n, &call));
  for (uint32_t i = 0; i < call.n_in; ++i) {
    tenon_value *x = call.in[i];
    const tenon_type *t = tenon_rw_type(rw, x);
    of[i] = tenon_parts_of(x, x);
    if (is_list || tenon_parts_is_complex(rw, x)) {
      of[i] = tenon_parts_take(rw, x);
      of[i].im = tenon_parts_imag(rw, of[i]);
    } else if (t && tenon_aten_is_float(t->dtype)) {
      return tenon_rw_fail(rw, "operand %u is real, others complex",
                           (unsigned)i);
    }
    call.in[i] = of[i].re;
  }
  TENON_TRY(tenon_parts_call_build(rw, n, &call));
  memcpy(out, call.out, sizeof out);
  for (uint32_t i = 0; i < call.n_in; ++i)
    call.in[i] = of[i].im;
  TENON_TRY(tenon_parts_call_build(rw, n, &call));
  for (int i = 0; i < call.n_out; ++i)
    out[i] = tenon_rw_op2(rw, "core::complex", out[i], call.out[i]);
  return rw->api->replace(rw, n, out, call.n_out);
}

TENON_ATEN_LOWER(parts_each) {
  return same_of_parts(rw, n, false);
}

TENON_ATEN_LOWER(parts_each_list) {
  return same_of_parts(rw, n, true);
}

// Matrices transposed, of conjugates.
TENON_ATEN_LOWER(parts_adjoint) {
  tenon_parts z = tenon_parts_conj(rw, tenon_parts_in(rw, n, 0));
  const int rank = tenon_aten_known(rw, z.re)->rank;
  if (rank < 2) return tenon_rw_fail(rw, "there are no matrices");
  z.re = tenon_nn_swap(rw, z.re, rank - 2, rank - 1);
  if (z.im) z.im = tenon_nn_swap(rw, z.im, rank - 2, rank - 1);
  return tenon_parts_give(rw, n, z);
}

// Real numbers everywhere.
TENON_ATEN_LOWER(parts_filled) {
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  tenon_scalar s = {.kind = TENON_KIND_FLOAT};
  (void)rw->api->args(rw, n);
  if (strstr(rw->api->op(rw, n), "full"))
    s = tenon_aten_scalar(rw, n, "fill_value");
  else if (strstr(rw->api->op(rw, n), "ones"))
    s.as.f = 1;
  tenon_value *x = tenon_aten_number(rw, TENON_F32, s);
  if (t->dtype != TENON_C64)
    return tenon_rw_replace(
        rw, n,
        tenon_aten_expand(rw, tenon_aten_cast(rw, x, t->dtype), t->dims,
                          t->rank));
  return tenon_parts_give(
      rw, n, tenon_parts_of(tenon_aten_expand(rw, x, t->dims, t->rank), NULL));
}

// --- Products ----------------------------------------------------------------

static tenon_value *parts_product_of(tenon_rewriter *rw, const tenon_node *n,
                                     tenon_parts_call *call, tenon_value *a,
                                     tenon_value *b) {
  call->in[0] = a;
  call->in[1] = b;
  return tenon_parts_call_build(rw, n, call) == TENON_OK ? call->out[0] : NULL;
}

static tenon_status multiply(tenon_rewriter *rw, const tenon_node *n,
                             tenon_parts_call *call, tenon_parts *out) {
  const tenon_parts a = tenon_parts_take(rw, call->in[0]);
  const tenon_parts b = tenon_parts_take(rw, call->in[1]);
  out->re = parts_product_of(rw, n, call, a.re, b.re);
  out->im = NULL;
  if (a.im && b.im)
    out->re = tenon_rw_op2(rw, "core::sub", out->re,
                           parts_product_of(rw, n, call, a.im, b.im));
  if (b.im) out->im = parts_product_of(rw, n, call, a.re, b.im);
  if (a.im) {
    tenon_value *y = parts_product_of(rw, n, call, a.im, b.re);
    out->im = out->im ? tenon_rw_op2(rw, "core::add", out->im, y) : y;
  }
  return TENON_OK;
}

TENON_ATEN_LOWER(parts_bilinear) {
  tenon_parts_call call;
  tenon_parts y;
  TENON_TRY(tenon_parts_call_of(rw, n, &call));
  if (call.n_in != 2 || call.n_out != 1)
    return tenon_rw_fail(rw, "%u operands, of complex numbers 2 are possible",
                         (unsigned)call.n_in);
  TENON_TRY(multiply(rw, n, &call, &y));
  return tenon_parts_give(rw, n, y);
}

TENON_ATEN_LOWER(parts_linear) {
  tenon_parts_call call;
  tenon_parts y;
  TENON_TRY(tenon_parts_call_of(rw, n, &call));
  tenon_value *bias = call.n_in > 2 ? call.in[2] : NULL;
  if (call.n_in > 2) call.in[2] = NULL;
  TENON_TRY(multiply(rw, n, &call, &y));
  if (bias) {
    const tenon_parts b = tenon_parts_take(rw, bias);
    y.re = tenon_rw_op2(rw, "core::add", y.re, b.re);
    if (b.im) y.im = tenon_rw_op2(rw, "core::add", y.im, b.im);
  }
  return tenon_parts_give(rw, n, y);
}

// --- Types -------------------------------------------------------------------

// To real numbers the real parts go alone, as in PyTorch.
TENON_ATEN_LOWER(parts_to) {
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  const tenon_parts z = tenon_parts_in(rw, n, 0);
  if (tenon_aten_user(rw)) (void)tenon_aten_in(rw, n, 1);  // asked for its type
  if (rw->api->arg(rw, n, "dtype")) (void)tenon_aten_dtype(rw, n, "dtype");
  if (t->dtype == TENON_C128)
    return tenon_rw_fail(rw, "complex numbers of doubles are not supported");
  if (t->dtype != TENON_C64)
    return tenon_rw_replace(rw, n, tenon_aten_cast(rw, z.re, t->dtype));
  return tenon_parts_give(rw, n, z);
}

// The second operand in type and shape of the first.
TENON_ATEN_LOWER(parts_copy) {
  const tenon_type *t = tenon_aten_result(rw, n, 0);
  const tenon_parts z = tenon_parts_in(rw, n, 1);
  tenon_value *re = tenon_aten_expand(rw, z.re, t->dims, t->rank);
  if (t->dtype != TENON_C64)
    return tenon_rw_replace(rw, n, tenon_aten_cast(rw, re, t->dtype));
  return tenon_parts_give(
      rw, n,
      tenon_parts_of(
          re, z.im ? tenon_aten_expand(rw, z.im, t->dims, t->rank) : NULL));
}

// A border of zeros, or of what is there.
TENON_ATEN_LOWER(parts_pad) {
  const bool is_plain = rw->api->op(rw, n)[6] == 'c';
  const char *mode = is_plain ? "constant" : tenon_aten_str(rw, n, "mode");
  if (mode && strcmp(mode, "constant") == 0) {
    const double v = !tenon_aten_has(rw, n, "value") ? 0
                     : is_plain
                         ? tenon_aten_real_of(tenon_aten_scalar(rw, n, "value"))
                         : tenon_aten_float(rw, n, "value");
    if (v != 0)
      return tenon_rw_fail(rw, "a border of %g around complex numbers", v);
  }
  return same_of_parts(rw, n, false);
}
