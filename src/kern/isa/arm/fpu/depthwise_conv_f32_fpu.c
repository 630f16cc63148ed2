// depthwise_conv_f32_fpu.c - depthwise convolution in floats, eight channels at
// a time; what is left, or has a multiplier, one. Bit for bit what
// depthwise_conv_f32_ref.c computes.
#include <math.h>

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/loop/window.h"
#include "kern/product/conv.h"

// Taps in the image, one at least; all steps are in bytes, those to the next
// row from behind the last tap.
typedef struct depthwise_conv_f32_fpu_taps {
  int32_t rows, columns, x_step, w_step, x_next, w_next;
} depthwise_conv_f32_fpu_taps;

// Of eight channels.
TENON_ASM void depthwise_conv_f32_fpu_sums(
    TENON_ARG const float *x, TENON_ARG const float *w,
    TENON_ARG const depthwise_conv_f32_fpu_taps *taps, TENON_ARG float *sums) {
  __asm__(
      "push {r4-r9}\n"
      "vpush {s16-s23}\n"
      "ldm r2, {r4-r9}\n"
      "vldm r3, {s8-s15}\n"
      "1:\n"
      "mov r12, r5\n"
      "2:\n"
      "vldm r0, {s0-s7}\n"
      "add r0, r6\n"
      "vldm r1, {s16-s23}\n"
      "add r1, r7\n"
      "vfma.f32 s8, s16, s0\n"
      "vfma.f32 s9, s17, s1\n"
      "vfma.f32 s10, s18, s2\n"
      "vfma.f32 s11, s19, s3\n"
      "vfma.f32 s12, s20, s4\n"
      "vfma.f32 s13, s21, s5\n"
      "vfma.f32 s14, s22, s6\n"
      "vfma.f32 s15, s23, s7\n"
      "subs r12, #1\n"
      "bne 2b\n"
      "add r0, r8\n"
      "add r1, r9\n"
      "subs r4, #1\n"
      "bne 1b\n"
      "vstm r3, {s8-s15}\n"
      "vpop {s16-s23}\n"
      "pop {r4-r9}\n"
      "bx lr\n");
}

// Of one.
static float depthwise_conv_f32_fpu_sum(
    const float *x, const float *w, const depthwise_conv_f32_fpu_taps *taps) {
  float sum = 0.0f;
  for (int32_t ky = taps->rows; ky > 0; --ky) {
    for (int32_t k = taps->columns; k > 0; --k) {
      sum = fmaf(*x, *w, sum);
      x += taps->x_step / 4;
      w += taps->w_step / 4;
    }
    x += taps->x_next / 4;
    w += taps->w_next / 4;
  }
  return sum;
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32_fpu) {
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const tenon_limits_f32 limits = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_limits_f32 *m = a->lo.has || a->hi.has ? &limits : NULL;
  const float *bias = (const float *)c->in[2].data;
  const tenon_tensor *weights = &c->in[1];
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], weights->dims[1], weights->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const int32_t out_c = (int32_t)g.out_c, times = out_c / (int32_t)g.c;
  const int32_t eights = times == 1 ? out_c / 8 * 8 : 0;
  float *y = (float *)c->out[0].data + (ptrdiff_t)begin * g.out_w * g.out_c;
  depthwise_conv_f32_fpu_taps t;
  t.x_step = (int32_t)(g.dil_x * g.c) * 4;
  t.w_step = out_c * 4;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += out_c) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const float *p = image + ((ty.at + ty.begin * g.dil_y) * g.w + tx.at +
                                tx.begin * g.dil_x) *
                                   g.c;
      const float *w =
          (const float *)weights->data + (ty.begin * g.kw + tx.begin) * g.out_c;
      t.columns = (int32_t)(tx.end - tx.begin);
      t.rows = t.columns > 0 ? (int32_t)(ty.end - ty.begin) : 0;
      t.x_next = (int32_t)(g.dil_y * g.w * g.c) * 4 - t.columns * t.x_step;
      t.w_next = (int32_t)g.kw * t.w_step - t.columns * t.w_step;
      for (int32_t i = 0; i < eights; i += 8) {
        float sums[8];
        tenon_fpu_begin(sums);
        if (t.rows > 0) depthwise_conv_f32_fpu_sums(p + i, w + i, &t, sums);
        tenon_fpu_store_eight(sums, bias ? bias + i : NULL, y + i, m);
      }
      for (int32_t i = eights; i < out_c; ++i) {
        const float sum = depthwise_conv_f32_fpu_sum(p + i / times, w + i, &t);
        tenon_fpu_store(&sum, bias ? bias + i : NULL, y + i, 1, m);
      }
    }
  }
  return TENON_OK;
}
