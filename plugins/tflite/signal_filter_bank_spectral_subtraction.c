// signal_filter_bank_spectral_subtraction.c -
// SignalFilterBankSpectralSubtraction of TensorFlow Lite Micro's audio front
// end: takes from each channel what has been there all along.
//
// Facts: signal/micro/kernels/filter_bank_spectral_subtraction.cc of
// tflite-micro. The estimate of the noise is kept from run to run, though no
// tensor of the file holds it: the operator of the file is lowered to one that
// writes a state, which begins as zeros.
#include "tenon/tensor.h"

typedef struct signal_subtraction_attrs {
  int64_t num_channels;
  int64_t smoothing, one_minus_smoothing;
  int64_t alternate_smoothing, alternate_one_minus_smoothing;
  int64_t smoothing_bits, min_signal_remaining, spectral_subtraction_bits;
  bool clamping;
} signal_subtraction_attrs;

// out[1]: the estimate, before and after.
TENON_KERNEL(signal_subtraction_u32) {
  const signal_subtraction_attrs *a =
      (const signal_subtraction_attrs *)c->attrs;
  const uint32_t *x = (const uint32_t *)c->in[0].data;
  uint32_t *y = (uint32_t *)c->out[0].data;
  uint32_t *noise = (uint32_t *)c->out[1].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    // Channels of an odd number have coefficients of their own.
    uint32_t share = (uint32_t)(i % 2 ? a->alternate_smoothing : a->smoothing);
    uint32_t rest = (uint32_t)(i % 2 ? a->alternate_one_minus_smoothing
                                     : a->one_minus_smoothing);
    uint32_t signal = x[i] << a->smoothing_bits;
    noise[i] =
        (uint32_t)(((uint64_t)signal * share + (uint64_t)noise[i] * rest) >>
                   a->spectral_subtraction_bits);
    uint32_t taken = noise[i] < signal ? noise[i] : signal;
    if (a->clamping) noise[i] = taken;
    uint32_t least =
        (uint32_t)((uint64_t)x[i] * (uint32_t)a->min_signal_remaining >>
                   a->spectral_subtraction_bits);
    uint32_t left = (signal - taken) >> a->smoothing_bits;
    y[i] = left > least ? left : least;
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include <stdio.h>

#include "tenon/diag.h"
#include "tenon/ext/plugin.h"

#define SUBTRACTION_ATTRIBUTES                              \
  "*, int num_channels, int smoothing, int "                \
  "one_minus_smoothing, int alternate_smoothing, int "      \
  "alternate_one_minus_smoothing, int smoothing_bits, int " \
  "min_signal_remaining, int spectral_subtraction_bits, bool clamping"

static const tenon_field subtraction_fields[] = TENON_FIELDS(
    signal_subtraction_attrs, num_channels, smoothing, one_minus_smoothing,
    alternate_smoothing, alternate_one_minus_smoothing, smoothing_bits,
    min_signal_remaining, spectral_subtraction_bits, clamping);

// The result and the estimate are like the operand, both in the operator of the
// file and in that of a state.
static tenon_status subtraction_infer(tenon_infer *c) {
  const signal_subtraction_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_U32 || x->rank != 1)
    return tenon_infer_fail(c, "expected a list of u32");
  if (x->dims[0].symbol || x->dims[0].value != a->num_channels)
    return tenon_infer_fail(c, "%lld numbers for %lld channels",
                            (long long)x->dims[0].value,
                            (long long)a->num_channels);
  if (a->smoothing_bits < 0 || a->smoothing_bits > 31 ||
      a->spectral_subtraction_bits < 0 || a->spectral_subtraction_bits > 63)
    return tenon_infer_fail(c, "bits to shift by are out of range");
  TENON_TRY(tenon_infer_out(c, 0, x));
  return tenon_infer_out(c, 1, x);
}

static tenon_status subtraction_lower(tenon_rewriter *rw,
                                      const tenon_node *node) {
  tenon_value *in[2] = {tenon_rw_operand(rw, node, 0), NULL}, *out[2];
  const char *where = rw->api->place(rw, node)->where;
  char name[128];
  snprintf(name, sizeof name, "noise of %.100s", where ? where : "a model");
  TENON_TRY(rw->api->state(rw, name, tenon_rw_type(rw, in[0])));
  const tenon_arg state[] = {tenon_arg_str("state", name), TENON_END_ARGS};
  in[1] = tenon_rw_op_as(rw, "core::state_read", NULL, 0, NULL, state,
                         tenon_rw_type(rw, in[0]));
  tenon_rw_build(rw, "signal::spectral_subtraction_step", in, 2,
                 rw->api->args(rw, node), out, 2, NULL);
  tenon_rw_build(rw, "core::state_write", &out[1], 1, state, NULL, 0, NULL);
  return rw->api->replace(rw, node, out, 2);
}

static const tenon_op_desc step = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::spectral_subtraction_step(Tensor input, Tensor(a!) "
        "noise_estimate, " SUBTRACTION_ATTRIBUTES ") -> Tensor",
    .doc = "Spectral subtraction, with the estimate of the noise as a state.",
    TENON_OP_ATTRS(signal_subtraction_attrs, subtraction_fields),
    .infer = subtraction_infer,
    TENON_OP_KERNEL(signal_subtraction_u32, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0),
                    .types = "u32, u32 -> u32, u32"),
};
static const tenon_op_desc subtraction = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "signal::filter_bank_spectral_subtraction(Tensor "
        "input, " SUBTRACTION_ATTRIBUTES
        ") -> (Tensor output, Tensor "
        "noise_estimate)",
    .doc = "Takes from each channel what has been there all along.",
    TENON_OP_ATTRS(signal_subtraction_attrs, subtraction_fields),
    .infer = subtraction_infer,
    .lower = subtraction_lower,
    .tflite_name = "SignalFilterBankSpectralSubtraction",
};
TENON_PLUGIN_OPS(signal_spectral_subtraction, "1.0.0", &subtraction, &step);
#endif
