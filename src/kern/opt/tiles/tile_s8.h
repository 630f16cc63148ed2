// kern/opt/tiles/tile_s8.h - products of rows of int8 with packed weights:
// bytes.
//
// Sums become bytes in the registers where they are; edges and what floats do
// not decide go through a small buffer, so that this stands in one place and
// tiles stay small.
#ifndef TENON_KERN_OPT_TILE_S8_H
#define TENON_KERN_OPT_TILE_S8_H

#include "kern/opt/tiles/tile_s8_line.h"

// mr rows of sums, `lds` apart, to a vector of outputs each.
TENON_FLAT void tenon_finish_s8(const int once, const tenon_scale_v *v,
                                const int32_t *sums, ptrdiff_t lds,
                                ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  if (!v->is_fast) {
    tenon_scale_slow(once, v->scale, v->i, v->n, sums, lds, mr, c, ldc);
    return;
  }
  for (; mr >= 4; mr -= 4, sums += 4 * lds, c += 4 * ldc) {
    const tenon_vi four[4] = {tenon_vi_load(sums), tenon_vi_load(sums + lds),
                              tenon_vi_load(sums + 2 * lds),
                              tenon_vi_load(sums + 3 * lds)};
    tenon_scale_v_put(once, 4, v, four, c, ldc);
  }
  if (mr >= 2) {
    const tenon_vi two[2] = {tenon_vi_load(sums), tenon_vi_load(sums + lds)};
    tenon_scale_v_put(once, 2, v, two, c, ldc);
    mr -= 2;
    sums += 2 * lds;
    c += 2 * ldc;
  }
  if (mr) {
    const tenon_vi one = tenon_vi_load(sums);
    tenon_scale_v_put(once, 1, v, &one, c, ldc);
  }
}

TENON_APART void tenon_finish_s8_twice(const tenon_scale_v *v,
                                       const int32_t *sums, ptrdiff_t lds,
                                       ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  tenon_finish_s8(TENON_TWICE, v, sums, lds, mr, c, ldc);
}
TENON_APART void tenon_finish_s8_once(const tenon_scale_v *v,
                                      const int32_t *sums, ptrdiff_t lds,
                                      ptrdiff_t mr, int8_t *c, ptrdiff_t ldc) {
  tenon_finish_s8(TENON_ONCE, v, sums, lds, mr, c, ldc);
}

#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
// A sum of a tile; `line`, a constant: by what packing has proven.
TENON_FLAT tenon_vi tenon_tile_s8_result(const int once, const int line,
                                         const tenon_scale_v *scale,
                                         tenon_vi sum, tenon_vf *most) {
#ifdef TENON_HAS_LINE
  if (line) return tenon_line_v_apply(&scale->line, sum);
#endif
  (void)line;
  return tenon_scale_v_near(once, scale, sum, most);
}

// Sums in registers to bytes. False where floats do not decide all of them:
// then what has been written is written again.
TENON_FLAT bool tenon_tile_s8_bytes(const int once, const int line,
                                    const int mr, const int nv,
                                    const tenon_scale_v *scale,
                                    tenon_vi acc[TENON_MR1][8], int8_t *c,
                                    ptrdiff_t ldc) {
  tenon_vf most = {0};
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    TENON_UNROLL
    for (int i = 0; i < mr; i += 4) {
      const int count = mr - i < 4 ? mr - i : 4;
      tenon_vi y[4];
      TENON_UNROLL
      for (int k = 0; k < 4; ++k)
        y[k] = tenon_tile_s8_result(once, line, &scale[j],
                                    acc[k < count ? i + k : i][j], &most);
      const tenon_vs bytes = tenon_scale_v_bytes(count, &scale[j], y);
      if (nv == 1 && count == 4 && ldc == TENON_VL) {  // side by side
        tenon_vi_store(c + i * TENON_VL, (tenon_vi)bytes);
        continue;
      }
      TENON_UNROLL
      for (int k = 0; k < count; ++k)
        *(tenon_vb_at *)(c + (i + k) * ldc + j * TENON_VL) =
            tenon_vs_quarter(bytes, k);
    }
  }
  return line || !tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF);
}

