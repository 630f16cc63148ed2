// kern/opt/tiles/blocks.h - how the kernels of this folder cut their work into
// items.
//
// An item is a block of output rows (of pixels, where a convolution is a plain
// product) by a group of output channels. Blocks are small enough for what they
// read to stay in the second-level cache while the weights of a group pass by,
// and depend on the shapes alone. Consecutive items share a block, so a range
// prepares its input once.
//
// Also compiled for the machine that compiles the model: `items` and `scratch`
// use it.
#ifndef TENON_KERN_OPT_BLOCKS_H
#define TENON_KERN_OPT_BLOCKS_H

#include "kern/loop/window.h"
#include "kern/opt/tiles/packed.h"

#define TENON_GROUP 64          // channels of an item
#define TENON_BLOCK_PIXELS 192  // of output, roughly
#define TENON_TILE_PIXELS 12    // a multiple of every tile's rows
#define TENON_LEAST_ITEMS 8     // of a product of floats, for threads to share
#define TENON_MOST_ROWS 256     // of several blocks of one that go at once

// Floats of all weights that stay in the second-level cache.
enum { TENON_FEW = 1 << 17 };

typedef struct tenon_blocks {
  ptrdiff_t images, lines;  // lines of an image: rows, or all pixels
  ptrdiff_t height;         // lines of a block; the last of an image: the rest
  ptrdiff_t count;          // blocks of an image
  ptrdiff_t groups;
  bool is_across;  // the blocks of a group come one after the other
  ptrdiff_t most;  // lines that a range takes at once: of one block or several
} tenon_blocks;

TENON_INLINE bool tenon_is_product(const tenon_window *g) {
  return g->kh == 1 && g->kw == 1 && g->down == 1 && g->right == 1 &&
         g->top == 0 && g->left == 0 && g->out_h == g->h && g->out_w == g->w;
}

// A row of pixels stands upright, so that it is cut like the rows of any image:
// neither pixels nor taps lie elsewhere for it.
TENON_INLINE tenon_window tenon_window_upright(tenon_window g) {
  if (g.h != 1 || g.out_h != 1 || g.kh != 1 || g.top != 0) return g;
  const tenon_window u = {
      g.w,  1,       g.c,    g.out_w, 1,     g.out_c, g.kw,
      g.kh, g.right, g.down, g.left,  g.top, g.dil_x, g.dil_y,
  };
  return u;
}

// `pixels`: of output, roughly, in a block; `size`: bytes of input for a line;
// `fixed`: for a block besides.
TENON_INLINE tenon_blocks tenon_blocks_cut(ptrdiff_t images, ptrdiff_t lines,
                                           ptrdiff_t line_pixels,
                                           ptrdiff_t channels, ptrdiff_t pixels,
                                           ptrdiff_t size, ptrdiff_t fixed,
                                           ptrdiff_t budget) {
  tenon_blocks b;
  ptrdiff_t unit = line_pixels == 1 ? TENON_TILE_PIXELS : 1;
  if (line_pixels < 1) line_pixels = 1;  // an open size that came out empty
  ptrdiff_t height = (pixels + line_pixels - 1) / line_pixels;
  ptrdiff_t fit = budget > fixed ? (budget - fixed) / size / unit * unit : 0;
  if (height > fit) height = fit;
  if (height < unit) height = unit;
  b.images = images;
  b.lines = lines;
  b.count = (lines + height - 1) / height;
  b.height = b.count ? (lines + b.count - 1) / b.count : 0;  // evenly
  b.height = tenon_round_up(b.height, unit);
  if (b.height > lines) b.height = lines;
  b.groups = (channels + TENON_GROUP - 1) / TENON_GROUP;
  b.is_across = false;
  b.most = b.height;
  return b;
}

TENON_INLINE ptrdiff_t tenon_blocks_items(const tenon_blocks *b) {
  return b->images * b->count * b->groups;
}

// A few blocks of an image, of which threads would have unequal shares, are cut
// into as many of one height that two threads, or four, have the same. A thread
// that has several takes as many as there were in one before, so that weights
// pass by no more often.
TENON_INLINE void tenon_blocks_share(tenon_blocks *b, ptrdiff_t line_pixels) {
  const ptrdiff_t items = tenon_blocks_items(b);
  if (b->images != 1 || items == 0 || items > TENON_LEAST_ITEMS) return;
  for (ptrdiff_t parts = 4; parts > 1; parts /= 2) {
    ptrdiff_t count = b->count;
    while (count * b->groups % parts != 0)
      ++count;
    const ptrdiff_t height = (b->lines + count - 1) / count;
    if (count == b->count || height * line_pixels < 2 * TENON_TILE_PIXELS ||
        (height * count - b->lines) * (3 * parts) > b->lines)
      continue;
    b->height = height;
    b->count = (b->lines + height - 1) / height;
    b->most = (b->most + height - 1) / height * height;
    if (b->most > b->lines) b->most = b->lines;
    return;
  }
}

