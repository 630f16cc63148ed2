// fully_connected_f32_avx2.c - core::fully_connected on floats with AVX2 and
// FMA.
#include "kern/isa/x86/avx2.h"
//
#include "kern/opt/fully_connected_f32_opt.h"
#include "kern/opt/items.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t
tenon_k_fully_connected_f32_avx2_items(const tenon_call *c) {
  return tenon_fully_connected_items(c, sizeof(float));
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_f32_avx2) {
  return tenon_fully_connected_f32_run(c, begin, end);
}