// The same, also false where a vector has not all channels.
TENON_FLAT bool tenon_tile_s8_near(const int once, const int mr, const int nv,
                                   const tenon_scale_v *scale,
                                   tenon_vi acc[TENON_MR1][8], int8_t *c,
                                   ptrdiff_t ldc) {
#ifdef TENON_HAS_LINE
  bool has_lines = !once;
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    has_lines &= scale[j].has_line;
  if (has_lines)
    return tenon_tile_s8_bytes(once, 1, mr, nv, scale, acc, c, ldc);
#endif
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    if (!scale[j].is_near || scale[j].n < TENON_VL) return false;
  return tenon_tile_s8_bytes(once, 0, mr, nv, scale, acc, c, ldc);
}
#endif

#ifdef TENON_HAS_LATE
// Rows from `first` on of those that wait.
TENON_FLAT void tenon_late_s8_from(const int once, ptrdiff_t first,
                                   const tenon_late_s8 *late,
                                   const tenon_scale_v *scale, ptrdiff_t ldc) {
  (once ? tenon_finish_s8_once : tenon_finish_s8_twice)(
      scale, late->sums + first * TENON_VL, TENON_VL, late->rows - first,
      late->c + first * ldc, ldc);
}

// The rows of which floats did not decide or for which there was no step; then
// those of a tile wait.
TENON_FLAT void tenon_late_s8_next(const int once, const tenon_later_s8 *later,
                                   const int mr, tenon_vi acc[TENON_MR1][8],
                                   int8_t *c, tenon_late_s8 *late) {
  const bool is_open = tenon_vf_any_above(later->most, 0.5f - TENON_NEAR_HALF);
  if (is_open || later->left)
    tenon_late_s8_from(once, is_open ? 0 : late->rows - later->left, late,
                       later->scale, later->ldc);
  tenon_tile_s8_keep(mr, 1, acc, late->sums);
  late->c = c;
  late->rows = mr;
}
#endif

// A tile to bytes: `scale` of each vector, c where the first is. Unless `late`
// is null, its sums wait there, and those that waited have become bytes.
TENON_FLAT void tenon_tile_s8_end(const int once, const int mr, const int nv,
                                  const tenon_gemm_s8 *g, const tenon_walk *w,
                                  ptrdiff_t v, const char *a, ptrdiff_t lda,
                                  const tenon_scale_v *scale, int8_t *c,
                                  ptrdiff_t ldc, tenon_late_s8 *late) {
  tenon_vi acc[TENON_MR1][8];
  int32_t sums[TENON_MR1 * 8 * TENON_VL];
  tenon_later_s8 later = tenon_later_s8_of(nv == 1 ? late : NULL, scale, ldc);
  tenon_tile_s8_sum(mr, nv, g, w, v, a, lda, acc, nv == 1 ? &later : NULL);
#ifdef TENON_HAS_LATE
  if (nv == 1 && late) {
    tenon_late_s8_next(once, &later, mr, acc, c, late);
    return;
  }
#endif
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
  if (tenon_tile_s8_near(once, mr, nv, scale, acc, c, ldc)) return;
#endif
  tenon_tile_s8_keep(mr, nv, acc, sums);
  for (int j = 0; j < nv; ++j)
    (once ? tenon_finish_s8_once : tenon_finish_s8_twice)(
        &scale[j], sums + j * TENON_VL, nv * TENON_VL, mr, c + j * TENON_VL,
        ldc);
}

typedef void tenon_end_s8_fn(const tenon_gemm_s8 *, const tenon_walk *,
                             ptrdiff_t, const char *, ptrdiff_t,
                             const tenon_scale_v *, int8_t *, ptrdiff_t,
                             tenon_late_s8 *);
#define TENON_TILE_END(how, once, mr, nv)                                      \
  TENON_APART void tenon_tile_s8_##how##_##mr##_##nv(                          \
      const tenon_gemm_s8 *g, const tenon_walk *w, ptrdiff_t v, const char *a, \
      ptrdiff_t lda, const tenon_scale_v *scale, int8_t *c, ptrdiff_t ldc,     \
      tenon_late_s8 *late) {                                                   \
    tenon_tile_s8_end(once, mr, nv, g, w, v, a, lda, scale, c, ldc, late);     \
  }
