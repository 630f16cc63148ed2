// plan/overlap.h - which steps write over the operand that they still read.
#ifndef TENON_PLAN_OVERLAP_H
#define TENON_PLAN_OVERLAP_H

#include "plan/work.h"

// Fills e->over where the options ask for it and sizes are fixed; *without is
// what heuristics need otherwise, 0 where nothing was asked, *arena what they
// need with it.
tenon_status tenon_plan_overlap(tenon_planner *w, tenon_planned *e,
                                uint64_t *without, uint64_t *arena);

#endif  // TENON_PLAN_OVERLAP_H
