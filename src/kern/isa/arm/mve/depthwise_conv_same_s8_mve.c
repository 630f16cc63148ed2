// depthwise_conv_same_s8_mve.c - depthwise_conv_s8_mve.c in steps of 1 with a
// result of the operand's size, also in its place: a row is copied before
// results are written over it, as far as the window reaches up.
#include "kern/isa/arm/mve/depthwise_mve.h"

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_same_s8_mve) {
  const int32_t rows = c->out[0].dims[1];
  return tenon_depthwise_mve(c, (int32_t)begin * rows, (int32_t)end * rows,
                             true);
}
