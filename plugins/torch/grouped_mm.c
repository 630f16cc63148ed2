// grouped_mm.c - rows of each group times the weights of that group: what the
// mixture-of-experts layers of transformers call.
#include <math.h>

#include "tenon/tensor.h"

TENON_KERNEL(torch_grouped_mm_f32) {
  const tenon_tensor *x = &c->in[0], *w = &c->in[1];
  const int32_t *ends = (const int32_t *)c->in[2].data;
  const float *a = (const float *)x->data, *b = (const float *)w->data;
  float *y = (float *)c->out[0].data;
  int32_t rows = x->dims[0], k = x->dims[1], n = w->dims[2], row = 0;
  for (int32_t e = 0; e < w->dims[0]; ++e) {
    if (ends[e] < row || ends[e] > rows)
      return tenon_call_fail(c, "group {0} ends at row {1}, out of order", e,
                             ends[e]);
    for (; row < ends[e]; ++row) {
      for (int32_t j = 0; j < n; ++j) {
        float sum = 0.0f;
        for (int32_t i = 0; i < k; ++i)
          sum = fmaf(
              a[(size_t)row * (size_t)k + (size_t)i],
              b[((size_t)e * (size_t)k + (size_t)i) * (size_t)n + (size_t)j],
              sum);
        y[(size_t)row * (size_t)n + (size_t)j] = sum;
      }
    }
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const tenon_type *x = tenon_infer_in(c, 0), *w = tenon_infer_in(c, 1);
  if (x->rank != 2 || w->rank != 3 || x->dims[1].value != w->dims[1].value)
    return tenon_infer_fail(c, "input is no (S, K) for a weight (E, K, N)");
  tenon_dim dims[] = {x->dims[0], w->dims[2]};
  tenon_type y = *x;
  y.dims = dims;
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc grouped_mm = {
    TENON_OP(TENON_OP_PURE),
    .schema =
        "transformers::grouped_mm_fallback(Tensor input, Tensor weight, "
        "Tensor offs) -> Tensor",
    .doc = "Rows of group e times weight[e]; offs has the end row of each.",
    .infer = infer,
    TENON_OP_KERNEL(torch_grouped_mm_f32, .flags = TENON_KERNEL_ZERO_OUT,
                    .types = "f32, f32, s32 -> f32"),
};

TENON_PLUGIN_OPS(torch_grouped_mm, "1.0.0", &grouped_mm);

#endif  // TENON_EMITTED
