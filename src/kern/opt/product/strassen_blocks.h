// kern/opt/product/strassen_blocks.h - how core::fully_connected_strassen is
// cut into items, and what scratch they take. Also compiled for the machine
// that compiles the model.
#ifndef TENON_KERN_OPT_STRASSEN_BLOCKS_H
#define TENON_KERN_OPT_STRASSEN_BLOCKS_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/strassen.h"

// Pairs of rows in a block: at most, where their sums are too large, and in any
// case; and floats of all sums that are not, and of what scratch is not large.
enum {
  TENON_STRASSEN_PAIRS = 64,
  TENON_STRASSEN_FEW_PAIRS = 32,
  TENON_STRASSEN_FLOATS = 1 << 18,
  TENON_STRASSEN_SCRATCH = 9 << 15
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

// Floats from one plane of sums of rows, and of results, to the next: a cache
// line more than there are, or planes would share the same lines of the cache.
// Where scratch is large, the last two planes of sums of rows, which are never
// read at the same time, share some rows, made anew for each group.
typedef struct tenon_strassen_planes {
  ptrdiff_t in, sums;
  ptrdiff_t shared;  // pairs
  ptrdiff_t floats;  // of all, and of differences of weights
} tenon_strassen_planes;

TENON_INLINE tenon_strassen_planes
tenon_strassen_planes_of(const tenon_strassen *g, const tenon_blocks *b) {
  const ptrdiff_t pairs = (b->height + 1) / 2;
  tenon_strassen_planes p;
  p.in = pairs * g->half + TENON_LANES;
  p.sums = pairs * (TENON_GROUP / 2) + TENON_LANES;
  p.floats = TENON_STRASSEN_ROWS * p.in + TENON_STRASSEN_SUMS * p.sums +
             g->half * (TENON_GROUP / 2);
  p.shared = 0;
  if (p.floats > TENON_STRASSEN_SCRATCH)
    p.shared = (p.floats - TENON_STRASSEN_SCRATCH + g->half - 1) / g->half;
  if (p.shared > pairs / 4) p.shared = pairs / 4;
  p.floats -= p.shared * g->half;
  return p;
}

TENON_INLINE size_t tenon_strassen_scratch(const tenon_strassen *g) {
  const tenon_blocks b = tenon_strassen_blocks(g);
  return (size_t)tenon_strassen_planes_of(g, &b).floats * sizeof(float);
}

#endif  // TENON_KERN_OPT_STRASSEN_BLOCKS_H
