// log_softmax_f32_ref.c - (x - max) less the logarithm of the sum of its
// exponentials, along one axis. Items are rows.
#include "kern/num/real.h"
#include "kern/op/softmax.h"

TENON_KERNEL_RANGE(tenon_k_log_softmax_f32_ref) {
  const tenon_log_softmax_attrs *a = (const tenon_log_softmax_attrs *)c->attrs;
  const tenon_rows r = tenon_rows_of(&c->in[0], a->axis);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *x = (const float *)c->in[0].data + tenon_rows_at(r, row);
    float *y = (float *)c->out[0].data + tenon_rows_at(r, row);
    float most = x[0], sum = 0.0f;
    for (ptrdiff_t i = 1; i < r.count; ++i)
      most = x[i * r.step] > most ? x[i * r.step] : most;
    for (ptrdiff_t i = 0; i < r.count; ++i)
      sum += tenon_expf(x[i * r.step] - most);
    sum = tenon_logf(sum);
    for (ptrdiff_t i = 0; i < r.count; ++i)
      y[i * r.step] = x[i * r.step] - most - sum;
  }
  return TENON_OK;
}
