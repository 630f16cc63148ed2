// core.c - the plugin: its operators are the rows of core_ops.h, which is made
// of all files (list.cmake).
#include "ops/core/core.h"

#include "ops/core/core_rule.h"
#include "ops/core/fast/core_fast_arm.h"
#include "ops/core/fast/core_fast_host.h"
#include "ops/core/fast/core_fast_tile.h"
#include "ops/core/rewrite/core_rewrite.h"

static const tenon_op_desc *const ops[] = {
#define TENON_CORE_ROW(name) &tenon_op_core_##name,
#include "ops/core_ops.h"  // made
#undef TENON_CORE_ROW
    NULL};

// Faster ones. Which of them a target can run is asked when one is chosen.
static const tenon_kernel_desc *const kernels[] = {
#define TENON_KERNEL_ROW(name, form) CORE_K(name),
#include "kern/isa/aarch64/aarch64.def"  // made
#include "kern/isa/arm/arm.def"          // made
#include "kern/isa/x86/x86.def"          // made
#include "kern/tile/tile.def"
#undef TENON_KERNEL_ROW
#define TENON_TABLE_ROW(name, feature, op, types) CORE_K(name##_##feature),
#include "kern/isa/arm/table.def"
#undef TENON_TABLE_ROW
    NULL};

// Whoever has the whole plugin has the texts of its kernels (core_rule.h).
extern const tenon_source *const *const tenon_core_texts;
const tenon_source *const *const tenon_core_texts = tenon_kernel_sources;

const tenon_plugin tenon_core_plugin = {
    TENON_PLUGIN_HEADER, .name = "core",     .version = TENON_VERSION,
    .ops = ops,          .kernels = kernels, .lowerings = tenon_core_rewrites,
};
