// kern/op/planes.h - pools over planes: core::avg_pool3d, core::max_pool3d,
// core::adaptive_avg_pool3d and core::adaptive_max_pool3d.
//
// x is [planes, d, h, w]; each plane is pooled on its own. `pad` has three
// entries before and three behind. Items are planes.
#ifndef TENON_KERN_PLANES_H
#define TENON_KERN_PLANES_H

#include "kern/loop/window.h"

typedef struct tenon_max_pool3d_attrs {
  tenon_ints window, stride, pad, dilation;  // 3, 3, 6, 3
} tenon_max_pool3d_attrs;

typedef struct tenon_avg_pool3d_attrs {
  tenon_ints window, stride, pad;  // 3, 3, 6
  bool count_pad;         // as much padding as before counts, on either side
  tenon_opt_int divisor;  // instead of how many there are
} tenon_avg_pool3d_attrs;

typedef struct tenon_adaptive_pool3d_attrs {
  tenon_ints size;  // 3
} tenon_adaptive_pool3d_attrs;

// The elements of a window: along dimension i, `count` of them from `at`,
// `step` apart. `n` is what a mean divides by.
typedef struct tenon_box {
  ptrdiff_t at[3], count[3], step[3];
  ptrdiff_t n;
} tenon_box;

// Taps of all three dimensions for output `i` of a plane.
TENON_INLINE tenon_box tenon_box_of(const tenon_call *c, const int64_t *window,
                                    const int64_t *stride, const int64_t *pad,
                                    const int64_t *dilation, ptrdiff_t i) {
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  tenon_box b;
  b.n = 1;
  for (int32_t d = 2; d >= 0; i /= y[1 + d], --d) {
    const ptrdiff_t step = dilation ? (ptrdiff_t)dilation[d] : 1;
    const tenon_taps t =
        tenon_window_taps(i % y[1 + d], (ptrdiff_t)stride[d], (ptrdiff_t)pad[d],
                          step, (ptrdiff_t)window[d], x[1 + d]);
    b.at[d] = t.at + t.begin * step;
    b.count[d] = t.end - t.begin;
    b.step[d] = step;
    b.n *= b.count[d];
  }
  return b;
}

TENON_INLINE tenon_box tenon_max_box(const tenon_call *c, ptrdiff_t i) {
  const tenon_max_pool3d_attrs *a = (const tenon_max_pool3d_attrs *)c->attrs;
  return tenon_box_of(c, a->window.data, a->stride.data, a->pad.data,
                      a->dilation.data, i);
}

TENON_INLINE tenon_box tenon_avg_box(const tenon_call *c, ptrdiff_t i) {
  const tenon_avg_pool3d_attrs *a = (const tenon_avg_pool3d_attrs *)c->attrs;
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  tenon_box b =
      tenon_box_of(c, a->window.data, a->stride.data, a->pad.data, NULL, i);
  if (a->divisor.has) {
    b.n = (ptrdiff_t)a->divisor.value;
  } else if (a->count_pad) {
    b.n = 1;
    for (int32_t d = 2; d >= 0; i /= y[1 + d], --d) {
      const ptrdiff_t pad = (ptrdiff_t)a->pad.data[d];
      const ptrdiff_t from = i % y[1 + d] * (ptrdiff_t)a->stride.data[d] - pad;
      ptrdiff_t to = from + (ptrdiff_t)a->window.data[d];
      if (to > x[1 + d] + pad) to = x[1 + d] + pad;
      b.n *= to - from;
    }
  }
  return b;
}

// From floor(i * in / out) to ceil((i + 1) * in / out).
TENON_INLINE tenon_box tenon_adaptive_box(const tenon_call *c, ptrdiff_t i) {
  const int32_t *x = c->in[0].dims, *y = c->out[0].dims;
  tenon_box b;
  b.n = 1;
  for (int32_t d = 2; d >= 0; i /= y[1 + d], --d) {
    const int64_t out = i % y[1 + d];
    b.at[d] = (ptrdiff_t)(out * x[1 + d] / y[1 + d]);
    b.count[d] =
        (ptrdiff_t)(((out + 1) * x[1 + d] + y[1 + d] - 1) / y[1 + d]) - b.at[d];
    b.step[d] = 1;
    b.n *= b.count[d];
  }
  return b;
}

