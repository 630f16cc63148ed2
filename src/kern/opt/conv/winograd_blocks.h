// kern/opt/conv/winograd_blocks.h - how core::conv_winograd is cut into items,
// and what scratch they take. Also compiled for the machine that compiles the
// model.
#ifndef TENON_KERN_OPT_WINOGRAD_BLOCKS_H
#define TENON_KERN_OPT_WINOGRAD_BLOCKS_H

#include "kern/opt/tiles/blocks.h"
#include "kern/product/winograd.h"

// Sums that a tile has for each of its products: of the channels of a group, in
// whole registers.
TENON_INLINE ptrdiff_t tenon_winograd_width(const tenon_winograd *g) {
  return g->out_c < TENON_GROUP
             ? (g->out_c + TENON_LANES - 1) / TENON_LANES * TENON_LANES
             : TENON_GROUP;
}

// Tiles whose inputs are in scratch together, at most: more of few channels,
// as each product of matrices costs some time of its own, and fewer where the
// scratch would be much more than a small image itself.
TENON_INLINE ptrdiff_t tenon_winograd_most(const tenon_winograd *g) {
  const ptrdiff_t channels = g->c + tenon_winograd_width(g);
  if (g->tile == 2) return 36;
  if (g->down * g->right <= 16 && channels <= 64) return 4;
  return channels <= 40 ? 32 : 16;
}

// Of `left` tiles as many as come next: as evenly as may be.
TENON_INLINE ptrdiff_t tenon_winograd_some(const tenon_winograd *g,
                                           ptrdiff_t left) {
  const ptrdiff_t most = tenon_winograd_most(g);
  const ptrdiff_t parts = (left + most - 1) / most;
  return (left + parts - 1) / parts;
}

// Lines are rows of outputs, `tile` for each row of tiles.
TENON_INLINE tenon_blocks tenon_winograd_blocks(const tenon_winograd *g,
                                                ptrdiff_t images) {
  const ptrdiff_t least = g->tile == 2 ? 24 : tenon_winograd_most(g) / 4 * 3;
  const ptrdiff_t rows = g->right ? (least + g->right - 1) / g->right : 1;
  tenon_blocks b;
  b.images = images;
  b.lines = g->down;
  b.count = (g->down + rows - 1) / rows;
  b.groups = (g->out_c + TENON_GROUP - 1) / TENON_GROUP;
  // Groups are enough to share where all weights pass by no more than once.
  if (b.groups >= 4 && g->down * g->right <= tenon_winograd_most(g))
    b.count = g->down > 0;
  b.height = b.count ? (g->down + b.count - 1) / b.count : 0;
  b.is_across = false;
  b.most = b.height;
  tenon_blocks_share(&b, 4 * g->right);  // of 6 tiles and more
  b.lines = g->out_h;
  b.height *= g->tile;
  b.most *= g->tile;
  if (b.height > b.lines) b.height = b.lines;
  if (b.most > b.lines) b.most = b.lines;
  return b;
}

// Floats from one plane of inputs, and of sums, to the next: a cache line more
// than there are, or the planes would share the same lines of the cache.
typedef struct tenon_winograd_planes {
  ptrdiff_t in, sums;
} tenon_winograd_planes;

TENON_INLINE tenon_winograd_planes
tenon_winograd_planes_of(const tenon_winograd *g) {
  const ptrdiff_t all = g->down * g->right;
  const ptrdiff_t most = tenon_winograd_most(g);
  const ptrdiff_t tiles = all < most ? all : most;
  tenon_winograd_planes p;
  p.in = tiles * g->c + TENON_LANES;
  p.sums = tiles * tenon_winograd_width(g) + TENON_LANES;
  return p;
}

// Bytes.
TENON_INLINE size_t tenon_winograd_scratch(const tenon_winograd *g) {
  const tenon_winograd_planes p = tenon_winograd_planes_of(g);
  return (size_t)(g->c + g->sums * (p.in + p.sums)) * sizeof(float);
}

#endif  // TENON_KERN_OPT_WINOGRAD_BLOCKS_H
