// lstm_f32_ref.c - a layer of LSTM, in floats; gates i, f, g, o.
//
// Where there is a projection, the state is w_out [p, n] times the output.
#include "kern/product/recurrent.h"

static void lstm_f32_ref_step(const float *x, const float *gates, float *cell,
                              float *out, ptrdiff_t n, float most) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    float in = tenon_logisticf(x[i] + gates[i]);
    float forget = tenon_logisticf(x[n + i] + gates[n + i]);
    float fresh = tenon_tanhf(x[2 * n + i] + gates[2 * n + i]);
    float open = tenon_logisticf(x[3 * n + i] + gates[3 * n + i]);
    cell[i] = forget * cell[i] + in * fresh;
    if (cell[i] > most) cell[i] = most;
    if (cell[i] < -most) cell[i] = -most;
    out[i] = open * tenon_tanhf(cell[i]);
  }
}

TENON_KERNEL_RANGE(tenon_k_lstm_f32_ref) {
  const tenon_lstm_attrs *a = (const tenon_lstm_attrs *)c->attrs;
  const float most = a->cell_clip.has ? (float)a->cell_clip.value : INFINITY;
  const ptrdiff_t time = c->in[0].dims[0], batch = c->in[0].dims[1];
  const ptrdiff_t n = c->in[4].dims[1], p = c->in[3].dims[1];
  const float *w_out = (const float *)c->in[5].data;
  float *gates = (float *)c->scratch, *out = gates + 4 * n;
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    float *h = (float *)c->out[1].data + b * p;
    float *cell = (float *)c->out[2].data + b * n;
    memcpy(h, (const float *)c->in[3].data + b * p, (size_t)p * sizeof *h);
    memcpy(cell, (const float *)c->in[4].data + b * n,
           (size_t)n * sizeof *cell);
    for (ptrdiff_t i = 0; i < time; ++i) {
      const ptrdiff_t t = a->reverse ? time - 1 - i : i;
      tenon_recurrent_rows(gates, (const float *)c->in[1].data,
                           (const float *)c->in[2].data, h, 4 * n, p);
      lstm_f32_ref_step((const float *)c->in[0].data + (t * batch + b) * 4 * n,
                        gates, cell, out, n, most);
      if (w_out)
        tenon_recurrent_rows(h, w_out, NULL, out, p, n);
      else
        memcpy(h, out, (size_t)p * sizeof *h);
      memcpy((float *)c->out[0].data + (t * batch + b) * p, h,
             (size_t)p * sizeof *h);
    }
  }
  return TENON_OK;
}
