// fully_connected_f32_fpu.c - product with a transposed matrix in floats, four
// results at a time. Bit for bit what fully_connected_f32_ref.c computes.
#include <math.h>

#include "kern/isa/arm/fpu/fpu.h"
#include "kern/product/conv.h"

// `n` numbers, one at least, of x with four rows of weights, `step` bytes
// apart.
TENON_ASM void fully_connected_f32_fpu_rows(TENON_ARG const float *x,
                                            TENON_ARG const float *w,
                                            TENON_ARG int32_t n,
                                            TENON_ARG float *sums,
                                            TENON_ARG ptrdiff_t step) {
  __asm__(
      "ldr r12, [sp]\n"
      "vpush {s16-s23}\n"
      "push {r4-r6}\n"
      "add r4, r1, r12\n"
      "add r5, r4, r12\n"
      "add r6, r5, r12\n"
      "vldm r3, {s20-s23}\n"
      "subs r2, #4\n"
      "blt 2f\n"
      "1:\n"
      "vldmia r0!, {s0-s3}\n"
      "vldmia r1!, {s4-s7}\n"
      "vldmia r4!, {s8-s11}\n"
      "vldmia r5!, {s12-s15}\n"
      "vldmia r6!, {s16-s19}\n"
      "vfma.f32 s20, s4, s0\n"
      "vfma.f32 s21, s8, s0\n"
      "vfma.f32 s22, s12, s0\n"
      "vfma.f32 s23, s16, s0\n"
      "vfma.f32 s20, s5, s1\n"
      "vfma.f32 s21, s9, s1\n"
      "vfma.f32 s22, s13, s1\n"
      "vfma.f32 s23, s17, s1\n"
      "vfma.f32 s20, s6, s2\n"
      "vfma.f32 s21, s10, s2\n"
      "vfma.f32 s22, s14, s2\n"
      "vfma.f32 s23, s18, s2\n"
      "vfma.f32 s20, s7, s3\n"
      "vfma.f32 s21, s11, s3\n"
      "vfma.f32 s22, s15, s3\n"
      "vfma.f32 s23, s19, s3\n"
      "subs r2, #4\n"
      "bge 1b\n"
      "2:\n"
      "adds r2, #4\n"
      "beq 4f\n"
      "3:\n"
      "vldmia r0!, {s0}\n"
      "vldmia r1!, {s4}\n"
      "vldmia r4!, {s5}\n"
      "vldmia r5!, {s6}\n"
      "vldmia r6!, {s7}\n"
      "vfma.f32 s20, s4, s0\n"
      "vfma.f32 s21, s5, s0\n"
      "vfma.f32 s22, s6, s0\n"
      "vfma.f32 s23, s7, s0\n"
      "subs r2, #1\n"
      "bne 3b\n"
      "4:\n"
      "vstm r3, {s20-s23}\n"
      "pop {r4-r6}\n"
      "vpop {s16-s23}\n"
      "bx lr\n");
}

TENON_KERNEL_RANGE(tenon_k_fully_connected_f32_fpu) {
  const tenon_fully_connected_attrs *a =
      (const tenon_fully_connected_attrs *)c->attrs;
  const tenon_limits_f32 limits = tenon_limits_f32_of(a->lo, a->hi);
  const tenon_limits_f32 *m = a->lo.has || a->hi.has ? &limits : NULL;
  const float *bias = (const float *)c->in[2].data;
  const int32_t outputs = c->in[1].dims[0], depth = c->in[1].dims[1];
  const float *x = (const float *)c->in[0].data + (ptrdiff_t)begin * depth;
  float *y = (float *)c->out[0].data + (ptrdiff_t)begin * outputs;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row, x += depth) {
    const float *w = (const float *)c->in[1].data;
    for (int32_t i = 0, n; i < outputs; i += n, w += n * depth) {
      float sums[4] = {0, 0, 0, 0};
      n = outputs - i >= 4 ? 4 : 1;
      if (n == 4)
        fully_connected_f32_fpu_rows(x, w, depth, sums, depth * 4);
      else
        for (int32_t k = 0; k < depth; ++k)
          sums[0] = fmaf(x[k], w[k], sums[0]);
      tenon_fpu_store(sums, bias ? bias + i : NULL, y + i, n, m);
    }
    y += outputs;
  }
  return TENON_OK;
}
