// libtorch.c - a plugin that runs ATen operators which Tenon has no other way
// to compute, through a libtorch that is found when it is loaded.
//
// One kernel serves `aten::*`, after everything else: kernels and lowerings of
// others come first. The call's schema says which operator it is; operands and
// attributes go to torch in its order, by its C interface or, where somebody
// has built it, a part in C++ (value.h); results are copied back. What is
// computed is torch's: other bits than Tenon's own, and those of the torch that
// is there.
#include "boxed.h"
#include "call.h"
#include "shims.h"
#include "tenon/ext/plugin.h"

static const int tied_to_this_process;
static const tenon_kernel_desc every = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_MEASURES_ALL,
    .priority = -1,
    .op = "aten::*",
    .symbol = "libtorch",
    .match = call_match,
    .run = call_run,
    .measure = call_measure,
    .user = &tied_to_this_process,
};

// In place of the kernel, so that whoever lists operators reads why.
static bool never(const tenon_call *c) {
  (void)c;
  return false;
}
static const tenon_kernel_desc none = {
    .struct_size = sizeof(tenon_kernel_desc),
    .priority = -1,
    .op = "aten::*",
    .symbol = "libtorch_was_not_found_set_TENON_LIBTORCH",
    .match = never,
    .run = call_run,
    .user = &tied_to_this_process,
};

static tenon_plugin libtorch = {
    TENON_PLUGIN_HEADER,
    .name = "libtorch",
    .version = "1.0.0",
    .kernels = (const tenon_kernel_desc *const[]){&every, NULL},
};

TENON_EXTERN_C TENON_EXPORT const tenon_plugin *TENON_PLUGIN_ENTRY(libtorch)(
    void);
const tenon_plugin *TENON_PLUGIN_ENTRY(libtorch)(void) {
  static const tenon_kernel_desc *const without[] = {&none, NULL};
  // Both are looked for here, by the one thread that loads plugins.
  if (!shims_get()) libtorch.kernels = without;
  (void)boxed_get();
  return &libtorch;
}
