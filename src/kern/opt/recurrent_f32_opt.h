// kern/opt/recurrent_f32_opt.h - layers of kern/product/recurrent.h, some rows
// of the batch and a register of units at a time.
//
// The weights of the state are packed as those of a fully connected layer, and
// those of a projection behind them, so a step of several rows reads them once.
// Every gate is the same chain over the state as in the reference kernels.
#ifndef TENON_KERN_OPT_RECURRENT_F32_OPT_H
#define TENON_KERN_OPT_RECURRENT_F32_OPT_H

#include "kern/opt/real_f32_opt.h"
#include "kern/opt/tile_f32.h"
#include "kern/product/recurrent.h"

// Where a layer is in its batch and its time.
typedef struct tenon_recurrent_at {
  ptrdiff_t time, batch;
  ptrdiff_t row, rows;  // of the batch
  bool reverse;
} tenon_recurrent_at;

TENON_INLINE tenon_recurrent_at tenon_recurrent_begin(const tenon_call *c,
                                                      int64_t row, int64_t end,
                                                      bool reverse) {
  tenon_recurrent_at at;
  at.time = c->in[0].dims[0];
  at.batch = c->in[0].dims[1];
  at.row = (ptrdiff_t)row;
  at.rows = (ptrdiff_t)(end - row);
  if (at.rows > TENON_TILE_PIXELS) at.rows = TENON_TILE_PIXELS;
  at.reverse = reverse;
  return at;
}

// The first of `width` values of step i in a tensor [time, batch, width].
TENON_INLINE float *tenon_recurrent_step(const tenon_tensor *t,
                                         const tenon_recurrent_at *at,
                                         ptrdiff_t i, ptrdiff_t width) {
  const ptrdiff_t step = at->reverse ? at->time - 1 - i : i;
  return (float *)t->data + (step * at->batch + at->row) * width;
}

// The state of these rows: a result that begins as an operand.
TENON_INLINE float *tenon_recurrent_state(const tenon_tensor *from,
                                          const tenon_tensor *to,
                                          const tenon_recurrent_at *at,
                                          ptrdiff_t width) {
  float *state = (float *)to->data + at->row * width;
  memcpy(state, (const float *)from->data + at->row * width,
         (size_t)(at->rows * width) * sizeof *state);
  return state;
}

// y [rows, outputs] = x [rows, depth] times packed weights.
TENON_INLINE void tenon_recurrent_product(const tenon_gemm_f32 *g,
                                          const tenon_recurrent_at *at,
                                          ptrdiff_t depth, const float *x,
                                          float *y) {
  const ptrdiff_t vectors = (g->n + TENON_VL - 1) / TENON_VL;
  tenon_product_f32(g, depth, 0, vectors, at->rows, x, y);
}

// Defines the function `name`, which calls `lanes` for every unit of all rows,
// with constant counts but for the last units of a row.
#define TENON_RECURRENT_EACH(name, lanes, gates)                           \
  static void name(const tenon_recurrent_at *at, const float *x,           \
                   const float *sums, float *cell, float *h, ptrdiff_t n,  \
                   float limit) {                                          \
    for (ptrdiff_t row = 0; row < at->rows; ++row) {                       \
      ptrdiff_t i = 0;                                                     \
      for (; i + TENON_VL <= n; i += TENON_VL)                             \
        lanes(x + i, sums + i, cell + i, h + i, n, limit, TENON_VL);       \
      if (i < n) lanes(x + i, sums + i, cell + i, h + i, n, limit, n - i); \
      x += gates * n;                                                      \
      sums += gates * n;                                                   \
      cell += n;                                                           \
      h += n;                                                              \
    }                                                                      \
  }

// --- LSTM --------------------------------------------------------------------

TENON_FLAT tenon_vf tenon_recurrent_gate(const float *x, const float *sums,
                                         ptrdiff_t count) {
  return tenon_vf_load_part(x, count) + tenon_vf_load_part(sums, count);
}

TENON_FLAT void tenon_lstm_f32_lanes(const float *x, const float *sums,
                                     float *cell, float *h, ptrdiff_t n,
                                     float limit, ptrdiff_t count) {
  const tenon_vf most = tenon_vf_splat(limit), least = -most;
  const tenon_vf in = tenon_vf_logistic(tenon_recurrent_gate(x, sums, count));
  const tenon_vf forget =
      tenon_vf_logistic(tenon_recurrent_gate(x + n, sums + n, count));
  const tenon_vf fresh =
      tenon_vf_tanh(tenon_recurrent_gate(x + 2 * n, sums + 2 * n, count));
  const tenon_vf open =
      tenon_vf_logistic(tenon_recurrent_gate(x + 3 * n, sums + 3 * n, count));
  tenon_vf y = forget * tenon_vf_load_part(cell, count) + in * fresh;
  y = tenon_vf_pick(y > most, most, y);
  y = tenon_vf_pick(y < least, least, y);
  tenon_vf_store_part(cell, y, count);
  tenon_vf_store_part(h, open * tenon_vf_tanh(y), count);
}
TENON_RECURRENT_EACH(tenon_lstm_f32_units, tenon_lstm_f32_lanes, 4)

