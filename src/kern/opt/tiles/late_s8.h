// kern/opt/tiles/late_s8.h - sums of a tile that become bytes while the next
// tile is summed up.
//
// A processor looks ahead by fewer instructions than a tile's sums take to
// become bytes, so that the units that multiply wait meanwhile. Where sums
// wait in memory instead, each step of the next tile takes a row of them along.
#ifndef TENON_KERN_OPT_LATE_S8_H
#define TENON_KERN_OPT_LATE_S8_H

#include "kern/opt/tiles/scale_s8.h"

#if TENON_VB == 64 && defined(TENON_HAS_NEAR) && defined(TENON_HAS_LIMIT)
#define TENON_HAS_LATE 1
#endif

// `rows` of sums that wait, a vector each.
typedef struct tenon_late_s8 {
  int32_t sums[TENON_MR1 * TENON_VL];
  int8_t *c;
  ptrdiff_t rows;
} tenon_late_s8;

// What is left of them while a tile is summed up, in registers.
typedef struct tenon_later_s8 {
  const tenon_scale_v *scale;
  const int32_t *sums;
  int8_t *c;
  ptrdiff_t left, ldc;
#ifdef TENON_HAS_LATE
  tenon_vf most;
#endif
} tenon_later_s8;

// `late` may be null.
TENON_FLAT tenon_later_s8 tenon_later_s8_of(const tenon_late_s8 *late,
                                            const tenon_scale_v *scale,
                                            ptrdiff_t ldc) {
  tenon_later_s8 l = {.scale = scale, .ldc = ldc};
  if (late) {
    l.sums = late->sums;
    l.c = late->c;
    l.left = late->rows;
  }
  return l;
}

// The next row, if there is one. The nudge of what is rounded once is zero.
TENON_FLAT void tenon_later_s8_row(tenon_later_s8 *l) {
#ifdef TENON_HAS_LATE
  if (l->left == 0) return;
  const tenon_scale_v *v = l->scale;
  const tenon_vi y =
      tenon_scale_v_near(TENON_TWICE, v, tenon_vi_load(l->sums), &l->most);
  *(tenon_vb_at *)l->c =
      __builtin_convertvector(tenon_vi_limit(y, v->lo, v->hi), tenon_vb);
  l->sums += TENON_VL;
  l->c += l->ldc;
  --l->left;
#else
  (void)l;
#endif
}

#endif  // TENON_KERN_OPT_LATE_S8_H
