// ops/core/fast/core_fast_tile.h - the kernels in kern/tile/: plain C, for
// machines without kernels of their own.
#ifndef TENON_OPS_CORE_CORE_FAST_TILE_H
#define TENON_OPS_CORE_CORE_FAST_TILE_H

#include "ops/core/core_rule.h"

#define RANGE tenon_run_range_fn
#define TENON_KERNEL_ROW(name, form)                            \
  extern TENON_WEAK const tenon_source tenon_source_##name##_c; \
  extern CORE_KERNEL(name);                                     \
  form tenon_k_##name;
#include "kern/tile/tile.def"
#undef TENON_KERNEL_ROW
#undef RANGE

// Ends with null.
extern const tenon_kernel_desc *const tenon_core_tile_kernels[];

#endif  // TENON_OPS_CORE_CORE_FAST_TILE_H
