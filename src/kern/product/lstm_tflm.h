// kern/product/lstm_tflm.h - core::lstm_tflm: what is packed for it, and a step
// of it.
//
// The layer of TFLite Micro: gates are products of matrices that are rounded
// to 16 bits each before they are added, functions come from tables, and
// products of gates are rounded by factors. Written in ops/core, once, where
// the model is compiled.
#ifndef TENON_KERN_LSTM_TFLM_H
#define TENON_KERN_LSTM_TFLM_H

#include <string.h>

#include "kern/loop/lookup.h"
#include "kern/num/fixed16.h"
#include "kern/product/lstm_integer.h"

typedef struct tenon_lstm_tflm_attrs {
  double cell_clip;  // in real numbers; 0: none
  bool time_major;
} tenon_lstm_tflm_attrs;

// Operands; gates are i, f, g, o.
enum {
  TENON_TFLM_X = 0,
  TENON_TFLM_W = 1,
  TENON_TFLM_R = 5,
  TENON_TFLM_B = 9,
  TENON_TFLM_H = 13,
  TENON_TFLM_CELL = 14
};

typedef struct tenon_lstm_tflm {
  tenon_factor x[4], h[4];         // of sums, to gates
  tenon_factor kept, fresh, open;  // of products of gates, cell and tanh
  int32_t x_zero, h_zero;
  int32_t cell_clip;  // as stored; 0: none
  // Gates have 3 bits before the point, the cell a scale of its own.
  tenon_sigmoid_s16 gate, cell;
} tenon_lstm_tflm;

TENON_INLINE int32_t tenon_lstm_tflm_product(int16_t a, int16_t b,
                                             tenon_factor f) {
  return tenon_requant_twice((int32_t)a * b, f.mult, f.shift);
}

TENON_INLINE int16_t tenon_lstm_tflm_bytes(int32_t sum, tenon_factor f) {
  return tenon_saturate_s16(tenon_requant_twice(sum, f.mult, f.shift));
}

TENON_INLINE int16_t tenon_lstm_tflm_words(int64_t sum, tenon_factor f) {
  return tenon_saturate_s16(tenon_requant_wide(sum, f.mult, f.shift));
}

// Products of two rows of n weights, `next` apart, with numbers less their zero
// point, added to two sums: LSTM_TFLM_SUMS(name, int8_t, int32_t).
#define TENON_LSTM_TFLM_SUMS(name, T, S)                          \
  void name(const int8_t *w, const T *x, int32_t n, int32_t next, \
            int32_t zero, S *sums)
// As the reference kernels add them.
#define TENON_LSTM_TFLM_PLAIN(name, T, S, add)             \
  static TENON_LSTM_TFLM_SUMS(name, T, S) {                \
    for (int32_t i = 0; i < n; ++i) {                      \
      sums[0] = add(sums[0], w[i] * (x[i] - zero));        \
      sums[1] = add(sums[1], w[next + i] * (x[i] - zero)); \
    }                                                      \
  }

