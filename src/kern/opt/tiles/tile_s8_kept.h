// kern/opt/tiles/tile_s8_kept.h - products of rows of integers with packed
// weights: sums in memory, a function for each size of tile.
#ifndef TENON_KERN_OPT_TILE_S8_KEPT_H
#define TENON_KERN_OPT_TILE_S8_KEPT_H

#include "kern/opt/tiles/tile_s8_sum.h"

// Sums are written densely.
TENON_FLAT void tenon_tile_s8_keep(const int mr, const int nv,
                                   tenon_vi acc[TENON_MR1][8], int32_t *sums) {
  TENON_UNROLL
  for (int i = 0; i < mr; ++i) {
    TENON_UNROLL
    for (int j = 0; j < nv; ++j)
      tenon_vi_store(sums + (i * nv + j) * TENON_VL, acc[i][j]);
  }
}
TENON_FLAT void tenon_tile_s8(const int mr, const int nv,
                              const tenon_gemm_s8 *g, const tenon_walk *w,
                              ptrdiff_t v, const char *a, ptrdiff_t lda,
                              int32_t *sums) {
  tenon_vi acc[TENON_MR1][8];
  tenon_tile_s8_sum(mr, nv, g, w, v, a, lda, acc, NULL);
  tenon_tile_s8_keep(mr, nv, acc, sums);
}

// One row takes as many sums as it is long until the first is done.
#if TENON_VB == 64
#define TENON_EACH_TILE_S8(X) TENON_EACH_TILE(X) X(1, 8)
#define TENON_WIDE_S8 8
#else
#define TENON_EACH_TILE_S8(X) TENON_EACH_TILE(X)
#define TENON_WIDE_S8 TENON_WIDE
#endif

typedef void tenon_tile_s8_fn(const tenon_gemm_s8 *, const tenon_walk *,
                              ptrdiff_t, const char *, ptrdiff_t, int32_t *);
#define TENON_TILE(mr, nv)                                                     \
  TENON_APART void tenon_tile_s8_##mr##_##nv(                                  \
      const tenon_gemm_s8 *g, const tenon_walk *w, ptrdiff_t v, const char *a, \
      ptrdiff_t lda, int32_t *sums) {                                          \
    tenon_tile_s8(mr, nv, g, w, v, a, lda, sums);                              \
  }
TENON_EACH_TILE_S8(TENON_TILE)
#undef TENON_TILE

TENON_APART tenon_tile_s8_fn *tenon_tile_s8_find(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) \
  case mr * 16 + nv:       \
    return tenon_tile_s8_##mr##_##nv;
    TENON_EACH_TILE_S8(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

// Rows of input at `lda` bytes to as many rows of output at `ldc`: m of them,
// and that `lines` times, from one to the next so many bytes on.
typedef struct tenon_rows_s8 {
  ptrdiff_t m, lda, ldc;
  ptrdiff_t lines, next_a, next_c;
} tenon_rows_s8;

#endif  // TENON_KERN_OPT_TILE_S8_KEPT_H
