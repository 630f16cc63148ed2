// depthwise_conv_f32_fpu.c - depthwise convolution in floats, eight channels at
// a time; what is left, or has a multiplier, one. Bit for bit what
// depthwise_conv_f32_ref.c computes.
#include <math.h>

#include "kern/conv.h"
#include "kern/isa/arm/fpu.h"
#include "kern/window.h"

// `n` taps, one at least, to sums of eight channels; steps are in bytes.
TENON_ASM void depthwise_conv_f32_fpu_taps(TENON_ARG const float *x,
                                           TENON_ARG const float *w,
                                           TENON_ARG int32_t n,
                                           TENON_ARG float *sums,
                                           TENON_ARG ptrdiff_t x_step,
                                           TENON_ARG ptrdiff_t w_step) {
  __asm__(
      "ldr r12, [sp]\n"
      "vpush {s16-s23}\n"
      "push {r4, r5}\n"
      "ldr r5, [sp, #44]\n"
      "vldm r3, {s8-s15}\n"
      "1:\n"
      "vldm r0, {s0-s7}\n"
      "add r0, r12\n"
      "vldm r1, {s16-s23}\n"
      "add r1, r5\n"
      "vfma.f32 s8, s16, s0\n"
      "vfma.f32 s9, s17, s1\n"
      "vfma.f32 s10, s18, s2\n"
      "vfma.f32 s11, s19, s3\n"
      "vfma.f32 s12, s20, s4\n"
      "vfma.f32 s13, s21, s5\n"
      "vfma.f32 s14, s22, s6\n"
      "vfma.f32 s15, s23, s7\n"
      "subs r2, #1\n"
      "bne 1b\n"
      "vstm r3, {s8-s15}\n"
      "pop {r4, r5}\n"
      "vpop {s16-s23}\n"
      "bx lr\n");
}

TENON_KERNEL_RANGE(tenon_k_depthwise_conv_f32_fpu) {
  const tenon_depthwise_conv_attrs *a =
      (const tenon_depthwise_conv_attrs *)c->attrs;
  const float *bias = (const float *)c->in[2].data;
  const tenon_tensor *weights = &c->in[1];
  const tenon_window g =
      tenon_window_of(&c->in[0], &c->out[0], weights->dims[1], weights->dims[2],
                      a->stride.data, a->pad.data, a->dilation.data);
  const int32_t out_c = (int32_t)g.out_c, times = out_c / (int32_t)g.c;
  const ptrdiff_t x_step = g.dil_x * g.c;
  float *y = (float *)c->out[0].data + (ptrdiff_t)begin * g.out_w * g.out_c;
  for (ptrdiff_t row = (ptrdiff_t)begin; row < (ptrdiff_t)end; ++row) {
    const float *image =
        (const float *)c->in[0].data + row / g.out_h * g.h * g.w * g.c;
    const tenon_taps ty = tenon_window_rows(&g, row % g.out_h);
    for (ptrdiff_t ox = 0; ox < g.out_w; ++ox, y += out_c) {
      const tenon_taps tx = tenon_window_columns(&g, ox);
      const int32_t taps = (int32_t)(tx.end - tx.begin);
      const float *p = image + ((ty.at + ty.begin * g.dil_y) * g.w + tx.at +
                                tx.begin * g.dil_x) *
                                   g.c;
      const float *w =
          (const float *)weights->data + (ty.begin * g.kw + tx.begin) * g.out_c;
      for (int32_t i = 0, n; i < out_c; i += n) {
        const float *x = p + i / times, *v = w + i;
        float sums[8];
        for (int32_t k = 0; k < 8; ++k)  // no call of memset
          sums[k] = 0.0f;
        n = times == 1 && out_c - i >= 8 ? 8 : 1;
        for (ptrdiff_t ky = ty.begin; ky < ty.end && taps > 0; ++ky) {
          if (n == 8)
            depthwise_conv_f32_fpu_taps(x, v, taps, sums, x_step * 4,
                                        g.out_c * 4);
          else
            for (int32_t k = 0; k < taps; ++k)
              sums[0] = fmaf(x[k * x_step], v[k * g.out_c], sums[0]);
          x += g.dil_y * g.w * g.c;
          v += g.kw * g.out_c;
        }
        tenon_fpu_store(sums, bias ? bias + i : NULL, y + i, n, a->lo, a->hi);
      }
    }
  }
  return TENON_OK;
}
