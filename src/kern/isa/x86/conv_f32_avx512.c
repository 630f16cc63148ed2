// conv_f32_avx512.c - core::conv on floats with AVX-512.
#include "kern/isa/x86/avx512.h"
//
#include "kern/opt/conv_f32_opt.h"
#include "kern/opt/items.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_conv_f32_avx512_items(const tenon_call *c) {
  return tenon_conv_f32_items(c);
}

TENON_KERNEL_RANGE(tenon_k_conv_f32_avx512) {
  return tenon_conv_f32_run(c, begin, end);
}
