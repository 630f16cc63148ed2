// pass/functional/variables.h - variables that a .tflite names (VAR_HANDLE) as
// states of the module.
#ifndef TENON_PASS_VARIABLES_H
#define TENON_PASS_VARIABLES_H

#include "ir/graph.h"

// In entry points, reads and writes of variables become core::state_read and
// core::state_write; what initialises them, once, becomes where the states
// begin. Part of `functional`: from then on everything is a value.
tenon_status tenon_variables_to_states(tenon_module *m);

#endif  // TENON_PASS_VARIABLES_H
