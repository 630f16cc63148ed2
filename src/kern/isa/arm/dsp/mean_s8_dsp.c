// mean_s8_dsp.c - means of quantised elements over neighbouring dimensions,
// four at a time. Bit for bit what mean_s8_ref.c
// computes.
#include "kern/isa/arm/dsp/sums_dsp.h"
#include "kern/isa/arm/means.h"

// Of neighbours.
static int32_t mean_s8_dsp_row(const int8_t *x, int32_t n) {
  int32_t sum = 0, sums[4] = {0, 0, 0, 0};
  for (int32_t words = n / 4; words > 0; words -= 255) {
    uint32_t even = 0, odd = 0;  // of 255 bytes at most
    for (int32_t k = words < 255 ? words : 255; k > 0; --k, x += 4) {
      const uint32_t v = tenon_dsp_load(x);
      even = tenon_dsp_even(even, v);
      odd = tenon_dsp_odd(odd, v);
    }
    tenon_dsp_take(sums, even, odd);
  }
  for (n &= 3; n > 0; --n)
    sum += *x++;
  return sum + sums[0] + sums[1] + sums[2] + sums[3];
}

// Of columns; of those that are no multiple of four the last four.
static void mean_s8_dsp_columns(const tenon_arm_mean *m, const int8_t *x,
                                int8_t *y) {
  const int32_t whole = m->n / 255, rest = m->n % 255;
  int32_t sums[4], more[4];
  for (int32_t i = 0; i < m->c; i += 4) {
    if (m->c < 4) {
      const int8_t *p = x;
      sums[0] = sums[1] = sums[2] = 0;
      for (int32_t k = 0; k < m->n; ++k)
        for (int32_t j = 0; j < m->c; ++j)
          sums[j] += *p++;
    } else {
      if (i > m->c - 4) i = m->c - 4;
      const int8_t *p = x + i;
      tenon_dsp_sums(p, 255 * m->c, whole, 255, m->c, sums);
      tenon_dsp_sums(p + whole * 255 * m->c, 0, 1, rest, m->c, more);
      for (int32_t k = 0; k < 4; ++k)
        sums[k] += more[k];
    }
    for (int32_t k = 0; k < 4 && k < m->c; ++k)
      y[i + k] = tenon_arm_mean_of(m, sums[k]);
  }
}

TENON_KERNEL_RANGE(tenon_k_mean_s8_dsp) {
  tenon_arm_means(c, begin, end, mean_s8_dsp_row, mean_s8_dsp_columns);
  return TENON_OK;
}
