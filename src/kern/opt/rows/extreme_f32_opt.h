// kern/opt/rows/extreme_f32_opt.h - the largest or smallest of floats, and
// where it stands. Outputs that lie beside each other share registers; so do
// those of short rows, which are turned; a long row is walked in lanes, each
// with the first of its own.
#ifndef TENON_KERN_OPT_EXTREME_F32_OPT_H
#define TENON_KERN_OPT_EXTREME_F32_OPT_H

#include "kern/loop/sum.h"
#include "kern/opt/rows/turned_f32_opt.h"
#include "kern/opt/vectors.h"

#define TENON_EXTREME_SIDES 4

// Whether v takes the place of the best so far: the first NaN wins, of equal
// elements the first.
TENON_FLAT tenon_vi tenon_extreme_f32_is_more(const bool is_least, tenon_vf v,
                                              tenon_vf best) {
  const tenon_vi is_more = is_least ? v < best : v > best;
  return (is_more | (v != v)) & (best == best);
}

// n elements `step` apart of `count` outputs, `nv` registers of them, a
// constant after inlining; the first of them is element `first`.
TENON_FLAT void tenon_extreme_f32_take(const int nv, const bool is_least,
                                       const bool is_place, const float *x,
                                       ptrdiff_t step, ptrdiff_t n,
                                       ptrdiff_t count, ptrdiff_t first,
                                       tenon_vf *best, tenon_vi *at) {
  for (ptrdiff_t i = 0; i < n; ++i, x += step) {
    const tenon_vi own = tenon_vi_splat((int32_t)(first + i));
    TENON_UNROLL
    for (int j = 0; j < nv; ++j) {
      const tenon_vf v = tenon_vf_load_part(x + j * TENON_VL, count);
      const tenon_vi is_more = tenon_extreme_f32_is_more(is_least, v, best[j]);
      best[j] = tenon_vf_pick(is_more, v, best[j]);
      if (is_place) at[j] = tenon_vi_pick(is_more, own, at[j]);
    }
  }
}

// Stores `count` outputs of a register from output i on.
TENON_FLAT void tenon_extreme_f32_put(const bool is_place, const tenon_call *c,
                                      ptrdiff_t i, tenon_vf best, tenon_vi at,
                                      ptrdiff_t count) {
  int32_t lanes[TENON_VL];
  if (!is_place) {
    tenon_vf_store_part((float *)c->out[0].data + i, best, count);
    return;
  }
  tenon_vi_store(lanes, at);
  for (ptrdiff_t k = 0; k < TENON_VL && k < count; ++k)
    ((int64_t *)c->out[0].data)[i + k] = lanes[k];
}

// Outputs [i, i + n) beside each other, n up to the registers there are.
TENON_FLAT void tenon_extreme_f32_lanes(const int nv, const bool is_least,
                                        const bool is_place,
                                        const tenon_reduce *r,
                                        const tenon_call *c, ptrdiff_t i,
                                        ptrdiff_t count) {
  const ptrdiff_t run = tenon_reduce_run(r), step = tenon_reduce_step(r);
  const float *x = (const float *)c->in[0].data +
                   tenon_reduce_at(r->kept, r->kept_step, r->n_kept, i);
  tenon_vf best[TENON_EXTREME_SIDES];
  tenon_vi at[TENON_EXTREME_SIDES];
  TENON_UNROLL
  for (int j = 0; j < nv; ++j) {
    best[j] = tenon_vf_load_part(x + j * TENON_VL, count);
    at[j] = (tenon_vi){0};
  }
  for (ptrdiff_t first = 0; first < r->count; first += run)
    tenon_extreme_f32_take(
        nv, is_least, is_place,
        x + tenon_reduce_at(r->summed, r->summed_step, r->n_summed, first),
        step, run, count, first, best, at);
  TENON_UNROLL
  for (int j = 0; j < nv; ++j)
    tenon_extreme_f32_put(is_place, c, i + j * TENON_VL, best[j], at[j], count);
}

