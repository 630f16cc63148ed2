// plan/live.h - when values exist.
//
// Time is the order of execution written as one line: a node takes one step; a
// node with regions begins, then its regions take their steps one after the
// other, then it ends. A value is live from its definition to its last use,
// both inclusive. A use inside a loop of what is defined outside counts until
// the loop ends. Where an operator makes strings, what it gives of u8 beside
// them are the bytes that they point to, which whoever has one of them reads:
// they live until the outputs are read.
#ifndef TENON_PLAN_LIVE_H
#define TENON_PLAN_LIVE_H

#include "ir/graph.h"

typedef struct tenon_live {
  uint32_t *begin, *end;  // of nodes, by id
  uint32_t *def, *last;   // of values, by id; a value without uses: last == def
  uint32_t first_time;    // when the inputs are written
  uint32_t last_time;     // when the outputs are read
} tenon_live;

// For one function, from `first_time` on. Arrays live in `arena` and cover all
// nodes and values of the module; those of other functions are zero. False when
// memory ran out.
bool tenon_live_compute(tenon_arena *arena, const tenon_graph *function,
                        uint32_t first_time, tenon_live *out);
// Result i is bytes that strings point to.
bool tenon_live_outlasts(const tenon_node *n, uint32_t i);
// When an operand is read: the time of its node, or the end of the outermost
// loop that is around the node and not around the value.
uint32_t tenon_live_use_time(const tenon_live *live, const tenon_use *use);

#endif  // TENON_PLAN_LIVE_H