#define TENON_TILE_FIND(how, mr, nv) \
  case mr * 16 + nv:                 \
    return tenon_tile_s8_##how##_##mr##_##nv;

#define TENON_TILE(mr, nv) TENON_TILE_END(twice, TENON_TWICE, mr, nv)
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
#define TENON_TILE(mr, nv) TENON_TILE_END(once, TENON_ONCE, mr, nv)
TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
TENON_APART tenon_end_s8_fn *tenon_tile_s8_twice(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) TENON_TILE_FIND(twice, mr, nv)
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}
TENON_APART tenon_end_s8_fn *tenon_tile_s8_once(ptrdiff_t mr, ptrdiff_t nv) {
  switch (mr * 16 + nv) {
#define TENON_TILE(mr, nv) TENON_TILE_FIND(once, mr, nv)
    TENON_EACH_TILE(TENON_TILE)
#undef TENON_TILE
  }
  return NULL;
}

#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
// Vectors of sums of a row to bytes. False where floats do not decide all of
// them. `same`: all channels have the same factor.
TENON_FLAT bool tenon_row_s8_near(const int once, const int same, const int nv,
                                  const tenon_scale_s8 *s, ptrdiff_t v,
                                  const tenon_vi *acc, int8_t *c) {
  const tenon_vs lo = tenon_vs_splat(s->lo), hi = tenon_vs_splat(s->hi);
  tenon_vi large = {0};
  tenon_vf most = {0};
  tenon_scale_v scale =
      tenon_scale_v_near_of(once, same, s, v * TENON_VL, &large);
  TENON_UNROLL
  for (int j = 0; j < nv; j += 4) {
    tenon_vi y[4];
    TENON_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (!same && j + k)
        scale = tenon_scale_v_near_of(once, same, s, (v + j + k) * TENON_VL,
                                      &large);
      y[k] = tenon_scale_v_near(once, &scale, acc[j + k], &most);
    }
    const tenon_vi bytes = tenon_vi_narrow4(y[0], y[1], y[2], y[3]);
    tenon_vi_store(c + j * TENON_VL,
                   (tenon_vi)tenon_vs_limit((tenon_vs)bytes, lo, hi));
  }
  return !tenon_vf_any_above(most, 0.5f - TENON_NEAR_HALF) &&
         !(once && tenon_vi_any(large < 0));
}

// The same while the sums are in registers; else they are in `sums`.
TENON_FLAT bool tenon_row_s8(const int once, const int nv,
                             const tenon_gemm_s8 *g, const tenon_walk *w,
                             ptrdiff_t v, const char *a, int8_t *c,
                             int32_t *sums) {
  const tenon_scale_s8 *s = &g->scale;
  tenon_vi acc[TENON_MR1][8];
  tenon_tile_s8_sum(1, nv, g, w, v, a, 0, acc, NULL);
  if (s->is_same ? tenon_row_s8_near(once, 1, nv, s, v, acc[0], c)
                 : tenon_row_s8_near(once, 0, nv, s, v, acc[0], c))
    return true;
  tenon_tile_s8_keep(1, nv, acc, sums);
  return false;
}

typedef bool tenon_row_s8_fn(const tenon_gemm_s8 *, const tenon_walk *,
                             ptrdiff_t, const char *, int8_t *, int32_t *);
#define TENON_ROW(how, once, nv)                                               \
  TENON_APART bool tenon_row_s8_##how##_##nv(                                  \
      const tenon_gemm_s8 *g, const tenon_walk *w, ptrdiff_t v, const char *a, \
      int8_t *c, int32_t *sums) {                                              \
    return tenon_row_s8(once, nv, g, w, v, a, c, sums);                        \
  }
TENON_ROW(twice, TENON_TWICE, 4)
TENON_ROW(once, TENON_ONCE, 4)
TENON_ROW(twice, TENON_TWICE, 8)
TENON_ROW(once, TENON_ONCE, 8)
#undef TENON_ROW

