// kern/opt/product/recurrent_f32_opt.h - layers of kern/product/recurrent.h,
// some rows of the batch and a register of units at a time.
//
// The weights of the state are packed as those of a fully connected layer, and
// those of a projection behind them, so a step of several rows reads them once.
// Every gate is the same chain over the state as in the reference kernels.
#ifndef TENON_KERN_OPT_RECURRENT_F32_OPT_H
#define TENON_KERN_OPT_RECURRENT_F32_OPT_H

#include "kern/opt/each/real_f32_opt.h"
#include "kern/opt/tiles/tile_f32.h"
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

// Outputs [begin, end) of each of `parts` of n, a multiple of a vector or all:
// y [rows, outputs] = x [rows, depth] times packed weights. Where these are
// more than a cache holds, every other step goes from the last to the first: so
// it begins with what the step before read last.
TENON_INLINE void tenon_recurrent_product(const tenon_gemm_f32 *g,
                                          ptrdiff_t parts, ptrdiff_t n,
                                          ptrdiff_t begin, ptrdiff_t end,
                                          bool is_back, ptrdiff_t rows,
                                          ptrdiff_t depth, const float *x,
                                          float *y) {
  const ptrdiff_t each = (end - begin + TENON_GROUP - 1) / TENON_GROUP;
  for (ptrdiff_t k = 0; k < parts * each; ++k) {
    const ptrdiff_t i = is_back ? parts * each - 1 - k : k;
    const ptrdiff_t part = i / each * n;
    const ptrdiff_t from = begin + i % each * TENON_GROUP;
    const ptrdiff_t to = from + TENON_GROUP < end ? from + TENON_GROUP : end;
    tenon_product_f32(g, depth, (part + from) / TENON_VL,
                      (part + to + TENON_VL - 1) / TENON_VL, rows, x, y);
  }
}

// Defines the function `name`, which calls `lanes` for units i to `end` of a
// row, with constant counts but for the last.
#define TENON_RECURRENT_EACH(name, lanes)                                    \
  static void name(const float *x, const float *sums, float *cell, float *h, \
                   ptrdiff_t n, ptrdiff_t i, ptrdiff_t end, float limit) {   \
    for (; i + TENON_VL <= end; i += TENON_VL)                               \
      lanes(x + i, sums + i, cell + i, h + i, n, limit, TENON_VL);           \
    if (i < end) lanes(x + i, sums + i, cell + i, h + i, n, limit, end - i); \
  }
typedef void tenon_recurrent_units_fn(const float *, const float *, float *,
                                      float *, ptrdiff_t, ptrdiff_t, ptrdiff_t,
                                      float);

// --- One row of the batch, or a few ------------------------------------------

// Items are blocks of units of a time, and one time comes after the other: what
// a block reads is the output of the time before, of all units. So threads can
// share the weights of a row.
typedef struct tenon_recurrent_row {
  const tenon_call *c;
  tenon_recurrent_units_fn *units;
  ptrdiff_t gates, n;
  bool reverse;
  float limit;
} tenon_recurrent_row;

// Units [begin, end) at time i. The state of a unit is its own, if there is one
// (`cell`), or its output before.
static void tenon_recurrent_row_time(const tenon_recurrent_row *r,
                                     const tenon_gemm_f32 *g, ptrdiff_t i,
                                     ptrdiff_t begin, ptrdiff_t end,
                                     float *cell) {
  const tenon_call *c = r->c;
  const ptrdiff_t time = c->in[0].dims[0], rows = c->in[0].dims[1];
  const ptrdiff_t n = r->n, width = r->gates * n;
  const ptrdiff_t now = r->reverse ? time - 1 - i : i;
  const size_t size = (size_t)(end - begin) * sizeof(float);
  const float *x = (const float *)c->in[0].data + now * rows * width;
  float *y = (float *)c->out[0].data + now * rows * n;
  const float *h = i ? y + (r->reverse ? rows * n : -rows * n)
                     : (const float *)c->in[3].data;
  float *sums = (float *)c->scratch;
  if (n % TENON_LANES == 0)
    tenon_recurrent_product(g, r->gates, n, begin, end, i % 2, rows, n, h,
                            sums);
  else
    tenon_recurrent_product(g, 1, width, 0, width, i % 2, rows, n, h, sums);
  for (ptrdiff_t k = 0; k < rows; ++k) {
    const ptrdiff_t at = k * n;
    if (cell && i == 0)
      memcpy(cell + at + begin, (const float *)c->in[4].data + at + begin,
             size);
    // Not written where it is the output before.
    float *state = cell ? cell : (float *)(uintptr_t)h;
    r->units(x + k * width, sums + k * width, state + at, y + at, n, begin, end,
             r->limit);
    if (i == time - 1)
      memcpy((float *)c->out[1].data + at + begin, y + at + begin, size);
  }
}

