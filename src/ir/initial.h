// ir/initial.h - values in which states begin that somebody gives instead of
// the file's, or of zeros.
//
// A state need not be there yet: some are made by lowerings. It takes its value
// when it is built, or at once.
#ifndef TENON_IR_INITIAL_H
#define TENON_IR_INITIAL_H

#include "ir/graph.h"

// Copies a dense value of fixed sizes. A state of another type:
// TENON_BAD_ARGUMENT.
tenon_status tenon_module_give(tenon_module *m, const char *name,
                               const tenon_tensor *value);
// What was given to a state of that name; null: nothing.
const tenon_state *tenon_module_find_given(const tenon_module *m,
                                           const char *name);

#endif  // TENON_IR_INITIAL_H
