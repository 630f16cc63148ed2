// ops/tfl/recurrent/tfl_layers.h - layers over time that no kernel computes at
// once: LSTM with peepholes, layer norms, a projection or coupled gates, and
// plain recurrent ones, on floats; weights may be bytes with a scale.
#ifndef TENON_OPS_TFL_TFL_LAYERS_H
#define TENON_OPS_TFL_TFL_LAYERS_H

#include "ops/tfl/tfl_op.h"

// Gates are i, f, g, o; a plain layer has the first alone. Null: absent.
typedef struct tenon_tfl_layer {
  tenon_value *x;                       // [t, b, k]
  tenon_value *aux;                     // [t, b, j], what goes in, too
  tenon_value *w[4], *aux_w[4], *r[4];  // [n, k], [n, j], [n, p] or [n]
  tenon_value *peephole[4], *bias[4], *norm[4];  // [n]
  tenon_value *projection, *projection_bias;     // [p, n], [p]
  tenon_value *h, *cell;        // [b, p], [b, n]; no cell: plain
  int64_t activation;           // fused_activation_function
  double cell_clip, proj_clip;  // 0: none
  bool asymmetric;              // how bytes see floats
  bool reverse;                 // from the last time on
} tenon_tfl_layer;

// Operands of the full LSTM, of one step or of a sequence, as LiteRT orders
// them.
enum {
  LSTM_X = 0,
  LSTM_W = 1,         // of x: input, forget, cell, output
  LSTM_R = 5,         // of the state
  LSTM_PEEPHOLE = 9,  // 3: the cell has none
  LSTM_BIAS = 12,
  LSTM_PROJECTION = 16,
  LSTM_PROJECTION_BIAS = 17,
  LSTM_H = 18,
  LSTM_CELL = 19,
  LSTM_NORM = 20,  // 4
  LSTM_ALL = 24
};
// The same from LSTM_W to LSTM_PROJECTION_BIAS as shapes: `n` units, of rows of
// `k` and a state of `p`.
#define TFL_LSTM_WEIGHTS(side, n, k, p)                                      \
  side "w_i?[" n "," k "], " side "w_f[" n "," k "], " side "w_c?[" n "," k  \
       "], " side "w_o?[" n "," k "], " side "r_i?[" n "," p "], " side      \
       "r_f?[" n "," p "], " side "r_c?[" n "," p "], " side "r_o?[" n "," p \
       "], " side "p_i?[" n "], " side "p_f?[" n "], " side "p_o?[" n        \
       "], " side "b_i?[" n "], " side "b_f?[" n "], " side "b_c?[" n        \
       "], " side "b_o?[" n "], " side "projection?[" p "," n "], " side     \
       "projection_bias?[" p "], "
// What a sequence, operand 0, says before its shapes are looked at: "b", its
// batches.
tenon_shapes tenon_tfl_sequence(tenon_infer *c, bool time_major);
// Sets weights and states of a layer: as there, from LSTM_W on they stand at
// `weights`, from LSTM_H on at `states`, and the norms at `norm`, -1: none.
void tenon_tfl_layer_read(tenon_rewriter *rw, const tenon_node *node,
                          int weights, int states, int norm,
                          tenon_tfl_layer *l);

// Fails on one of the first n operands that is neither of floats nor, as
// weights may be, of bytes with one scale.
tenon_status tenon_tfl_check_numbers(tenon_rewriter *rw, const tenon_node *node,
                                     int n);
// Weights as floats.
tenon_value *tenon_tfl_numbers(tenon_rewriter *rw, tenon_value *v);
// What comes out, [t, b, p], and the states behind it. Fails on an activation
// that is not served.
tenon_status tenon_tfl_layer_build(tenon_rewriter *rw, const tenon_tfl_layer *l,
                                   tenon_value **y, tenon_value **h,
                                   tenon_value **cell);

// A layer of integers (tfl_lstm_integer.c), whose weights and states are the
// operands of the full LSTM.
typedef struct tenon_tfl_integers {
  tenon_value *x;
  const tenon_type *y;  // of what comes out
  double cell_clip, proj_clip;
  tenon_floats scales;  // of the intermediate tensors
  tenon_ints zeros;
  bool time_major;
} tenon_tfl_integers;

// What comes out and the states behind it, as LiteRT's first kernel: x is [b,
// t, k] or [t, b, k]; and as its second one: x is [b, k].
tenon_status tenon_tfl_integers_build(tenon_rewriter *rw,
                                      const tenon_node *node,
                                      const tenon_tfl_integers *l,
                                      tenon_value **out);
tenon_status tenon_tfl_narrow_build(tenon_rewriter *rw, const tenon_node *node,
                                    const tenon_tfl_integers *l,
                                    tenon_value **out);

// Whether TFLite Micro has this UNIDIRECTIONAL_SEQUENCE_LSTM in integers; what
// it becomes then.
bool tenon_tfl_is_tflm_lstm(tenon_rewriter *rw, const tenon_node *node);
tenon_status tenon_tfl_as_tflm_lstm(tenon_rewriter *rw, const tenon_node *node);

#endif  // TENON_OPS_TFL_TFL_LAYERS_H
