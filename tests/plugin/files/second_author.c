// second_author.c - an operator by somebody who read only the public headers.
//
// second::track(x, bias?, peak(a!), taps) -> (y, range): adds a bias if there
// is one, keeps the largest value ever seen per column, and gives the columns
// named by `taps` and the span of each row.
#include "tenon/tensor.h"

typedef struct track_attrs {
  tenon_ints taps;
} track_attrs;

// out[0] y, out[1] range, out[2] the state: it holds the value before.
TENON_KERNEL(second_track_f32) {
  const track_attrs *a = (const track_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  const float *bias = (const float *)c->in[1].data;  // dtype 0: absent
  float *y = (float *)c->out[0].data, *range = (float *)c->out[1].data;
  float *peak = (float *)c->out[2].data;
  int32_t rows = c->in[0].dims[0], width = c->in[0].dims[1];
  for (int32_t r = 0; r < rows; ++r, x += width) {
    float low = 0, high = 0;
    for (int32_t i = 0; i < width; ++i) {
      float v = c->in[1].dtype ? x[i] + bias[i] : x[i];
      if (i == 0 || v < low) low = v;
      if (i == 0 || v > high) high = v;
      if (v > peak[i]) peak[i] = v;
    }
    for (size_t t = 0; t < a->taps.count; ++t)
      *y++ = peak[a->taps.data[t]];
    range[r] = high - low;
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static const tenon_field track_fields[] = {TENON_FIELD(track_attrs, taps),
                                           TENON_END_FIELDS};

static bool is_row(const tenon_type *t, tenon_dim width) {
  return t->dtype == TENON_F32 && t->rank == 1 &&
         t->dims[0].value == width.value && t->dims[0].symbol == width.symbol;
}

static tenon_status track_infer(tenon_infer *c) {
  const track_attrs *a = (const track_attrs *)tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *bias = tenon_infer_in(c, 1);
  const tenon_type *peak = tenon_infer_in(c, 2);
  if (x->dtype != TENON_F32 || x->rank != 2 || x->dims[1].symbol != 0)
    return tenon_infer_fail(c, "x is no f32 [n, width]");
  if (!is_row(peak, x->dims[1]) || (bias && !is_row(bias, x->dims[1])))
    return tenon_infer_fail(c, "bias and peak are f32 [%lld]",
                            (long long)x->dims[1].value);
  for (size_t t = 0; t < a->taps.count; ++t) {
    if (a->taps.data[t] < 0 || a->taps.data[t] >= x->dims[1].value)
      return tenon_infer_fail(c, "taps[%zu] is no column of x", t);
  }
  tenon_dim dims[2] = {x->dims[0], {(int64_t)a->taps.count, 0}};
  tenon_type y = *x, range = *x;
  y.dims = range.dims = dims;
  range.rank = 1;
  TENON_TRY(tenon_infer_out(c, 0, &y));
  TENON_TRY(tenon_infer_out(c, 1, &range));
  return tenon_infer_out(c, 2, peak);
}

static const tenon_kernel_desc track_f32 = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_NOFAIL,
    .symbol = "second_track_f32",
    .types = "f32, f32?, f32 -> f32, f32, f32",
    .run = second_track_f32,
};

static const tenon_op_desc track = {
    .struct_size = sizeof(tenon_op_desc),
    .flags = TENON_OP_PURE,
    .schema =
        "second::track(Tensor x, Tensor? bias, Tensor(a!) peak, *, "
        "int[] taps) -> (Tensor y, Tensor range)",
    .doc = "The peaks so far of some columns, and the span of every row.",
    .attrs_size = sizeof(track_attrs),
    .fields = track_fields,
    .infer = track_infer,
    .kernels = (const tenon_kernel_desc *const[]){&track_f32, NULL},
};

static const tenon_plugin second = {
    TENON_PLUGIN_HEADER,
    .name = "second",
    .version = "0.1.0",
    .ops = (const tenon_op_desc *const[]){&track, NULL},
};
TENON_PLUGIN_EXPORT(second, second);

#endif  // TENON_EMITTED
