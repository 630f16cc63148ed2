// Recurrent networks: layers in one or two directions.
//
// What of the gates the state does not change is one product for all of the
// time; core::lstm, core::gru and core::rnn do the rest, with as many steps as
// the input has. They compute in f32.
#include <string.h>

#include "ops/aten/nn/aten_nn.h"
#include "ops/aten/random/random_op.h"

typedef enum cell { LSTM, GRU, TANH, RELU } cell;

static cell cell_of(tenon_rewriter *rw) {
  static const char *const names[] = {"lstm", "gru", "tanh", "relu"};
  const char *name = tenon_aten_user(rw);
  int i = 0;
  while (i < RELU && strcmp(name, names[i]) != 0)
    ++i;
  return (cell)i;
}

static tenon_status need_f32(tenon_rewriter *rw, tenon_value *x) {
  TENON_TRY(tenon_nn_need_float(rw, x));
  if (tenon_nn_type(rw, x) == TENON_F64)
    return tenon_rw_fail(rw, "not implemented for elements of f64");
  return TENON_OK;
}

static tenon_value *as_f32(tenon_rewriter *rw, tenon_value *x) {
  return x ? tenon_aten_cast(rw, x, TENON_F32) : NULL;
}

// One layer in one direction.
typedef struct weights {
  tenon_value *w_in, *w_state, *b_in, *b_state, *w_out;  // null: none
} weights;

// Results: all outputs, the last state, and of LSTM the last cell.
static void run_layer(tenon_rewriter *rw, cell kind, tenon_value *x,
                      const weights *w, tenon_value *h, tenon_value *c,
                      bool is_reverse, tenon_value **out) {
  static const char *const ops[] = {"core::lstm", "core::gru", "core::rnn",
                                    "core::rnn"};
  tenon_value *in[6] = {
      tenon_nn_linear(rw, x, as_f32(rw, w->w_in), as_f32(rw, w->b_in)),
      as_f32(rw, w->w_state),
      as_f32(rw, w->b_state),
      as_f32(rw, h),
      as_f32(rw, c),
      as_f32(rw, w->w_out)};
  tenon_aten_args args = {0};
  tenon_aten_add(&args, tenon_arg_bool("reverse", is_reverse));
  if (kind == TANH || kind == RELU)
    tenon_aten_add(&args, tenon_arg_bool("relu", kind == RELU));
  tenon_aten_make_all(rw, ops[kind], in, kind == LSTM ? 6 : 4, args.list, out,
                      kind == LSTM ? 3 : 2);
}

// --- Whole networks ----------------------------------------------------------

enum { MAX_LAYERS = 32 };

typedef struct network {
  cell kind;
  tenon_value *x, *h, *c;
  int first, per_cell, n_layers, n_directions;
  bool has_bias, is_batch_first;
  double dropout;  // between layers, in training
} network;

static tenon_status read_network(tenon_rewriter *rw, const tenon_node *n,
                                 network *g) {
  int first = 0, states;
  memset(g, 0, sizeof *g);
  g->kind = cell_of(rw);
  g->x = tenon_aten_in(rw, n, 0);
  TENON_TRY(need_f32(rw, g->x));
  states = rw->api->group(rw, n, 1, &first);
  g->h = tenon_aten_in(rw, n, first);
  if (states != (g->kind == LSTM ? 2 : 1))
    return tenon_rw_fail(rw, "%d states", states);
  if (g->kind == LSTM) g->c = tenon_aten_in(rw, n, first + 1);
  int params = rw->api->group(rw, n, 2, &g->first);
  g->has_bias = tenon_aten_bool(rw, n, "has_biases");
  g->n_layers = (int)tenon_aten_int(rw, n, "num_layers");
  g->n_directions = tenon_aten_bool(rw, n, "bidirectional") ? 2 : 1;
  g->is_batch_first = tenon_aten_bool(rw, n, "batch_first");
  g->dropout = tenon_aten_float(rw, n, "dropout");
  if (!tenon_aten_bool(rw, n, "train")) g->dropout = 0;
  int cells = g->n_layers * g->n_directions;
  if (g->n_layers < 1 || cells > MAX_LAYERS || params % cells)
    return tenon_rw_fail(rw, "%d weights for %d layers", params, g->n_layers);
  g->per_cell = params / cells;
  int plain = g->has_bias ? 4 : 2;
  if (g->per_cell != plain && (g->kind != LSTM || g->per_cell != plain + 1))
    return tenon_rw_fail(rw, "%d weights for a layer", g->per_cell);
  if (tenon_nn_rank(rw, g->x) != 3)
    return tenon_rw_fail(rw, "%d dimensions", tenon_nn_rank(rw, g->x));
  return TENON_OK;
}

