// program/pack.h - placing buffers with known lifetimes into one arena.
//
// A pure function: it sees no graph and keeps no state, so a test is a table.
// Everything a packer may know about a buffer is in tenon_span; if a target
// needs more (banks, alignment classes), it is added there.
//
// On success, spans that are live together do not overlap and every offset is
// aligned; tenon_pack_check verifies this and runs after every packing in every
// build. Several orders of placement are tried, best fit each; the search stops
// as soon as the lower bound is reached.
#ifndef TENON_PROGRAM_PACK_H
#define TENON_PROGRAM_PACK_H

#include "tenon/alloc.h"

typedef struct tenon_span {
  uint64_t size;         // bytes; 0 is placed at 0
  uint64_t align;        // a power of two; 0: 1
  uint32_t first, last;  // steps during which it is live, both inclusive
  bool is_fixed;         // `offset` is given
  uint64_t offset;       // the result
} tenon_span;

// The most bytes live at any step: no packing needs less.
uint64_t tenon_pack_bound(const tenon_span *spans, size_t n,
                          const tenon_allocator *allocator, bool *ok);
// Fills the offsets and *size, the end of the highest span. False when memory
// for the work runs out.
bool tenon_pack(tenon_span *spans, size_t n, const tenon_allocator *allocator,
                uint64_t *size);
// The same in a time that a run can spend: few orders, no search, and work
// memory of the caller's, tenon_pack_work bytes aligned for uint64_t.
size_t tenon_pack_work(size_t n);
void tenon_pack_again(tenon_span *spans, size_t n, void *work, uint64_t *size);
// Index pairs that collide or misaligned spans: false, with the culprits.
bool tenon_pack_check(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t culprit[2]);

#endif  // TENON_PROGRAM_PACK_H
