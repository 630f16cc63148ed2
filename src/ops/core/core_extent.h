// ops/core/core_extent.h - which elements the items of a kernel store
// (tenon_kernel_desc.extent).
#ifndef TENON_OPS_CORE_CORE_EXTENT_H
#define TENON_OPS_CORE_CORE_EXTENT_H

#include "kern/opt/tiles/blocks.h"

// `line`: elements of the result in a line. Items of a block store parts of the
// same lines, so a piece is a block.
TENON_INLINE int64_t tenon_core_blocks_extent(const tenon_blocks *b,
                                              ptrdiff_t line, int64_t *items) {
  if (b->is_across || (b->images > 1 && b->lines % b->height != 0)) return 0;
  *items = b->groups;
  return (int64_t)b->height * line;
}

#endif  // TENON_OPS_CORE_CORE_EXTENT_H
