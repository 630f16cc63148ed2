// kern/opt/tiles/half_rows.h - rows of 16-bit floats as rows of floats, and
// back, for kernels that sum in floats.
#ifndef TENON_KERN_OPT_HALF_ROWS_H
#define TENON_KERN_OPT_HALF_ROWS_H

#include "kern/opt/each/half_opt.h"

// `n` elements as floats, and back.
#define TENON_HALF_ELEMENTS(type)                                          \
  TENON_APART void tenon_floats_of_##type(const uint16_t *from, float *to, \
                                          ptrdiff_t n) {                   \
    ptrdiff_t i = 0;                                                       \
    for (; i + TENON_VL <= n; i += TENON_VL)                               \
      tenon_vf_store(to + i, tenon_vf_load_##type(from + i));              \
    if (i < n) {                                                           \
      uint16_t some[TENON_VL] = {0};                                       \
      float lanes[TENON_VL];                                               \
      memcpy(some, from + i, (size_t)(n - i) * sizeof *some);              \
      tenon_vf_store(lanes, tenon_vf_load_##type(some));                   \
      memcpy(to + i, lanes, (size_t)(n - i) * sizeof *lanes);              \
    }                                                                      \
  }                                                                        \
  TENON_APART void tenon_floats_as_##type(const float *from, uint16_t *to, \
                                          ptrdiff_t n) {                   \
    ptrdiff_t i = 0;                                                       \
    for (; i + TENON_VL <= n; i += TENON_VL)                               \
      tenon_vf_store_##type(to + i, tenon_vf_load(from + i));              \
    if (i < n) {                                                           \
      uint16_t some[TENON_VL];                                             \
      float lanes[TENON_VL] = {0};                                         \
      memcpy(lanes, from + i, (size_t)(n - i) * sizeof *lanes);            \
      tenon_vf_store_##type(some, tenon_vf_load(lanes));                   \
      memcpy(to + i, some, (size_t)(n - i) * sizeof *some);                \
    }                                                                      \
  }
TENON_HALF_ELEMENTS(f16)
TENON_HALF_ELEMENTS(bf16)
#undef TENON_HALF_ELEMENTS

#endif  // TENON_KERN_OPT_HALF_ROWS_H
