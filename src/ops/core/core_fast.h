// ops/core/core_fast.h - faster kernels for operators of the plugin `core`.
//
// There are some where the build knows an instruction set (TENON_KERN_X86 and
// its like); whether a machine has it is asked when a kernel is chosen.
#ifndef TENON_OPS_CORE_CORE_FAST_H
#define TENON_OPS_CORE_CORE_FAST_H

#include "tenon/ext/kernel.h"

#ifdef TENON_KERN_X86
#define TENON_CORE_HAS_FAST 1
// Ends with null.
extern const tenon_kernel_desc *const tenon_core_fast_kernels[];
#endif

#endif  // TENON_OPS_CORE_CORE_FAST_H
