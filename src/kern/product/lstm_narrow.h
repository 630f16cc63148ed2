// kern/product/lstm_narrow.h - what is packed for core::lstm_narrow: an LSTM
// whose sums are stored in 8 bits on their way to a gate.
//
// The gate i is always 1 - f, layer norms and functions are computed in float.
// Written in ops/core, once, where the model is compiled.
#ifndef TENON_KERN_LSTM_NARROW_H
#define TENON_KERN_LSTM_NARROW_H

#include "kern/num/fixed16.h"
#include "kern/num/real.h"
#include "kern/num/real64.h"
#include "kern/product/lstm_integer.h"
#include "tenon/tensor.h"

typedef struct tenon_lstm_narrow_attrs {
  double cell_clip, proj_clip;  // in real numbers; 0: none
  // Of the intermediate tensors: for each gate i, f, g, o the sum of both, what
  // x makes, what the state makes.
  tenon_floats scales;
  tenon_ints zeros;
} tenon_lstm_narrow_attrs;

// Operands; gates are f, g, o.
enum {
  TENON_NARROW_X = 0,
  TENON_NARROW_W = 1,
  TENON_NARROW_R = 4,
  TENON_NARROW_B = 7,
  TENON_NARROW_NORM = 10,
  TENON_NARROW_PROJECTION = 13,
  TENON_NARROW_PROJECTION_BIAS = 14,
  TENON_NARROW_H = 15,
  TENON_NARROW_CELL = 16
};

// A product with x or with the state: to 8 bits, and from there to the gate.
typedef struct tenon_narrow_part {
  tenon_factor in, out;
  int32_t zero;  // of the 8 bits
} tenon_narrow_part;

typedef struct tenon_lstm_narrow {
  tenon_narrow_part x[3], h[3];
  float norm[3], bias[3];  // scales
  tenon_factor projection;
  int32_t x_zero, h_zero;
  int32_t cell_clip, proj_clip;  // as stored; 0: none
} tenon_lstm_narrow;

// Of numbers with 12 bits behind the point, and with `scale`; results have 15,
// cut off. The tanh is that of float, correctly rounded.
TENON_INLINE int16_t tenon_narrow_logistic(int16_t x) {
  const float y = 1.0f / (1.0f + tenon_expf(-((float)x * 0x1p-12f)));
  return tenon_saturate_s16((int32_t)(y * 32768.0f));
}

TENON_INLINE int16_t tenon_narrow_tanh(int16_t x, double scale) {
  const float y = (float)tenon_tanh((double)x * scale);
  return tenon_saturate_s16((int32_t)(y * 32768.0f));
}

#endif  // TENON_KERN_LSTM_NARROW_H
