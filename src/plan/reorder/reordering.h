// plan/reorder/reordering.h - a function as a problem of order, while it is
// built.
#ifndef TENON_PLAN_REORDERING_H
#define TENON_PLAN_REORDERING_H

#include "ir/edit.h"
#include "plan/reorder/reorder.h"

typedef TENON_VEC(tenon_row_item) tenon_row_items;

// A class is cut where a view begins or ends: its pieces are the buffers.
typedef struct tenon_pieces {
  uint32_t first, n;     // buffers
  const uint64_t *cuts;  // n + 1
  bool is_inside;        // of one node's regions alone
} tenon_pieces;

typedef struct tenon_reorder {
  tenon_planner *w;
  tenon_planned *e;
  tenon_graph *g;
  tenon_arena *arena;
  tenon_live live;        // of the order that is given
  tenon_aliases classes;  // without work in place
  uint32_t n;
  tenon_node **nodes;    // of the function itself
  uint32_t *place;       // of nodes by id; those of regions have their owner's
  tenon_pieces *pieces;  // of classes
  TENON_VEC(uint64_t) sizes;
  TENON_VEC(tenon_order_take) takes;
  TENON_VEC(tenon_span) inside;  // of the present node's regions
  tenon_row_items touches, makes, after;
  tenon_row_items shared, writers;  // per memory: who touches it, who writes
  uint64_t *extra;
  uint32_t *take_begin;
  bool *is_input, *is_output;
  bool *is_free;     // of classes: they need no memory
  const char *kept;  // why there is nothing to look for; null: there is
  bool is_rough;     // counts more than is planned: of bounds the floor is left
  bool failed;       // memory ran out
} tenon_reorder;

TENON_INLINE void tenon_reorder_add(tenon_reorder *r, tenon_row_items *list,
                                    uint32_t row, uint32_t item) {
  if (!tenon_vec_push(list, (tenon_row_item){row, item})) r->failed = true;
}
// Finds classes that need no memory: ports, and what may be made in place of
// them.
void tenon_reorder_free(tenon_reorder *r);
// Puts the nodes into an order; null: that in which they were.
TENON_INLINE void tenon_reorder_put(const tenon_reorder *r,
                                    const uint32_t *order) {
  for (uint32_t i = 0; i < r->n; ++i)
    tenon_node_move(r->nodes[order ? order[i] : i], r->g->end);
}
// overlap_order.c: where results may lie over operands, finds the order whose
// arena is smallest with it: of all if there are few, else of `found`, in which
// the nodes stand, and that of the model. `found` is null for the latter. *n:
// how many there are; 0: too many. *floor is set where all have been tried: no
// order, with no choice of overlaps, needs less; 0: not known.
tenon_status tenon_overlap_orders(tenon_reorder *r, const tenon_rows *after,
                                  const uint32_t *found, uint32_t *n,
                                  uint64_t *floor);
// Cuts all classes into pieces.
void tenon_reorder_cut(tenon_reorder *r);
// Buffers that the node at `at` touches, and what it needs of its own.
void tenon_reorder_touch(tenon_reorder *r, uint32_t at);
// Bytes of scratch of a step.
uint64_t tenon_reorder_scratch(tenon_reorder *r, const tenon_node *n);
// What the node that needs most needs, in every order; 0: not known.
uint64_t tenon_reorder_floor(tenon_reorder *r);
// Which nodes run before which.
void tenon_reorder_depend(tenon_reorder *r);

#endif  // TENON_PLAN_REORDERING_H
