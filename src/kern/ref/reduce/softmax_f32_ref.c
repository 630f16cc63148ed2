// softmax_f32_ref.c - exp((x - max) beta) over its sum, along one axis. Items
// are rows.
#include "kern/num/real.h"
#include "kern/op/softmax.h"

TENON_KERNEL_RANGE(tenon_k_softmax_f32_ref) {
  const tenon_softmax_attrs *a = (const tenon_softmax_attrs *)c->attrs;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  const float beta = (float)a->beta;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *x = (const float *)c->in[0].data + tenon_rows_at(r, row);
    float *y = (float *)c->out[0].data + tenon_rows_at(r, row);
    float most = x[0], sum = 0.0f;
    for (ptrdiff_t i = 1; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i) {
      float e = tenon_expf((x[i * r.step] - most) * beta);
      y[i * r.step] = e;
      sum += e;
    }
    for (ptrdiff_t i = 0; i < r.count; ++i)
      y[i * r.step] /= sum;
  }
  return TENON_OK;
}
