// ops/aten/aten.h - PyTorch's operators as one ordinary plugin.
//
// schemas.def has every operator that PyTorch registers, so that a .pt2 file
// can be read, its arguments matched by name and its defaults filled in,
// whatever it calls. The tables (each.def, index.def, nn.def, quant.def) give
// those that have one a meaning: a lowering to core operators or to simpler
// ATen ones. An operator without a row is imported, printed and listed; running
// it is refused, or done by whoever brings a kernel or a lowering.
//
// There are no shape rules: a .pt2 states the type of every value, and a
// lowering is run beside the graph where types are open (ir/infer/infer.c). A
// replacement of another type than the file states is an error, so every
// lowering is checked against the exporter's word.
#ifndef TENON_OPS_ATEN_ATEN_H
#define TENON_OPS_ATEN_ATEN_H

#include "tenon/ext/plugin.h"

// What a name without a set means to those who write PyTorch's.
#define TENON_ATEN_SET "aten"

extern const tenon_plugin tenon_aten_plugin;

#endif  // TENON_OPS_ATEN_ATEN_H
