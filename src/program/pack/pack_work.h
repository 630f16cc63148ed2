// program/pack/pack_work.h - what the parts of the packer share.
//
// A problem is items, each placed as a whole, made of rectangles in time and
// address. A span alone is an item with one rectangle; a group is an item whose
// rectangles do not overlap each other. Spans without bytes are no items.
#ifndef TENON_PROGRAM_PACK_WORK_H
#define TENON_PROGRAM_PACK_WORK_H

#include "base/arena.h"
#include "program/pack/pack.h"

typedef struct tenon_pack_rect {
  uint64_t size, inner;  // bytes; from the place of the item
  uint32_t first, last;  // times, both inclusive
  uint32_t item;
  uint32_t life;  // steps, before times were counted anew
} tenon_pack_rect;

typedef struct tenon_pack_item {
  uint64_t base;          // its place, when fixed
  uint64_t align, phase;  // places are `phase` modulo `align`
  uint64_t height;        // to the end of the highest rectangle
  uint64_t most;          // bytes of the largest rectangle
  uint32_t begin, end;    // rectangles
  uint32_t first, last;   // from the first time to the last
  bool is_fixed;
} tenon_pack_item;

typedef struct tenon_pack_gap {
  uint64_t begin, end;
} tenon_pack_gap;

// Places at which an item of several rectangles meets another, from `begin` up
// to `end`, both from the place of that other one.
typedef struct tenon_pack_taken {
  int64_t begin, end;
  uint32_t item;
} tenon_pack_taken;

typedef struct tenon_packer {
  tenon_pack_item *items;
  tenon_pack_rect *rects;
  size_t n, n_rects;
  uint32_t n_times;  // 0: not counted from 0
  bool has_parts;    // an item has several rectangles
  bool has_fixed;
  uint64_t bound;    // no packing needs less
  uint32_t *order;   // n: in which items are placed
  uint32_t *placed;  // n_rects: those placed, by address
  uint64_t *bases;   // n: of the present try
  uint64_t *best;    // n: of the best one
  uint64_t best_size;
  uint32_t *item_of;  // per span; UINT32_MAX: none
  // Of rectangle i those that live at a time with it: near[near_at[i]] to
  // near[near_at[i + 1]]. Null: not listed. With it, `gaps` has room for those
  // of the rectangles of any item.
  const uint32_t *near_at, *near;
  // The same of whole items, those with several rectangles: taken[taken_at[i]]
  // to taken[taken_at[i + 1]].
  const uint32_t *taken_at;
  const tenon_pack_taken *taken;
  bool *is_placed;  // n: of the present try
  tenon_pack_gap *gaps;
} tenon_packer;

// Stable, so that an order needs no index at its end. `spare` has n elements.
typedef bool tenon_pack_before(const void *context, uint32_t a, uint32_t b);
void tenon_pack_sort(uint32_t *list, uint32_t *spare, size_t n,
                     tenon_pack_before *before, const void *context);

// Spans to items; times are counted anew, so that only those are left at which
// something has begun since something ended. False: out of memory.
bool tenon_pack_problem(tenon_arena *arena, const tenon_span *spans, size_t n,
                        tenon_packer *out);
// Spans alone, in arrays of n that `p` brings; times stay.
void tenon_pack_plain(const tenon_span *spans, size_t n, tenon_packer *p);
void tenon_pack_result(const tenon_packer *p, tenon_span *spans, size_t n);

// The lowest place from `at` on that the item's alignment allows.
TENON_INLINE uint64_t tenon_pack_align(const tenon_pack_item *i, uint64_t at) {
  uint64_t past = (at - i->phase) & (i->align - 1);
  return past ? at + (i->align - past) : at;
}
TENON_INLINE bool tenon_pack_meet(const tenon_pack_rect *a,
                                  const tenon_pack_rect *b) {
  return a->first <= b->last && b->first <= a->last;
}

// Places all items in p->order at the tightest gap, keeps the result if it is
// the best, and returns its size. The first `from` of them are where the try
// before has placed them, in the same order.
uint64_t tenon_pack_try(tenon_packer *p, size_t from);
// Lists who lives with whom, where that is worth it, and places by it. False:
// out of memory.
bool tenon_pack_find_near(tenon_packer *p, tenon_arena *arena);
void tenon_pack_place_near(tenon_packer *p, size_t from);
// The orders worth trying for a run; all of them, with improvement, elsewhere.
void tenon_pack_few(tenon_packer *p);
bool tenon_pack_greedy(tenon_packer *p, tenon_arena *arena);
// Stacks without looking for gaps, in n log n.
bool tenon_pack_stack(tenon_packer *p, tenon_arena *arena);
// Goes through time and gives each item the tightest gap; false: gave up.
bool tenon_pack_sweep(tenon_packer *p);
void tenon_pack_keep(tenon_packer *p);

#endif  // TENON_PROGRAM_PACK_WORK_H
