// signal_filter_bank_log.c - SignalFilterBankLog of TensorFlow Lite Micro's
// audio front end: natural logarithms of integers, to 16 bits.
//
// Facts: signal/micro/kernels/filter_bank_log.cc and signal/src/log.cc of
// tflite-micro. The table has round(65536 * (log2(1 + t) - t)) for t of i /
// 128; between them it is a line.
#include "tenon/tensor.h"

typedef struct signal_filter_bank_log_attrs {
  int64_t output_scale, input_correction_bits;
} signal_filter_bank_log_attrs;

// clang-format off
static const uint16_t signal_log_table[] = {
    0, 224, 442, 654, 861, 1063, 1259, 1450, 1636, 1817, 1992, 2163,
    2329, 2490, 2646, 2797, 2944, 3087, 3224, 3358, 3487, 3611, 3732, 3848,
    3960, 4068, 4172, 4272, 4368, 4460, 4549, 4633, 4714, 4791, 4864, 4934,
    5001, 5063, 5123, 5178, 5231, 5280, 5326, 5368, 5408, 5444, 5477, 5507,
    5533, 5557, 5578, 5595, 5610, 5622, 5631, 5637, 5640, 5641, 5638, 5633,
    5626, 5615, 5602, 5586, 5568, 5547, 5524, 5498, 5470, 5439, 5406, 5370,
    5332, 5291, 5249, 5203, 5156, 5106, 5054, 5000, 4944, 4885, 4825, 4762,
    4697, 4630, 4561, 4490, 4416, 4341, 4264, 4184, 4103, 4020, 3935, 3848,
    3759, 3668, 3575, 3481, 3384, 3286, 3186, 3084, 2981, 2875, 2768, 2659,
    2549, 2437, 2323, 2207, 2090, 1971, 1851, 1729, 1605, 1480, 1353, 1224,
    1094, 963, 830, 695, 559, 421, 282, 142, 0, 0};
// clang-format on

static uint32_t signal_log(uint32_t x, uint32_t scale) {
  uint32_t power = 0;
  while (x >> power > 1)
    ++power;
  // What is above the power of two, as 16 bits of a fraction.
  uint32_t t = x - (1u << power);
  t = power < 16 ? t << (16 - power) : t >> (power - 16);
  uint32_t at = t >> 9;
  int32_t low = signal_log_table[at], high = signal_log_table[at + 1];
  int32_t v = (high - low) * (int32_t)(t - (at << 9));
  v = v < 0 ? ~(~v >> 16) : v >> 16;
  uint32_t log2 = (power << 16) + t + (uint32_t)low + (uint32_t)v;
  uint32_t natural = (uint32_t)((UINT64_C(45426) * log2 + 32768) >> 16);
  return (scale * natural + 32768) >> 16;
}

TENON_KERNEL(signal_filter_bank_log_u32) {
  const signal_filter_bank_log_attrs *a =
      (const signal_filter_bank_log_attrs *)c->attrs;
  const uint32_t *x = (const uint32_t *)c->in[0].data;
  int16_t *y = (int16_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    uint32_t v = x[i] << a->input_correction_bits;
    v = v > 1 ? signal_log(v, (uint32_t)a->output_scale) : 0;
    y[i] = (int16_t)(v < INT16_MAX ? v : INT16_MAX);
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status log_infer(tenon_infer *c) {
  const signal_filter_bank_log_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_U32 || x->rank != 1)
    return tenon_infer_fail(c, "expected a list of u32");
  if (a->input_correction_bits < 0 || a->input_correction_bits > 31)
    return tenon_infer_fail(c,
                            "input_correction_bits is %lld, expected 0 to 31",
                            (long long)a->input_correction_bits);
  if (a->output_scale < 0 || a->output_scale > INT32_MAX)
    return tenon_infer_fail(c, "output_scale is %lld",
                            (long long)a->output_scale);
  tenon_type y = {.dtype = TENON_S16, .rank = 1, .dims = x->dims};
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc filter_bank_log = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::filter_bank_log(Tensor input, *, int output_scale, "
        "int input_correction_bits) -> Tensor",
    .doc = "Natural logarithms of integers, scaled.",
    TENON_OP_MEMBERS(signal_filter_bank_log_attrs, output_scale,
                     input_correction_bits),
    .infer = log_infer,
    TENON_OP_KERNEL(signal_filter_bank_log_u32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "u32 -> s16"),
    .tflite_name = "SignalFilterBankLog",
};
TENON_PLUGIN_OPS(signal_filter_bank_log, "1.0.0", &filter_bank_log);
#endif
