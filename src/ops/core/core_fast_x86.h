// ops/core/core_fast_x86.h - what the descriptors of the kernels in
// kern/isa/x86/ share. They are compiled for the baseline.
#ifndef TENON_OPS_CORE_CORE_FAST_X86_H
#define TENON_OPS_CORE_CORE_FAST_X86_H

#include "ops/core/core_fast.h"

#ifdef TENON_KERN_X86

#include "ops/core/core_rule.h"

#define RANGE tenon_run_range_fn
#define TENON_KERNEL_ROW(name, form)                            \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c; \
  extern CORE_KERNEL(name);                                     \
  form tenon_k_##name;
#include "kern/isa/x86/x86.def"
#undef TENON_KERNEL_ROW
#undef RANGE

#define NEEDS_SSE2 "sse2"
#define NEEDS_AVX2 "avx2 fma"
#define NEEDS_AVX512 "avx512f avx512bw avx512vl avx512dq"
#define NEEDS_AVX512VNNI NEEDS_AVX512 " avx512vnni"

// All sizes are, and none is 0.
TENON_INLINE bool tenon_core_is_known(const tenon_tensor *t) {
  for (int i = 0; i < t->rank; ++i)
    if (t->dims[i] < 1) return false;
  return true;
}

// An operand that is absent, or a constant of known sizes.
TENON_INLINE bool tenon_core_is_constant(const tenon_tensor *t) {
  return !t->dtype || (t->data && tenon_core_is_known(t));
}

#endif  // TENON_KERN_X86
#endif  // TENON_OPS_CORE_CORE_FAST_X86_H
