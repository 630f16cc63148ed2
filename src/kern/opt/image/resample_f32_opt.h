// kern/opt/image/resample_f32_opt.h - weighted sums along an axis, a register
// of what lies inside at a time; where nothing does, lines are turned, so that
// a register has an element of each of as many.
#ifndef TENON_KERN_OPT_RESAMPLE_F32_OPT_H
#define TENON_KERN_OPT_RESAMPLE_F32_OPT_H

#include <math.h>

#include "kern/op/resample.h"
#include "kern/opt/rows/turned_f32_opt.h"
#include "kern/opt/vectors.h"

// Lines of so many elements at most are turned.
enum { TENON_RESAMPLE_LINE = 256 };

// Whether the places of a sum are in x; `bad` is one that is not.
TENON_FLAT bool tenon_resample_f32_fits(const tenon_resample *r,
                                        const int32_t *index, ptrdiff_t *bad) {
  for (ptrdiff_t k = 0; k < r->taps; ++k) {
    *bad = index[k];
    if ((index[k] < 0 || index[k] >= r->from) && (k == 0 || index[k] != -1))
      return false;
  }
  return true;
}

// `n` elements of a run, from where x and y point.
TENON_FLAT void tenon_resample_f32_lanes(const tenon_resample *r,
                                         const int32_t *index, const float *w,
                                         const float *x, float *y,
                                         ptrdiff_t n) {
  tenon_vf sum =
      tenon_vf_load_part(x + index[0] * r->inside, n) * tenon_vf_splat(w[0]);
  for (ptrdiff_t k = 1; k < r->taps; ++k) {
    if (index[k] == -1) continue;
    sum = tenon_vf_fma(tenon_vf_splat(w[k]),
                       tenon_vf_load_part(x + index[k] * r->inside, n), sum);
  }
  tenon_vf_store_part(y, sum, n);
}

// `lines` lines, one behind the other, with nothing inside.
static void tenon_resample_f32_turned(const tenon_resample *r,
                                      const int32_t *index, const float *w,
                                      const float *x, float *y,
                                      ptrdiff_t lines) {
  int32_t turned[TENON_RESAMPLE_LINE * TENON_VL];
  int32_t sums[TENON_TURNED * TENON_VL];
  const float *from = (const float *)(const void *)turned;
  const tenon_resample beside = {r->from, r->to, TENON_VL, r->taps};
  if (lines < TENON_VL) memset(turned, 0, sizeof turned);
  for (; lines > 0; lines -= TENON_VL, x += TENON_VL * r->from) {
    const ptrdiff_t rows = lines < TENON_VL ? lines : TENON_VL;
    tenon_turn_rows(x, r->from, r->from, rows, TENON_VL, turned);
    for (ptrdiff_t first = 0; first < r->to; first += TENON_TURNED) {
      const ptrdiff_t left =
          r->to - first < TENON_TURNED ? r->to - first : TENON_TURNED;
      for (ptrdiff_t i = 0; i < left; ++i)
        tenon_resample_f32_lanes(
            &beside, index + (first + i) * r->taps, w + (first + i) * r->taps,
            from, (float *)(void *)sums + i * TENON_VL, TENON_VL);
      tenon_permute_b4_turn(sums, TENON_VL, (int32_t *)(void *)y + first, r->to,
                            rows, left);
    }
    y += TENON_VL * r->to;
  }
}

// Items [begin, end), one by one.
TENON_FLAT tenon_status tenon_resample_f32_each(const tenon_call *c,
                                                const tenon_resample *r,
                                                ptrdiff_t begin,
                                                ptrdiff_t end) {
  for (ptrdiff_t i = begin; i < end; ++i) {
    const int32_t *at = (const int32_t *)c->in[1].data + i % r->to * r->taps;
    const float *w = (const float *)c->in[2].data + i % r->to * r->taps;
    const float *x =
        (const float *)c->in[0].data + i / r->to * r->from * r->inside;
    float *y = (float *)c->out[0].data + i * r->inside;
    ptrdiff_t j = 0, bad;
    if (!tenon_resample_f32_fits(r, at, &bad))
      return tenon_call_fail(c, "element {0} of {1}", bad, r->from);
    for (; j + TENON_VL <= r->inside; j += TENON_VL)
      tenon_resample_f32_lanes(r, at, w, x + j, y + j, TENON_VL);
    if (j + 1 == r->inside) {
      float sum = w[0] * x[at[0] * r->inside + j];
      for (ptrdiff_t k = 1; k < r->taps; ++k)
        if (at[k] != -1) sum = fmaf(w[k], x[at[k] * r->inside + j], sum);
      y[j] = sum;
    } else if (j < r->inside) {
      tenon_resample_f32_lanes(r, at, w, x + j, y + j, r->inside - j);
    }
  }
  return TENON_OK;
}

TENON_INLINE tenon_status tenon_resample_f32_run(const tenon_call *c,
                                                 int64_t begin, int64_t end) {
  const tenon_resample r = tenon_resample_of(c);
  const int32_t *index = (const int32_t *)c->in[1].data;
  const ptrdiff_t from = (ptrdiff_t)begin, to = (ptrdiff_t)end;
  ptrdiff_t bad;
  if (r.inside != 1 || r.to < 1 || r.from > TENON_RESAMPLE_LINE ||
      to - from < TENON_VL / 2 * r.to)
    return tenon_resample_f32_each(c, &r, from, to);
  // Whole lines between parts of some.
  const ptrdiff_t first = (from + r.to - 1) / r.to, last = to / r.to;
  const tenon_status status =
      tenon_resample_f32_each(c, &r, from, first * r.to);
  if (status) return status;
  for (ptrdiff_t i = 0; i < r.to; ++i)
    if (!tenon_resample_f32_fits(&r, index + i * r.taps, &bad))
      return tenon_call_fail(c, "element {0} of {1}", bad, r.from);
  tenon_resample_f32_turned(&r, index, (const float *)c->in[2].data,
                            (const float *)c->in[0].data + first * r.from,
                            (float *)c->out[0].data + first * r.to,
                            last - first);
  return tenon_resample_f32_each(c, &r, last * r.to, to);
}

#endif  // TENON_KERN_OPT_RESAMPLE_F32_OPT_H