// Outputs [i, i + rows) of rows of n, one behind the other, turned.
TENON_FLAT void tenon_extreme_f32_turned(const bool is_least,
                                         const bool is_place,
                                         const tenon_call *c, ptrdiff_t i,
                                         ptrdiff_t n, ptrdiff_t rows) {
  enum { SIDES = 2 };
  int32_t turned[TENON_TURNED * SIDES * TENON_VL];
  const float *x = (const float *)c->in[0].data + i * n;
  const float *first = (const float *)(const void *)turned;
  if (rows < SIDES * TENON_VL)
    memset(turned, 0, (size_t)(n * SIDES * TENON_VL) * sizeof *turned);
  for (; rows > 0; i += SIDES * TENON_VL, x += SIDES * TENON_VL * n,
                   rows -= SIDES * TENON_VL) {
    tenon_vf best[SIDES];
    tenon_vi at[SIDES];
    tenon_turn_rows(x, n, n, rows < SIDES * TENON_VL ? rows : SIDES * TENON_VL,
                    SIDES * TENON_VL, turned);
    TENON_UNROLL
    for (int j = 0; j < SIDES; ++j) {
      best[j] = tenon_vf_load(first + j * TENON_VL);
      at[j] = (tenon_vi){0};
    }
    tenon_extreme_f32_take(SIDES, is_least, is_place, first, SIDES * TENON_VL,
                           n, TENON_VL, 0, best, at);
    for (int j = 0; j < SIDES && j * TENON_VL < rows; ++j)
      tenon_extreme_f32_put(is_place, c, i + j * TENON_VL, best[j], at[j],
                            rows - j * TENON_VL);
  }
}

// Where the extreme of n elements side by side stands, at least a register and
// an element more. Lanes of a register have every so many elements each.
TENON_FLAT ptrdiff_t tenon_extreme_f32_walk(const bool is_least, const float *x,
                                            ptrdiff_t n) {
  enum { LANES = 2 * TENON_VL };
  int32_t at[LANES];
  tenon_vf best[2];
  tenon_vi begun[2], own[2];
  ptrdiff_t found = 0, i = 0;
  for (int32_t k = 0; k < LANES; ++k)
    at[k] = k;
  for (int j = 0; j < 2; ++j) {
    begun[j] = own[j] = tenon_vi_load(at + j * TENON_VL);
    best[j] = tenon_vf_load(x + j * TENON_VL);
  }
  // The last elements are met again where they fill no registers.
  while (i < n - LANES) {
    i = i + LANES < n - LANES ? i + LANES : n - LANES;
    const tenon_vi by = tenon_vi_splat((int32_t)i);
    TENON_UNROLL
    for (int j = 0; j < 2; ++j) {
      const tenon_vf v = tenon_vf_load(x + i + j * TENON_VL);
      const tenon_vi is_more = tenon_extreme_f32_is_more(is_least, v, best[j]);
      best[j] = tenon_vf_pick(is_more, v, best[j]);
      own[j] = tenon_vi_pick(is_more, tenon_vi_add(begun[j], by), own[j]);
    }
  }
  for (int j = 0; j < 2; ++j)
    tenon_vi_store(at + j * TENON_VL, own[j]);
  found = at[0];
  for (int k = 1; k < LANES; ++k) {
    const float v = x[at[k]], most = x[found];
    const bool is_more = is_least ? v < most : v > most;
    const bool is_level = v == most || (v != v && most != most);
    if (is_level ? at[k] < found : is_more || v != v) found = at[k];
  }
  return found;
}

TENON_FLAT tenon_status tenon_extreme_f32_run(const tenon_call *c,
                                              int64_t begin, int64_t end,
                                              const bool is_least,
                                              const bool is_place) {
  tenon_reduce r =
      tenon_reduce_of(&c->in[0], (const tenon_reduce_attrs *)c->attrs);
  const float *x = (const float *)c->in[0].data;
  tenon_sum_join(&r);
  if (r.n_summed == 0 ||
      (r.n_summed == 1 && r.summed_step[0] == 1 && tenon_reduce_follows(&r))) {
    if (r.count <= TENON_TURNED) {
      tenon_extreme_f32_turned(is_least, is_place, c, (ptrdiff_t)begin, r.count,
                               (ptrdiff_t)(end - begin));
      return TENON_OK;
    }
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {
      const ptrdiff_t at =
          tenon_extreme_f32_walk(is_least, x + i * r.count, r.count);
      if (is_place)
        ((int64_t *)c->out[0].data)[i] = at;
      else
        ((float *)c->out[0].data)[i] = x[i * r.count + at];
    }
    return TENON_OK;
  }
  const ptrdiff_t columns = r.kept[r.n_kept - 1];
  const ptrdiff_t most = TENON_EXTREME_SIDES * TENON_VL;
  for (ptrdiff_t i = (ptrdiff_t)begin, n; i < (ptrdiff_t)end; i += n) {
    const ptrdiff_t left = columns - i % columns;
    n = (ptrdiff_t)end - i < left ? (ptrdiff_t)end - i : left;
    if (n >= most) {
      n = most;
      tenon_extreme_f32_lanes(TENON_EXTREME_SIDES, is_least, is_place, &r, c, i,
                              TENON_VL);
    } else {
      if (n > TENON_VL) n = TENON_VL;
      tenon_extreme_f32_lanes(1, is_least, is_place, &r, c, i, n);
    }
  }
  return TENON_OK;
}

#endif  // TENON_KERN_OPT_EXTREME_F32_OPT_H
