// split.c - several results and an operand that may be absent: splits the last
// axis at `sizes`, after adding a bias if there is one.
#include "tenon/tensor.h"

// The sizes are those of the results, so the attributes are not needed here.
TENON_KERNEL(acme_split_f32) {
  const float *x = (const float *)c->in[0].data;
  const tenon_tensor *bias = &c->in[1];  // dtype 0: absent
  const float *b = (const float *)bias->data;
  size_t width = (size_t)c->in[0].dims[c->in[0].rank - 1], column = 0;
  size_t rows = width ? tenon_count(&c->in[0]) / width : 0;
  size_t period = bias->dtype ? tenon_count(bias) : 1;
  for (int k = 0; k < c->n_out; ++k) {
    float *y = (float *)c->out[k].data;
    size_t size = (size_t)c->out[k].dims[c->out[k].rank - 1];
    for (size_t r = 0; r < rows; ++r) {
      for (size_t i = 0; i < size; ++i) {
        size_t at = r * width + column + i;
        *y++ = bias->dtype ? x[at] + b[at % period] : x[at];
      }
    }
    column += size;
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include <string.h>

#include "tenon/ext/plugin.h"

typedef struct split_attrs {
  tenon_ints sizes;
} split_attrs;
// The bias has the last dimensions of x.
static tenon_status check_bias(tenon_infer *c, const tenon_type *x,
                               const tenon_type *b) {
  if (b->dtype != TENON_F32 || b->rank > x->rank)
    return tenon_infer_fail(c, "bias is no f32 of at most the rank of x");
  for (int i = 1; i <= b->rank; ++i) {
    tenon_dim m = b->dims[b->rank - i], n = x->dims[x->rank - i];
    if (m.value != n.value || m.symbol != n.symbol)
      return tenon_infer_fail(c, "bias does not have the last dims of x");
  }
  return TENON_OK;
}

static tenon_status split_infer(tenon_infer *c) {
  const split_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0), *b = tenon_infer_in(c, 1);
  tenon_dim dims[TENON_MAX_RANK];
  int64_t sum = 0;
  if (x->dtype != TENON_F32 || x->rank == 0)
    return tenon_infer_fail(c, "x is no f32 with a last axis");
  if (b) TENON_TRY(check_bias(c, x, b));
  if (a->sizes.count > UINT16_MAX)
    return tenon_infer_fail(c, "more than 65535 results");
  memcpy(dims, x->dims, x->rank * sizeof *dims);
  TENON_TRY(c->api->results(c, 0, (int)a->sizes.count));
  for (size_t i = 0; i < a->sizes.count; ++i) {
    if (a->sizes.data[i] < 0 || a->sizes.data[i] > INT32_MAX)
      return tenon_infer_fail(c, "a size is out of range");
    sum += a->sizes.data[i];
    dims[x->rank - 1].value = a->sizes.data[i];
    dims[x->rank - 1].symbol = 0;
    tenon_type y = *x;
    y.dims = dims;
    TENON_TRY(tenon_infer_out(c, (int)i, &y));
  }
  if (x->dims[x->rank - 1].symbol != 0 || sum != x->dims[x->rank - 1].value)
    return tenon_infer_fail(c, "the sizes do not add up to the last axis");
  return TENON_OK;
}

static const tenon_op_desc split = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::split(Tensor x, Tensor? bias=None, *, int[] sizes) -> "
        "Tensor[]",
    .doc = "Splits the last axis, after adding a bias if there is one.",
    TENON_OP_MEMBERS(split_attrs, sizes),
    .infer = split_infer,
    TENON_OP_KERNEL(acme_split_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32, f32? -> f32..."),
    .tflite_name = "AcmeSplit",
};

TENON_PLUGIN_OPS(acme_split, "1.0.0", &split);

#endif  // TENON_EMITTED
