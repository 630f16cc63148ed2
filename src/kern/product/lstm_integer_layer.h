// kern/product/lstm_integer_layer.h - a layer of LSTM in integers, as LiteRT's:
// 8 bits outside, gates and cell of 16. Kernels bring the sums of products, and
// the functions of gates and cell.
#ifndef TENON_KERN_LSTM_INTEGER_LAYER_H
#define TENON_KERN_LSTM_INTEGER_LAYER_H

#include <string.h>

#include "kern/product/lstm_integer.h"

// Adds the products of two rows of n weights, `next` apart, with as many
// numbers to two sums, modulo 2^32.
typedef void tenon_lstm_sums(const int8_t *w, const int8_t *x, int32_t n,
                             int32_t next, int32_t *sums);

// tanh, or the logistic function, of n numbers with `bits` integer bits, maybe
// in place.
typedef void tenon_lstm_function(int16_t *y, const int16_t *x, int32_t n,
                                 int32_t bits, bool is_tanh);
TENON_INLINE void tenon_lstm_plain(int16_t *y, const int16_t *x, int32_t n,
                                   int32_t bits, bool is_tanh) {
  for (int32_t i = 0; i < n; ++i)
    y[i] =
        is_tanh ? tenon_tanh_s16(x[i], bits) : tenon_logistic_s16(x[i], bits);
}

TENON_INLINE const tenon_lstm_integer *tenon_lstm_integer_of(
    const tenon_call *c) {
  return (const tenon_lstm_integer *)c->packed;
}

TENON_INLINE const void *tenon_lstm_integer_in(const tenon_call *c, int i) {
  return c->n_in > i && c->in[i].dtype ? c->in[i].data : NULL;
}

TENON_INLINE void tenon_lstm_integer_more(int16_t *y, int32_t sum,
                                          tenon_factor f) {
  sum = tenon_requant_twice(sum, f.mult, f.shift);
  *y = tenon_saturate_s16(tenon_add_s32(sum, *y));
}

// y[i] += the product of row i with x and the bias, at this factor. Of an odd
// number of rows the last is its own second.
TENON_INLINE void tenon_lstm_integer_rows(int16_t *y, const int8_t *w,
                                          const int8_t *x, const int32_t *bias,
                                          tenon_factor f, int32_t n,
                                          int32_t depth,
                                          tenon_lstm_sums *sums_of) {
  for (int32_t i = 0; i < n; i += 2, w += 2 * depth) {
    const int32_t more = i + 1 < n;
    int32_t sums[2] = {bias[i], bias[i + more]};
    sums_of(w, x, depth, more * depth, sums);
    tenon_lstm_integer_more(&y[i], sums[0], f);
    if (more) tenon_lstm_integer_more(&y[i + 1], sums[1], f);
  }
}

// By mean and deviation, in units of 2^-10.
TENON_INLINE void tenon_lstm_integer_norm(int16_t *y, const int16_t *w,
                                          const int32_t *bias,
                                          const tenon_lstm_gate *g,
                                          ptrdiff_t n) {
  int64_t sum = 0, squares = 0;
  int32_t mult, shift;
  for (ptrdiff_t i = 0; i < n; ++i) {
    sum += y[i];
    squares += (int32_t)y[i] * y[i];
  }
  const int32_t mean = (int32_t)(sum * 1024 / n), part = (1 << 20) / (int32_t)n;
  const int64_t variance = squares * part - (int64_t)mean * mean;
  int32_t rest = (int32_t)(variance / (1 << 20));
  tenon_inverse_sqrt_s32(rest < 1 ? g->guard : rest, &mult, &shift);
  for (ptrdiff_t i = 0; i < n; ++i) {
    int32_t v = tenon_requant_twice(1024 * y[i] - mean, mult, shift);
    int64_t z = (int64_t)(int32_t)((uint32_t)v * (uint32_t)(int32_t)w[i] +
                                   (uint32_t)bias[i]);
    v = (int32_t)((z > 0 ? z + 512 : z - 512) / 1024);
    v = tenon_requant_twice(v, g->norm.mult, g->norm.shift + 12);
    y[i] = tenon_saturate_s16(v);
  }
}

// Gate k, which is i, f, g or o.
TENON_INLINE void tenon_lstm_integer_gate(const tenon_call *c, int k,
                                          int16_t *y, const int8_t *x,
                                          const int8_t *h, const int16_t *cell,
                                          tenon_lstm_sums *sums_of,
                                          tenon_lstm_function *f) {
  static const int8_t peephole[] = {0, 1, -1, 2};
  const tenon_lstm_integer *l = tenon_lstm_integer_of(c);
  const tenon_lstm_gate *g = &l->gate[k];
  const int32_t *bias = (const int32_t *)(l + 1);
  const ptrdiff_t n = l->n, p = l->p, depth = c->in[TENON_LSTM_X].dims[2];
  const int16_t *from_cell = peephole[k] < 0
                                 ? NULL
                                 : (const int16_t *)tenon_lstm_integer_in(
                                       c, TENON_LSTM_P + peephole[k]);
  const int16_t *norm =
      (const int16_t *)tenon_lstm_integer_in(c, TENON_LSTM_NORM + k);
  memset(y, 0, (size_t)n * sizeof *y);
  tenon_lstm_integer_rows(y, (const int8_t *)c->in[TENON_LSTM_W + k].data, x,
                          bias + k * n, g->x, (int32_t)n, (int32_t)depth,
                          sums_of);
  tenon_lstm_integer_rows(y, (const int8_t *)c->in[TENON_LSTM_R + k].data, h,
                          bias + (4 + k) * n, g->h, (int32_t)n, (int32_t)p,
                          sums_of);
  // As many as the output has, not the cell, as LiteRT.
  for (ptrdiff_t i = 0; from_cell && i < p; ++i) {
    int32_t v = from_cell[i] * cell[i];
    v = tenon_requant_twice(v, g->cell.mult, g->cell.shift);
    y[i] = tenon_saturate_s16(tenon_add_s32(v, y[i]));
  }
  if (norm)
    tenon_lstm_integer_norm(
        y, norm, (const int32_t *)c->in[TENON_LSTM_B + k].data, g, n);
  f(y, y, (int32_t)n, 3, k == 2);
}

