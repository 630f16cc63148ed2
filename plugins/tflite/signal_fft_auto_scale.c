// signal_fft_auto_scale.c - SignalFftAutoScale of TensorFlow Lite Micro's audio
// front end: samples shifted up until the largest fills 16 bits, and by how
// many bits.
//
// Facts: signal/micro/kernels/fft_auto_scale_kernel.cc of tflite-micro. The
// magnitude of -32768 wraps there, and the bits of a number that is zero or
// negative are counted as 32, so both shift by nothing.
#include "tenon/tensor.h"

TENON_KERNEL(signal_fft_auto_scale_s16) {
  const int16_t *x = (const int16_t *)c->in[0].data;
  int16_t *y = (int16_t *)c->out[0].data;
  int32_t largest = 0, bits = 0;
  size_t n = tenon_count(&c->in[0]);
  bool has_wrapped = false;
  for (size_t i = 0; i < n; ++i) {
    int32_t size = x[i] < 0 ? -(int32_t)x[i] : x[i];
    // -32768 is larger than all before, and stands as itself from then on:
    // whatever follows is larger.
    if (size > largest) {
      has_wrapped = size > INT16_MAX;
      largest = has_wrapped ? INT16_MIN : size;
    }
  }
  if (!has_wrapped && largest > 0)
    while (bits < 15 && largest >> (14 - bits) == 0)
      ++bits;
  for (size_t i = 0; i < n; ++i)
    y[i] = (int16_t)(uint16_t)((uint32_t)x[i] << bits);
  *(int32_t *)c->out[1].data = bits;
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status auto_scale_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_type bits = {.dtype = TENON_S32};
  if (x->dtype != TENON_S16) return tenon_infer_fail(c, "samples must be s16");
  if (x->rank != 1)
    return tenon_infer_fail(c, "rank %d, expected one frame", x->rank);
  TENON_TRY(tenon_infer_out(c, 0, x));
  return tenon_infer_out(c, 1, &bits);
}

static const tenon_op_desc auto_scale = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::fft_auto_scale(Tensor input) -> (Tensor output, Tensor "
        "scale_bits)",
    .doc = "A frame of samples, as large as 16 bits can hold.",
    .infer = auto_scale_infer,
    TENON_OP_KERNEL(signal_fft_auto_scale_s16, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0),
                    .types = "s16 -> s16, s32"),
    .tflite_name = "SignalFftAutoScale",
};
TENON_PLUGIN_OPS(signal_fft_auto_scale, "1.0.0", &auto_scale);
#endif
