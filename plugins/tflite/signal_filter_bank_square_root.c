// signal_filter_bank_square_root.c - SignalFilterBankSquareRoot of TensorFlow
// Lite Micro's audio front end: square roots of numbers of 64 bits, shifted
// down by the bits that the samples were shifted up by.
//
// Facts: signal/micro/kernels/filter_bank_square_root.cc of tflite-micro. A
// root is rounded to the nearest, but never above what 16 bits hold for a
// number of 32 bits, and 32 bits for one of 64.
#include "tenon/tensor.h"

static uint32_t signal_square_root(uint64_t x) {
  uint64_t root = 0, bit = UINT64_C(1) << 62;
  uint64_t most = x >> 32 ? UINT32_MAX : UINT16_MAX;
  for (; bit > x; bit >>= 2)
    continue;
  for (; bit != 0; bit >>= 2) {
    bool fits = x >= root + bit;
    if (fits) x -= root + bit;
    root = fits ? (root >> 1) + bit : root >> 1;
  }
  return (uint32_t)(x > root && root != most ? root + 1 : root);
}

TENON_KERNEL(signal_filter_bank_square_root_u64) {
  const uint64_t *x = (const uint64_t *)c->in[0].data;
  int32_t shift = *(const int32_t *)c->in[1].data;
  uint32_t *y = (uint32_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  if (shift < 0 || shift > 31)
    return tenon_call_fail(c, "{0} bits to shift by, expected 0 to {1}", shift,
                           31);
  for (size_t i = 0; i < n; ++i)
    y[i] = signal_square_root(x[i]) >> shift;
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status root_infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *bits = tenon_infer_in(c, 1);
  if (x->dtype != TENON_U64 || bits->dtype != TENON_S32)
    return tenon_infer_fail(c, "expected u64, and s32 of bits");
  if (x->rank != 1 || bits->rank != 0)
    return tenon_infer_fail(c, "expected a list, and one number of bits");
  tenon_type y = {.dtype = TENON_U32, .rank = 1, .dims = x->dims};
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc root = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::filter_bank_square_root(Tensor input, Tensor scale_bits) -> "
        "Tensor",
    .doc = "Square roots, rounded, and shifted down.",
    .infer = root_infer,
    TENON_OP_KERNEL(signal_filter_bank_square_root_u64,
                    .types = "u64, s32 -> u32"),
    .tflite_name = "SignalFilterBankSquareRoot",
};
static const tenon_plugin signal_filter_bank_square_root = {
    TENON_PLUGIN_HEADER,
    .name = "signal_filter_bank_square_root",
    .version = "1.0.0",
    .ops = (const tenon_op_desc *const[]){&root, NULL},
};
TENON_PLUGIN_EXPORT(signal_filter_bank_square_root,
                    signal_filter_bank_square_root);
#endif
