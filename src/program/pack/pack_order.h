// program/pack/pack_order.h - the orders in which items are tried.
#ifndef TENON_PROGRAM_PACK_ORDER_H
#define TENON_PROGRAM_PACK_ORDER_H

#include "program/pack/pack_work.h"

// Of those, the first two get further than the others in almost every problem.
enum { TENON_PACK_KEYS = 3, TENON_PACK_ORDERS = 16, TENON_PACK_FAVOURED = 2 };

// What decides in an order: the first key that differs, the greater first.
typedef struct tenon_pack_keys {
  double values[TENON_PACK_KEYS];
  double factor;  // the caller's: more is earlier
} tenon_pack_keys;

typedef struct tenon_pack_orders {
  tenon_packer *p;
  tenon_pack_keys *keys;
  int contention;             // which key is contention; -1: none
  double *life[2], *area[2];  // in steps; in times that are left
  double *contended;          // the most bytes alive in an item's life
} tenon_pack_orders;

// Factors are 1. False: out of memory.
bool tenon_pack_orders_init(tenon_pack_orders *o, tenon_packer *p,
                            tenon_arena *arena);
// Fills p->order, of all items, and the keys.
void tenon_pack_arrange(tenon_pack_orders *o, uint32_t order);
// Counts contention anew and sorts; `left`: bytes per time.
void tenon_pack_arrange_part(tenon_pack_orders *o, const uint64_t *left,
                             uint32_t *list, uint32_t *spare, size_t n);

// What stands high in one try comes earlier in the next (pack_skyline.c), until
// the bound is reached or `effort` elementary steps are used up. False: out of
// memory.
bool tenon_pack_skyline(tenon_pack_orders *o, tenon_arena *arena,
                        uint64_t effort);
// Searches from the bound to p->best_size or down to `enough`; *steps counts up
// to `effort`. *proved: nothing below p->best_size is left. False: out of
// memory.
bool tenon_pack_search(tenon_pack_orders *o, tenon_arena *arena,
                       uint64_t enough, uint64_t effort, uint64_t *steps,
                       bool *proved);

#endif  // TENON_PROGRAM_PACK_ORDER_H
