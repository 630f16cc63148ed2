// sub_s8_dsp.c - quantised difference of tensors of one shape, either of which
// may be the one that is scaled. Bit for bit what sub_s8_ref.c computes.
#include "kern/isa/arm/arith_dsp.h"

TENON_KERNEL_RANGE(tenon_k_sub_s8_dsp) {
  TENON_DSP_SUM_BEGIN
  if (s->half) {
    TENON_DSP_SUMS("sub")
  } else {
    TENON_DSP_SUMS("rsb")
  }
  return TENON_OK;
}
