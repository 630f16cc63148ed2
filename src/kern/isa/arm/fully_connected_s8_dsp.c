// fully_connected_s8_dsp.c - quantised product, four channels at a time. The
// share of the zero point is part of the biases. Bit for bit what
// fully_connected_s8_ref.c computes.
#include "kern/isa/arm/dsp.h"
#include "tenon/tensor.h"

#define FULLY_CONNECTED_S8_DSP_TWO(p, q) \
  "ldrd %[w0], %[w1], [%[w]], #8\n"      \
  "sxtb16 %[t], %[w0], ror #8\n"         \
  "sxtb16 %[w0], %[w0]\n"                \
  "smlad %[" p "], %[w0], %[x0], %[" p   \
  "]\n"                                  \
  "smlad %[" p "], %[t], %[x1], %[" p    \
  "]\n"                                  \
  "sxtb16 %[t], %[w1], ror #8\n"         \
  "sxtb16 %[w1], %[w1]\n"                \
  "smlad %[" q "], %[w1], %[x0], %[" q   \
  "]\n"                                  \
  "smlad %[" q "], %[t], %[x1], %[" q "]\n"
#define FULLY_CONNECTED_S8_DSP_FOUR                            \
  "ldr %[x0], [%[x]], #4\n"                                    \
  "sxtb16 %[x1], %[x0], ror #8\n"                              \
  "sxtb16 %[x0], %[x0]\n" FULLY_CONNECTED_S8_DSP_TWO("a", "b") \
      FULLY_CONNECTED_S8_DSP_TWO("d", "e")

TENON_KERNEL_RANGE(tenon_k_fully_connected_s8_dsp) {
  const tenon_arm_window *g = (const tenon_arm_window *)c->packed;
  const tenon_arm_channel *const channels = (const tenon_arm_channel *)(g + 1);
  const int8_t *const weights =
      (const int8_t *)(channels + (g->out_c + 3) / 4 * 4);
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int8_t *w = weights;
    int8_t *y = (int8_t *)c->out[0].data + row * g->out_c;
    const tenon_arm_channel *q = channels;
    for (int32_t n = g->out_c; n > 0; n -= 4, q += 4, y += 4) {
      const int8_t *x = (const int8_t *)c->in[0].data + row * g->c;
      const int8_t *const stop = x + g->k;
      int32_t a = q[0].bias, b = q[1].bias, d = q[2].bias, e = q[3].bias;
      uint32_t x0, x1, w0, w1, t;
      __asm__ volatile(
          "1:\n" FULLY_CONNECTED_S8_DSP_FOUR
          "cmp %[x], %[stop]\n"
          "bne 1b"
          : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d), [e] "+r"(e), [x] "+r"(x),
            [w] "+r"(w), [x0] "=&r"(x0), [x1] "=&r"(x1), [w0] "=&r"(w0),
            [w1] "=&r"(w1), [t] "=&r"(t)
          : [stop] "r"(stop)
          : "cc", "memory");
      y[0] = (int8_t)tenon_dsp_once(a, q[0].mult, q[0].round, q[0].shift);
      if (n > 1)
        y[1] = (int8_t)tenon_dsp_once(b, q[1].mult, q[1].round, q[1].shift);
      if (n > 2)
        y[2] = (int8_t)tenon_dsp_once(d, q[2].mult, q[2].round, q[2].shift);
      if (n > 3)
        y[3] = (int8_t)tenon_dsp_once(e, q[3].mult, q[3].round, q[3].shift);
    }
  }
  return TENON_OK;
}
