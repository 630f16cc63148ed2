// gain.c - an operator of one's own, complete: y = gain * x + offset, clamped
// at zero if relu. AcmeGain in .tflite files, versions 1 and 2.
//
//   tenon check plugins/acme/gain.c          derived tests of every op in it
//   tenon run m.tflite --plugin plugins/acme/gain.c --random 1
//   tenon emit m.tflite --plugin plugins/acme/gain.c -o out
#include <math.h>

#include "tenon/tensor.h"

typedef struct gain_attrs {
  double gain, offset;
  bool relu;
} gain_attrs;

// Reference kernels: plain C, obviously right.
TENON_KERNEL(acme_gain_f32) {
  const gain_attrs *a = (const gain_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  float *y = (float *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    float v = (float)a->gain * x[i] + (float)a->offset;
    y[i] = a->relu && v < 0 ? 0 : v;
  }
  return TENON_OK;
}

// In real numbers, rounded once, halves away from zero.
TENON_KERNEL(acme_gain_s8) {
  const gain_attrs *a = (const gain_attrs *)c->attrs;
  const tenon_quant *p = c->in[0].quant, *q = c->out[0].quant;
  const int8_t *x = (const int8_t *)c->in[0].data;
  int8_t *y = (int8_t *)c->out[0].data;
  double scale = (double)(float)a->gain * (double)p->scale[0];
  double offset = (double)(float)a->offset, to = (double)q->scale[0];
  int32_t from = p->zero ? p->zero[0] : 0, zero = q->zero ? q->zero[0] : 0;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    double v = scale * (double)(x[i] - from) + offset;
    if (a->relu && v < 0) v = 0;
    v /= to;
    v = trunc(v + (v < 0 ? -0.5 : 0.5)) + (double)zero;
    y[i] = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include <string.h>

#include "tenon/ext/plugin.h"

// The result is like the operand; how it is quantised only the file can say.
static tenon_status gain_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *y = c->api->declared(c, 0);
  tenon_type out = *x;
  if (x->dtype == TENON_S8 && (!x->quant || !y || !y->quant))
    return tenon_infer_fail(c, "x or the result is s8 without a scale");
  if (x->dtype == TENON_S8) out.quant = y->quant;
  return tenon_infer_out(c, 0, &out);
}

// Lets every pass and every target see through the operator. Quantised ones
// are declined: there the kernel rounds once and a chain would twice.
static tenon_status gain_lower(tenon_rewriter *rw, const tenon_node *node) {
  const gain_attrs *a = tenon_rw_attrs(rw, node);
  tenon_value *x = tenon_rw_operand(rw, node, 0);
  if (tenon_rw_type(rw, x)->dtype != TENON_F32) return TENON_OK;
  tenon_value *y =
      tenon_rw_op2(rw, "core::mul", x, tenon_rw_scalar(rw, TENON_F32, a->gain));
  if (a->offset != 0)
    y = tenon_rw_op2(rw, "core::add", y,
                     tenon_rw_scalar(rw, TENON_F32, a->offset));
  if (a->relu) y = tenon_rw_op1(rw, "core::relu", y);
  return tenon_rw_replace(rw, node, y);
}

// Files from the old exporter carry nothing, or a bare little-endian float.
static tenon_status gain_read_tflite(tenon_options *o, void *attrs) {
  gain_attrs *a = (gain_attrs *)attrs;
  float gain;
  if (o->size == 0) return TENON_OK;
  if (o->size == 4) {
    memcpy(&gain, o->data, sizeof gain);
    a->gain = (double)gain;
    a->relu = true;  // that exporter had no other form
    return TENON_OK;
  }
  TENON_TRY(tenon_options_map(o, attrs));
  if (o->op_version < 2) a->offset = 0;  // came with version 2
  return TENON_OK;
}

static const tenon_kernel_desc gain_f32 = {
    TENON_KERNEL_RUN(acme_gain_f32),
    .flags = TENON_KERNEL_NOFAIL,
    .in_place = TENON_IN_PLACE(0, 0),
    .types = "f32 -> f32",
    .emit_template =
        "for (size_t i = 0; i < $count(out0); ++i) {\n"
        "  float v = $f32(gain) * $in0[i] + $f32(offset);\n"
        "  $out0[i] = $attr(relu) && v < 0 ? 0 : v;\n"
        "}\n",
};

static const tenon_kernel_desc gain_s8 = {
    TENON_KERNEL_RUN(acme_gain_s8),
    .flags = TENON_KERNEL_NOFAIL,
    .in_place = TENON_IN_PLACE(0, 0),
    .types = "s8q -> s8q",
};

static const tenon_op_desc gain = {
    TENON_OP(TENON_OP_PURE | TENON_OP_ELEMENTWISE),
    .schema =
        "acme::gain(Tensor x, *, float gain=1.0, bool relu=False, "
        "float offset=0.0) -> Tensor",
    .doc = "Multiplies by a constant, adds another, may clamp at zero.",
    TENON_OP_MEMBERS(gain_attrs, gain, offset, relu),
    .infer = gain_infer,
    .kernels = (const tenon_kernel_desc *const[]){&gain_f32, &gain_s8, NULL},
    .lower = gain_lower,
    .version_min = 1,
    .version_max = 2,
    .tflite_name = "AcmeGain",
    .read_tflite = gain_read_tflite,
};

TENON_PLUGIN_OPS(acme_gain, "1.2.0", &gain);

#endif  // TENON_EMITTED
