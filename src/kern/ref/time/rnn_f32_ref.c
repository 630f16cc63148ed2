// rnn_f32_ref.c - a layer of a plain recurrent network, in floats.
#include "kern/product/recurrent.h"

TENON_KERNEL_RANGE(tenon_k_rnn_f32_ref) {
  const tenon_rnn_attrs *a = (const tenon_rnn_attrs *)c->attrs;
  const ptrdiff_t time = c->in[0].dims[0], batch = c->in[0].dims[1];
  const ptrdiff_t n = c->in[3].dims[1];
  float *gates = (float *)c->scratch;
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    float *h = (float *)c->out[1].data + b * n;
    memcpy(h, (const float *)c->in[3].data + b * n, (size_t)n * sizeof *h);
    for (ptrdiff_t i = 0; i < time; ++i) {
      const ptrdiff_t at = ((a->reverse ? time - 1 - i : i) * batch + b) * n;
      const float *x = (const float *)c->in[0].data + at;
      tenon_recurrent_rows(gates, (const float *)c->in[1].data,
                           (const float *)c->in[2].data, h, n, n);
      for (ptrdiff_t j = 0; j < n; ++j) {
        float sum = x[j] + gates[j];
        h[j] = a->relu ? (sum < 0.0f ? 0.0f : sum) : tenon_tanhf(sum);
      }
      memcpy((float *)c->out[0].data + at, h, (size_t)n * sizeof *h);
    }
  }
  return TENON_OK;
}
