// ops/tfl/tfl_variables.h - the names of what pass `functional` makes states
// and constants of.
#ifndef TENON_OPS_TFL_TFL_VARIABLES_H
#define TENON_OPS_TFL_TFL_VARIABLES_H

#define TENON_TFL_VAR_HANDLE "tfl::VAR_HANDLE"
#define TENON_TFL_READ_VARIABLE "tfl::READ_VARIABLE"
#define TENON_TFL_ASSIGN_VARIABLE "tfl::ASSIGN_VARIABLE"
#define TENON_TFL_CALL_ONCE "tfl::CALL_ONCE"
#define TENON_TFL_HASHTABLE "tfl::HASHTABLE"
#define TENON_TFL_HASHTABLE_IMPORT "tfl::HASHTABLE_IMPORT"
#define TENON_TFL_HASHTABLE_FIND "tfl::HASHTABLE_FIND"
#define TENON_TFL_HASHTABLE_SIZE "tfl::HASHTABLE_SIZE"

// What runs other functions.
#define TENON_TFL_FLOWS                                                   \
  "tfl::IF", "tfl::WHILE", "tfl::STABLEHLO_CASE", "tfl::STABLEHLO_WHILE", \
      "tfl::STABLEHLO_COMPOSITE"

// What draws from a generator of its own where a seed is not 0.
#define TENON_TFL_DRAWS \
  "tfl::RANDOM_UNIFORM", "tfl::RANDOM_STANDARD_NORMAL", "tfl::MULTINOMIAL"

#endif  // TENON_OPS_TFL_TFL_VARIABLES_H
