// core.c - the plugin: its operators are the rows of core.def.
#include "ops/core/core.h"

#include "ops/core/core_fast.h"
#include "ops/core/core_rewrite.h"
#include "ops/core/core_rule.h"

static const tenon_op_desc *const ops[] = {
#define TENON_CORE_ROW(name) &tenon_op_core_##name,
#include "ops/core/core.def"
#undef TENON_CORE_ROW
    NULL};

// Whoever has the whole plugin has the texts of its kernels (core_rule.h).
extern const tenon_source *const *const tenon_core_texts;
const tenon_source *const *const tenon_core_texts = tenon_kernel_sources;

const tenon_plugin tenon_core_plugin = {
    TENON_PLUGIN_HEADER,
    .name = "core",
    .version = TENON_VERSION,
    .ops = ops,
#ifdef TENON_CORE_HAS_FAST
    .kernels = tenon_core_fast_kernels,
#endif
    .lowerings = tenon_core_rewrites,
};
