// mean_s8_mve.c - means of quantised elements over neighbouring dimensions,
// eight or 16 at a time. Bit for bit what mean_s8_ref.c
// computes.
#include "kern/isa/arm/means.h"
#include "kern/isa/arm/mve/sums_mve.h"

// Of neighbours, one at least.
static int32_t mean_s8_mve_row(const int8_t *x, int32_t n) {
  int32_t sum = 0;
  __asm__ volatile(
      "dlstp.8 lr, %[n]\n"
      "1:\n"
      "vldrb.8 q0, [%[x]], #16\n"
      "vaddva.s8 %[sum], q0\n"
      "letp lr, 1b"
      : [x] "+l"(x), [sum] "+Te"(sum)
      : [n] "r"(n)
      : "lr", "q0", "memory");
  return sum;
}

static void mean_s8_mve_columns(const tenon_arm_mean *m, const int8_t *x,
                                int8_t *y) {
  const int32_t whole = m->n / 255, rest = m->n % 255;
  for (int32_t i = 0; i < m->c; i += 8) {
    const int32_t lanes = m->c - i < 8 ? m->c - i : 8;
    const int8_t *p = x + i;
    int32_t sums[8], more[8];
    tenon_mve_sums(p, 255 * m->c, whole, 255, m->c, lanes, sums);
    p += whole * 255 * m->c;
    tenon_mve_sums(p, 0, 1, rest, m->c, lanes, more);
    for (int32_t k = 0; k < lanes; ++k)
      y[i + k] = tenon_arm_mean_of(m, sums[k] + more[k]);
  }
}

TENON_KERNEL_RANGE(tenon_k_mean_s8_mve) {
  tenon_arm_means(c, begin, end, mean_s8_mve_row, mean_s8_mve_columns);
  return TENON_OK;
}
