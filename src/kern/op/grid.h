// kern/op/grid.h - core::grid_sample: elements of volumes at points that
// another tensor has, between -1 and 1.
//
// x is [n, c, d, h, w]; the grid is [n, d', h', w', 3] with x, y, z, or has x
// and y alone, where d is 1. Along each axis a point becomes up to four
// elements with weights; an element outside is -1 and counts nothing. Items are
// points.
#ifndef TENON_KERN_GRID_H
#define TENON_KERN_GRID_H

#include "tenon/tensor.h"

typedef struct tenon_grid_sample_attrs {
  int64_t mode;     // 0 linear, 1 nearest, 2 cubic (h and w only)
  int64_t padding;  // 0 zeros, 1 the nearest element, 2 reflected
  bool align_corners;
} tenon_grid_sample_attrs;

// An element by its real place; -1 outside.
TENON_INLINE ptrdiff_t tenon_grid_index(double at, ptrdiff_t size) {
  return at >= 0 && at < (double)size ? (ptrdiff_t)at : -1;
}

// Back and forth between two halves of whole numbers, then within [0, size).
#define TENON_GRID_FUNCTIONS(name, T, FLOOR, RINT, FMOD, FABS)     \
  static T name##_pad(T at, ptrdiff_t size,                        \
                      const tenon_grid_sample_attrs *a) {          \
    if (a->padding == 0) return at;                                \
    if (a->padding == 2) {                                         \
      const T low = a->align_corners ? 0 : (T)-0.5;                \
      const T span = (T)(a->align_corners ? size - 1 : size);      \
      if (span == 0) return 0;                                     \
      at = FABS(at - low);                                         \
      const T extra = FMOD(at, span), flips = FLOOR(at / span);    \
      at = FMOD(flips, 2) == 0 ? extra + low : span - extra + low; \
    }                                                              \
    if (at < 0) return 0;                                          \
    return at > (T)(size - 1) ? (T)(size - 1) : at;                \
  }                                                                \
  static T name##_near(T x) {                                      \
    const T a = (T)-0.75;                                          \
    return ((a + 2) * x - (a + 3)) * x * x + 1;                    \
  }                                                                \
  static T name##_far(T x) {                                       \
    const T a = (T)-0.75;                                          \
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;              \
  }                                                                \
  static int32_t name##_axis(T at, ptrdiff_t size, int64_t mode,   \
                             const tenon_grid_sample_attrs *a,     \
                             ptrdiff_t *index, T *weight) {        \
    at = a->align_corners ? (at + 1) / 2 * (T)(size - 1)           \
                          : ((at + 1) * (T)size - 1) / 2;          \
    if (mode == 2) {                                               \
      const T low = FLOOR(at), t = at - low;                       \
      weight[0] = name##_far(t + 1);                               \
      weight[1] = name##_near(t);                                  \
      weight[2] = name##_near(1 - t);                              \
      weight[3] = name##_far(2 - t);                               \
      for (int32_t k = 0; k < 4; ++k)                              \
        index[k] = tenon_grid_index(                               \
            (double)name##_pad(low + (T)(k - 1), size, a), size);  \
      return 4;                                                    \
    }                                                              \
    at = name##_pad(at, size, a);                                  \
    if (mode == 1) {                                               \
      index[0] = tenon_grid_index((double)RINT(at), size);         \
      weight[0] = 1;                                               \
      return 1;                                                    \
    }                                                              \
    const T low = FLOOR(at);                                       \
    index[0] = tenon_grid_index((double)low, size);                \
    index[1] = tenon_grid_index((double)(low + 1), size);          \
    weight[0] = low + 1 - at;                                      \
    weight[1] = at - low;                                          \
    return 2;                                                      \
  }

// Defines name_run: what a point takes is found once for all channels.
#define TENON_GRID_RUN(name, T, FMA, FLOOR, RINT, FMOD, FABS)                 \
  TENON_GRID_FUNCTIONS(name, T, FLOOR, RINT, FMOD, FABS)                      \
  static tenon_status name##_run(const tenon_call *c, int64_t begin,          \
                                 int64_t end) {                               \
    const tenon_grid_sample_attrs *a =                                        \
        (const tenon_grid_sample_attrs *)c->attrs;                            \
    const int32_t *x = c->in[0].dims, *y = c->out[0].dims;                    \
    const ptrdiff_t size = (ptrdiff_t)x[2] * x[3] * x[4];                     \
    const ptrdiff_t out = (ptrdiff_t)y[2] * y[3] * y[4];                      \
    const int32_t axes = c->in[1].dims[4];                                    \
    for (ptrdiff_t i = (ptrdiff_t)begin; i < (ptrdiff_t)end; ++i) {           \
      const T *at = (const T *)c->in[1].data + i * axes;                      \
      const T *from = (const T *)c->in[0].data + i / out * x[1] * size;       \
      T *to = (T *)c->out[0].data + i / out * y[1] * out + i % out;           \
      ptrdiff_t index[3][4], place[16];                                       \
      T weight[3][4], factor[16];                                             \
      int32_t n[3] = {1, 0, 0}, taken = 0;                                    \
      index[0][0] = 0;                                                        \
      weight[0][0] = 1;                                                       \
      for (int32_t d = 3 - axes; d < 3; ++d)                                  \
        n[d] = name##_axis(at[2 - d], x[2 + d],                               \
                           a->mode == 2 && d == 0 ? 1 : a->mode, a, index[d], \
                           weight[d]);                                        \
      for (int32_t jd = 0; jd < n[0]; ++jd) {                                 \
        for (int32_t jh = 0; jh < n[1]; ++jh) {                               \
          for (int32_t jw = 0; jw < n[2]; ++jw) {                             \
            if (index[0][jd] < 0 || index[1][jh] < 0 || index[2][jw] < 0)     \
              continue;                                                       \
            place[taken] =                                                    \
                (index[0][jd] * x[3] + index[1][jh]) * x[4] + index[2][jw];   \
            factor[taken++] = weight[0][jd] * weight[1][jh] * weight[2][jw];  \
          }                                                                   \
        }                                                                     \
      }                                                                       \
      for (ptrdiff_t k = 0; k < x[1]; ++k) {                                  \
        T sum = 0;                                                            \
        for (int32_t j = 0; j < taken; ++j)                                   \
          sum = FMA(factor[j], from[k * size + place[j]], sum);               \
        to[k * out] = sum;                                                    \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

#define TENON_GRID_KERNEL(name, T, FMA, FLOOR, RINT, FMOD, FABS) \
  TENON_GRID_RUN(name, T, FMA, FLOOR, RINT, FMOD, FABS)          \
  TENON_KERNEL_RANGE(name) {                                     \
    return name##_run(c, begin, end);                            \
  }

#endif  // TENON_KERN_GRID_H
