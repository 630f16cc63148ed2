// conv_f32_sse2.c - core::conv on floats with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/conv_f32_opt.h"
#include "kern/opt/items.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_conv_f32_sse2_items(const tenon_call *c) {
  return tenon_conv_f32_items(c);
}

TENON_KERNEL_RANGE(tenon_k_conv_f32_sse2) {
  return tenon_conv_f32_run(c, begin, end);
}
