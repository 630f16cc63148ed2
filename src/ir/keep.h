// ir/keep.h - a module of one of its entry points.
#ifndef TENON_IR_KEEP_H
#define TENON_IR_KEEP_H

#include "ir/graph.h"

// Drops the other entry points, and functions and constants that nothing left
// refers to; functions are numbered anew. The entry must be one of the
// module's. False: out of memory, and the module is broken.
bool tenon_module_keep_entry(tenon_module *m, const char *entry);

#endif  // TENON_IR_KEEP_H