// A layer whose inputs and outputs are of type T, sums and biases of S, to
// which `sums` adds products and which `round` brings to a gate. Of an odd
// number of rows the last is its own second. Scratch: the four gates.
#define TENON_LSTM_TFLM(name, T, S, sums, round, least, most)                 \
  static void name##_gate(const tenon_call *c, int k, int16_t *y, const T *x, \
                          const T *h) {                                       \
    const tenon_lstm_tflm *l = (const tenon_lstm_tflm *)c->packed;            \
    const int32_t n = c->in[TENON_TFLM_CELL].dims[1];                         \
    const int32_t depth = c->in[TENON_TFLM_X].dims[2];                        \
    const int8_t *w = (const int8_t *)c->in[TENON_TFLM_W + k].data;           \
    const int8_t *r = (const int8_t *)c->in[TENON_TFLM_R + k].data;           \
    const S *bias = (const S *)c->in[TENON_TFLM_B + k].data;                  \
    for (int32_t i = 0; i < n; i += 2, w += 2 * depth, r += 2 * n) {          \
      const int32_t more = i + 1 < n;                                         \
      S sum[2] = {bias[i], bias[i + more]}, state[2] = {0, 0};                \
      sums(w, x, depth, more *depth, l->x_zero, sum);                         \
      sums(r, h, n, more *n, l->h_zero, state);                               \
      for (int32_t j = 0; j <= more; ++j) {                                   \
        const int16_t v = tenon_saturate_s16(round(sum[j], l->x[k]) +         \
                                             round(state[j], l->h[k]));       \
        y[i + j] = k == 2 ? tenon_sigmoid_tanh(&l->gate, v)                   \
                          : tenon_sigmoid_logistic(&l->gate, v);              \
      }                                                                       \
    }                                                                         \
  }                                                                           \
  static void name##_step(const tenon_call *c, int16_t *in, const T *x, T *h, \
                          int16_t *cell) {                                    \
    const tenon_lstm_tflm *l = (const tenon_lstm_tflm *)c->packed;            \
    const ptrdiff_t n = c->in[TENON_TFLM_CELL].dims[1];                       \
    int16_t *forget = in + n, *fresh = forget + n, *open = fresh + n;         \
    name##_gate(c, 0, in, x, h);                                              \
    name##_gate(c, 1, forget, x, h);                                          \
    name##_gate(c, 2, fresh, x, h);                                           \
    name##_gate(c, 3, open, x, h);                                            \
    for (ptrdiff_t i = 0; i < n; ++i) {                                       \
      int32_t kept = tenon_saturate_s16(                                      \
          tenon_lstm_tflm_product(forget[i], cell[i], l->kept));              \
      int32_t more = tenon_saturate_s16(                                      \
          tenon_lstm_tflm_product(in[i], fresh[i], l->fresh));                \
      cell[i] = tenon_saturate_s16(kept + more);                              \
      if (l->cell_clip > 0)                                                   \
        cell[i] =                                                             \
            (int16_t)tenon_clamp_s32(cell[i], -l->cell_clip, l->cell_clip);   \
      int32_t y = tenon_lstm_tflm_product(                                    \
          tenon_sigmoid_tanh(&l->cell, cell[i]), open[i], l->open);           \
      h[i] = (T)tenon_clamp_s32(tenon_add_s32(y, l->h_zero), least, most);    \
    }                                                                         \
  }                                                                           \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_lstm_tflm_attrs *a = (const tenon_lstm_tflm_attrs *)c->attrs; \
    const int32_t *dims = c->in[TENON_TFLM_X].dims;                           \
    const ptrdiff_t n = c->in[TENON_TFLM_CELL].dims[1], depth = dims[2];      \
    const ptrdiff_t time = dims[a->time_major ? 0 : 1];                       \
    const ptrdiff_t batch = dims[a->time_major ? 1 : 0];                      \
    for (ptrdiff_t b = (ptrdiff_t)begin; b < (ptrdiff_t)end; ++b) {           \
      T *h = (T *)c->out[1].data + b * n;                                     \
      int16_t *cell = (int16_t *)c->out[2].data + b * n;                      \
      memcpy(h, (const T *)c->in[TENON_TFLM_H].data + b * n,                  \
             (size_t)n * sizeof *h);                                          \
      memcpy(cell, (const int16_t *)c->in[TENON_TFLM_CELL].data + b * n,      \
             (size_t)n * sizeof *cell);                                       \
      for (ptrdiff_t t = 0; t < time; ++t) {                                  \
        const ptrdiff_t at = a->time_major ? t * batch + b : b * time + t;    \
        const T *x = (const T *)c->in[TENON_TFLM_X].data + at * depth;        \
        name##_step(c, (int16_t *)c->scratch, x, h, cell);                    \
        memcpy((T *)c->out[0].data + at * n, h, (size_t)n * sizeof *h);       \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

TENON_INLINE int64_t tenon_lstm_tflm_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif  // TENON_KERN_LSTM_TFLM_H
