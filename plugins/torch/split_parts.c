// split_parts.c - a list of results: parts along a dimension, each times its
// index + 1.
#include "tenon/tensor.h"

typedef struct split_parts_attrs {
  tenon_ints sizes;
  int64_t dim;
} split_parts_attrs;

TENON_KERNEL(torch_split_parts_f32) {
  const split_parts_attrs *a = (const split_parts_attrs *)c->attrs;
  const tenon_tensor *t = &c->in[0];
  const float *x = (const float *)t->data;
  int64_t dim = a->dim < 0 ? a->dim + t->rank : a->dim;
  size_t inner = 1, outer = 1, first = 0;
  for (int i = 0; i < t->rank; ++i) {
    if (i < dim) outer *= (size_t)t->dims[i];
    if (i > dim) inner *= (size_t)t->dims[i];
  }
  for (int k = 0; k < c->n_out; ++k) {
    float *y = (float *)c->out[k].data;
    size_t size = (size_t)c->out[k].dims[dim] * inner;
    for (size_t o = 0; o < outer; ++o) {
      const float *from = x + (o * (size_t)t->dims[dim] + first) * inner;
      for (size_t i = 0; i < size; ++i)
        *y++ = from[i] * (float)(k + 1);
    }
    first += (size_t)c->out[k].dims[dim];
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include <string.h>
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const split_parts_attrs *a = tenon_infer_attrs(c);
  tenon_type y = *tenon_infer_in(c, 0);
  tenon_dim dims[TENON_MAX_RANK], whole;
  int64_t dim = a->dim < 0 ? a->dim + y.rank : a->dim, sum = 0;
  if (dim < 0 || dim >= y.rank)
    return tenon_infer_fail(c, "dim %d of %d dimensions", (int)dim, y.rank);
  memcpy(dims, y.dims, y.rank * sizeof *dims);
  whole = dims[dim];
  y.dims = dims;
  TENON_TRY(c->api->results(c, 0, (int)a->sizes.count));
  for (size_t i = 0; i < a->sizes.count; ++i) {
    if (a->sizes.data[i] < 0) return tenon_infer_fail(c, "a size is below 0");
    sum += a->sizes.data[i];
    dims[dim].value = a->sizes.data[i];
    dims[dim].symbol = 0;
    TENON_TRY(tenon_infer_out(c, (int)i, &y));
  }
  if (whole.symbol || whole.value != sum)
    return tenon_infer_fail(c, "the sizes do not add up to dimension %d",
                            (int)dim);
  return TENON_OK;
}

static const tenon_op_desc split_parts = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::split_parts(Tensor x, int[] sizes, int dim=0) -> Tensor[]",
    .doc = "Parts along a dimension, each times its index + 1.",
    TENON_OP_MEMBERS(split_parts_attrs, sizes, dim),
    .attrs_type = "split_parts_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_split_parts_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> f32..."),
};

TENON_PLUGIN_OPS(torch_split_parts, "1.0.0", &split_parts);

#endif  // TENON_EMITTED
