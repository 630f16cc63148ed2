// signal_framer.c - SignalFramer of TensorFlow Lite Micro's audio front end:
// frames that overlap, out of blocks of samples.
//
// Facts: signal/micro/kernels/framer.cc of tflite-micro. Samples are kept from
// run to run, though no tensor of the file holds them: the operator of the file
// is lowered to one that writes states, which begin as zeros. Until a frame is
// full `valid` is false; tflite-micro leaves such a frame as it was in memory,
// here it is zero.
#include <string.h>

#include "tenon/tensor.h"

typedef struct signal_framer_attrs {
  int64_t frame_size, frame_step;
  bool prefill;
} signal_framer_attrs;

// As many samples as a frame has, in whole steps.
static size_t signal_framer_room(const signal_framer_attrs *a) {
  return (size_t)((a->frame_size + a->frame_step - 1) / a->frame_step *
                  a->frame_step);
}

// out[2]: the samples that wait, from the front; out[3]: how many, less those
// that `prefill` begins with.
TENON_KERNEL(signal_framer_s16) {
  const signal_framer_attrs *a = (const signal_framer_attrs *)c->attrs;
  const int16_t *x = (const int16_t *)c->in[0].data;
  int16_t *y = (int16_t *)c->out[0].data, *kept = (int16_t *)c->out[2].data;
  int32_t *count = (int32_t *)c->out[3].data;
  size_t size = (size_t)a->frame_size, step = (size_t)a->frame_step;
  size_t room = signal_framer_room(a), before = a->prefill ? size - step : 0;
  size_t inner = (size_t)c->in[0].dims[c->in[0].rank - 1], waiting = 0;
  size_t outer = tenon_count(&c->in[0]) / inner;
  bool is_valid = true;
  if (count[0] < 0 || (size_t)count[0] > room - step - before ||
      (size_t)count[0] % step != 0)
    return tenon_call_fail(c, "{0} samples wait, with room for {1}", count[0],
                           (int64_t)(room - before));
  for (size_t i = 0; i < outer; ++i, kept += room) {
    waiting = (size_t)count[0] + before;
    for (size_t k = 0; k < inner; k += step, x += step, y += size) {
      memcpy(kept + waiting, x, step * sizeof *x);
      waiting += step;
      if (waiting < size) {
        memset(y, 0, size * sizeof *y);
        is_valid = false;
        continue;
      }
      memcpy(y, kept, size * sizeof *y);
      memmove(kept, kept + step, (room - step) * sizeof *kept);
      waiting -= step;
    }
  }
  count[0] = (int32_t)(waiting - before);
  *(bool *)c->out[1].data = is_valid;
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static const tenon_field framer_fields[] =
    TENON_FIELDS(signal_framer_attrs, frame_size, frame_step, prefill);

static void framer_states(const void *attrs, const tenon_type *x,
                          tenon_type *types,
                          tenon_dim (*dims)[TENON_MAX_RANK]) {
  const signal_framer_attrs *a = (const signal_framer_attrs *)attrs;
  dims[0][0] = (tenon_dim){(int64_t)signal_framer_room(a), 0};
  for (int i = 0; i + 1 < x->rank; ++i)
    dims[0][0].value *= x->dims[i].value;
  dims[1][0] = (tenon_dim){1, 0};
  types[0] = (tenon_type){.dtype = TENON_S16, .rank = 1, .dims = dims[0]};
  types[1] = (tenon_type){.dtype = TENON_S32, .rank = 1, .dims = dims[1]};
}

static tenon_status framer_infer(tenon_infer *c) {
  const signal_framer_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  tenon_type y = {.dtype = TENON_S16, .dims = dims},
             valid = {.dtype = TENON_BOOL};
  if (x->dtype != TENON_S16) return tenon_infer_fail(c, "samples must be s16");
  if (x->rank < 1 || x->rank >= TENON_MAX_RANK)
    return tenon_infer_fail(c, "rank %d, expected blocks of samples", x->rank);
  for (int i = 0; i < x->rank; ++i) {
    if (x->dims[i].symbol) return tenon_infer_fail(c, "a size is open");
    dims[i] = x->dims[i];
  }
  int64_t inner = x->dims[x->rank - 1].value;
  if (a->frame_step < 1 || a->frame_step > a->frame_size ||
      a->frame_size > INT32_MAX || inner < a->frame_step ||
      inner % a->frame_step != 0)
    return tenon_infer_fail(
        c, "frames of %lld every %lld do not go into blocks of %lld",
        (long long)a->frame_size, (long long)a->frame_step, (long long)inner);
  y.rank = (uint8_t)(x->rank + 1);
  dims[x->rank - 1].value = inner / a->frame_step;
  dims[x->rank] = (tenon_dim){a->frame_size, 0};
  TENON_TRY(tenon_infer_out(c, 0, &y));
  return tenon_infer_out(c, 1, &valid);
}

TENON_STATEFUL(framer, 2, "signal::framer_step", "samples", "waiting")

static const tenon_op_desc step = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::framer_step(Tensor input, Tensor(a!) samples, Tensor(b!) "
        "waiting, *, int frame_size, int frame_step, bool prefill=False) -> "
        "(Tensor output, Tensor valid)",
    .doc =
        "Frames that overlap, out of blocks of samples, with what it keeps as "
        "states.",
    TENON_OP_ATTRS(signal_framer_attrs, framer_fields),
    .infer = framer_step_infer,
    TENON_OP_KERNEL(signal_framer_s16,
                    .types = "s16, s16, s32 -> s16, bool, s16, s32"),
};
static const tenon_op_desc framer = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "signal::framer(Tensor input, *, int frame_size, int frame_step, bool "
        "prefill=False) -> (Tensor output, Tensor valid)",
    .doc = "Frames that overlap, out of blocks of samples.",
    TENON_OP_ATTRS(signal_framer_attrs, framer_fields),
    .infer = framer_infer,
    .lower = framer_lower,
    .tflite_name = "SignalFramer",
};
TENON_PLUGIN_OPS(signal_framer, "1.0.0", &framer, &step);
#endif
