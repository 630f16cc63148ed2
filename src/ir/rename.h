// ir/rename.h - other names for inputs, outputs and states.
//
// Names of a file are often what a converter made up; these are what reports,
// the executor and emitted C call them. Nothing else changes.
#ifndef TENON_IR_RENAME_H
#define TENON_IR_RENAME_H

#include "ir/graph.h"

// `kind`: TENON_IO_INPUTS, _OUTPUTS or _STATES; `names` in the order of the
// entry (of states: of the module, and `entry` does not matter), copied. Null
// `entry`: the default one. Another count, a name that is empty or stands
// twice, or one with a blank, ',' or ';' is TENON_BAD_ARGUMENT; then nothing
// has changed.
tenon_status tenon_module_set_names(tenon_module *m, const char *entry,
                                    uint32_t kind, const char *const *names,
                                    size_t n);

#endif  // TENON_IR_RENAME_H
