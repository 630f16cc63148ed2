// ops/aten/nn/nn_conv.h - what lowerings of convolutions share.
#ifndef TENON_OPS_ATEN_NN_CONV_H
#define TENON_OPS_ATEN_NN_CONV_H

#include "ops/aten/nn/aten_nn.h"

// The most taps along the first dimension of a volume that are computed so.
enum { TENON_NN_CONV_LAYERS = 16 };

typedef struct tenon_nn_conv {
  tenon_value *x, *w, *bias;
  int n;  // dimensions without batch and channels
  int64_t stride[3], before[3], behind[3], dilation[3], more[3];
  int64_t groups;
  bool is_transposed;
  bool is_known;  // the weights: a constant, which may be of 16-bit floats
} tenon_nn_conv;

// Of a convolution whose lists have three entries, the result [n, d, h, w, c]
// by convolutions of images (nn_conv_images.c); null: it is none of those that
// this covers. x is [n, d, h, w, c]; w [oc, kd, kh, kw, ic / groups], of a
// transposed one [ic, oc / groups, kd, kh, kw].
tenon_value *tenon_nn_conv_images(tenon_rewriter *rw, const tenon_nn_conv *c,
                                  tenon_value *x, tenon_value *w);

// The channels of x, which are last and `groups`, each as often as the weights
// have outputs for it: a convolution of as many channels as outputs goes by
// registers of both. Only where weights are known: others may come from
// integers, of which pass `lower` makes other convolutions.
tenon_value *tenon_nn_conv_repeat(tenon_rewriter *rw, const tenon_nn_conv *c,
                                  tenon_value *x, int64_t outputs);

#endif  // TENON_OPS_ATEN_NN_CONV_H