static weights nn_recurrent_weights_of(tenon_rewriter *rw, const tenon_node *n,
                                       const network *g, int at) {
  const int from = g->first + at * g->per_cell;
  weights w = {tenon_aten_in(rw, n, from), tenon_aten_in(rw, n, from + 1), NULL,
               NULL, NULL};
  if (g->has_bias) {
    w.b_in = tenon_aten_in(rw, n, from + 2);
    w.b_state = tenon_aten_in(rw, n, from + 3);
  }
  if (g->per_cell > (g->has_bias ? 4 : 2))
    w.w_out = tenon_aten_in(rw, n, from + g->per_cell - 1);
  return w;
}

// State i of [cells, b, n].
static tenon_value *state_at(tenon_rewriter *rw, tenon_value *x, int i) {
  const tenon_dim dims[] = {tenon_nn_dim(rw, x, 1), tenon_nn_dim(rw, x, 2)};
  if (!x) return NULL;
  return tenon_aten_reshape(rw, tenon_nn_cut(rw, x, 0, i, tenon_aten_fixed(1)),
                            dims, 2);
}

// Last states one after the other, as result i.
static tenon_value *nn_recurrent_join(tenon_rewriter *rw, const tenon_node *n,
                                      int i, tenon_value **states, int count) {
  return tenon_nn_as_result(rw, n, i, tenon_rw_concat(rw, states, count, 0));
}

TENON_ATEN_LOWER(recurrent) {
  tenon_value *last[2][MAX_LAYERS], *sides[2], *out[3];
  network g;
  int cells = 0;
  TENON_TRY(read_network(rw, n, &g));
  tenon_value *x = as_f32(rw, g.x);
  if (g.is_batch_first) x = tenon_nn_swap(rw, x, 0, 1);
  for (int layer = 0; layer < g.n_layers; ++layer) {
    for (int side = 0; side < g.n_directions; ++side, ++cells) {
      weights w = nn_recurrent_weights_of(rw, n, &g, cells);
      tenon_value *y[3] = {NULL, NULL, NULL};
      run_layer(rw, g.kind, x, &w, state_at(rw, g.h, cells),
                state_at(rw, g.c, cells), side == 1, y);
      sides[side] = y[0];
      last[0][cells] = y[1];
      last[1][cells] = y[2];
    }
    x = tenon_rw_concat(rw, sides, g.n_directions, 2);
    if (g.dropout != 0 && layer + 1 < g.n_layers)
      x = tenon_draw_dropped(rw, x, g.dropout);
  }
  if (g.is_batch_first) x = tenon_nn_swap(rw, x, 0, 1);
  out[0] = tenon_nn_as_result(rw, n, 0, x);
  out[1] = nn_recurrent_join(rw, n, 1, last[0], cells);
  if (g.kind == LSTM) out[2] = nn_recurrent_join(rw, n, 2, last[1], cells);
  return rw->api->replace(rw, n, out, g.kind == LSTM ? 3 : 2);
}

// --- Single steps ------------------------------------------------------------

// A step is a layer with one moment.
TENON_ATEN_LOWER(recurrent_cell) {
  cell kind = cell_of(rw);
  int first = 0, at = 2;
  tenon_value *x = tenon_aten_in(rw, n, 0), *y[3] = {NULL, NULL, NULL};
  TENON_TRY(need_f32(rw, x));
  int states = rw->api->group(rw, n, 1, &first);
  if (states != (kind == LSTM ? 2 : 1))
    return tenon_rw_fail(rw, "%d states", states);
  tenon_value *h = tenon_aten_in(rw, n, first);
  tenon_value *c = kind == LSTM ? tenon_aten_in(rw, n, first + 1) : NULL;
  at = first + states;
  weights w = {tenon_aten_in(rw, n, at), tenon_aten_in(rw, n, at + 1),
               tenon_aten_in(rw, n, at + 2), tenon_aten_in(rw, n, at + 3),
               NULL};
  int rank = tenon_nn_rank(rw, x);
  const tenon_dim one = tenon_aten_fixed(1);
  const tenon_dim batch = rank == 1 ? one : tenon_nn_dim(rw, x, 0);
  const tenon_dim dims[] = {one, batch, tenon_nn_dim(rw, x, -1)};
  const tenon_dim state[] = {batch, tenon_nn_dim(rw, h, -1)};
  h = tenon_aten_reshape(rw, h, state, 2);
  if (c) c = tenon_aten_reshape(rw, c, state, 2);
  run_layer(rw, kind, tenon_aten_reshape(rw, as_f32(rw, x), dims, 3), &w, h, c,
            false, y);
  tenon_value *out[] = {tenon_nn_as_result(rw, n, 0, y[1]), NULL};
  if (kind == LSTM) out[1] = tenon_nn_as_result(rw, n, 1, y[2]);
  return rw->api->replace(rw, n, out, kind == LSTM ? 2 : 1);
}
