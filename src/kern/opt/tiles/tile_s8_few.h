// kern/opt/tiles/tile_s8_few.h - sums of tile_s8_line.h to bytes, and its tiles
// of so few groups that their weights stay in registers.
#ifndef TENON_KERN_OPT_TILE_S8_FEW_H
#define TENON_KERN_OPT_TILE_S8_FEW_H

#include "kern/opt/tiles/tile_s8_kept.h"

#if defined(TENON_HAS_LINE) && defined(TENON_HAS_NARROW4_UP) && \
    TENON_VB == 64 && TENON_TILE_GROUP == 4
#define TENON_HAS_LINE_TILES 1

// Rows of a tile of one vector, and of two.
#define TENON_LINE_ROWS 16
#define TENON_LINE_ROWS2 12

// What all tiles of some channels have in common.
typedef struct tenon_line_tile {
  const int8_t *weights;
  const int32_t *bias;
  const float *lines;
  ptrdiff_t panel, step;        // from one vector, and one array, to the next
  ptrdiff_t ny, len, a_y, lda;  // as tenon_walk has it
  ptrdiff_t ldc, n;             // n: channels, maybe less than lanes
  ptrdiff_t height, next_a, next_c;  // lines, as tenon_rows_s8 has them
} tenon_line_tile;

// Tiles of so many rows, `count` of them side by side in each line.
typedef struct tenon_line_tiles {
  const char *a;
  int8_t *c;
  ptrdiff_t left, count, side;  // side: of those in this line
} tenon_line_tiles;
TENON_FLAT tenon_line_tiles tenon_line_tiles_of(const tenon_line_tile *t,
                                                const char *a, int8_t *c,
                                                ptrdiff_t count) {
  const tenon_line_tiles s = {a, c, count * t->height, count, count};
  return s;
}
TENON_FLAT void tenon_line_tiles_next(const tenon_line_tile *t,
                                      const ptrdiff_t rows,
                                      tenon_line_tiles *s) {
  s->a += rows * t->lda;
  s->c += rows * t->ldc;
  --s->left;
  if (--s->side > 0) return;
  s->side = s->count;
  s->a += t->next_a - s->count * rows * t->lda;
  s->c += t->next_c - s->count * rows * t->ldc;
}

// Some of the channels of four rows of one vector, or two of two.
TENON_APART void tenon_line_tile_some(ptrdiff_t rows, ptrdiff_t size,
                                      ptrdiff_t n, tenon_vi bytes, int8_t *c,
                                      ptrdiff_t ldc) {
  int8_t lanes[4 * TENON_VL];
  memcpy(lanes, &bytes, sizeof lanes);
  for (ptrdiff_t k = 0; k < rows; ++k)
    tenon_copy_bytes(c + k * ldc, lanes + k * size, n);
}

TENON_FLAT void tenon_line_tile_put(const int rows, const int nv, ptrdiff_t n,
                                    tenon_vi bytes, int8_t *c, ptrdiff_t ldc) {
  const int size = nv * TENON_VL;
  if (n == size && ldc == size && rows == 4 / nv) {  // side by side
    tenon_vi_store(c, bytes);
  } else if (n == size) {
    TENON_UNROLL
    for (int k = 0; k < rows; ++k)
      memcpy(c + k * ldc, (const char *)&bytes + k * size, (size_t)size);
  } else if (nv == 1 && n == TENON_VL / 2) {
    TENON_UNROLL
    for (int k = 0; k < rows; ++k)
      memcpy(c + k * ldc, (const char *)&bytes + k * size, TENON_VL / 2);
  } else {
    tenon_line_tile_some(rows, size, n, bytes, c, ldc);
  }
}