TENON_INLINE void tenon_lstm_integer_cell(const tenon_lstm_integer *l,
                                          int16_t *cell, const int16_t *in,
                                          const int16_t *forget,
                                          const int16_t *fresh) {
  const int32_t clip = l->cell_clip, shift = 30 + l->cell_power;
  for (ptrdiff_t i = 0; i < l->n; ++i) {
    int32_t open = in ? in[i] : INT16_MAX - forget[i];
    int32_t kept = tenon_wrap_s16(tenon_div_pow2_s32(forget[i] * cell[i], 15));
    int32_t more = tenon_wrap_s16(tenon_div_pow2_s32(open * fresh[i], shift));
    cell[i] = tenon_saturate_s16(kept + more);
    if (clip > 0) cell[i] = (int16_t)tenon_clamp_s32(cell[i], -clip, clip);
  }
}

// What leaves the cell, of which `seen` is the tanh, in the hidden scale, and
// projected.
TENON_INLINE void tenon_lstm_integer_out(const tenon_call *c, int8_t *h,
                                         int8_t *hidden, const int16_t *seen,
                                         const int16_t *open,
                                         tenon_lstm_sums *sums_of) {
  const tenon_lstm_integer *l = tenon_lstm_integer_of(c);
  const ptrdiff_t n = l->n, p = l->p;
  const int8_t *w =
      (const int8_t *)tenon_lstm_integer_in(c, TENON_LSTM_PROJECTION);
  const int32_t *bias = (const int32_t *)(l + 1) + 8 * n;
  const int32_t zero = w ? -l->hidden_zero : l->hidden_zero;
  int8_t *y = w ? hidden : h;
  for (ptrdiff_t i = 0; i < n; ++i) {
    const int32_t v =
        tenon_requant_twice(open[i] * seen[i], l->hidden.mult, l->hidden.shift);
    y[i] = (int8_t)tenon_clamp_s32(tenon_add_s32(v, zero), -128, 127);
  }
  for (ptrdiff_t i = 0; w && i < p; i += 2, w += 2 * n) {
    const int32_t more = i + 1 < p, clip = l->proj_clip;
    int32_t sums[2] = {bias[i], bias[i + more]};
    sums_of(w, hidden, (int32_t)n, more * (int32_t)n, sums);
    for (int32_t k = 0; k <= more; ++k) {
      int32_t v =
          tenon_requant_twice(sums[k], l->projection.mult, l->projection.shift);
      v = tenon_clamp_s32(tenon_add_s32(v, l->h_zero), -128, 127);
      h[i + k] = (int8_t)(clip > 0 ? tenon_clamp_s32(v, -clip, clip) : v);
    }
  }
}

// All of it. Scratch: the four gates, and what is projected.
TENON_INLINE tenon_status tenon_lstm_integer_layer(const tenon_call *c,
                                                   int64_t begin, int64_t end,
                                                   tenon_lstm_sums *sums_of,
                                                   tenon_lstm_function *f) {
  const tenon_lstm_integer_attrs *a =
      (const tenon_lstm_integer_attrs *)c->attrs;
  const tenon_lstm_integer *l = tenon_lstm_integer_of(c);
  const int32_t *dims = c->in[TENON_LSTM_X].dims;
  const ptrdiff_t n = l->n, p = l->p, depth = dims[2];
  const ptrdiff_t time = dims[a->time_major ? 0 : 1];
  const ptrdiff_t batch = dims[a->time_major ? 1 : 0];
  const bool has_in = tenon_lstm_integer_in(c, TENON_LSTM_W) != NULL;
  int16_t *in = (int16_t *)c->scratch, *forget = in + n, *fresh = forget + n;
  int16_t *open = fresh + n;
  int8_t *hidden = (int8_t *)(open + n);
  for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {
    int8_t *h = (int8_t *)c->out[1].data + b * p;
    int16_t *cell = (int16_t *)c->out[2].data + b * n;
    memcpy(h, (const int8_t *)c->in[TENON_LSTM_H].data + b * p, (size_t)p);
    memcpy(cell, (const int16_t *)c->in[TENON_LSTM_CELL].data + b * n,
           (size_t)n * sizeof *cell);
    for (ptrdiff_t i = 0; i < time; ++i) {
      const ptrdiff_t t = a->reverse ? time - 1 - i : i;
      const ptrdiff_t at = a->time_major ? t * batch + b : b * time + t;
      const int8_t *x = (const int8_t *)c->in[TENON_LSTM_X].data + at * depth;
      if (has_in) tenon_lstm_integer_gate(c, 0, in, x, h, cell, sums_of, f);
      tenon_lstm_integer_gate(c, 1, forget, x, h, cell, sums_of, f);
      tenon_lstm_integer_gate(c, 2, fresh, x, h, cell, sums_of, f);
      tenon_lstm_integer_cell(l, cell, has_in ? in : NULL, forget, fresh);
      tenon_lstm_integer_gate(c, 3, open, x, h, cell, sums_of, f);
      f(fresh, cell, (int32_t)n, 15 + l->cell_power, true);
      tenon_lstm_integer_out(c, h, hidden, fresh, open, sums_of);
      memcpy((int8_t *)c->out[0].data + at * p, h, (size_t)p);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_LSTM_INTEGER_LAYER_H
