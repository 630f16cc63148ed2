// program/pack/pack_tree.h - the search for a packing within a capacity.
//
// From the bottom up: items are placed in the order of their places, each at
// the lowest one that those placed already leave to it. Every packing can be
// pushed down to one of this kind, as long as no rectangle of a group lies
// above its place, so that a search that ends without one has proved that there
// is none.
#ifndef TENON_PROGRAM_PACK_TREE_H
#define TENON_PROGRAM_PACK_TREE_H

#include "base/vec.h"
#include "program/pack/pack_order.h"

typedef enum tenon_pack_answer {
  TENON_PACK_NONE,   // there is no packing
  TENON_PACK_FOUND,  // p->bases has it
  TENON_PACK_STOPPED
} tenon_pack_answer;

typedef struct tenon_pack_undo {
  uint32_t item;
  uint64_t lowest;
} tenon_pack_undo;

typedef struct tenon_pack_tree {
  tenon_packer *p;
  tenon_pack_orders *orders;  // arranged
  uint64_t capacity;
  uint32_t *near;  // items that meet item i: near[begin[i]..begin[i+1])
  size_t *begin;
  uint32_t *rank;    // of the present order
  uint64_t *lowest;  // per item not placed: the lowest place that is left
  uint64_t *head;    // and what the order of search leaves of that
  bool *is_placed;
  uint32_t *placed;  // as a stack
  size_t n_placed;
  uint64_t *left;     // per time: bytes not placed
  uint64_t *above;    // per time: bytes of what starts no lower
  uint32_t *by_head;  // what is left, the highest head first
  uint32_t *spare;
  uint32_t *reach;   // per time: one behind the last time of what begins
  uint32_t *lists;   // a stack of lists
  bool is_simple;    // one rectangle each, nothing fixed
  bool is_complete;  // no rectangle lies above its item's place
  bool out_of_memory;
  uint64_t visits, visit_limit;  // nodes of this search
  uint64_t steps, step_limit;    // elementary, of all
  TENON_VEC(tenon_pack_undo) undo;
} tenon_pack_tree;

bool tenon_pack_tree_init(tenon_pack_tree *t, tenon_pack_orders *orders,
                          tenon_arena *arena);
void tenon_pack_tree_deinit(tenon_pack_tree *t);
// Looks for a packing within t->capacity, trying items in the order of
// p->order where places are equal, and in that of their keys where they have
// been parted from others; contention is counted anew there.
tenon_pack_answer tenon_pack_tree_solve(tenon_pack_tree *t);

#endif  // TENON_PROGRAM_PACK_TREE_H
