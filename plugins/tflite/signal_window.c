// signal_window.c - SignalWindow of TensorFlow Lite Micro's audio front end:
// samples of 16 bits times a window, shifted and saturated.
//
// Facts: signal/micro/kernels/window.cc of tflite-micro.
#include "tenon/tensor.h"

typedef struct signal_window_attrs {
  int64_t shift;
} signal_window_attrs;

TENON_KERNEL(signal_window_s16) {
  const signal_window_attrs *a = (const signal_window_attrs *)c->attrs;
  const int16_t *x = (const int16_t *)c->in[0].data;
  const int16_t *w = (const int16_t *)c->in[1].data;
  int16_t *y = (int16_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]), size = (size_t)c->in[1].dims[0];
  for (size_t i = 0; i < n; ++i) {
    int32_t v = (int32_t)x[i] * w[i % size];
    // Downwards, also where a shift of negative numbers would do otherwise.
    v = v < 0 ? ~(~v >> a->shift) : v >> a->shift;
    y[i] = (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status window_infer(tenon_infer *c) {
  const signal_window_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (x->dtype != TENON_S16 || w->dtype != TENON_S16)
    return tenon_infer_fail(c, "samples and weights must be s16");
  if (a->shift < 0 || a->shift > 31)
    return tenon_infer_fail(c, "shift is %lld, expected 0 to 31",
                            (long long)a->shift);
  if (x->rank < 1 || w->rank != 1 ||
      !c->api->require(c, TENON_RELATION_EQ, x->dims[x->rank - 1], w->dims[0]))
    return tenon_infer_fail(c, "a frame and the window differ in size");
  return tenon_infer_out(c, 0, x);
}

static const tenon_op_desc window = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::window(Tensor input, Tensor weights, *, int shift=0) -> "
        "Tensor",
    .doc = "Frames of samples times a window.",
    TENON_OP_MEMBERS(signal_window_attrs, shift),
    .infer = window_infer,
    TENON_OP_KERNEL(signal_window_s16, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0),
                    .types = "s16, s16 -> s16"),
    .tflite_name = "SignalWindow",
};
TENON_PLUGIN_OPS(signal_window, "1.0.0", &window);
#endif
