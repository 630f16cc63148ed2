// softmax_s8_dsp.c - quantised softmax of rows without steps. Bit for bit what
// softmax_s8_ref.c computes.
#include "kern/isa/arm/dsp/dsp.h"
#include "kern/num/newton.h"
#include "kern/op/softmax.h"

static int32_t softmax_s8_dsp_most(const int8_t *x, int32_t n) {
  int32_t most = *x;
  uint32_t four = (uint32_t)(most & 0xFF) * 0x1010101u;
  for (; n > 3; n -= 4, x += 4)
    four = tenon_dsp_max(four, tenon_dsp_load(x));
  for (; n > 0; --n, ++x)
    most = *x > most ? *x : most;
  for (n = 0; n < 4; ++n, four >>= 8)
    most = (int8_t)four > most ? (int8_t)four : most;
  return most;
}

// The product with the inverse, 32 bits of it, rounded; then shifted, where the
// carry rounds ties up. `twice` is twice the inverse, less 2^32 where it is
// that large: then the number itself is added.
TENON_ARM int32_t softmax_s8_dsp_stored(int32_t e, int32_t twice, int32_t large,
                                        int32_t right) {
  int32_t y, more = e & large;
  __asm__(
      "smmlar %0, %1, %2, %3\n\t"
      "lsrs %0, %0, %4\n\t"
      "adc %0, %0, #0\n\t"
      "usat %0, #8, %0"
      : "=&r"(y)
      : "r"(e), "r"(twice), "r"(more), "r"(right)
      : "cc");
  return y + INT8_MIN;
}

TENON_KERNEL_RANGE(tenon_k_softmax_s8_dsp) {
  const int32_t *const exps = ((const tenon_softmax_s8 *)c->packed)->exps;
  const int32_t n =
      (int32_t)tenon_rows_of(&c->in[0],
                             ((const tenon_softmax_attrs *)c->attrs)->axis)
          .count;
  const int8_t *x = (const int8_t *)c->in[0].data + (int32_t)begin * n;
  int8_t *y = (int8_t *)c->out[0].data + (int32_t)begin * n;
  for (int32_t row = (int32_t)begin; row < (int32_t)end; ++row) {
    const int32_t most = softmax_s8_dsp_most(x, n);
    const int8_t *const stop = x + n;
    uint32_t sum = 0;
    int32_t shift;
    for (const int8_t *p = x; p < stop; ++p)
      sum += ((uint32_t)exps[most - *p] + (1 << 11)) >> 12;
    const int32_t inverse = tenon_reciprocal_s32((int32_t)sum, 12, &shift);
    const int32_t twice = (int32_t)((uint32_t)inverse * 2);
    for (; x < stop; ++x, ++y)
      *y = (int8_t)softmax_s8_dsp_stored(exps[most - *x], twice, twice >> 31,
                                         shift + 31 - 8);
  }
  return TENON_OK;
}