// Sums of `mr` rows to bytes.
TENON_FLAT void tenon_line_tile_bytes(const int form, const int mr,
                                      const int nv, const tenon_line_tile *t,
                                      tenon_vi (*acc)[2], int8_t *c) {
  tenon_vf factor[2], above[2], below[2];
  tenon_vi split[2];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    const float *lines = t->lines + j * TENON_VL;
    factor[j] = tenon_vf_load(lines);
    above[j] = tenon_vf_load(lines + t->step);
    if (form == TENON_LINE_STRAIGHT) continue;
    below[j] = tenon_vf_load(lines + 2 * t->step);
    split[j] = (tenon_vi)tenon_vf_load(lines + 3 * t->step);
  }
  const int most = 4 / nv;
  TENON_UNROLL
  for (int i = 0; i < mr; i += most) {
    const int rows = mr - i < most ? mr - i : most;
    tenon_vi y[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int j = k % nv;
      const tenon_vi sum = acc[k / nv < rows ? i + k / nv : i][j];
      tenon_vf first = above[j];
      if (form == TENON_LINE_SPLIT)
        first = tenon_vf_by_side(sum, split[j], below[j], above[j]);
      y[k] = tenon_vi_floor_fma(tenon_vf_of_vi(sum), factor[j], first);
    }
    tenon_vi bytes;
    if (form == TENON_LINE_SPLIT)
      bytes = tenon_vi_narrow4(y[0], y[1], y[2], y[3]);
    else
      bytes = tenon_vi_narrow4_up(y[0], y[1], y[2], y[3]) ^
              tenon_vi_splat((int32_t)0x80808080u);
    tenon_line_tile_put(rows, nv, t->n, bytes, c + i * t->ldc, t->ldc);
  }
}

// Three rows of three groups, as windows of three channels have: weights stay
// in registers from one tile to the next, `count` of them side by side.
#define TENON_LINE_NINE 8
TENON_FLAT void tenon_line_tile_nine(const int form, const tenon_line_tile *t,
                                     const char *a, int8_t *c,
                                     ptrdiff_t count) {
  const ptrdiff_t lda = t->lda;
  const tenon_vi bias = tenon_vi_load(t->bias);
  tenon_vi b[9];
  TENON_UNROLL
  for (int k = 0; k < 9; ++k)
    b[k] = tenon_wgt_load(t->weights + k * TENON_LANES * TENON_TILE_GROUP);
  tenon_line_tiles s = tenon_line_tiles_of(t, a, c, count);
  for (; s.left > 0; tenon_line_tiles_next(t, TENON_LINE_NINE, &s)) {
    tenon_vi acc[TENON_LINE_NINE][2];
    const char *row[3];
    TENON_UNROLL
    for (int i = 0; i < TENON_LINE_NINE; ++i)
      acc[i][0] = bias;
    TENON_UNROLL
    for (int i = 0; i < 3; ++i)
      row[i] = s.a + 3 * i * lda;
    TENON_UNROLL
    for (int y = 0; y < 3; ++y) {
      TENON_UNROLL
      for (int p = 0; p < 3; ++p) {
        TENON_UNROLL
        for (int i = 0; i < TENON_LINE_NINE; ++i)
          acc[i][0] = tenon_vi_tile_dot(
              acc[i][0],
              tenon_act_splat(row[i / 3] + i % 3 * lda + p * TENON_TILE_BYTES),
              b[3 * y + p]);
      }
      TENON_UNROLL
      for (int i = 0; i < 3; ++i)
        row[i] += t->a_y;
    }
    tenon_line_tile_bytes(form, TENON_LINE_NINE, 1, t, acc, s.c);
  }
}
TENON_APART void tenon_line_nine(bool is_split, const tenon_line_tile *t,
                                 const char *a, int8_t *c, ptrdiff_t count) {
  if (is_split)
    tenon_line_tile_nine(TENON_LINE_SPLIT, t, a, c, count);
  else
    tenon_line_tile_nine(TENON_LINE_STRAIGHT, t, a, c, count);
}

