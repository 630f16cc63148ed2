// signal_energy.c - SignalEnergy of TensorFlow Lite Micro's audio front end:
// the squared magnitudes of a spectrum, from `start_index` up to `end_index`.
//
// Facts: signal/micro/kernels/energy.cc of tflite-micro. It leaves the others
// as they were in memory; here they are zero.
#include "tenon/tensor.h"

typedef struct signal_energy_attrs {
  int64_t start_index, end_index;
} signal_energy_attrs;

TENON_KERNEL(signal_energy_s16) {
  const signal_energy_attrs *a = (const signal_energy_attrs *)c->attrs;
  const int16_t *x = (const int16_t *)c->in[0].data;
  uint32_t *y = (uint32_t *)c->out[0].data;
  int64_t n = c->out[0].dims[0];
  for (int64_t i = 0; i < n; ++i) {
    int32_t re = x[2 * i], im = x[2 * i + 1];
    bool is_wanted = i >= a->start_index && i < a->end_index;
    y[i] = is_wanted ? (uint32_t)(re * re) + (uint32_t)(im * im) : 0;
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static tenon_status energy_infer(tenon_infer *c) {
  const signal_energy_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_S16)
    return tenon_infer_fail(c, "the spectrum must be s16");
  if (x->rank != 1 || x->dims[0].symbol || x->dims[0].value % 2 != 0)
    return tenon_infer_fail(c, "the spectrum must be pairs of numbers");
  tenon_dim n = {x->dims[0].value / 2, 0};
  if (a->start_index < 0 || a->end_index > n.value)
    return tenon_infer_fail(c, "from %lld up to %lld of %lld",
                            (long long)a->start_index, (long long)a->end_index,
                            (long long)n.value);
  tenon_type y = {.dtype = TENON_U32, .rank = 1, .dims = &n};
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc energy = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::energy(Tensor input, *, int start_index, int end_index) -> "
        "Tensor",
    .doc = "Squared magnitudes of a part of a spectrum.",
    TENON_OP_MEMBERS(signal_energy_attrs, start_index, end_index),
    .infer = energy_infer,
    TENON_OP_KERNEL(signal_energy_s16, .flags = TENON_KERNEL_NOFAIL,
                    .in_place = TENON_IN_PLACE(0, 0), .types = "s16 -> u32"),
    .tflite_name = "SignalEnergy",
};
TENON_PLUGIN_OPS(signal_energy, "1.0.0", &energy);
#endif
