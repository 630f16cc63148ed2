// round_affine_f32_ref.c - core::round_affine to floats that a 16-bit type
// holds.
#include "kern/op/round_affine.h"

TENON_KERNEL_RANGE(tenon_k_round_affine_f32_ref) {
  return tenon_round_affine_run(c, begin, end, true);
}
