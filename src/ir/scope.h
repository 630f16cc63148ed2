// ir/scope.h - calls of the source's modules, as a reader found them.
//
// A node's place names the innermost call that it is of: "module layers.0.norm
// (pkg.RMSNorm)"; of a module that is called again "layers.0.norm@1". Around it
// are others, which may have no nodes of their own: those are here. Texts of a
// module (ir/parse.h) have none.
#ifndef TENON_IR_SCOPE_H
#define TENON_IR_SCOPE_H

#include "base/text.h"
#include "ir/graph.h"

// Notes the call `name` of a module of class `type`, once each; `outer` is the
// call around it. Returns its index plus 1; 0: out of memory.
uint32_t tenon_scope_add(tenon_module *m, tenon_text name, tenon_text type,
                         uint32_t outer);
// Index plus 1; 0: no such call is known.
uint32_t tenon_scope_find(const tenon_module *m, tenon_text name);
// "layers.0.norm" of "layers.0.norm@1".
tenon_text tenon_scope_path(tenon_text name);

#endif  // TENON_IR_SCOPE_H
