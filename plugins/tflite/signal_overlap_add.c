// signal_overlap_add.c - SignalOverlapAdd of TensorFlow Lite Micro's audio
// front end: blocks of samples, out of frames that overlap.
//
// Facts: signal/micro/kernels/overlap_add.cc of tflite-micro. Sums are kept
// from run to run, though no tensor of the file holds them: the operator of the
// file is lowered to one that writes a state, which begins as zeros. Those of
// 16 bits saturate.
#include <string.h>

#include "tenon/tensor.h"

typedef struct signal_overlap_add_attrs {
  int64_t frame_step, T;
} signal_overlap_add_attrs;

static void signal_overlap_frame_s16(const int16_t *x, int16_t *kept,
                                     size_t size) {
  for (size_t i = 0; i < size; ++i) {
    int32_t v = (int32_t)x[i] + kept[i];
    kept[i] = (int16_t)(v < INT16_MIN   ? INT16_MIN
                        : v > INT16_MAX ? INT16_MAX
                                        : v);
  }
}

static void signal_overlap_frame_f32(const float *x, float *kept, size_t size) {
  for (size_t i = 0; i < size; ++i)
    kept[i] += x[i];
}

// out[1]: of each row the sums that later frames add to.
#define SIGNAL_OVERLAP_ADD(S, T)                                  \
  TENON_KERNEL(signal_overlap_add_##S) {                          \
    const signal_overlap_add_attrs *a =                           \
        (const signal_overlap_add_attrs *)c->attrs;               \
    const T *x = (const T *)c->in[0].data;                        \
    T *y = (T *)c->out[0].data, *kept = (T *)c->out[1].data;      \
    int rank = c->in[0].rank;                                     \
    size_t size = (size_t)c->in[0].dims[rank - 1];                \
    size_t frames = (size_t)c->in[0].dims[rank - 2];              \
    size_t step = (size_t)a->frame_step;                          \
    size_t n = tenon_count(&c->out[1]);                           \
    for (size_t i = 0; i < n; i += size, kept += size)            \
      for (size_t k = 0; k < frames; ++k, x += size, y += step) { \
        signal_overlap_frame_##S(x, kept, size);                  \
        memcpy(y, kept, step * sizeof *y);                        \
        memmove(kept, kept + step, (size - step) * sizeof *kept); \
        memset(kept + (size - step), 0, step * sizeof *kept);     \
      }                                                           \
    return TENON_OK;                                              \
  }

SIGNAL_OVERLAP_ADD(s16, int16_t)
SIGNAL_OVERLAP_ADD(f32, float)
#undef SIGNAL_OVERLAP_ADD

#ifndef TENON_EMITTED  // up to here the file is part of emitted C
#include "tenon/ext/plugin.h"

static const tenon_field overlap_add_fields[] =
    TENON_FIELDS(signal_overlap_add_attrs, frame_step, T);

static void overlap_add_states(const void *attrs, const tenon_type *x,
                               tenon_type *types,
                               tenon_dim (*dims)[TENON_MAX_RANK]) {
  (void)attrs;
  dims[0][0] = x->dims[x->rank - 1];
  for (int i = 0; i + 2 < x->rank; ++i)
    dims[0][0].value *= x->dims[i].value;
  types[0] = (tenon_type){.dtype = x->dtype, .rank = 1, .dims = dims[0]};
}

static tenon_status overlap_add_infer(tenon_infer *c) {
  const signal_overlap_add_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK];
  int64_t type = x->dtype == TENON_F32 ? 0 : x->dtype == TENON_S16 ? 7 : -1;
  if (type < 0 || x->rank < 2)
    return tenon_infer_fail(c, "expected frames of s16 or f32");
  if (a->T >= 0 && a->T != type)
    return tenon_infer_fail(c, "T is %lld, but the operand's type is %lld",
                            (long long)a->T, (long long)type);
  for (int i = 0; i < x->rank; ++i) {
    if (x->dims[i].symbol || x->dims[i].value < 1)
      return tenon_infer_fail(c, "a size is open, or 0");
    dims[i] = x->dims[i];
  }
  if (a->frame_step < 1 || a->frame_step > dims[x->rank - 1].value)
    return tenon_infer_fail(c, "frame_step is %lld for frames of %lld",
                            (long long)a->frame_step,
                            (long long)dims[x->rank - 1].value);
  dims[x->rank - 2].value *= a->frame_step;
  tenon_type y = {
      .dtype = x->dtype, .rank = (uint8_t)(x->rank - 1), .dims = dims};
  return tenon_infer_out(c, 0, &y);
}

TENON_STATEFUL(overlap_add, 1, "signal::overlap_add_step", "sums")

static const tenon_kernel_desc overlap_add_s16 = {
    TENON_KERNEL_RUN(signal_overlap_add_s16),
    .flags = TENON_KERNEL_NOFAIL,
    .types = "s16, s16 -> s16, s16",
};
static const tenon_kernel_desc overlap_add_f32 = {
    TENON_KERNEL_RUN(signal_overlap_add_f32),
    .flags = TENON_KERNEL_NOFAIL,
    .types = "f32, f32 -> f32, f32",
};
static const tenon_op_desc step = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "signal::overlap_add_step(Tensor input, Tensor(a!) sums, *, int "
        "frame_step, int T=-1) -> Tensor",
    .doc =
        "Blocks of samples, out of frames that overlap, with what it keeps as "
        "states.",
    TENON_OP_ATTRS(signal_overlap_add_attrs, overlap_add_fields),
    .infer = overlap_add_step_infer,
    .kernels = (const tenon_kernel_desc *const[]){&overlap_add_s16,
                                                  &overlap_add_f32, NULL},
};
static const tenon_op_desc overlap_add = {
    .struct_size = sizeof(tenon_op_desc),
    .schema =
        "signal::overlap_add(Tensor input, *, int frame_step, int T=-1) -> "
        "Tensor",
    .doc = "Blocks of samples, out of frames that overlap.",
    TENON_OP_ATTRS(signal_overlap_add_attrs, overlap_add_fields),
    .infer = overlap_add_infer,
    .lower = overlap_add_lower,
    .tflite_name = "SignalOverlapAdd",
};
TENON_PLUGIN_OPS(signal_overlap_add, "1.0.0", &overlap_add, &step);
#endif
