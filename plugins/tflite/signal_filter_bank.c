// signal_filter_bank.c - SignalFilterBank of TensorFlow Lite Micro's audio
// front end: weighted sums of energies over bands that overlap by half.
//
// Facts: signal/micro/kernels/filter_bank.cc of tflite-micro. Each band adds
// what it does not keep to the next one; the first is left out of the result.
#include "tenon/tensor.h"

typedef struct signal_filter_bank_attrs {
  int64_t num_channels;
} signal_filter_bank_attrs;

TENON_KERNEL(signal_filter_bank_u32) {
  const uint32_t *x = (const uint32_t *)c->in[0].data;
  const int16_t *weights = (const int16_t *)c->in[1].data;
  const int16_t *unweights = (const int16_t *)c->in[2].data;
  const int16_t *frequency = (const int16_t *)c->in[3].data;
  const int16_t *start = (const int16_t *)c->in[4].data;
  const int16_t *width = (const int16_t *)c->in[5].data;
  uint64_t *y = (uint64_t *)c->out[0].data;
  int32_t n = c->out[0].dims[0];
  uint64_t sum = 0, next = 0;
  for (int32_t i = 0; i <= n; ++i) {
    // Where constants could not be looked at before.
    if (frequency[i] < 0 || start[i] < 0 ||
        (int32_t)frequency[i] + width[i] > c->in[0].dims[0] ||
        (int32_t)start[i] + width[i] > c->in[1].dims[0])
      return tenon_call_fail(c, "band {0} of {1} is outside of its operands", i,
                             n);
    for (int32_t k = 0; k < width[i]; ++k) {
      uint64_t v = x[frequency[i] + k];
      sum += (uint64_t)(int64_t)weights[start[i] + k] * v;
      next += (uint64_t)(int64_t)unweights[start[i] + k] * v;
    }
    if (i > 0) y[i - 1] = sum;
    sum = next;
    next = 0;
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status bank_infer(tenon_infer *c) {
  static const char *const names[] = {"input",  "weights",       "unweights",
                                      "starts", "weight starts", "widths"};
  const signal_filter_bank_attrs *a = tenon_infer_attrs(c);
  for (int i = 0; i < 6; ++i) {
    const tenon_type *t = tenon_infer_in(c, i);
    if (t->dtype != (i ? TENON_S16 : TENON_U32) || t->rank != 1 ||
        t->dims[0].symbol)
      return tenon_infer_fail(c, "'%s' must be a list of %s", names[i],
                              i ? "s16" : "u32");
    if (i >= 3 && t->dims[0].value != a->num_channels + 1)
      return tenon_infer_fail(c, "'%s' has %lld numbers for %lld channels",
                              names[i], (long long)t->dims[0].value,
                              (long long)a->num_channels);
  }
  if (a->num_channels < 1 || tenon_infer_in(c, 1)->dims[0].value !=
                                 tenon_infer_in(c, 2)->dims[0].value)
    return tenon_infer_fail(c, "no channel, or fewer unweights than weights");
  tenon_dim n = {a->num_channels, 0};
  tenon_type y = {.dtype = TENON_U64, .rank = 1, .dims = &n};
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc bank = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::filter_bank(Tensor input, Tensor weights, Tensor unweights, "
        "Tensor starts, Tensor weight_starts, Tensor widths, *, "
        "int num_channels) -> Tensor",
    .doc = "Weighted sums over bands of a spectrum.",
    TENON_OP_MEMBERS(signal_filter_bank_attrs, num_channels),
    .infer = bank_infer,
    TENON_OP_KERNEL(signal_filter_bank_u32,
                    .types = "u32, s16, s16, s16, s16, s16 -> u64"),
    .tflite_name = "SignalFilterBank",
};
TENON_PLUGIN_OPS(signal_filter_bank, "1.0.0", &bank);
#endif
