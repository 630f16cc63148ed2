// program/pack/pack.h - placing buffers with known lifetimes into one arena.
//
// A pure function: it sees no graph and keeps no state, so a test is a table.
// Everything a packer may know about a buffer is in tenon_span (tenon/pack.h);
// if a target needs more (banks, alignment classes), it is added there.
//
// On success, spans that are live together do not overlap and every offset is
// aligned; tenon_pack_check verifies this and runs after every packing in every
// build. Heuristics come first (pack_greedy.c); where they miss the lower bound
// a search goes on (pack_search.c), until its steps are used up or nothing
// smaller is left. The budget is of steps, not of time: the result is the same
// on every machine.
#ifndef TENON_PROGRAM_PACK_H
#define TENON_PROGRAM_PACK_H

#include "tenon/pack.h"

// The most bytes live at any step, and no less than the highest group: no
// packing needs less.
uint64_t tenon_pack_bound(const tenon_span *spans, size_t n,
                          const tenon_allocator *allocator, bool *ok);
// Whether spans make sense: alignments, lifetimes, sums that fit 62 bits,
// groups that can be aligned and whose fixed spans agree. Else *culprit and a
// reason. False with a null reason: memory ran out.
bool tenon_pack_valid(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t *culprit,
                      const char **why);
// Fills the offsets and *size, the end of the highest span. False when memory
// for the work runs out.
bool tenon_pack(tenon_span *spans, size_t n, const tenon_allocator *allocator,
                uint64_t *size);
// The same with options (of which allocator and diag are not read) and all that
// is known of the result.
bool tenon_pack_with(const tenon_pack_options *options, tenon_span *spans,
                     size_t n, const tenon_allocator *allocator,
                     tenon_packing *out);
// The same in a time that a run can spend: few orders, no search, no groups,
// and work memory of the caller's, tenon_pack_work bytes aligned for uint64_t.
size_t tenon_pack_work(size_t n);
void tenon_pack_again(tenon_span *spans, size_t n, void *work, uint64_t *size);
// Whether that went well, for spans without groups; the work memory is used
// again.
bool tenon_pack_check_again(const tenon_span *spans, size_t n, void *work,
                            size_t culprit[2]);
// Index pairs that collide, or one that is misaligned or out of place in its
// group: false, with the culprits. When memory runs out, n and n.
bool tenon_pack_check(const tenon_span *spans, size_t n,
                      const tenon_allocator *allocator, size_t culprit[2]);

#endif  // TENON_PROGRAM_PACK_H
