// round_affine_half_ref.c - core::round_affine to 16-bit floats.
#include "kern/op/round_affine.h"

TENON_KERNEL_RANGE(tenon_k_round_affine_half_ref) {
  return tenon_round_affine_run(c, begin, end, false);
}
