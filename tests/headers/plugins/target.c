// A microcontroller that has one instruction more.
#include "tenon/ext/target.h"

#include "tenon/ext/plugin.h"

static const tenon_target_desc target = {
    .struct_size = sizeof target,
    .name = "stranger-chip",
    .doc = "A made-up microcontroller.",
    .features = "stranger_mac",
    .macros = "STRANGER_CHIP",
    .cflags = "-DSTRANGER_CHIP",
    .memories = "tcm=1K:align=32 sram=64K flash=1M:rom",
    .int_bits = 32,
    .block_align = 16,
};
static const tenon_target_desc *const targets[] = {&target, NULL};

static const tenon_plugin plugin = {TENON_PLUGIN_HEADER,
                                    .name = "stranger_target",
                                    .version = "1.0.0", .targets = targets};
TENON_PLUGIN_EXPORT(stranger_target, plugin);
