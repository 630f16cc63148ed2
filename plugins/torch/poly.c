// poly.c - lists of floats and bools, a Scalar, an optional int: the sum over k
// of
// (+-)coeffs[k] * x^k, plus bias, to a power if one is given.
#include "tenon/tensor.h"

typedef struct poly_attrs {
  tenon_floats coeffs;
  tenon_bools signs;
  tenon_scalar bias;
  tenon_opt_int power;
} poly_attrs;

TENON_KERNEL(torch_poly_f32) {
  const poly_attrs *a = (const poly_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  double bias =
      a->bias.kind == TENON_KIND_FLOAT ? a->bias.as.f : (double)a->bias.as.i;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    double sum = 0, v = 1, result = 1;
    for (size_t k = 0; k < a->coeffs.count; ++k) {
      sum += (a->signs.data[k] ? a->coeffs.data[k] : -a->coeffs.data[k]) * v;
      v *= (double)x[i];
    }
    sum += bias;
    for (int64_t k = 0; a->power.has && k < a->power.value; ++k)
      result *= sum;
    y[i] = (float)(a->power.has ? result : sum);
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const poly_attrs *a = tenon_infer_attrs(c);
  if (a->coeffs.count != a->signs.count)
    return tenon_infer_fail(c, "%zu coeffs and %zu signs", a->coeffs.count,
                            a->signs.count);
  if (a->power.has && a->power.value < 0)
    return tenon_infer_fail(c, "power is below 0");
  return tenon_infer_out(c, 0, tenon_infer_in(c, 0));
}

static const tenon_op_desc poly = {
    TENON_OP(TENON_OP_PURE | TENON_OP_ELEMENTWISE),
    .schema =
        "acme::poly(Tensor x, float[] coeffs, bool[] signs, Scalar bias=0, "
        "int? power=None) -> Tensor",
    .doc = "A polynomial of x, to a power.",
    TENON_OP_MEMBERS(poly_attrs, coeffs, signs, bias, power),
    .attrs_type = "poly_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_poly_f32, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0), .types = "f32 -> f32"),
};

TENON_PLUGIN_OPS(torch_poly, "1.0.0", &poly);

#endif  // TENON_EMITTED
