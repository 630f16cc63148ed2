// kern/opt/rows/turned_f32_opt.h - rows of floats turned, so that a register
// has the same element of as many rows: what is done to each row is done to all
// of them at once, in the same order.
#ifndef TENON_KERN_OPT_TURNED_F32_OPT_H
#define TENON_KERN_OPT_TURNED_F32_OPT_H

#include "kern/loop/reduce.h"
#include "kern/opt/permute_b4_opt.h"

// Rows of so many elements at most are turned, so that they stay in the first
// cache.
enum { TENON_TURNED = 64 };

// Element k of `rows` rows of n, `step` apart, to row k of `turned`, which are
// `width` apart.
TENON_APART void tenon_turn_rows(const float *x, ptrdiff_t n, ptrdiff_t step,
                                 ptrdiff_t rows, ptrdiff_t width,
                                 int32_t *turned) {
  tenon_permute_b4_turn((const int32_t *)(const void *)x, step, turned, width,
                        n, rows);
}

// Element k of 16 rows of eight to row k of eight.
#if TENON_VL == 4
TENON_FLAT void tenon_turn_eights(const float *x, float *turned) {
  for (int r = 0; r < 16; r += 4) {
    for (int k = 0; k < 8; k += 4)
      tenon_permute_b4_square((const int32_t *)(const void *)(x + r * 8 + k), 8,
                              (int32_t *)(void *)(turned + k * 16 + r), 16);
  }
}
#else
// A register, or half of one and row r + 8 behind it.
TENON_FLAT tenon_vi tenon_turn_row(const float *x, int r) {
#if TENON_VL == 8
  return tenon_vi_load(x + r * 8);
#elif defined(TENON_HAS_HALF)
  const tenon_half_at *row = (const tenon_half_at *)x;
  return TENON_SWAP((tenon_vi)tenon_vf_of_half(row[r]),
                    (tenon_vi)tenon_vf_of_half(row[r + 8]), TENON_SWAP_LOW, 8);
#else
  float rows[16];
  memcpy(rows, x + r * 8, sizeof rows / 2);
  memcpy(rows + 8, x + (r + 8) * 8, sizeof rows / 2);
  return tenon_vi_load(rows);
#endif
}
TENON_FLAT void tenon_turn_eights(const float *x, float *turned) {
  TENON_UNROLL
  for (int r = 0; r < 16; r += TENON_VL) {
    tenon_vi v[8];
    TENON_UNROLL
    for (int i = 0; i < 8; ++i)
      v[i] = tenon_turn_row(x, r + i);
    TENON_SWAP_ALL(8, 1)
    TENON_SWAP_ALL(8, 2)
    TENON_SWAP_ALL(8, 4)
    TENON_UNROLL
    for (int i = 0; i < 8; ++i)
      tenon_vi_store(turned + i * 16 + r, v[i]);
  }
}
#endif

// Whether what an output is made from lies behind that of the output before.
TENON_INLINE bool tenon_reduce_follows(const tenon_reduce *r) {
  ptrdiff_t step = r->count;
  for (int32_t d = r->n_kept - 1; d >= 0; step *= r->kept[d], --d)
    if (r->kept_step[d] != step) return false;
  return true;
}

#endif  // TENON_KERN_OPT_TURNED_F32_OPT_H
