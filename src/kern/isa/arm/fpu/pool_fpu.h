// kern/isa/arm/fpu/pool_fpu.h - pools of floats, four channels at a time; what
// is left, one.
#ifndef TENON_KERN_ISA_ARM_POOL_FPU_H
#define TENON_KERN_ISA_ARM_POOL_FPU_H

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/op/pooling.h"

// Taps in the image, one at least: from a tap to the next, and from behind the
// last of a row to the first of the next row; in bytes.
typedef struct tenon_fpu_taps {
  int32_t rows, columns, step, next;
} tenon_fpu_taps;

// Of four channels from s4 to s7, `tap` with s0 to s3; s8 and s9 are its own,
// loaded and stored with them.
#define TENON_FPU_POOL_FOUR(name, tap)                      \
  TENON_ASM void name(TENON_ARG const float *x,             \
                      TENON_ARG const tenon_fpu_taps *taps, \
                      TENON_ARG float *state) {             \
    __asm__(                                                \
        "push {r4-r6}\n"                                    \
        "ldm r1, {r3-r6}\n"                                 \
        "vldm r2, {s4-s9}\n"                                \
        "1:\n"                                              \
        "mov r12, r4\n"                                     \
        "2:\n"                                              \
        "vldm r0, {s0-s3}\n"                                \
        "add r0, r5\n" tap                                  \
        "subs r12, #1\n"                                    \
        "bne 2b\n"                                          \
        "add r0, r6\n"                                      \
        "subs r3, #1\n"                                     \
        "bne 1b\n"                                          \
        "vstm r2, {s4-s9}\n"                                \
        "pop {r4-r6}\n"                                     \
        "bx lr\n");                                         \
  }

// A channel of a window.
typedef float tenon_fpu_pool_one(const float *x, const tenon_fpu_taps *taps);
// Four of them to y; false where they have to be taken one by one.
typedef bool tenon_fpu_pool_four(const float *x, const tenon_fpu_taps *taps,
                                 float *y);

// All pixels of rows; `none` is the value of a window outside the image.
static inline __attribute__((always_inline, unused)) void tenon_fpu_pool(
    const tenon_call *c, int64_t begin, int64_t end, tenon_fpu_pool_four *four,
    tenon_fpu_pool_one *one, float none) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
  const bool is_limited = a->lo.has || a->hi.has;
  const tenon_window g = tenon_pool_window(c);
  const int32_t depth = (int32_t)g.c, line = (int32_t)(g.w * g.c);
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * line;
    float *y = (float *)c->out[0].data + row * g.out_w * depth;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    image += (ty.at + ty.begin) * line;
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += depth) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const int32_t columns = (int32_t)(tx.end - tx.begin);
      const tenon_fpu_taps taps = {(int32_t)(ty.end - ty.begin), columns,
                                   depth * 4, (line - columns * depth) * 4};
      const bool is_in = taps.rows > 0 && columns > 0;
      const float *p = image + (tx.at + tx.begin) * depth;
      for (int32_t i = 0, n; i < depth; i += n) {
        n = is_in && depth - i >= 4 && four(p + i, &taps, y + i) ? 4 : 1;
        if (n == 1) y[i] = is_in ? one(p + i, &taps) : none;
      }
      for (int32_t i = 0; is_limited && i < depth; ++i)
        y[i] = tenon_limit_f32(y[i], m);
    }
  }
}

#endif  // TENON_KERN_ISA_ARM_POOL_FPU_H
