// program/order/ordering.h - in which order steps need the least memory.
//
// A pure function, as the packer is: it sees nodes that make and read buffers.
// A buffer is live from the first node that makes it (inputs: from the start)
// to the last that makes or reads it (outputs: to the end). While a node runs,
// its operands and its results are live, and `extra` bytes of its own; a result
// that takes over the memory of an operand which nobody wants any more counts
// once. What is looked for is the order in which the most that is live at any
// time is least; the bound is of all orders that are allowed.
//
// Exact where the search ends (order_exact.c): sets of nodes that have run, the
// most promising first, each looked at once. Otherwise the best that beams
// found (order_beam.c), and the bound up to which all sets have been seen.
// Budgets are of steps: the result is the same on every machine.
#ifndef TENON_PROGRAM_ORDERING_H
#define TENON_PROGRAM_ORDERING_H

#include "base/arena.h"

// Row i is items[begin[i]] to before items[begin[i + 1]].
typedef struct tenon_rows {
  uint32_t *begin, *items;
} tenon_rows;

typedef struct tenon_row_item {
  uint32_t row, item;
} tenon_row_item;

// Rows of distinct items in ascending order. False when memory ran out.
bool tenon_rows_make(tenon_arena *arena, uint32_t n_rows,
                     const tenon_row_item *list, size_t n, tenon_rows *out);

// Buffer `to`, made by the node, may lie at the place of `from`, which it
// reads, if nobody wants that afterwards. Both are of one size.
typedef struct tenon_order_take {
  uint32_t from, to;
} tenon_order_take;

// Nodes stand in an order that is allowed.
typedef struct tenon_order_problem {
  uint32_t n, n_buffers;
  const uint64_t *size;              // of buffers
  const bool *is_input, *is_output;  // of buffers
  tenon_rows touches;                // of nodes: buffers that they read or make
  tenon_rows makes;                  // of nodes: buffers
  tenon_rows after;                  // of nodes: those that run before
  const uint32_t *take_begin;        // n + 1, of `takes`
  const tenon_order_take *takes;     // the first that can, for each result
  const uint64_t *extra;             // of nodes: bytes
} tenon_order_problem;

typedef struct tenon_ordering {
  uint64_t peak;    // of the order found
  uint64_t given;   // of the order in which the nodes stand
  uint64_t bound;   // no order needs less
  uint64_t steps;   // of the search
  bool is_optimal;  // peak == bound
  uint32_t *order;  // n nodes; in the arena that was given
} tenon_ordering;

// `effort` 0: no search, only what the given order needs, and a bound. Keeps
// the given order unless another needs less. False when memory ran out.
bool tenon_order_search(tenon_arena *arena, const tenon_order_problem *problem,
                        uint64_t effort, tenon_ordering *out);
// What an order needs; UINT64_MAX when it is not allowed.
bool tenon_order_measure(tenon_arena *arena, const tenon_order_problem *problem,
                         const uint32_t *order, uint64_t *peak);

#endif  // TENON_PROGRAM_ORDERING_H
