// plan/alias/overlap.h - which steps write over the operand that they still
// read.
#ifndef TENON_PLAN_OVERLAP_H
#define TENON_PLAN_OVERLAP_H

#include "plan/work.h"

// Bytes of the arena as heuristics reach them: without, and with what was
// chosen; no choice needs less than the floor in the present order. All 0:
// nothing can be gained, or nothing was looked for.
typedef struct tenon_overlapping {
  uint64_t plain, arena, floor;
} tenon_overlapping;

// Whether anything is looked for: it is not switched off, sizes are fixed, and
// some kernel allows it.
bool tenon_plan_may_overlap(const tenon_planner *w, const tenon_planned *e);
// Fills e->over where that makes the arena smaller and sizes are fixed.
tenon_status tenon_plan_overlap(tenon_planner *w, tenon_planned *e,
                                tenon_overlapping *out);

#endif  // TENON_PLAN_OVERLAP_H
