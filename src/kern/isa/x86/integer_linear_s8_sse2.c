// integer_linear_s8_sse2.c - core::integer_linear with SSE2.
#include "kern/isa/x86/sse2.h"
//
#include "kern/opt/integer_linear_s8_opt.h"
#include "kern/opt/items.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t tenon_k_integer_linear_s8_sse2_items(const tenon_call *c) {
  return tenon_integer_linear_items(c, sizeof(tenon_act));
}

TENON_KERNEL_RANGE(tenon_k_integer_linear_s8_sse2) {
  return tenon_integer_linear_s8_run(c, begin, end);
}
