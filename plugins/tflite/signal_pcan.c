// signal_pcan.c - SignalPCAN of TensorFlow Lite Micro's audio front end: each
// channel times a gain that falls with its noise, then compressed.
//
// Facts: signal/micro/kernels/pcan.cc of tflite-micro: a table holds, for each
// power of two of the noise, the three coefficients of a parabola.
#include "tenon/tensor.h"

typedef struct signal_pcan_attrs {
  int64_t snr_shift;
} signal_pcan_attrs;

// The largest power of two that a number has, plus one, times 4, less 6: where
// its coefficients begin.
static int32_t signal_pcan_place(uint32_t x, int32_t *bits) {
  for (*bits = 0; x; x >>= 1)
    ++*bits;
  return 4 * *bits - 6;
}

static uint32_t signal_pcan_gain(uint32_t noise, const int16_t *table) {
  int32_t bits;
  if (noise <= 2) return (uint32_t)(int32_t)table[noise];
  table += signal_pcan_place(noise, &bits);
  int32_t t =
      (int32_t)((bits < 11 ? noise << (11 - bits) : noise >> (bits - 11)) &
                0x3ff);
  int32_t v = (int32_t)table[2] * t;
  v = v < 0 ? ~(~v >> 5) : v >> 5;
  v = (int32_t)((uint32_t)v + ((uint32_t)(int32_t)table[1] << 5));
  v = (int32_t)((uint32_t)v * (uint32_t)t + (1u << 14));
  v = v < 0 ? ~(~v >> 15) : v >> 15;
  return (uint32_t)(int32_t)(int16_t)(uint16_t)((uint32_t)v +
                                                (uint32_t)(int32_t)table[0]);
}

TENON_KERNEL(signal_pcan_u32) {
  const signal_pcan_attrs *a = (const signal_pcan_attrs *)c->attrs;
  const uint32_t *x = (const uint32_t *)c->in[0].data;
  const uint32_t *noise = (const uint32_t *)c->in[1].data;
  const int16_t *table = (const int16_t *)c->in[2].data;
  uint32_t *y = (uint32_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  for (size_t i = 0; i < n; ++i) {
    int32_t bits, place = signal_pcan_place(noise[i], &bits);
    if ((noise[i] > 2 ? place + 2 : (int32_t)noise[i]) >= c->in[2].dims[0])
      return tenon_call_fail(c, "noise of {0} bits, but a table of {1}", bits,
                             c->in[2].dims[0]);
    uint32_t gain = signal_pcan_gain(noise[i], table);
    uint32_t v = (uint32_t)((uint64_t)x[i] * gain >> a->snr_shift);
    // Squared up to 8192, from there on a line.
    y[i] = v < 8192 ? v * v >> 20 : (v >> 6) - 64;
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status pcan_infer(tenon_infer *c) {
  const signal_pcan_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *noise = tenon_infer_in(c, 1);
  const tenon_type *table = tenon_infer_in(c, 2);
  if (x->dtype != TENON_U32 || noise->dtype != TENON_U32 ||
      table->dtype != TENON_S16)
    return tenon_infer_fail(c, "expected u32, u32 and a table of s16");
  if (x->rank != 1 || table->rank != 1)
    return tenon_infer_fail(c, "expected lists");
  if (a->snr_shift < 0 || a->snr_shift > 63)
    return tenon_infer_fail(c, "snr_shift is %lld, expected 0 to 63",
                            (long long)a->snr_shift);
  TENON_TRY(tenon_infer_same_shape(c, 0, 1));
  return tenon_infer_out(c, 0, x);
}

static const tenon_op_desc pcan = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::pcan(Tensor input, Tensor noise_estimate, Tensor gain_lut, "
        "*, int snr_shift) -> Tensor",
    .doc = "Gain by the noise of each channel, then compression.",
    TENON_OP_MEMBERS(signal_pcan_attrs, snr_shift),
    .infer = pcan_infer,
    TENON_OP_KERNEL(signal_pcan_u32, .in_place = TENON_IN_PLACE(0, 0),
                    .types = "u32, u32, s16 -> u32"),
    .tflite_name = "SignalPCAN",
};
TENON_PLUGIN_OPS(signal_pcan, "1.0.0", &pcan);
#endif
