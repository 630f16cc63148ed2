// ops/core/fast/core_fast.h - faster kernels for operators of the plugin
// `core`.
//
// Some can run where the build knows an instruction set (TENON_KERN_X86,
// TENON_KERN_AARCH64); whether a machine has it is asked when a kernel is
// chosen.
#ifndef TENON_OPS_CORE_CORE_FAST_H
#define TENON_OPS_CORE_CORE_FAST_H

#include "tenon/ext/kernel.h"

#if defined(TENON_KERN_X86) || defined(TENON_KERN_AARCH64)
#define TENON_CORE_HAS_FAST 1
#endif
// Of all machines; ends with null.
extern const tenon_kernel_desc *const tenon_core_fast_kernels[];

#endif  // TENON_OPS_CORE_CORE_FAST_H
