// wcat.c - a list of tensors, each with a weight, one behind the other; a bias
// that may be absent.
#include "tenon/tensor.h"

typedef struct wcat_attrs {
  tenon_ints weights, dims;
} wcat_attrs;

// The bias is broadcast over the result.
static size_t wcat_bias_at(const tenon_tensor *b, const tenon_tensor *y,
                           size_t i) {
  size_t at = 0, step = 1;
  for (int d = 1; d <= y->rank; ++d) {
    size_t size = (size_t)y->dims[y->rank - d], k = i % size;
    i /= size;
    if (d > b->rank || b->dims[b->rank - d] == 1) continue;
    at += k * step;
    step *= (size_t)b->dims[b->rank - d];
  }
  return at;
}

TENON_KERNEL(torch_wcat_f32) {
  const wcat_attrs *a = (const wcat_attrs *)c->attrs;
  const tenon_tensor *out = &c->out[0];
  int n = c->n_in - 1;
  const tenon_tensor *bias = &c->in[n];  // dtype 0: absent
  float *y = (float *)out->data;
  int64_t dim =
      a->dims.data[0] < 0 ? a->dims.data[0] + out->rank : a->dims.data[0];
  size_t inner = 1, outer = 1, column = 0, width = (size_t)out->dims[dim];
  for (int i = 0; i < out->rank; ++i) {
    if (i < dim) outer *= (size_t)out->dims[i];
    if (i > dim) inner *= (size_t)out->dims[i];
  }
  for (int k = 0; k < n; ++k) {
    const float *x = (const float *)c->in[k].data;
    float weight = (float)a->weights.data[k];
    size_t size = (size_t)c->in[k].dims[dim] * inner;
    for (size_t o = 0; o < outer; ++o) {
      for (size_t i = 0; i < size; ++i) {
        size_t at = (o * width + column) * inner + i;
        y[at] = weight * x[o * size + i];
        if (bias->dtype)
          y[at] += ((const float *)bias->data)[wcat_bias_at(bias, out, at)];
      }
    }
    column += (size_t)c->in[k].dims[dim];
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include <string.h>
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const wcat_attrs *a = tenon_infer_attrs(c);
  tenon_dim dims[TENON_MAX_RANK];
  int first = 0, n = c->api->group(c, 0, &first);
  if (n < 1 || a->weights.count != (size_t)n || a->dims.count != 1)
    return tenon_infer_fail(c, "%d tensors, %zu weights, %zu dims", n,
                            a->weights.count, a->dims.count);
  tenon_type y = *tenon_infer_in(c, first);
  int64_t dim =
      a->dims.data[0] < 0 ? a->dims.data[0] + y.rank : a->dims.data[0];
  if (dim < 0 || dim >= y.rank)
    return tenon_infer_fail(c, "dim %d of %d dimensions", (int)dim, y.rank);
  memcpy(dims, y.dims, y.rank * sizeof *dims);
  for (int k = 1; k < n; ++k) {
    const tenon_type *x = tenon_infer_in(c, first + k);
    if (x->rank != y.rank) return tenon_infer_fail(c, "ranks differ");
    dims[dim] = c->api->dim(c, TENON_DIM_ADD, dims[dim], x->dims[dim]);
  }
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc wcat = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "acme::wcat(Tensor[] xs, int[] weights, int[1] dims, Tensor? "
        "bias=None) -> Tensor",
    .doc = "Concatenates weights[i] * xs[i] and adds a bias if there is one.",
    TENON_OP_MEMBERS(wcat_attrs, weights, dims),
    .attrs_type = "wcat_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_wcat_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32..., f32? -> f32"),
};

TENON_PLUGIN_OPS(torch_wcat, "1.0.0", &wcat);

#endif  // TENON_EMITTED
