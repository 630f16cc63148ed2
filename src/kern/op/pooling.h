// kern/op/pooling.h - attributes of core::avg_pool and core::max_pool.
#ifndef TENON_KERN_POOLING_H
#define TENON_KERN_POOLING_H

#include "kern/loop/window.h"
#include "kern/num/fixed.h"

typedef struct tenon_pool_attrs {
  tenon_ints window;  // 2: height, width
  tenon_ints stride;  // 2
  tenon_ints pad;     // 4: top, left, bottom, right
  tenon_opt_float lo, hi;
} tenon_pool_attrs;

// Begins as the one above, which is what all but the kernels of floats read.
typedef struct tenon_max_pool_attrs {
  tenon_ints window, stride, pad;
  tenon_opt_float lo, hi;
  bool skip_nan;
} tenon_max_pool_attrs;

// Bits of what the maximum of floats starts from: below all that it takes.
// Where NaN is passed over it is LiteRT's, the least finite number.
#define TENON_MAX_POOL_START(skip_nan) ((skip_nan) ? 0xff7fffffu : 0xff800000u)

// Packed for quantised pools: limits of the stored result.
typedef struct tenon_pool_s8 {
  int32_t lo, hi;
} tenon_pool_s8;

TENON_INLINE tenon_window tenon_pool_window(const tenon_call *c) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  return tenon_window_of(&c->in[0], &c->out[0], a->window.data[0],
                         a->window.data[1], a->stride.data, a->pad.data, NULL);
}

// Pixels from ox on that are computed together: those next to one another whose
// windows lie within the image, where there is no stride. A tap of all of them
// is one run of elements, however few channels a pixel has.
TENON_INLINE ptrdiff_t tenon_pool_run(const tenon_window *g, tenon_taps tx,
                                      ptrdiff_t ox) {
  if (g->right != 1 || tx.begin != 0 || tx.end != g->kw) return 1;
  const ptrdiff_t whole = g->w - g->kw + 1 - tx.at, left = g->out_w - ox;
  return whole < left ? whole : left;
}

// Defines the kernel `name` of pools of elements T. For each channel of a pixel
// `acc`, of type Acc, begins as `start` and becomes `each` for every element x
// of its window, which has `count`; `finish` makes a result of it. The channels
// stand side by side in SUMS. BEFORE declares what they need.
#define TENON_POOL_KERNEL(name, T, Acc, BEFORE, SUMS, start, each, finish)    \
  TENON_KERNEL_RANGE(name) {                                                  \
    const tenon_window g = tenon_pool_window(c);                              \
    BEFORE                                                                    \
    for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {     \
      const T *image =                                                        \
          (const T *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;         \
      T *y = (T *)c->out[0].data + row * g.out_w * g.c;                       \
      tenon_taps ty = tenon_window_rows(&g, row % g.out_h);                   \
      for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += g.c) {                  \
        tenon_taps tx = tenon_window_columns(&g, ox);                         \
        int32_t count = (int32_t)((ty.end - ty.begin) * (tx.end - tx.begin)); \
        Acc *sums = SUMS;                                                     \
        for (ptrdiff_t i = 0; i < g.c; ++i)                                   \
          sums[i] = start;                                                    \
        for (ptrdiff_t ky = ty.begin; ky < ty.end; ++ky) {                    \
          for (ptrdiff_t kx = tx.begin; kx < tx.end; ++kx) {                  \
            const T *p = image + ((ty.at + ky) * g.w + tx.at + kx) * g.c;     \
            for (ptrdiff_t i = 0; i < g.c; ++i) {                             \
              const T x = p[i];                                               \
              const Acc acc = sums[i];                                        \
              sums[i] = each;                                                 \
            }                                                                 \
          }                                                                   \
        }                                                                     \
        for (ptrdiff_t i = 0; i < g.c; ++i) {                                 \
          const Acc acc = sums[i];                                            \
          (void)count;                                                        \
          y[i] = finish;                                                      \
        }                                                                     \
      }                                                                       \
    }                                                                         \
    return TENON_OK;                                                          \
  }

TENON_INLINE int32_t tenon_pool_mean(int32_t sum, int32_t count) {
  int32_t half = sum > 0 ? count / 2 : -(count / 2);
  return count ? (sum + half) / count : 0;
}

// BEFORE of stored elements and of floats (op/clamp.h).
#define TENON_POOL_LIMITS \
  const tenon_pool_s8 *limits = (const tenon_pool_s8 *)c->packed;
#define TENON_POOL_REAL(Attrs)              \
  const Attrs *a = (const Attrs *)c->attrs; \
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);

#define TENON_POOL_STORED(name, T, start, each, finish)  \
  TENON_POOL_KERNEL(name, T, int32_t, TENON_POOL_LIMITS, \
                    (int32_t *)c->scratch, start, each,  \
                    (T)tenon_clamp_s32(finish, limits->lo, limits->hi))
#define TENON_AVG_POOL_STORED(name, T) \
  TENON_POOL_STORED(name, T, 0, acc + x, tenon_pool_mean(acc, count))
#define TENON_MAX_POOL_STORED(name, T, least) \
  TENON_POOL_STORED(name, T, least, x > acc ? x : acc, acc)

#endif  // TENON_KERN_POOLING_H
