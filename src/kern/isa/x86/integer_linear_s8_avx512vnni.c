// integer_linear_s8_avx512vnni.c - core::integer_linear with AVX-512 VNNI.
#include "kern/isa/x86/avx512vnni.h"
//
#include "kern/opt/integer_linear_s8_opt.h"
#include "kern/opt/items.h"

// Emitted C asks where sizes are open.
TENON_INLINE int64_t
tenon_k_integer_linear_s8_avx512vnni_items(const tenon_call *c) {
  return tenon_integer_linear_items(c, sizeof(tenon_act));
}

TENON_KERNEL_RANGE(tenon_k_integer_linear_s8_avx512vnni) {
  return tenon_integer_linear_s8_run(c, begin, end);
}