// The same of three taps of three values: a tap is four bytes of input, of
// which the last meets a weight of zero, so that what neighbours have in common
// is loaded once.
TENON_FLAT void tenon_line_taps_of(const int8_t *from, tenon_vi taps[3]) {
  const ptrdiff_t group = TENON_LANES * TENON_TILE_GROUP;
  const tenon_vu x = (tenon_vu)tenon_vi_load(from);
  const tenon_vu y = (tenon_vu)tenon_vi_load(from + group);
  const tenon_vu z = (tenon_vu)tenon_vi_load(from + 2 * group);
  taps[0] = (tenon_vi)(x & 0xffffffu);
  taps[1] = (tenon_vi)((x >> 24) | ((y & 0xffffu) << 8));
  taps[2] = (tenon_vi)((y >> 16) | ((z & 0xffu) << 16));
}
TENON_FLAT void tenon_line_tile_three(const int form, const int right,
                                      const tenon_line_tile *t, const char *a,
                                      int8_t *c, ptrdiff_t count) {
  const ptrdiff_t group = TENON_LANES * TENON_TILE_GROUP;
  const tenon_vi bias = tenon_vi_load(t->bias);
  tenon_vi b[9];
  TENON_UNROLL
  for (int y = 0; y < 3; ++y)
    tenon_line_taps_of(t->weights + 3 * y * group, b + 3 * y);
  tenon_line_tiles s = tenon_line_tiles_of(t, a, c, count);
  for (; s.left > 0; tenon_line_tiles_next(t, TENON_LINE_NINE, &s)) {
    tenon_vi acc[TENON_LINE_NINE][2];
    const char *row = s.a;
    TENON_UNROLL
    for (int i = 0; i < TENON_LINE_NINE; ++i)
      acc[i][0] = bias;
    TENON_UNROLL
    for (int y = 0; y < 3; ++y, row += t->a_y) {
      tenon_vi one[2 * TENON_LINE_NINE + 1];
      TENON_UNROLL
      for (int i = 0; i < (TENON_LINE_NINE - 1) * right + 3; ++i)
        one[i] = tenon_act_splat(row + 3 * i);
      TENON_UNROLL
      for (int k = 0; k < 3; ++k) {
        TENON_UNROLL
        for (int i = 0; i < TENON_LINE_NINE; ++i)
          acc[i][0] =
              tenon_vi_tile_dot(acc[i][0], one[i * right + k], b[3 * y + k]);
      }
    }
    tenon_line_tile_bytes(form, TENON_LINE_NINE, 1, t, acc, s.c);
  }
}
TENON_APART void tenon_line_three(bool is_split, const tenon_line_tile *t,
                                  const char *a, int8_t *c, ptrdiff_t count) {
  if (t->lda == 3 && is_split)
    tenon_line_tile_three(TENON_LINE_SPLIT, 1, t, a, c, count);
  else if (t->lda == 3)
    tenon_line_tile_three(TENON_LINE_STRAIGHT, 1, t, a, c, count);
  else if (is_split)
    tenon_line_tile_three(TENON_LINE_SPLIT, 2, t, a, c, count);
  else
    tenon_line_tile_three(TENON_LINE_STRAIGHT, 2, t, a, c, count);
}

// One pixel of a few channels: `len` groups, weights as above.
#define TENON_LINE_POINT 16  // sums of a tile
TENON_FLAT void tenon_line_tile_point(const int form, const int len,
                                      const int nv, const tenon_line_tile *t,
                                      const char *a, int8_t *c,
                                      ptrdiff_t count) {
  const ptrdiff_t group = TENON_LANES * TENON_TILE_GROUP;
  const int mr = TENON_LINE_POINT / nv;
  const ptrdiff_t lda = t->lda;
  tenon_vi b[4][2];
  TENON_UNROLL
  for (int k = 0; k < len; ++k) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      b[k][j] = tenon_wgt_load(t->weights + j * t->panel + k * group);
  }
  tenon_line_tiles s = tenon_line_tiles_of(t, a, c, count);
  for (; s.left > 0; tenon_line_tiles_next(t, mr, &s)) {
    tenon_vi acc[TENON_LINE_POINT][2];
    TENON_UNROLL
    for (int k = 0; k < len; ++k) {
      const char *row = s.a + k * TENON_TILE_BYTES;
      TENON_UNROLL
      for (int i = 0; i < mr; ++i, row += lda) {
        const tenon_vi one = tenon_act_splat(row);
        TENON_UNROLL
        for (int j = 0; j < nv; ++j) {
          if (k == 0) acc[i][j] = tenon_vi_load(t->bias + j * TENON_VL);
          acc[i][j] = tenon_vi_tile_dot(acc[i][j], one, b[k][j]);
        }
      }
    }
    tenon_line_tile_bytes(form, mr, nv, t, acc, s.c);
  }
}
#define TENON_LINE_POINTS(name, form)                                     \
  TENON_APART void tenon_line_point_##name(                               \
      bool is_two, bool is_half, const tenon_line_tile *t, const char *a, \
      int8_t *c, ptrdiff_t count) {                                       \
    if (is_two && is_half)                                                \
      tenon_line_tile_point(form, 2, 2, t, a, c, count);                  \
    else if (is_two)                                                      \
      tenon_line_tile_point(form, 4, 2, t, a, c, count);                  \
    else if (is_half)                                                     \
      tenon_line_tile_point(form, 2, 1, t, a, c, count);                  \
    else                                                                  \
      tenon_line_tile_point(form, 4, 1, t, a, c, count);                  \
  }
TENON_LINE_POINTS(straight, TENON_LINE_STRAIGHT)
TENON_LINE_POINTS(split, TENON_LINE_SPLIT)
#endif

#endif  // TENON_KERN_OPT_TILE_S8_FEW_H
