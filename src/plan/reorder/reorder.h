// plan/reorder/reorder.h - puts a function's nodes into an order that needs
// less memory.
//
// Results stay what they are: a node runs behind those whose values it reads;
// whoever reads or writes memory that is written (states, written arguments,
// what a loop carries) keeps its place before or behind the writer; what has
// effects keeps its order among its like; regions stay as they are. After
// plan/alias/copies.c, whose copies rely on that. What is counted is the memory
// that is planned: views lie in their operand, kernels work in place, scratch
// counts.
#ifndef TENON_PLAN_REORDER_H
#define TENON_PLAN_REORDER_H

#include "plan/work.h"
#include "program/order/ordering.h"

// Kernels are chosen; moves nodes. *out is what the program says of it.
tenon_status tenon_plan_reorder(tenon_planner *w, tenon_planned *e,
                                tenon_program_ordering *out);

#endif  // TENON_PLAN_REORDER_H