// The elements of a window of a plane of sizes x[1], x[2] and x[3] in the order
// of memory: `k` is where one lies.
#define TENON_BOX_EACH(b, x, k)                                   \
  for (ptrdiff_t iz = 0; iz < (b).count[0]; ++iz)                 \
    for (ptrdiff_t iy = 0; iy < (b).count[1]; ++iy)               \
      for (ptrdiff_t k = tenon_box_line(&(b), x, iz, iy),         \
                     end_of_##k = k + (b).count[2] * (b).step[2]; \
           k < end_of_##k; k += (b).step[2])

TENON_INLINE ptrdiff_t tenon_box_line(const tenon_box *b, const int32_t *x,
                                      ptrdiff_t z, ptrdiff_t y) {
  const ptrdiff_t d = b->at[0] + z * b->step[0];
  return (d * x[2] + b->at[1] + y * b->step[1]) * x[3] + b->at[2];
}

TENON_INLINE ptrdiff_t tenon_plane_size(const tenon_tensor *t) {
  return (ptrdiff_t)t->dims[1] * t->dims[2] * t->dims[3];
}

// Means: a chain of sums in the order of memory, then one division. S is the
// type of the sum: of integers an unsigned one, which wraps around.
#define TENON_AVG_PLANES_KERNEL(name, T, S, BOX)                      \
  TENON_KERNEL_RANGE(name) {                                          \
    const ptrdiff_t size = tenon_plane_size(&c->in[0]);               \
    const ptrdiff_t out = tenon_plane_size(&c->out[0]);               \
    for (ptrdiff_t p = (ptrdiff_t)begin; p < (ptrdiff_t)end; ++p) {   \
      const T *x = (const T *)c->in[0].data + p * size;               \
      T *y = (T *)c->out[0].data + p * out;                           \
      for (ptrdiff_t i = 0; i < out; ++i) {                           \
        const tenon_box b = BOX(c, i);                                \
        const ptrdiff_t count = b.count[0] * b.count[1] * b.count[2]; \
        S sum = 0;                                                    \
        TENON_BOX_EACH(b, c->in[0].dims, k) sum += (S)x[k];           \
        y[i] = count ? (T)sum / (T)b.n : 0;                           \
      }                                                               \
    }                                                                 \
    return TENON_OK;                                                  \
  }

// Maxima and where they lie in the plane, the first of equals; a NaN wins.
#define TENON_MAX_PLANES_KERNEL(name, T, BOX)                                 \
  TENON_KERNEL_RANGE(name) {                                                  \
    const ptrdiff_t size = tenon_plane_size(&c->in[0]);                       \
    const ptrdiff_t out = tenon_plane_size(&c->out[0]);                       \
    for (ptrdiff_t p = (ptrdiff_t)begin; p < (ptrdiff_t)end; ++p) {           \
      const T *x = (const T *)c->in[0].data + p * size;                       \
      T *y = (T *)c->out[0].data + p * out;                                   \
      int64_t *at = (int64_t *)c->out[1].data + p * out;                      \
      for (ptrdiff_t i = 0; i < out; ++i) {                                   \
        const tenon_box b = BOX(c, i);                                        \
        const ptrdiff_t count = b.count[0] * b.count[1] * b.count[2];         \
        ptrdiff_t best = count ? tenon_box_line(&b, c->in[0].dims, 0, 0) : 0; \
        TENON_BOX_EACH(b, c->in[0].dims, k)                                   \
        if (x[k] > x[best] || x[k] != x[k]) best = k;                         \
        y[i] = count ? x[best] : 0;                                           \
        at[i] = best;                                                         \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#endif  // TENON_KERN_PLANES_H
