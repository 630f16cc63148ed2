// signal_stacker.c - SignalStacker of TensorFlow Lite Micro's audio front end:
// some frames of channels before and after each, in one.
//
// Facts: signal/micro/kernels/stacker.cc of tflite-micro. Frames are kept from
// run to run, though no tensor of the file holds them: the operator of the file
// is lowered to one that writes states, which begin as zeros. The first frame
// stands for those before it. Until there are enough `valid` is false;
// tflite-micro leaves the result as it was in memory, here it is zero.
#include <string.h>

#include "tenon/tensor.h"

typedef struct signal_stacker_attrs {
  int64_t num_channels, stacker_left_context, stacker_right_context,
      stacker_step;
} signal_stacker_attrs;

static size_t signal_stacker_room(const signal_stacker_attrs *a) {
  return (size_t)(a->num_channels *
                  (a->stacker_left_context + a->stacker_right_context + 1));
}

// out[2]: what waits, from the front; out[3]: how much, and whether a frame
// came.
TENON_KERNEL(signal_stacker_s16) {
  const signal_stacker_attrs *a = (const signal_stacker_attrs *)c->attrs;
  const int16_t *x = (const int16_t *)c->in[0].data;
  int16_t *y = (int16_t *)c->out[0].data, *kept = (int16_t *)c->out[2].data;
  int32_t *count = (int32_t *)c->out[3].data;
  size_t n = (size_t)a->num_channels, room = signal_stacker_room(a);
  size_t step = n * (size_t)a->stacker_step, waiting = (size_t)count[0];
  int64_t times = count[1] ? 1 : 1 + a->stacker_left_context;
  if (count[0] < 0 || waiting > room || (size_t)times * n > room - waiting)
    return tenon_call_fail(c, "{0} numbers wait, with room for {1}", count[0],
                           (int64_t)room);
  for (int64_t i = 0; i < times; ++i, waiting += n)
    memcpy(kept + waiting, x, n * sizeof *x);
  bool is_valid = waiting >= room;
  if (is_valid) {
    memcpy(y, kept, room * sizeof *y);
    memmove(kept, kept + step, (room - step) * sizeof *kept);
    waiting -= step;
  } else {
    memset(y, 0, room * sizeof *y);
  }
  count[0] = (int32_t)waiting;
  count[1] = 1;
  *(bool *)c->out[1].data = is_valid;
  return TENON_OK;
}

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static const tenon_field stacker_fields[] =
    TENON_FIELDS(signal_stacker_attrs, num_channels, stacker_left_context,
                 stacker_right_context, stacker_step);

static void stacker_states(const void *attrs, const tenon_type *x,
                           tenon_type *types,
                           tenon_dim (*dims)[TENON_MAX_RANK]) {
  const signal_stacker_attrs *a = (const signal_stacker_attrs *)attrs;
  (void)x;
  dims[0][0] = (tenon_dim){(int64_t)signal_stacker_room(a), 0};
  dims[1][0] = (tenon_dim){2, 0};
  types[0] = (tenon_type){.dtype = TENON_S16, .rank = 1, .dims = dims[0]};
  types[1] = (tenon_type){.dtype = TENON_S32, .rank = 1, .dims = dims[1]};
}

static tenon_status stacker_infer(tenon_infer *c) {
  const signal_stacker_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->dtype != TENON_S16 || x->rank != 1)
    return tenon_infer_fail(c, "expected a list of s16");
  if (x->dims[0].symbol || x->dims[0].value != a->num_channels)
    return tenon_infer_fail(c, "%lld numbers for %lld channels",
                            (long long)x->dims[0].value,
                            (long long)a->num_channels);
  if (a->num_channels < 1 || a->num_channels > 1 << 20 ||
      a->stacker_left_context < 0 || a->stacker_left_context > 1024 ||
      a->stacker_right_context < 0 || a->stacker_right_context > 1024 ||
      a->stacker_step < 1 ||
      a->stacker_step > a->stacker_left_context + a->stacker_right_context + 1)
    return tenon_infer_fail(
        c, "contexts must be from 0 to 1024 frames, and a step within them");
  tenon_dim n = {(int64_t)signal_stacker_room(a), 0};
  tenon_type y = {.dtype = TENON_S16, .rank = 1, .dims = &n};
  tenon_type valid = {.dtype = TENON_BOOL};
  TENON_TRY(tenon_infer_out(c, 0, &y));
  return tenon_infer_out(c, 1, &valid);
}

TENON_STATEFUL(stacker, 2, "signal::stacker_step", "frames", "waiting")

static const tenon_op_desc step = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::stacker_step(Tensor input, Tensor(a!) frames, Tensor(b!) "
        "waiting, *, int num_channels, int stacker_left_context, int "
        "stacker_right_context, int stacker_step) -> (Tensor output, Tensor "
        "valid)",
    .doc =
        "Some frames before and after each, in one, with what it keeps as "
        "states.",
    TENON_OP_ATTRS(signal_stacker_attrs, stacker_fields),
    .infer = stacker_step_infer,
    TENON_OP_KERNEL(signal_stacker_s16,
                    .types = "s16, s16, s32 -> s16, bool, s16, s32"),
};
static const tenon_op_desc stacker = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "signal::stacker(Tensor input, *, int num_channels, int "
        "stacker_left_context, int stacker_right_context, int stacker_step) -> "
        "(Tensor output, Tensor valid)",
    .doc = "Some frames before and after each, in one.",
    TENON_OP_ATTRS(signal_stacker_attrs, stacker_fields),
    .infer = stacker_infer,
    .lower = stacker_lower,
    .tflite_name = "SignalStacker",
};
TENON_PLUGIN_OPS(signal_stacker, "1.0.0", &stacker, &step);
#endif