static tenon_status tenon_recurrent_row_run(const tenon_recurrent_row *r,
                                            float *cell, int64_t begin,
                                            int64_t end) {
  const int64_t blocks = tenon_recurrent_blocks(r->n);
  tenon_gemm_f32 g = tenon_gemm_f32_of(r->c->packed, r->n, r->gates * r->n);
  // What the cache holds has been there since the time before; where it does
  // not hold all, the next in line is enough.
  if (g.panel * g.n > TENON_FEW * TENON_LANES) g.ahead = TENON_LANES;
  while (begin < end) {
    const int64_t time = begin / blocks, first = begin % blocks;
    const int64_t behind =
        first + end - begin < blocks ? first + end - begin : blocks;
    const ptrdiff_t to = (ptrdiff_t)behind * TENON_RECURRENT_UNITS;
    tenon_recurrent_row_time(r, &g, (ptrdiff_t)time,
                             (ptrdiff_t)first * TENON_RECURRENT_UNITS,
                             behind < blocks ? to : r->n, cell);
    begin += behind - first;
  }
  return TENON_OK;
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
TENON_RECURRENT_EACH(tenon_lstm_f32_units, tenon_lstm_f32_lanes)

TENON_INLINE tenon_status tenon_lstm_f32_run(const tenon_call *c, int64_t begin,
                                             int64_t end) {
  const tenon_lstm_attrs *a = (const tenon_lstm_attrs *)c->attrs;
  const float most = a->cell_clip.has ? (float)a->cell_clip.value : INFINITY;
  const ptrdiff_t n = c->in[4].dims[1], p = c->in[3].dims[1];
  const tenon_gemm_f32 gates = tenon_gemm_f32_of(c->packed, p, 4 * n);
  const bool is_projected = c->in[5].dtype != 0;
  const float *behind = gates.weights + tenon_round_up(4 * n, TENON_LANES) * p;
  float *sums = (float *)c->scratch;
  if (tenon_recurrent_is_cut(c)) {
    const tenon_recurrent_row r = {c, tenon_lstm_f32_units, 4,
                                   n, a->reverse,           most};
    return tenon_recurrent_row_run(&r, (float *)c->out[2].data, begin, end);
  }
  for (tenon_recurrent_at at; begin < end; begin += at.rows) {
    at = tenon_recurrent_begin(c, begin, end, a->reverse);
    float *h = tenon_recurrent_state(&c->in[3], &c->out[1], &at, p);
    float *cell = tenon_recurrent_state(&c->in[4], &c->out[2], &at, n);
    float *out = is_projected ? sums + at.rows * 4 * n : h;
    for (ptrdiff_t i = 0; i < at.time; ++i) {
      const float *x = tenon_recurrent_step(&c->in[0], &at, i, 4 * n);
      tenon_recurrent_product(&gates, 1, 4 * n, 0, 4 * n, i % 2, at.rows, p, h,
                              sums);
      for (ptrdiff_t k = 0; k < at.rows; ++k)
        tenon_lstm_f32_units(x + k * 4 * n, sums + k * 4 * n, cell + k * n,
                             out + k * n, n, 0, n, most);
      if (is_projected) {
        const tenon_gemm_f32 project = tenon_gemm_f32_of(behind, n, p);
        tenon_recurrent_product(&project, 1, p, 0, p, false, at.rows, n, out,
                                h);
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
    bool reverse, tenon_recurrent_units_fn *units) {
  const ptrdiff_t n = c->in[3].dims[1], width = gates * n;
  const tenon_gemm_f32 gemm = tenon_gemm_f32_of(c->packed, n, width);
  float *sums = (float *)c->scratch;
  if (tenon_recurrent_is_cut(c)) {
    const tenon_recurrent_row r = {c, units, gates, n, reverse, 0.0f};
    return tenon_recurrent_row_run(&r, NULL, begin, end);
  }
  for (tenon_recurrent_at at; begin < end; begin += at.rows) {
    at = tenon_recurrent_begin(c, begin, end, reverse);
    float *h = tenon_recurrent_state(&c->in[3], &c->out[1], &at, n);
    for (ptrdiff_t i = 0; i < at.time; ++i) {
      const float *x = tenon_recurrent_step(&c->in[0], &at, i, width);
      tenon_recurrent_product(&gemm, 1, width, 0, width, i % 2, at.rows, n, h,
                              sums);
      for (ptrdiff_t k = 0; k < at.rows; ++k)
        units(x + k * width, sums + k * width, h + k * n, h + k * n, n, 0, n,
              0.0f);
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
TENON_RECURRENT_EACH(tenon_gru_f32_units, tenon_gru_f32_lanes)

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
TENON_RECURRENT_EACH(tenon_rnn_f32_tanh_units, tenon_rnn_f32_tanh)
TENON_RECURRENT_EACH(tenon_rnn_f32_relu_units, tenon_rnn_f32_relu)

TENON_INLINE tenon_status tenon_rnn_f32_run(const tenon_call *c, int64_t begin,
                                            int64_t end) {
  const tenon_rnn_attrs *a = (const tenon_rnn_attrs *)c->attrs;
  return tenon_recurrent_f32_run(
      c, begin, end, 1, a->reverse,
      a->relu ? tenon_rnn_f32_relu_units : tenon_rnn_f32_tanh_units);
}

#endif  // TENON_KERN_OPT_RECURRENT_F32_OPT_H
