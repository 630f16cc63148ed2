// ops/core/core.h - the plugin `core`: descriptors of the operators in
// README.md.
//
// An ordinary plugin, written against include/tenon/ and the structs in kern/
// alone. It is constant and owns nothing.
#ifndef TENON_OPS_CORE_CORE_H
#define TENON_OPS_CORE_CORE_H

#include "tenon/ext/plugin.h"

extern const tenon_plugin tenon_core_plugin;

#endif  // TENON_OPS_CORE_CORE_H