TENON_FLAT tenon_row_s8_fn *tenon_row_s8_find(const int once, ptrdiff_t nv) {
  if (nv == 8) return once ? tenon_row_s8_once_8 : tenon_row_s8_twice_8;
  return once ? tenon_row_s8_once_4 : tenon_row_s8_twice_4;
}
#endif

// One row: what scales a sum is needed once and not kept.
TENON_FLAT void tenon_gemm_s8_row(const int once, const tenon_gemm_s8 *g,
                                  const tenon_walk *w, ptrdiff_t v,
                                  ptrdiff_t v_end, const char *a, int8_t *c) {
  int32_t sums[8 * TENON_VL];
  ptrdiff_t nv;
  for (; v < v_end; v += nv) {
    nv = v_end - v >= TENON_WIDE_S8 ? TENON_WIDE_S8
                                    : tenon_tile_columns(1, v_end - v);
#if defined(TENON_HAS_NEAR) && defined(TENON_HAS_NARROW4)
    if (nv >= 4 && g->scale.is_plain && (v + nv) * TENON_VL <= g->n) {
      if (tenon_row_s8_find(once, nv)(g, w, v, a, c + v * TENON_VL, sums))
        continue;
    } else
#endif
      tenon_tile_s8_find(1, nv)(g, w, v, a, 0, sums);
    for (ptrdiff_t j = 0; j < nv; ++j) {
      const ptrdiff_t i = (v + j) * TENON_VL;
      const tenon_scale_v scale =
          tenon_scale_v_of(once, &g->scale, i, g->n - i);
      const tenon_vi sum = tenon_vi_load(sums + j * TENON_VL);
      tenon_scale_v_put(once, 1, &scale, &sum, c + i, 0);
    }
  }
}

// Outputs from vector v to v_end of each row, as long as there are so many.
TENON_FLAT void tenon_gemm_s8_rows(const int once, const tenon_gemm_s8 *g,
                                   const tenon_walk *w, ptrdiff_t v,
                                   ptrdiff_t v_end, const tenon_rows_s8 *rows,
                                   const char *a, int8_t *c) {
  tenon_scale_v scale[8];
#ifdef TENON_HAS_LATE
  tenon_late_s8 late;
  late.rows = 0;
#endif
  const ptrdiff_t m = rows->m, lda = rows->lda, ldc = rows->ldc;
  ptrdiff_t nv;
  if (m == 1 && rows->lines == 1) {
    tenon_gemm_s8_row(once, g, w, v, v_end, a, c);
    return;
  }
#ifdef TENON_HAS_LINE_TILES
  if (g->scale.form != TENON_LINE_NONE && w->nx == 1) {
    tenon_line_s8_rows(g, w, v, v_end, rows, a, c);
    return;
  }
#endif
  for (; v < v_end; v += nv) {
    nv = tenon_tile_columns(m, v_end - v);
    for (ptrdiff_t j = 0; j < nv; ++j)
      scale[j] = tenon_scale_v_of(once, &g->scale, (v + j) * TENON_VL,
                                  g->n - (v + j) * TENON_VL);
    const char *from = a;
    int8_t *to = c + v * TENON_VL;
    tenon_late_s8 *waits = NULL;
#ifdef TENON_HAS_LATE
    // With steps of many products.
    if (nv == 1 && w->shared && scale[0].is_near && scale[0].n >= TENON_VL)
      waits = &late;
#endif
    for (ptrdiff_t line = 0; line < rows->lines; ++line) {
      ptrdiff_t mr;
      for (ptrdiff_t i = 0; i < m; i += mr) {
        mr = tenon_tile_rows(m - i, nv);
        (once ? tenon_tile_s8_once : tenon_tile_s8_twice)(mr, nv)(
            g, w, v, from + i * lda, lda, scale, to + i * ldc, ldc, waits);
      }
      from += rows->next_a;
      to += rows->next_c;
    }
#ifdef TENON_HAS_LATE
    if (waits) tenon_late_s8_from(once, 0, waits, scale, ldc);
    late.rows = 0;
#endif
  }
}

#endif  // TENON_KERN_OPT_TILE_S8_H
