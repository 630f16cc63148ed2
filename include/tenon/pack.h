// tenon/pack.h - placing buffers with known lifetimes into one memory.
//
// The packer of the planner, alone: a pure function that knows no model. Spans
// that are live together get places that do not overlap; the result says how
// large the memory is, what no packing can undercut, and whether the result is
// proved to be the smallest.
//
// Spans of one `group` move together: each lies `inner` bytes behind the place
// of the group. So a buffer whose parts live at different times is a group with
// a span per part, a view is a span over bytes that another span of its group
// has too, and a time in which no span of a group lives is free for others.
#ifndef TENON_PACK_H
#define TENON_PACK_H

#include "tenon/alloc.h"
#include "tenon/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

// Zero in `group` and `inner` is a span alone.
typedef struct tenon_span {
  uint64_t size;         // bytes; 0 is placed at 0
  uint64_t align;        // a power of two; 0: 1
  uint32_t first, last;  // steps during which it is live, both inclusive
  bool is_fixed;         // `offset` is given
  uint64_t offset;       // the result
  uint64_t inner;        // from the place of its group
  uint32_t group;        // a number; 0: alone
} tenon_span;

enum {
  TENON_PACK_QUICK = 1u << 0  // heuristics only: no search
};

typedef struct tenon_pack_options {
  uint32_t struct_size;
  uint32_t flags;             // TENON_PACK_*
  uint64_t capacity;          // enough: the search ends when this is reached;
                              // 0: as small as possible
  uint64_t effort;            // steps the search may take, the same on every
                              // machine; 0: TENON_PACK_EFFORT
  tenon_allocator allocator;  // zero: the C library's
  tenon_diag_sink diag;       // zero: diagnostics are dropped
} tenon_pack_options;

// About a tenth of a second.
#define TENON_PACK_EFFORT ((uint64_t)30000000)

typedef struct tenon_packing {
  uint64_t size;    // the end of the highest span
  uint64_t bound;   // no packing needs less
  uint64_t steps;   // of the search
  bool is_optimal;  // proved: none is smaller
} tenon_packing;

// Fills the offsets and *out. Fails with TENON_BAD_ARGUMENT when a span makes
// no sense, fixed spans collide or a group cannot be aligned.
TENON_API TENON_NODISCARD tenon_status
tenon_pack_spans(const tenon_pack_options *options, tenon_span *spans, size_t n,
                 tenon_packing *out);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PACK_H
