// ops/tfl/tfl_variables.h - the names of what pass `functional` makes states
// of.
#ifndef TENON_OPS_TFL_TFL_VARIABLES_H
#define TENON_OPS_TFL_TFL_VARIABLES_H

#define TENON_TFL_VAR_HANDLE "tfl::VAR_HANDLE"
#define TENON_TFL_READ_VARIABLE "tfl::READ_VARIABLE"
#define TENON_TFL_ASSIGN_VARIABLE "tfl::ASSIGN_VARIABLE"
#define TENON_TFL_CALL_ONCE "tfl::CALL_ONCE"

#endif  // TENON_OPS_TFL_TFL_VARIABLES_H
