// kern/product/lstm_integer.h - what is packed for core::lstm_integer: gates of
// 16 bits and a cell of 16, on inputs, weights and outputs of 8.
//
// Sums of products start from biases into which zero points are worked; each is
// brought to the gate's scale and added, saturating, in the order input, state,
// cell. Written in ops/core, once, where the model is compiled.
#ifndef TENON_KERN_LSTM_INTEGER_H
#define TENON_KERN_LSTM_INTEGER_H

#include "kern/num/fixed16.h"
#include "kern/num/newton.h"
#include "tenon/tensor.h"

typedef struct tenon_lstm_integer_attrs {
  double cell_clip, proj_clip;  // in real numbers; 0: none
  tenon_floats scales;          // of the gates i, f, g, o and of the hidden
  int64_t hidden_zero;
  bool time_major, reverse;
} tenon_lstm_integer_attrs;

// Operands: the order is that of the format. Gates are i, f, g, o.
enum {
  TENON_LSTM_X = 0,
  TENON_LSTM_W = 1,
  TENON_LSTM_R = 5,
  TENON_LSTM_P = 9,  // peepholes of i, f, o
  TENON_LSTM_B = 12,
  TENON_LSTM_PROJECTION = 16,
  TENON_LSTM_PROJECTION_BIAS = 17,
  TENON_LSTM_H = 18,
  TENON_LSTM_CELL = 19,
  TENON_LSTM_NORM = 20
};

typedef struct tenon_factor {
  int32_t mult, shift;
} tenon_factor;

typedef struct tenon_lstm_gate {
  tenon_factor x, h, cell, norm;
  int32_t guard;  // stands for a variance of nothing
} tenon_lstm_gate;

typedef struct tenon_lstm_integer {
  tenon_lstm_gate gate[4];
  tenon_factor hidden, projection;
  int32_t hidden_zero, h_zero;
  int32_t cell_clip, proj_clip;  // as stored; 0: none
  int32_t cell_power;            // the cell's scale is 2^cell_power
  int32_t n, p;
  // int32_t x_bias[4][n], h_bias[4][n], proj_bias[p] follow
} tenon_lstm_integer;

#endif  // TENON_KERN_LSTM_INTEGER_H
