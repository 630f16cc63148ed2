// kern/opt/product/strassen_blocks.h - how core::fully_connected_strassen is
// cut into items, and what scratch they take. Also compiled for the machine
// that compiles the model.
#ifndef TENON_KERN_OPT_STRASSEN_BLOCKS_H
#define TENON_KERN_OPT_STRASSEN_BLOCKS_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/strassen.h"

// Pairs of rows in a block: at most, where their sums are too large, and in any
// case. Floats of all sums that are not, of those that are made in parts of k,
// and of such a part, roughly.
enum {
  TENON_STRASSEN_PAIRS = 64,
  TENON_STRASSEN_FEW_PAIRS = 32,
  TENON_STRASSEN_FLOATS = 1 << 18,
  TENON_STRASSEN_FAR = 3 << 16,
  TENON_STRASSEN_NEAR = 1 << 16
};
// Products that have differences of weights as a factor.
enum { TENON_STRASSEN_MADE = 5 };

// Lines are rows, an even number in each block but the last.
TENON_INLINE tenon_blocks tenon_strassen_blocks(const tenon_strassen *g) {
  const ptrdiff_t row = TENON_STRASSEN_ROWS * (g->half ? g->half : 1);
  ptrdiff_t most = TENON_STRASSEN_FLOATS / row, least;
  tenon_blocks b;
  if (most > TENON_STRASSEN_PAIRS) most = TENON_STRASSEN_PAIRS;
  if (most < TENON_STRASSEN_FEW_PAIRS) most = TENON_STRASSEN_FEW_PAIRS;
  b.images = 1;
  b.lines = g->m;
  b.groups = (g->n + TENON_GROUP - 1) / TENON_GROUP;
  b.count = (g->pairs + most - 1) / most;
  // Enough for threads to share, as long as blocks are not low; and of a few
  // blocks an even number, since steps that join them are divided by blocks.
  least = b.groups ? (TENON_LEAST_ITEMS + b.groups - 1) / b.groups : 0;
  if (least > 1 && least % 2) ++least;
  if (least > g->pairs / TENON_TILE_PIXELS)
    least = g->pairs / TENON_TILE_PIXELS;
  if (b.count < least) b.count = least;
  if (b.count > 1 && b.count < TENON_LEAST_ITEMS && b.count % 2) ++b.count;
  b.height = b.count ? 2 * ((g->pairs + b.count - 1) / b.count) : 0;
  b.count = b.height ? (g->m + b.height - 1) / b.height : 0;
  b.is_across = false;
  b.most = b.height;
  return b;
}

// Sums of rows are those of `depth` values of each half of k, one part after
// the other, where all of them would not stay in the second-level cache beside
// weights, and scratch is no larger: results of all groups are kept then.
//
// Floats from one plane of sums of rows, and of results, to the next: a cache
// line more than there are, or planes would share the same lines of the cache.
typedef struct tenon_strassen_planes {
  ptrdiff_t depth;
  ptrdiff_t in, sums;
  ptrdiff_t groups;  // whose results are kept
  ptrdiff_t floats;  // of all, and of differences of weights
} tenon_strassen_planes;

TENON_INLINE tenon_strassen_planes tenon_strassen_planes_by(ptrdiff_t pairs,
                                                            ptrdiff_t depth,
                                                            ptrdiff_t groups) {
  tenon_strassen_planes p;
  p.depth = depth;
  p.in = pairs * depth + TENON_LANES;
  p.sums = pairs * (TENON_GROUP / 2) + TENON_LANES;
  p.groups = groups;
  p.floats = TENON_STRASSEN_ROWS * p.in +
             groups * TENON_STRASSEN_SUMS * p.sums + depth * (TENON_GROUP / 2);
  return p;
}

TENON_INLINE tenon_strassen_planes
tenon_strassen_planes_of(const tenon_strassen *g, const tenon_blocks *b) {
  const ptrdiff_t pairs = (b->height + 1) / 2;
  const tenon_strassen_planes all = tenon_strassen_planes_by(pairs, g->half, 1);
  const ptrdiff_t parts =
      TENON_STRASSEN_ROWS * all.in / TENON_STRASSEN_NEAR + 1;
  const ptrdiff_t depth =
      tenon_round_up((g->half + parts - 1) / parts, TENON_LANES);
  const tenon_strassen_planes some =
      tenon_strassen_planes_by(pairs, depth, b->groups);
  return TENON_STRASSEN_ROWS * all.in > TENON_STRASSEN_FAR &&
                 some.floats <= all.floats
             ? some
             : all;
}

TENON_INLINE size_t tenon_strassen_scratch(const tenon_strassen *g) {
  const tenon_blocks b = tenon_strassen_blocks(g);
  return (size_t)tenon_strassen_planes_of(g, &b).floats * sizeof(float);
}

#endif  // TENON_KERN_OPT_STRASSEN_BLOCKS_H