// x [..., k] times w [n, k]: m rows of k values give m rows of n.
typedef struct tenon_matrix {
  ptrdiff_t m, k, n;
} tenon_matrix;

TENON_INLINE tenon_matrix tenon_matrix_of(const tenon_call *c) {
  tenon_matrix p;
  p.n = c->in[1].dims[0];
  p.k = c->in[1].dims[1];
  const ptrdiff_t count = (ptrdiff_t)tenon_count(&c->out[0]);
  p.m = count == p.n ? p.n > 0 : p.n ? count / p.n : 0;
  return p;
}

// For kernels of floats, whose tiles take any number of rows: where blocks are
// few they are equal, so that threads have as much to do as each other, and
// enough of them where they are not low, so that what follows joins them. Where
// that costs no more than a row or two, tiles fill them.
TENON_INLINE void tenon_blocks_level(tenon_blocks *b) {
  const ptrdiff_t most = b->lines / TENON_TILE_PIXELS;
  ptrdiff_t count = b->groups ? TENON_LEAST_ITEMS / b->groups : 0;
  if (count * b->groups < TENON_LEAST_ITEMS) ++count;
  if (count > most) count = most;
  if (count < TENON_LEAST_ITEMS && count < most / 2)
    count = most / 2 < TENON_LEAST_ITEMS ? most / 2 : TENON_LEAST_ITEMS;
  if (count < b->count) count = b->count;
  if (count == 0 || count >= 2 * TENON_LEAST_ITEMS) return;
  b->height = (b->lines + count - 1) / count;
  const ptrdiff_t whole = b->height / TENON_TILE_PIXELS * TENON_TILE_PIXELS;
  const ptrdiff_t left = whole ? b->lines % whole : 0;
  if (whole && b->height - whole <= 2 && (left == 0 || left > 3))
    b->height = whole;
  b->count = (b->lines + b->height - 1) / b->height;
  b->most = b->height;
}

TENON_INLINE tenon_blocks tenon_blocks_of_product(ptrdiff_t m, ptrdiff_t k,
                                                  ptrdiff_t n,
                                                  ptrdiff_t value) {
  tenon_blocks b;
  ptrdiff_t pixels = TENON_BLOCK_PIXELS;
  // Where weights are few, what a block reads and writes stays in the
  // first-level cache, for whatever goes on with it.
  if (value == (ptrdiff_t)sizeof(float) && k * n <= 1 << 12) {
    const ptrdiff_t fit = 6144 / (k + n + 1) / TENON_TILE_PIXELS;
    if (fit * TENON_TILE_PIXELS < pixels)
      pixels = (fit < 4 ? 4 : fit) * TENON_TILE_PIXELS;
  }
  b = tenon_blocks_cut(1, m, 1, n, pixels, k * value + 1, 0, 1 << 17);
  if (value == (ptrdiff_t)sizeof(float)) tenon_blocks_level(&b);
  return b;
}

// Of a product of 16-bit floats: outputs of a row that are sums in scratch
// before they are rounded, of so many rows at most, where the floats of a block
// of rows are, too.
enum { TENON_HALF_ROWS = 5 * TENON_TILE_PIXELS };
TENON_INLINE ptrdiff_t tenon_half_width(const tenon_blocks *b) {
  return b->height == 1 ? 2 * TENON_GROUP : TENON_GROUP;
}
TENON_INLINE size_t tenon_half_scratch(const tenon_blocks *b, ptrdiff_t k) {
  const ptrdiff_t rows =
      b->height < TENON_HALF_ROWS ? b->height : TENON_HALF_ROWS;
  return (size_t)(b->height * k + rows * tenon_half_width(b)) * sizeof(float);
}

// For kernels of floats, which prepare no input: `k` values of it for an
// output, `pixels` of a line. Deep rows make low blocks, each of which would
// have all weights pass by: where those do not stay in the cache, the ones of a
// group do, and the input passes by.
TENON_INLINE void tenon_blocks_turn(tenon_blocks *b, ptrdiff_t k,
                                    ptrdiff_t pixels) {
  const ptrdiff_t weights =
      b->groups * TENON_GROUP * k * (ptrdiff_t)sizeof(float);
  b->is_across =
      b->images == 1 && b->height * pixels < TENON_GROUP && weights > 1 << 19;
}

