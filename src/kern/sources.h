// kern/sources.h - every kernel as a function and as text, for those who
// describe kernels and for those who print them.
//
// Not for kernels: with the generated file it is the one place in this folder
// that sees tenon/ext/. The functions come from the files of ref/, the texts
// from tools/embed.c, which reads the files themselves when this is built; and
// both of kernels for many types from rows/, by way of tools/kernels.c.
#ifndef TENON_KERN_SOURCES_H
#define TENON_KERN_SOURCES_H

#include "kern/each_lists.h"  // made
#include "tenon/ext/kernel.h"

#define RUN tenon_run_fn
#define RANGE tenon_run_range_fn
#define TENON_KERNEL_ROW(name, form)                 \
  extern const tenon_source tenon_source_##name##_c; \
  form tenon_k_##name;
#include "kern/ref/ref.def"  // made
#undef TENON_KERNEL_ROW

#define TENON_KERNEL_ROW(name, types, in_place)      \
  extern const tenon_source tenon_source_##name##_c; \
  RANGE tenon_k_##name;
TENON_KERNELS_ALL(TENON_KERNEL_ROW)
#undef TENON_KERNEL_ROW
#undef RANGE
#undef RUN

// All texts of kernels and of the headers they use, and all of include/tenon/,
// the latter with their #include lines and named as they are included
// ("tenon/base.h"). Both end with null.
extern const tenon_source *const tenon_kernel_sources[];
extern const tenon_source *const tenon_public_header_sources[];

#endif  // TENON_KERN_SOURCES_H
