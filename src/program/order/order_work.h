// program/order/order_work.h - what the parts of the search for an order share.
#ifndef TENON_PROGRAM_ORDER_WORK_H
#define TENON_PROGRAM_ORDER_WORK_H

#include "program/order/ordering.h"

typedef struct tenon_orderer {
  const tenon_order_problem *q;
  tenon_arena *arena;
  tenon_rows users;   // of buffers: nodes that read or make them
  tenon_rows makers;  // of buffers
  tenon_rows before;  // of nodes: those that wait for them
  uint32_t words;     // of a set of nodes
  uint64_t floor;     // no order needs less
  uint64_t best;      // peak of best_order
  uint32_t *best_order;
  uint64_t steps, limit;  // elementary
} tenon_orderer;

// A set of nodes that have run, and those that may run next.
typedef struct tenon_order_set {
  uint64_t *done, *ready;
  uint64_t live;
  uint32_t n_done;
} tenon_order_set;

TENON_INLINE bool tenon_bit(const uint64_t *bits, uint32_t i) {
  return bits[i / 64] >> (i % 64) & 1;
}
TENON_INLINE void tenon_bit_set(uint64_t *bits, uint32_t i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}
// The first bit from `i` on; `n` when there is none.
TENON_INLINE uint32_t tenon_bit_next(const uint64_t *bits, uint32_t n,
                                     uint32_t i) {
  while (i < n) {
    uint64_t rest = bits[i / 64] >> (i % 64);
    if (rest == 0) {
      i = (i / 64 + 1) * 64;
      continue;
    }
    for (; !(rest & 0xFF); rest >>= 8)
      i += 8;
    for (; !(rest & 1); rest >>= 1)
      ++i;
    return i;
  }
  return n;
}

bool tenon_order_open(tenon_orderer *o, const tenon_order_problem *q,
                      tenon_arena *arena);
// The empty set; its memory is of the arena.
bool tenon_order_start(tenon_orderer *o, tenon_order_set *out);
bool tenon_order_set_new(tenon_orderer *o, tenon_order_set *out);
void tenon_order_set_copy(const tenon_orderer *o, const tenon_order_set *from,
                          tenon_order_set *to);
// What is live while a ready node runs, and afterwards.
void tenon_order_step(tenon_orderer *o, const tenon_order_set *s, uint32_t node,
                      uint64_t *during, uint64_t *after);
void tenon_order_run(tenon_orderer *o, tenon_order_set *s, uint32_t node,
                     uint64_t after);
// A ready node that may run at once: it needs no more than `peak` and leaves no
// more than there was. Whatever order goes on from here needs no less than one
// that begins with it: what it frees later it frees now, and nobody misses it.
bool tenon_order_find_free(tenon_orderer *o, const tenon_order_set *s,
                           uint64_t peak, uint32_t *node, uint64_t *after);

// Inputs together, and outputs together, are there in every order: the larger.
uint64_t tenon_order_ends(const tenon_order_problem *q);
// What this order needs; false when memory runs out.
bool tenon_order_peak(tenon_orderer *o, const uint32_t *order, uint64_t *peak);
// What each node needs in every order: the largest.
bool tenon_order_bound(tenon_orderer *o);
// Both keep what is better than `best`. *bound: no order needs less.
bool tenon_order_exact(tenon_orderer *o, uint64_t *bound);
bool tenon_order_beam(tenon_orderer *o, uint32_t width);

#endif  // TENON_PROGRAM_ORDER_WORK_H