// For products whose kernels prepare no input, `size` bytes a row: a range that
// has several blocks takes them at once, as long as those stay in the
// second-level cache. So fewer tiles are cut short.
TENON_INLINE void tenon_blocks_merge(tenon_blocks *b, ptrdiff_t size) {
  ptrdiff_t rows = (1 << 18) / (size ? size : 1);
  if (rows > TENON_MOST_ROWS) rows = TENON_MOST_ROWS;
  if (rows > b->most && b->height > 0) b->most = rows / b->height * b->height;
}

// `value`: bytes of an input value as the kernel reads it.
TENON_INLINE tenon_blocks tenon_blocks_of_conv(const tenon_window *g,
                                               ptrdiff_t images,
                                               ptrdiff_t value) {
  ptrdiff_t row = g->w * g->c * value + 1;
  if (tenon_is_product(g))
    return tenon_blocks_of_product(images * g->h * g->w, g->c, g->out_c, value);
  tenon_blocks b =
      tenon_blocks_cut(images, g->out_h, g->out_w, g->out_c, TENON_BLOCK_PIXELS,
                       g->down * row, (g->kh - 1) * g->dil_y * row, 1 << 17);
  const ptrdiff_t most = b.most;
  tenon_blocks_share(&b, g->out_w);
  // Rows in scratch are no more for it: lower blocks, as many lines at once.
  if (value < (ptrdiff_t)sizeof(float) && b.most > most) {
    while (b.height % 2 == 0 && most % b.height != 0)
      b.height /= 2;
    b.count = (b.lines + b.height - 1) / b.height;
    b.most = most / b.height * b.height;
  }
  return b;
}

// A convolution of `groups` groups of channels, each of which is cut; narrow
// ones together.
TENON_INLINE tenon_blocks tenon_blocks_of_groups(const tenon_window *g,
                                                 ptrdiff_t images,
                                                 ptrdiff_t value,
                                                 ptrdiff_t groups) {
  ptrdiff_t row = g->w * g->c * value + 1;
  tenon_blocks b;
  if (groups == 1) return tenon_blocks_of_conv(g, images, value);
  if (tenon_is_narrow_group(groups, g->c / groups, g->out_c / groups))
    return tenon_blocks_cut(images, g->out_h, g->out_w, g->out_c,
                            TENON_BLOCK_PIXELS, g->down * row,
                            (g->kh - 1) * g->dil_y * row, 1 << 17);
  b = tenon_blocks_cut(images, g->out_h, g->out_w, g->out_c / groups,
                       TENON_BLOCK_PIXELS, g->down * row,
                       (g->kh - 1) * g->dil_y * row, 1 << 17);
  b.groups *= groups;
  return b;
}

// Input rows that `lines` rows of output read.
TENON_INLINE ptrdiff_t tenon_rows_read(const tenon_window *g, ptrdiff_t lines) {
  return (lines - 1) * g->down + (g->kh - 1) * g->dil_y + 1;
}

// Columns that a row of outputs reads, from the left edge of the padding on.
TENON_INLINE ptrdiff_t tenon_columns_read(const tenon_window *g) {
  return (g->out_w - 1) * g->right + (g->kw - 1) * g->dil_x + 1;
}

// Values that may be read past the last one, by groups of so many.
TENON_INLINE ptrdiff_t tenon_past_s8(ptrdiff_t group) {
  return group > 4 ? group : 4;
}

// Bytes of an input row in scratch, `value` bytes each. A group may reach past
// the last value.
TENON_INLINE ptrdiff_t tenon_row_size_s8(const tenon_window *g, ptrdiff_t value,
                                         ptrdiff_t group) {
  return tenon_round_up(
      (tenon_columns_read(g) * g->c + tenon_past_s8(group)) * value, 16);
}

// Bytes of an image of floats as integers, by which rows follow.
TENON_INLINE ptrdiff_t tenon_conv_dot_image(const tenon_window *g,
                                            ptrdiff_t group) {
  return tenon_round_up(g->h * g->w * g->c + tenon_past_s8(group), 64);
}

// Depthwise, int8: `group` taps of a row side by side. The columns that outputs
// and groups of taps begin at are `step` apart.
typedef struct tenon_columns {
  ptrdiff_t groups;       // of taps in a row
  ptrdiff_t step, count;  // columns in scratch
  ptrdiff_t group;        // of them from one group to the next
} tenon_columns;

