// conv_transpose3d_s8_mve.c - quantised transposed convolution, four channels
// at a time, by products of eight int16. Bit for bit what
// conv_transpose3d_s8_ref.c computes.
#include "kern/isa/arm/mve.h"
#include "kern/tile/apart.h"
#include "kern/tile/conv_transpose.h"

TENON_APART void conv_transpose3d_s8_mve_four(const int8_t *x, const int8_t *w0,
                                              ptrdiff_t size, ptrdiff_t depth,
                                              int32_t zero, uint32_t *sums) {
  const int8_t *w1 = w0 + size, *w2 = w1 + size, *w3 = w2 + size;
  int32_t a = (int32_t)sums[0], b = (int32_t)sums[1];
  int32_t d = (int32_t)sums[2], e = (int32_t)sums[3];
  __asm__ volatile(
      "dlstp.16 lr, %[n]\n"
      "1:\n"
      "vldrb.s16 q0, [%[x]], #8\n"
      "vldrb.s16 q1, [%[w0]], #8\n"
      "vsub.i16 q0, q0, %[zero]\n"
      "vmladava.s16 %[a], q0, q1\n"
      "vldrb.s16 q1, [%[w1]], #8\n"
      "vmladava.s16 %[b], q0, q1\n"
      "vldrb.s16 q1, [%[w2]], #8\n"
      "vmladava.s16 %[d], q0, q1\n"
      "vldrb.s16 q1, [%[w3]], #8\n"
      "vmladava.s16 %[e], q0, q1\n"
      "letp lr, 1b"
      : [x] "+l"(x), [w0] "+l"(w0), [w1] "+l"(w1), [w2] "+l"(w2), [w3] "+l"(w3),
        [a] "+Te"(a), [b] "+Te"(b), [d] "+Te"(d), [e] "+Te"(e)
      : [n] "r"(depth), [zero] "r"(zero)
      : "lr", "q0", "q1", "memory");
  sums[0] = (uint32_t)a, sums[1] = (uint32_t)b;
  sums[2] = (uint32_t)d, sums[3] = (uint32_t)e;
}

TENON_KERNEL_RANGE(tenon_k_conv_transpose3d_s8_mve) {
  return tenon_conv_transpose_fours(c, begin, end,
                                    conv_transpose3d_s8_mve_four);
}
