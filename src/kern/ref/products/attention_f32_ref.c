// attention_f32_ref.c - core::attention on floats. Items are rows of the
// result; scratch has the scores of one.
#include <math.h>

#include "kern/num/real.h"
#include "kern/product/attention.h"

TENON_KERNEL_RANGE(tenon_k_attention_f32_ref) {
  const tenon_attention_attrs *a = (const tenon_attention_attrs *)c->attrs;
  const tenon_attention g = tenon_attention_of(c);
  const tenon_tensor *mask = &c->in[3];
  const float scale = (float)a->scale, after = (float)a->after;
  const float fill = tenon_attention_fill(a);
  float *w = (float *)c->scratch;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const ptrdiff_t batch = row / g.rows;
    const float *q = (const float *)c->in[0].data +
                     tenon_attention_at(c, &g, &c->in[0], batch) +
                     row % g.rows * g.q_row;
    const float *k = (const float *)c->in[1].data +
                     tenon_attention_at(c, &g, &c->in[1], batch);
    const float *v = (const float *)c->in[2].data +
                     tenon_attention_at(c, &g, &c->in[2], batch);
    float *y = (float *)c->out[0].data + tenon_attention_to(c, &g, row);
    const ptrdiff_t at = mask->dtype ? tenon_attention_mask_at(c, &g, row) : 0;
    bool is_void = true;
    float most = 0.0f, sum = 0.0f;
    for (ptrdiff_t j = 0; j < g.keys; ++j, k += g.k_row) {
      float s = 0.0f;
      for (ptrdiff_t i = 0; i < g.width; ++i)
        s = fmaf(q[i] * scale, k[i], s);
      s *= after;
      if (mask->dtype == TENON_F32)
        s += ((const float *)mask->data)[at + j * g.mask_key];
      else if (mask->dtype &&
               !((const uint8_t *)mask->data)[at + j * g.mask_key])
        s = fill;
      if (s != -INFINITY) is_void = false;
      if (j == 0 || s > most) most = s;
      w[j] = s;
    }
    for (ptrdiff_t j = 0; j < g.keys; ++j) {
      w[j] = tenon_expf(w[j] - most);
      sum += w[j];
    }
    for (ptrdiff_t j = 0; j < g.keys; ++j)
      w[j] = is_void && a->safe ? 0.0f : w[j] / sum;
    for (ptrdiff_t i = 0; i < g.depth; ++i)
      y[i] = 0.0f;
    for (ptrdiff_t j = 0; j < g.keys; ++j, v += g.v_row)
      for (ptrdiff_t i = 0; i < g.depth; ++i)
        y[i] = fmaf(w[j], v[i], y[i]);
  }
  return TENON_OK;
}