TENON_INLINE tenon_columns tenon_columns_of(const tenon_window *g,
                                            ptrdiff_t group) {
  tenon_columns c;
  ptrdiff_t a = g->right, b = group * g->dil_x;
  while (b != 0) {
    ptrdiff_t rest = a % b;
    a = b;
    b = rest;
  }
  c.step = a;
  c.groups = (g->kw + group - 1) / group;
  c.group = group * g->dil_x / c.step;
  c.count = (g->out_w - 1) * (g->right / c.step) + (c.groups - 1) * c.group + 1;
  return c;
}

// Bytes of an input row in scratch: of one vector of channels, of any width.
TENON_INLINE ptrdiff_t tenon_depthwise_row(const tenon_window *g,
                                           ptrdiff_t group) {
  return tenon_columns_of(g, group).count * TENON_LANES * 4;
}

TENON_INLINE tenon_blocks tenon_blocks_of_depthwise(const tenon_window *g,
                                                    ptrdiff_t images,
                                                    ptrdiff_t group) {
  ptrdiff_t row = tenon_depthwise_row(g, group);
  return tenon_blocks_cut(images, g->out_h, g->out_w, g->out_c,
                          2 * TENON_BLOCK_PIXELS, g->down * row,
                          (g->kh - 1) * g->dil_y * row, 3 << 14);
}

// One item after the other; those of one block, of one group, or of several
// whole blocks, together.
typedef struct tenon_work {
  ptrdiff_t image, begin, end;  // lines
  ptrdiff_t group, group_end;
} tenon_work;

TENON_INLINE int64_t tenon_blocks_work_across(const tenon_blocks *b,
                                              int64_t begin, int64_t end,
                                              tenon_work *w) {
  const ptrdiff_t block = (ptrdiff_t)begin % b->count;
  ptrdiff_t behind = block + (ptrdiff_t)(end - begin);
  if (behind > b->count) behind = b->count;
  w->image = 0;
  w->group = (ptrdiff_t)begin / b->count;
  w->group_end = w->group + 1;
  w->begin = block * b->height;
  w->end = behind * b->height < b->lines ? behind * b->height : b->lines;
  return begin + (behind - block);
}

// Returns the first item behind.
TENON_INLINE int64_t tenon_blocks_work(const tenon_blocks *b, int64_t begin,
                                       int64_t end, tenon_work *w) {
  if (b->is_across) return tenon_blocks_work_across(b, begin, end, w);
  ptrdiff_t block = (ptrdiff_t)begin / b->groups;
  w->group = (ptrdiff_t)begin % b->groups;
  w->group_end = w->group + (ptrdiff_t)(end - begin);
  if (w->group_end > b->groups) w->group_end = b->groups;
  w->image = block / b->count;
  block %= b->count;
  ptrdiff_t count = 1;
  if (b->most > b->height && w->group == 0) {
    const ptrdiff_t whole = (ptrdiff_t)(end - begin) / b->groups;
    count = (b->most + b->height - 1) / b->height;
    if (count > b->count - block) count = b->count - block;
    if (count > whole) count = whole ? whole : 1;
  }
  w->begin = block * b->height;
  w->end = w->begin + count * b->height;
  if (w->end > b->lines) w->end = b->lines;
  return begin + (w->group_end - w->group) + (count - 1) * b->groups;
}

// Outputs begin <= i < end along an axis have all their taps in the image.
typedef struct tenon_span {
  ptrdiff_t begin, end;
} tenon_span;

TENON_INLINE tenon_span tenon_span_of(ptrdiff_t out, ptrdiff_t stride,
                                      ptrdiff_t pad, ptrdiff_t dilation,
                                      ptrdiff_t taps, ptrdiff_t size) {
  tenon_span s;
  ptrdiff_t last = size - 1 + pad - (taps - 1) * dilation;
  s.begin = (pad + stride - 1) / stride;
  s.end = last < 0 ? 0 : last / stride + 1;
  if (s.end > out) s.end = out;
  if (s.begin > s.end) s.begin = s.end;
  return s;
}

// The end of the run of outputs from i on that have the same taps.
TENON_INLINE ptrdiff_t tenon_span_run(tenon_span s, ptrdiff_t i,
                                      ptrdiff_t end) {
  if (i < s.begin || i >= s.end) return i + 1;
  return s.end < end ? s.end : end;
}

// Where the products of one output lie: `ny` rows of `nx` runs of `len` values,
// as the input and the weights step from one to the next.
typedef struct tenon_walk {
  ptrdiff_t ny, nx, len;
  ptrdiff_t a_y, a_x;
  ptrdiff_t b_y, b_x;
  ptrdiff_t shared;  // of `len`, a third that three rows share; or 0
  int32_t flip;      // of bytes that lie as they came, one row of them
  bool is_three;     // rows are three taps of three values side by side
} tenon_walk;

#endif  // TENON_KERN_OPT_BLOCKS_H
