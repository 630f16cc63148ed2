// lstm_integer_mve.c - a layer of LSTM in integers, 32 products and 8 functions
// at a time. Bit for bit what lstm_integer_ref.c computes.
#include "kern/isa/arm/mve/mve.h"
#include "kern/product/lstm_integer_layer.h"

TENON_ASM void lstm_integer_mve_sums(TENON_ARG const int8_t *w,
                                     TENON_ARG const int8_t *x,
                                     TENON_ARG int32_t n,
                                     TENON_ARG int32_t next,
                                     TENON_ARG int32_t *sums) {
  __asm__(
      "push {r4-r6, lr}\n"
      "ldr r5, [sp, #16]\n"
      "ldm r5, {r4, r6}\n"
      "add r3, r0\n"
      "wlstp.8 lr, r2, 2f\n"
      "1:\n"
      "vldrb.8 q1, [r1], #16\n"
      "vldrb.8 q0, [r0], #16\n"
      "vmladava.s8 r4, q0, q1\n"
      "vldrb.8 q0, [r3], #16\n"
      "vmladava.s8 r6, q0, q1\n"
      "letp lr, 1b\n"
      "2:\n"
      "stm r5, {r4, r6}\n"
      "pop {r4-r6, pc}\n");
}

// As kern/num/fixed16.h has them, of which VQRDMULH is the product. e to the x,
// which is not above 0: part of it by a polynomial, the rest by factors.
TENON_MVE int16x8_t lstm_integer_mve_exp(int16x8_t x, int32_t bits) {
  static const int16_t power[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int32_t quarter = 1 << (13 - bits);
  const int16x8_t low = vandq_s16(x, vdupq_n_s16((int16_t)(quarter - 1)));
  const int16x8_t part = vsubq_n_s16(low, (int16_t)quarter);
  const int16x8_t whole = vsubq_s16(part, x);
  const int16x8_t a = vaddq_n_s16(vshlq_r_s16(part, bits), 1 << 12);
  const int16x8_t a2 = vqrdmulhq_s16(a, a), a3 = vqrdmulhq_s16(a2, a);
  const int16x8_t a4 = vrshrq_n_s16(vqrdmulhq_s16(a2, a2), 2);
  int16x8_t y = vqrdmulhq_n_s16(vaddq_s16(a4, a3), 10923);
  y = vrshrq_n_s16(vaddq_s16(y, a2), 1);
  y = vaddq_n_s16(vqrdmulhq_n_s16(vaddq_s16(a, y), 28918), 28918);
  int32_t bit = quarter;
  for (int32_t i = 0; i < 7 && bit <= INT16_MAX; ++i, bit *= 2) {
    const int16x8_t has = vandq_s16(whole, vdupq_n_s16((int16_t)bit));
    y = vqrdmulhq_m_n_s16(y, y, power[i], vcmpneq_n_s16(has, 0));
  }
  if (bits <= 5) return y;
  const int16_t least = (int16_t) - (1 << (20 - bits));
  return vdupq_m_n_s16(y, 0, vcmpltq_n_s16(x, least));
}

// 2 / (1 + x).
TENON_MVE int16x8_t lstm_integer_mve_two_over(int16x8_t x) {
  const int16x8_t half = vaddq_n_s16(vshrq_n_s16(x, 1), 1 << 14);
  int16x8_t y = vaddq_n_s16(vqrdmulhq_n_s16(half, -15420), 23130);
  for (int i = 0; i < 3; ++i) {
    int16x8_t rest = vdupq_n_s16(1 << 13);
    rest = vsubq_s16(rest, vqrdmulhq_s16(half, y));
    y = vaddq_s16(y, vshlq_n_s16(vqrdmulhq_s16(y, rest), 2));
  }
  return y;
}

static __attribute__((noinline)) void lstm_integer_mve_function(
    int16_t *y, const int16_t *x, int32_t n, int32_t bits, bool is_tanh) {
  for (int32_t i = 0; i < n; i += 8) {
    const mve_pred16_t some = vctp16q((uint32_t)(n - i));
    const int16x8_t v = vldrhq_z_s16(x + i, some);
    const mve_pred16_t is_zero = vcmpeqq_n_s16(v, 0);
    const int16x8_t below = vnegq_s16(vabsq_s16(v));
    int16x8_t to = lstm_integer_mve_exp(below, bits + is_tanh);
    to = lstm_integer_mve_two_over(to);
    if (is_tanh) {
      to = vqshlq_n_s16(vsubq_n_s16(to, 1 << 13), 2);
      to = vnegq_m_s16(to, to, vcmpltq_n_s16(v, 0));
      to = vdupq_m_n_s16(to, 0, is_zero);
    } else {
      to = vqshlq_n_s16(to, 1);
      to = vsubq_m_s16(to, vdupq_n_s16(INT16_MAX), to, vcmpltq_n_s16(v, 0));
      to = vdupq_m_n_s16(to, 1 << 14, is_zero);
    }
    vstrhq_p_s16(y + i, to, some);
  }
}

TENON_KERNEL_RANGE(tenon_k_lstm_integer_mve) {
  return tenon_lstm_integer_layer(c, begin, end, lstm_integer_mve_sums,
                                  lstm_integer_mve_function);
}
