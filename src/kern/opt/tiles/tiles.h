// kern/opt/tiles/tiles.h - which sizes of register tiles there are, and how
// rows and columns are dealt out to them. Shared by the products of floats and
// integers.
#ifndef TENON_KERN_OPT_TILES_H
#define TENON_KERN_OPT_TILES_H

#include "kern/opt/tiles/blocks.h"
#include "kern/opt/vectors.h"

// Rows of a tile that is one vector wide, and two. There are 16 registers but
// where the header of a width says otherwise.
#if TENON_VB == 64
#define TENON_MR1 12
#define TENON_MR2 12
#define TENON_WIDE 4
#define TENON_EACH_TILE(X) \
  X(1, 1)                  \
  X(2, 1)                  \
  X(3, 1)                  \
  X(4, 1)                  \
  X(6, 1)                  \
  X(5, 1)                  \
  X(7, 1)                  \
  X(8, 1)                  \
  X(9, 1)                  \
  X(10, 1)                 \
  X(11, 1)                 \
  X(12, 1)                 \
  X(1, 2)                  \
  X(2, 2)                  \
  X(3, 2)                  \
  X(4, 2)                  \
  X(5, 2)                  \
  X(6, 2)                  \
  X(7, 2) X(8, 2) X(9, 2) X(10, 2) X(11, 2) X(12, 2) X(1, 4)
#elif TENON_VB == 32
#define TENON_MR1 8
#define TENON_MR2 6
#define TENON_WIDE 8
#define TENON_EACH_TILE(X) \
  X(1, 1)                  \
  X(2, 1)                  \
  X(3, 1)                  \
  X(4, 1)                  \
  X(6, 1) X(8, 1) X(1, 2) X(2, 2) X(3, 2) X(4, 2) X(6, 2) X(1, 4) X(1, 8)
#elif defined(TENON_REGISTERS) && TENON_REGISTERS == 32
#define TENON_MR1 12
#define TENON_MR2 8
#define TENON_WIDE 8
#define TENON_EACH_TILE(X) \
  X(1, 1)                  \
  X(2, 1)                  \
  X(3, 1)                  \
  X(4, 1)                  \
  X(6, 1)                  \
  X(8, 1)                  \
  X(12, 1)                 \
  X(1, 2)                  \
  X(2, 2) X(3, 2) X(4, 2) X(6, 2) X(8, 2) X(1, 4) X(1, 8)
#else
#define TENON_MR1 6
#define TENON_MR2 4
#define TENON_WIDE 4
#define TENON_EACH_TILE(X) \
  X(1, 1)                  \
  X(2, 1) X(3, 1) X(4, 1) X(6, 1) X(1, 2) X(2, 2) X(3, 2) X(4, 2) X(1, 4)
#endif

// The vectors of a group of channels begin at tenon_group_begin.
TENON_INLINE ptrdiff_t tenon_group_begin(ptrdiff_t group) {
  return group * (TENON_GROUP / TENON_VL);
}
TENON_INLINE ptrdiff_t tenon_group_end(ptrdiff_t group, ptrdiff_t channels) {
  const ptrdiff_t all = (channels + TENON_VL - 1) / TENON_VL;
  const ptrdiff_t end = tenon_group_begin(group + 1);
  return end < all ? end : all;
}

// Vectors of the next tiles, for m rows and `left` vectors.
TENON_INLINE ptrdiff_t tenon_tile_columns(ptrdiff_t m, ptrdiff_t left) {
  if (m == 1 && left >= TENON_WIDE) return TENON_WIDE;
  if (m == 1 && left >= 4) return 4;
  return left >= 2 ? 2 : 1;
}

// Rows of the next tile: as many as there are registers for, but the last two
// tiles share what is left.
TENON_INLINE ptrdiff_t tenon_tile_rows(ptrdiff_t m, ptrdiff_t nv) {
#if TENON_VB == 64
  static const uint8_t fit[13] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
#else
  static const uint8_t fit[13] = {0, 1, 2, 3, 4, 4, 6, 6, 8, 8, 8, 8, 12};
#endif
  const ptrdiff_t most = nv == 1 ? TENON_MR1 : TENON_MR2;
  if (m >= 2 * most) return most;
  if (m > most) m = (m + 1) / 2;
  return fit[m];
}

// Constant sizes are moves; a memcpy of any size would be a call.
TENON_INLINE void tenon_copy_short(float *to, const float *from, ptrdiff_t n) {
  for (; n >= 4; n -= 4, to += 4, from += 4)
    memcpy(to, from, 16);
  for (; n > 0; --n)
    *to++ = *from++;
}

TENON_INLINE void tenon_copy_bytes(int8_t *to, const int8_t *from,
                                   ptrdiff_t n) {
  for (; n >= 8; n -= 8, to += 8, from += 8)
    memcpy(to, from, 8);
  for (; n > 0; --n)
    *to++ = *from++;
}

// n less than 16.
TENON_INLINE void tenon_copy_some(int8_t *to, const int8_t *from, ptrdiff_t n) {
  if (n >= 8) {
    memcpy(to, from, 8);
    memcpy(to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    memcpy(to, from, 4);
    memcpy(to + n - 4, from + n - 4, 4);
  } else {
    for (; n > 0; --n)
      *to++ = *from++;
  }
}

#endif  // TENON_KERN_OPT_TILES_H
