// signal_delay.c - SignalDelay of TensorFlow Lite Micro's audio front end:
// samples of some time ago.
//
// Facts: signal/micro/kernels/delay.cc of tflite-micro. Samples are kept from
// run to run, though no tensor of the file holds them: the operator of the file
// is lowered to one that writes a state, which begins as zeros.
#include <string.h>

#include "tenon/tensor.h"

typedef struct signal_delay_attrs {
  int64_t delay_length;
} signal_delay_attrs;

// out[1]: the last samples of each row, the oldest first.
TENON_KERNEL(signal_delay_s16) {
  const signal_delay_attrs *a = (const signal_delay_attrs *)c->attrs;
  const int16_t *x = (const int16_t *)c->in[0].data;
  int16_t *y = (int16_t *)c->out[0].data, *kept = (int16_t *)c->out[1].data;
  size_t inner = (size_t)c->in[0].dims[c->in[0].rank - 1];
  size_t late = (size_t)a->delay_length, n = tenon_count(&c->in[0]);
  size_t old = late < inner ? late : inner, size = sizeof *x;
  for (size_t i = 0; i < n; i += inner, kept += late) {
    memcpy(y + i, kept, old * size);
    memcpy(y + i + old, x + i, (inner - old) * size);
    memmove(kept, kept + old, (late - old) * size);
    memcpy(kept + (late - old), x + i + (inner - old), old * size);
  }
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static const tenon_field delay_fields[] =
    TENON_FIELDS(signal_delay_attrs, delay_length);

static void delay_states(const void *attrs, const tenon_type *x,
                         tenon_type *types, tenon_dim (*dims)[TENON_MAX_RANK]) {
  const signal_delay_attrs *a = (const signal_delay_attrs *)attrs;
  dims[0][0] = (tenon_dim){a->delay_length, 0};
  for (int i = 0; i + 1 < x->rank; ++i)
    dims[0][0].value *= x->dims[i].value;
  types[0] = (tenon_type){.dtype = TENON_S16, .rank = 1, .dims = dims[0]};
}

static tenon_status delay_infer(tenon_infer *c) {
  const signal_delay_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_S16 || x->rank < 1)
    return tenon_infer_fail(c, "samples must be s16");
  for (int i = 0; i < x->rank; ++i)
    if (x->dims[i].symbol || x->dims[i].value < 1)
      return tenon_infer_fail(c, "a size is open, or 0");
  if (a->delay_length < 1 || a->delay_length > 1 << 24)
    return tenon_infer_fail(c, "delay_length is %lld, expected 1 to 2^24",
                            (long long)a->delay_length);
  return tenon_infer_out(c, 0, x);
}

TENON_STATEFUL(delay, 1, "signal::delay_step", "samples")

static const tenon_op_desc step = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::delay_step(Tensor input, Tensor(a!) samples, *, int "
        "delay_length) -> Tensor",
    .doc = "Samples of some time ago, with what it keeps as states.",
    TENON_OP_ATTRS(signal_delay_attrs, delay_fields),
    .infer = delay_step_infer,
    TENON_OP_KERNEL(signal_delay_s16, .flags = TENON_KERNEL_NOFAIL,
                    .types = "s16, s16 -> s16, s16"),
};
static const tenon_op_desc delay = {
    .struct_size = sizeof(tenon_op_desc),
    .schema = "signal::delay(Tensor input, *, int delay_length) -> Tensor",
    .doc = "Samples of some time ago.",
    TENON_OP_ATTRS(signal_delay_attrs, delay_fields),
    .infer = delay_infer,
    .lower = delay_lower,
    .tflite_name = "SignalDelay",
};
TENON_PLUGIN_OPS(signal_delay, "1.0.0", &delay, &step);
#endif