TENON_INLINE tenon_status tenon_lstm_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  const tenon_lstm_attrs *a = (const tenon_lstm_attrs *)c->attrs;
  const float most = a->cell_clip.has ? (float)a->cell_clip.value : INFINITY;
  const ptrdiff_t n = c->in[4].dims[1], p = c->in[3].dims[1];
  const tenon_gemm_f32 gates = tenon_gemm_f32_of(c->packed, p, 4 * n);
  const bool is_projected = c->in[5].dtype != 0;
  const float *behind = gates.weights + tenon_round_up(4 * n, TENON_LANES) * p;
  float *sums = (float *)c->scratch;
  for (tenon_recurrent_at at; begin < end; begin += at.rows) {
    at = tenon_recurrent_begin(c, begin, end, a->reverse);
    float *h = tenon_recurrent_state(&c->in[3], &c->out[1], &at, p);
    float *cell = tenon_recurrent_state(&c->in[4], &c->out[2], &at, n);
    float *out = is_projected ? sums + at.rows * 4 * n : h;
    for (ptrdiff_t i = 0; i < at.time; ++i) {
      tenon_recurrent_product(&gates, &at, p, h, sums);
      tenon_lstm_f32_units(&at, tenon_recurrent_step(&c->in[0], &at, i, 4 * n),
                           sums, cell, out, n, most);
      if (is_projected) {
        const tenon_gemm_f32 project = tenon_gemm_f32_of(behind, n, p);
        tenon_recurrent_product(&project, &at, n, out, h);
      }
      memcpy(tenon_recurrent_step(&c->out[0], &at, i, p), h,
             (size_t)(at.rows * p) * sizeof *h);
    }
  }
  return TENON_OK;
}

// --- GRU, and without gates --------------------------------------------------

// `run` of a layer whose only state is h [batch, n].
TENON_FLAT tenon_status tenon_recurrent_f32_run(
    const tenon_call *c, int64_t begin, int64_t end, ptrdiff_t gates,
    bool reverse,
    void (*units)(const tenon_recurrent_at *, const float *, const float *,
                  float *, float *, ptrdiff_t, float)) {
  const ptrdiff_t n = c->in[3].dims[1];
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, n, gates * n);
  float *sums = (float *)c->scratch;
  for (tenon_recurrent_at at; begin < end; begin += at.rows) {
    at = tenon_recurrent_begin(c, begin, end, reverse);
    float *h = tenon_recurrent_state(&c->in[3], &c->out[1], &at, n);
    for (ptrdiff_t i = 0; i < at.time; ++i) {
      tenon_recurrent_product(&gemm, &at, n, h, sums);
      units(&at, tenon_recurrent_step(&c->in[0], &at, i, gates * n), sums, h, h,
            n, 0.0f);
      memcpy(tenon_recurrent_step(&c->out[0], &at, i, n), h,
             (size_t)(at.rows * n) * sizeof *h);
    }
  }
  return TENON_OK;
}

TENON_FLAT void tenon_gru_f32_lanes(const float *x, const float *sums,
                                    const float *last, float *h, ptrdiff_t n,
                                    float limit, ptrdiff_t count) {
  const tenon_vf reset =
      tenon_vf_logistic(tenon_recurrent_gate(x, sums, count));
  const tenon_vf keep =
      tenon_vf_logistic(tenon_recurrent_gate(x + n, sums + n, count));
  const tenon_vf fresh =
      tenon_vf_tanh(tenon_vf_load_part(x + 2 * n, count) +
                    reset * tenon_vf_load_part(sums + 2 * n, count));
  (void)limit;
  tenon_vf_store_part(
      h, fresh + keep * (tenon_vf_load_part(last, count) - fresh), count);
}
TENON_RECURRENT_EACH(tenon_gru_f32_units, tenon_gru_f32_lanes, 3)

TENON_INLINE tenon_status tenon_gru_f32_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  const tenon_recurrent_attrs *a = (const tenon_recurrent_attrs *)c->attrs;
  return tenon_recurrent_f32_run(c, begin, end, 3, a->reverse,
                                 tenon_gru_f32_units);
}

TENON_FLAT void tenon_rnn_f32_tanh(const float *x, const float *sums,
                                   const float *last, float *h, ptrdiff_t n,
                                   float limit, ptrdiff_t count) {
  (void)last, (void)n, (void)limit;
  tenon_vf_store_part(h, tenon_vf_tanh(tenon_recurrent_gate(x, sums, count)),
                      count);
}
TENON_FLAT void tenon_rnn_f32_relu(const float *x, const float *sums,
                                   const float *last, float *h, ptrdiff_t n,
                                   float limit, ptrdiff_t count) {
  const tenon_vf sum = tenon_recurrent_gate(x, sums, count);
  const tenon_vf zero = {0};
  (void)last, (void)n, (void)limit;
  tenon_vf_store_part(h, tenon_vf_pick(sum < zero, zero, sum), count);
}
TENON_RECURRENT_EACH(tenon_rnn_f32_tanh_units, tenon_rnn_f32_tanh, 1)
TENON_RECURRENT_EACH(tenon_rnn_f32_relu_units, tenon_rnn_f32_relu, 1)

TENON_INLINE tenon_status tenon_rnn_f32_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  const tenon_rnn_attrs *a = (const tenon_rnn_attrs *)c->attrs;
  return tenon_recurrent_f32_run(
      c, begin, end, 1, a->reverse,
      a->relu ? tenon_rnn_f32_relu_units : tenon_rnn_f32_tanh_units);
}

#endif  // TENON_KERN_OPT_RECURRENT_F32_OPT_H
