// plan/alias/in_state.h - states that are written where they lie.
//
// What a state is given is often made of what it held: a row of a cache of keys
// and values is replaced, a counter raised, a generator draws. Where kernels
// may write over their operand and nobody reads the old value any more, nodes
// write into the state itself, as an operator does that says so (`Tensor(a!)`):
// ir/written.h has them as such pairs from then on. Else the value would be
// made elsewhere, and copied.
//
// A view of such a value lies in the state, too, where nobody writes that
// before the view was read; else it is a copy.
#ifndef TENON_PLAN_IN_STATE_H
#define TENON_PLAN_IN_STATE_H

#include "bind/choose.h"
#include "ir/graph.h"

tenon_status tenon_plan_in_state(tenon_graph *function,
                                 const tenon_choice *choice);
// Behind all copies; finds the views (tenon_node.is_state_view).
tenon_status tenon_plan_state_views(tenon_graph *function);

#endif  // TENON_PLAN_IN_STATE_H
