// lstm_narrow_ref.c - a step of LSTM as LiteRT's second kernel of integers.
#include <math.h>
#include <string.h>

#include "kern/product/lstm_narrow.h"

// A row's product with x, in 8 bits, and of those to the gate's scale.
static int32_t lstm_narrow_ref_part(const tenon_narrow_part *p, const int8_t *w,
                                    const int8_t *x, int32_t zero,
                                    ptrdiff_t depth) {
  int32_t sum = 0;
  for (ptrdiff_t k = 0; k < depth; ++k)
    sum = tenon_add_s32(sum, w[k] * (x[k] - zero));
  sum = tenon_requant_twice(sum, p->in.mult, p->in.shift);
  sum = tenon_clamp_s32(tenon_add_s32(sum, p->zero), -128, 127) - p->zero;
  // A factor may be negative (core_lstm_narrow.c).
  const int32_t left = p->out.shift > 0 ? p->out.shift : 0;
  const int32_t scaled = (int32_t)((uint32_t)sum << left);
  return tenon_div_pow2_s32(tenon_mul_high_s32(scaled, p->out.mult),
                            left > 0 ? 0 : -p->out.shift);
}

// By mean and deviation; what no 32 bits hold is the least number, as where
// LiteRT's builds convert it.
static void lstm_narrow_ref_norm(int16_t *y, const int16_t *w,
                                 const int32_t *bias, float scale,
                                 float bias_scale, ptrdiff_t n) {
  float sum = 0.0f, squares = 0.0f;
  for (ptrdiff_t i = 0; i < n; ++i) {
    const float v = (float)y[i];
    sum += v;
    squares += v * v;
  }
  const float mean = sum / (float)n;
  const float variance = squares / (float)n - mean * mean;
  const float inverse = 1.0f / sqrtf(variance == 0.0f ? 1e-8f : variance);
  for (ptrdiff_t i = 0; i < n; ++i) {
    const float v = ((float)y[i] - mean) * inverse;
    const float z =
        (v * (float)w[i] * scale + (float)bias[i] * bias_scale) * 4096.0f;
    const bool is_held = z > -2147483648.0f && z < 2147483648.0f;
    y[i] = is_held ? tenon_saturate_s16((int32_t)roundf(z)) : INT16_MIN;
  }
}

// Gate k, which is f, g or o.
static void lstm_narrow_ref_gate(const tenon_call *c, int k, int16_t *y,
                                 const int8_t *x, const int8_t *h) {
  const tenon_lstm_narrow *l = (const tenon_lstm_narrow *)c->packed;
  const ptrdiff_t depth = c->in[TENON_NARROW_X].dims[1];
  const ptrdiff_t p = c->in[TENON_NARROW_H].dims[1];
  const ptrdiff_t n = c->in[TENON_NARROW_CELL].dims[1];
  const int8_t *w = (const int8_t *)c->in[TENON_NARROW_W + k].data;
  const int8_t *r = (const int8_t *)c->in[TENON_NARROW_R + k].data;
  for (ptrdiff_t i = 0; i < n; ++i, w += depth, r += p) {
    int32_t from_x = lstm_narrow_ref_part(&l->x[k], w, x, l->x_zero, depth);
    int32_t from_h = lstm_narrow_ref_part(&l->h[k], r, h, l->h_zero, p);
    y[i] = tenon_saturate_s16(tenon_add_s32(from_x, from_h));
  }
  lstm_narrow_ref_norm(y, (const int16_t *)c->in[TENON_NARROW_NORM + k].data,
                       (const int32_t *)c->in[TENON_NARROW_B + k].data,
                       l->norm[k], l->bias[k], n);
  for (ptrdiff_t i = 0; i < n; ++i)
    y[i] =
        k == 1 ? tenon_narrow_tanh(y[i], 0x1p-12) : tenon_narrow_logistic(y[i]);
}

static void lstm_narrow_ref_cell(const tenon_lstm_narrow *l, int16_t *cell,
                                 const int16_t *forget, const int16_t *fresh,
                                 ptrdiff_t n) {
  const int32_t clip = l->cell_clip;
  for (ptrdiff_t i = 0; i < n; ++i) {
    const int32_t open = INT16_MAX - forget[i];
    int32_t kept = tenon_wrap_s16(tenon_div_pow2_s32(forget[i] * cell[i], 15));
    int32_t more = tenon_wrap_s16(tenon_div_pow2_s32(open * fresh[i], 15));
    cell[i] = tenon_saturate_s16(kept + more);
    if (clip > 0) cell[i] = (int16_t)tenon_clamp_s32(cell[i], -clip, clip);
  }
}

static void lstm_narrow_ref_out(const tenon_call *c, int8_t *h, int16_t *open,
                                const int16_t *cell) {
  const tenon_lstm_narrow *l = (const tenon_lstm_narrow *)c->packed;
  const ptrdiff_t n = c->in[TENON_NARROW_CELL].dims[1];
  const ptrdiff_t p = c->in[TENON_NARROW_H].dims[1];
  const int8_t *w = (const int8_t *)c->in[TENON_NARROW_PROJECTION].data;
  const int32_t *bias =
      (const int32_t *)c->in[TENON_NARROW_PROJECTION_BIAS].data;
  const int32_t clip = l->proj_clip;
  for (ptrdiff_t i = 0; i < n; ++i)
    open[i] = tenon_wrap_s16(
        tenon_div_pow2_s32(open[i] * tenon_narrow_tanh(cell[i], 0x1p-15), 15));
  for (ptrdiff_t i = 0; i < p; ++i, w += n) {
    int64_t sum = bias[i];
    for (ptrdiff_t k = 0; k < n; ++k)
      sum += open[k] * w[k];
    int32_t y =
        tenon_requant_wide(sum, l->projection.mult, l->projection.shift);
    y = tenon_clamp_s32(tenon_add_s32(y, l->h_zero), -128, 127);
    h[i] = (int8_t)(clip > 0 ? tenon_clamp_s32(y, -clip, clip) : y);
  }
}

// Items are batches. Scratch: the three gates.
TENON_KERNEL_RANGE(tenon_k_lstm_narrow_ref) {
  const tenon_lstm_narrow *l = (const tenon_lstm_narrow *)c->packed;
  const ptrdiff_t depth = c->in[TENON_NARROW_X].dims[1];
  const ptrdiff_t p = c->in[TENON_NARROW_H].dims[1];
  const ptrdiff_t n = c->in[TENON_NARROW_CELL].dims[1];
  int16_t *forget = (int16_t *)c->scratch, *fresh = forget + n;
  int16_t *open = fresh + n;
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    const int8_t *x = (const int8_t *)c->in[TENON_NARROW_X].data + b * depth;
    int8_t *h = (int8_t *)c->out[1].data + b * p;
    int16_t *cell = (int16_t *)c->out[2].data + b * n;
    memcpy(h, (const int8_t *)c->in[TENON_NARROW_H].data + b * p, (size_t)p);
    memcpy(cell, (const int16_t *)c->in[TENON_NARROW_CELL].data + b * n,
           (size_t)n * sizeof *cell);
    lstm_narrow_ref_gate(c, 0, forget, x, h);
    lstm_narrow_ref_gate(c, 1, fresh, x, h);
    lstm_narrow_ref_cell(l, cell, forget, fresh, n);
    lstm_narrow_ref_gate(c, 2, open, x, h);
    lstm_narrow_ref_out(c, h, open, cell);
    memcpy((int8_t *)c->out[0].data + b * p, h, (size_t)p);
  }
  return TENON_OK;
}
