// svdf_integer_ref.c - filters over features and time in integers, as LiteRT's:
// 8 bits outside, a state and weights of the time of 16.
#include <string.h>

#include "kern/svdf_integer.h"

// Items are batches.
TENON_KERNEL_RANGE(tenon_k_svdf_integer_ref) {
  const tenon_svdf_integer *s = (const tenon_svdf_integer *)c->packed;
  const ptrdiff_t rank =
      (ptrdiff_t)((const tenon_svdf_integer_attrs *)c->attrs)->rank;
  const ptrdiff_t depth = c->in[0].dims[1], filters = c->in[1].dims[0];
  const ptrdiff_t steps = c->in[2].dims[1], units = filters / rank;
  const int32_t *bias = (const int32_t *)c->in[3].data;
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    const int8_t *x = (const int8_t *)c->in[0].data + b * depth;
    const int8_t *w = (const int8_t *)c->in[1].data;
    const int16_t *time = (const int16_t *)c->in[2].data;
    const int16_t *old = (const int16_t *)c->in[4].data + b * filters * steps;
    int16_t *state = (int16_t *)c->out[1].data + b * filters * steps;
    int8_t *y = (int8_t *)c->out[0].data + b * units;
    memmove(state, old + 1, (size_t)(filters * steps - 1) * sizeof *state);
    for (ptrdiff_t f = 0; f < filters; ++f) {
      int32_t sum = 0;
      for (ptrdiff_t k = 0; k < depth; ++k)
        sum = tenon_add_s32(sum, *w++ * (x[k] - s->x_zero));
      sum = tenon_requant_twice(sum, s->in_mult, s->in_shift);
      state[f * steps + steps - 1] = tenon_saturate_s16(sum);
    }
    for (ptrdiff_t u = 0; u < units; ++u) {
      int32_t sum = bias ? bias[u] : 0;
      for (ptrdiff_t k = 0; k < rank * steps; ++k)
        sum = tenon_add_s32(sum, *time++ * *state++);
      sum = tenon_requant_twice(sum, s->out_mult, s->out_shift);
      y[u] = (int8_t)tenon_clamp_s32(tenon_add_s32(sum, s->y_zero), -128, 127);
    }
  }
  return TENON_OK;
}
