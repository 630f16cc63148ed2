// bind/trials.h - sizes to try: numbers for all symbols of a module that its
// ranges and conditions allow.
//
// Arrays by id of symbols; TENON_UNKNOWN: no such number.
#ifndef TENON_BIND_TRIALS_H
#define TENON_BIND_TRIALS_H

#include "ir/graph.h"

enum { TENON_TRIALS = 3 };

// Of a size that may be open; TENON_UNKNOWN: not known.
int64_t tenon_sizing_value(const int64_t *values, tenon_dim d);
// What the file holds for now, or small; false: an expression overflows or
// divides by zero, and those behind it are not filled.
bool tenon_trial_typical(const tenon_module *m, int64_t *values);
// Of trial `t`, which differ; false: none was found. Latches in the arena when
// memory runs out.
bool tenon_trial_fill(tenon_arena *arena, const tenon_module *m, int t,
                      int64_t *values);

#endif  // TENON_BIND_TRIALS_H
