// gru_f32_ref.c - a layer of GRU, in floats; gates r, z, n.
#include "kern/product/recurrent.h"

static void gru_f32_ref_step(const float *x, const float *gates, float *h,
                             ptrdiff_t n) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    float reset = tenon_logisticf(x[i] + gates[i]);
    float keep = tenon_logisticf(x[n + i] + gates[n + i]);
    float fresh = tenon_tanhf(x[2 * n + i] + reset * gates[2 * n + i]);
    h[i] = fresh + keep * (h[i] - fresh);
  }
}

TENON_KERNEL_RANGE(tenon_k_gru_f32_ref) {
  const tenon_recurrent_attrs *a = (const tenon_recurrent_attrs *)c->attrs;
  const ptrdiff_t time = c->in[0].dims[0], batch = c->in[0].dims[1];
  const ptrdiff_t n = c->in[3].dims[1];
  float *gates = (float *)c->scratch;
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    float *h = (float *)c->out[1].data + b * n;
    memcpy(h, (const float *)c->in[3].data + b * n, (size_t)n * sizeof *h);
    for (ptrdiff_t i = 0; i < time; ++i) {
      const ptrdiff_t t = a->reverse ? time - 1 - i : i;
      tenon_recurrent_rows(gates, (const float *)c->in[1].data,
                           (const float *)c->in[2].data, h, 3 * n, n);
      gru_f32_ref_step((const float *)c->in[0].data + (t * batch + b) * 3 * n,
                       gates, h, n);
      memcpy((float *)c->out[0].data + (t * batch + b) * n, h,
             (size_t)n * sizeof *h);
    }
  }
  return TENON_OK;
}
