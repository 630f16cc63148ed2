// mix.c - operands and results of many types, a text and a list for attributes.
//
//   row = table[clamp(index)];  y = x + row, or x * row if mode is "mul"
//   results: y, or -y unless flag; twice the index; how many elements x has
#include <string.h>

#include "tenon/tensor.h"

typedef struct mix_attrs {
  const char *mode;
  tenon_floats weights;  // part of the files' options; nothing depends on them
} mix_attrs;

TENON_KERNEL(acme_mix_f32) {
  const mix_attrs *a = (const mix_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  const int32_t *index = (const int32_t *)c->in[1].data;
  const uint8_t *flag = (const uint8_t *)c->in[2].data;
  const float *table = (const float *)c->in[3].data;
  float *y = (float *)c->out[0].data;
  int64_t *twice = (int64_t *)c->out[1].data;
  int32_t rows = c->in[0].dims[0], width = c->in[0].dims[1];
  int32_t last = c->in[3].dims[0] - 1;
  bool multiply = strcmp(a->mode, "mul") == 0;
  for (int32_t r = 0; r < rows; ++r) {
    int32_t at = index[r] < 0 ? 0 : index[r] > last ? last : index[r];
    for (int32_t i = 0; i < width; ++i, ++x, ++y) {
      float row = table[(size_t)at * (size_t)width + (size_t)i];
      float v = multiply ? *x * row : *x + row;
      *y = flag[0] ? v : -v;
    }
    // Doubled as an int32, which wraps.
    twice[r] = (int32_t)((uint32_t)index[r] * 2u);
  }
  *(int32_t *)c->out[2].data = (int32_t)tenon_count(&c->in[0]);
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static bool is_same(tenon_dim a, tenon_dim b) {
  return a.value == b.value && a.symbol == b.symbol;
}

static tenon_status mix_infer(tenon_infer *c) {
  const mix_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *index = tenon_infer_in(c, 1);
  const tenon_type *flag = tenon_infer_in(c, 2), *table = tenon_infer_in(c, 3);
  tenon_dim one = {1, 0};
  if (strcmp(a->mode, "add") != 0 && strcmp(a->mode, "mul") != 0)
    return tenon_infer_fail(c, "mode is '%s', expected 'add' or 'mul'",
                            a->mode);
  if (x->rank != 2 || index->rank != 1 || table->rank != 2 ||
      !is_same(x->dims[0], index->dims[0]) ||
      !is_same(x->dims[1], table->dims[1]))
    return tenon_infer_fail(c, "expected x [n, w], index [n], table [m, w]");
  if (table->dims[0].symbol == 0 && table->dims[0].value == 0)
    return tenon_infer_fail(c, "the table is empty");
  if (flag->rank != 1 || !is_same(flag->dims[0], one))
    return tenon_infer_fail(c, "flag is not one element");
  tenon_type twice = *index, count = *index;
  twice.dtype = TENON_S64;
  count.dims = &one;
  TENON_TRY(tenon_infer_out(c, 0, x));
  TENON_TRY(tenon_infer_out(c, 1, &twice));
  return tenon_infer_out(c, 2, &count);
}

static const tenon_op_desc mix = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::mix(Tensor x, Tensor index, Tensor flag, Tensor table, *, "
        "str mode='add', float[] weights=[]) -> (Tensor, Tensor, Tensor)",
    .doc = "Combines x with rows of a table.",
    TENON_OP_MEMBERS(mix_attrs, mode, weights),
    .infer = mix_infer,
    TENON_OP_KERNEL(acme_mix_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, s32, bool, f32 -> f32, s64, s32"),
    .tflite_name = "AcmeMix",
};

TENON_PLUGIN_OPS(acme_mix, "1.0.0", &mix);

#endif  // TENON_EMITTED
