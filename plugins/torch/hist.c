// hist.c - counts of x in equal cells of [lo, hi): integers of another shape.
#include <string.h>

#include "tenon/tensor.h"

typedef struct hist_attrs {
  int64_t bins;
  double lo, hi;
} hist_attrs;

TENON_KERNEL(torch_hist_f32) {
  const hist_attrs *a = (const hist_attrs *)c->attrs;
  const float *x = (const float *)c->in[0].data;
  int64_t *y = (int64_t *)c->out[0].data;
  size_t n = tenon_count(&c->in[0]);
  memset(y, 0, (size_t)a->bins * sizeof *y);
  for (size_t i = 0; i < n; ++i) {
    double v = (double)x[i];
    if (!(v >= a->lo && v < a->hi)) continue;
    int64_t cell = (int64_t)((v - a->lo) / (a->hi - a->lo) * (double)a->bins);
    ++y[cell < a->bins ? cell : a->bins - 1];
  }
  return TENON_OK;
}

// Up to here the file is also part of emitted C.
#ifndef TENON_EMITTED
#include "tenon/ext/plugin.h"

static tenon_status infer(tenon_infer *c) {
  const hist_attrs *a = tenon_infer_attrs(c);
  tenon_dim bins = {a->bins, 0};
  tenon_type y = {&bins, NULL, TENON_S64, 1, 0};
  if (a->bins < 1 || !(a->lo < a->hi))
    return tenon_infer_fail(c, "no cells, or an empty range");
  return tenon_infer_out(c, 0, &y);
}

static const tenon_op_desc hist = {
    TENON_OP(TENON_OP_PURE),
    .schema = "acme::hist(Tensor x, int bins, float lo, float hi) -> Tensor",
    .doc = "How many elements lie in each of `bins` cells of [lo, hi).",
    TENON_OP_MEMBERS(hist_attrs, bins, lo, hi),
    .attrs_type = "hist_attrs",
    .infer = infer,
    TENON_OP_KERNEL(torch_hist_f32, .flags = TENON_KERNEL_NOFAIL,
                    .types = "f32 -> s64"),
};

TENON_PLUGIN_OPS(torch_hist, "1.0.0", &hist);

#endif  // TENON_EMITTED
