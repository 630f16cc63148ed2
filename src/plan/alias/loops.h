// plan/alias/loops.h - a carried value keeps one address.
//
// Of each value that a core::while carries, five things share memory: what goes
// in, the parameters of both regions, what the body returns, and the result.
// tenon_plan_loops makes that possible: it puts core::copy in front of the loop
// and at the end of the body, unless the planner can put the value there in the
// first place; plan/alias/alias.c then joins them without asking.
#ifndef TENON_PLAN_LOOPS_H
#define TENON_PLAN_LOOPS_H

#include "bind/choose.h"
#include "ir/graph.h"

// After branches and written arguments have been prepared. Changes the module.
tenon_status tenon_plan_loops(tenon_graph *function,
                              const tenon_choice *choice);
// core::copy of `v` before `before`; null, reported, when memory ran out.
tenon_value *tenon_plan_copy(tenon_graph *g, tenon_node *before, tenon_value *v,
                             tenon_loc loc);

#endif  // TENON_PLAN_LOOPS_H
