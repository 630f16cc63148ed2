// ops/quant/quant_dynamic.h - products of rows that a run quantises with a
// matrix of constant integers, on integers.
#ifndef TENON_OPS_QUANT_QUANT_DYNAMIC_H
#define TENON_OPS_QUANT_QUANT_DYNAMIC_H

#include "ops/quant/quant_weight.h"

#define TENON_QUANT_DYNAMIC_BUILDS \
  "core::dynamic_linear core::reshape core::cast core::sub"

// Null: x is no float that integers of 8 bits stand for, row by row or all
// alike, or the sums might not fit into 32 bits. Nothing is changed then.
tenon_value *tenon_quant_dynamic_linear(tenon_rewriter *rw, tenon_value *x,
                                        const tenon_quant_scaled *w,
                                        tenon_value *bias);

// A convolution of images [n, c, h, w], whose weights are a matrix of as many
// columns as a window has elements.
typedef struct tenon_quant_window {
  int64_t size[2], stride[2], pad[2], dilation[2];
} tenon_quant_window;
// The same for one: [n, windows, outputs]. Null, too, where the scale is known
// before the run.
tenon_value *tenon_quant_dynamic_conv(tenon_rewriter *rw, tenon_value *x,
                                      const tenon_quant_scaled *w,
                                      tenon_value *bias,
                                      const tenon_quant_window *window);

// aten::conv2d and aten::convolution: inexact.
extern const tenon_lowering_desc tenon_quant_dynamic_conv2d,
    tenon_quant_dynamic_convolution;

#endif  // TENON_OPS_QUANT_QUANT_DYNAMIC_H
