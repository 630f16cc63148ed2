// plan/alias/wanted.h - whether a value's memory is still wanted when a node
// writes over it.
//
// A value is read under its own name and under those of its views.
#ifndef TENON_PLAN_WANTED_H
#define TENON_PLAN_WANTED_H

#include "plan/live.h"

// A walk over a function that adds copies to it.
typedef struct tenon_copying {
  tenon_live live;
  tenon_arena *arena;
  uint32_t n_nodes;  // when lifetimes were computed
} tenon_copying;

// When an operand is read. A copy that the walk has added is read when what it
// was added for is.
uint32_t tenon_wanted_time(const tenon_copying *w, const tenon_use *use);
// Somebody but `path` reads the value at this time or later.
bool tenon_wanted_at(const tenon_copying *w, const tenon_value *v,
                     const tenon_node *path, uint32_t time);
// The value as it was is still wanted after the node has written it as this
// operand, or cannot be written at all. So it is if it is a view of something
// that is.
bool tenon_wanted_after(const tenon_copying *w, const tenon_value *v,
                        const tenon_node *n, uint32_t operand);

#endif  // TENON_PLAN_WANTED_H
