// kern/opt/each/clamp_half_opt.h - core::clamp of 16-bit floats, a register of
// floats at a time: limits of floats of 32 bits, and one rounding, as the
// reference kernel has it.
#ifndef TENON_KERN_OPT_CLAMP_HALF_OPT_H
#define TENON_KERN_OPT_CLAMP_HALF_OPT_H

#include "kern/loop/wide.h"
#include "kern/op/clamp.h"
#include "kern/opt/each/half_opt.h"

#define TENON_CLAMP_HALF(type)                                                 \
  TENON_FLAT tenon_status tenon_clamp_##type##_run(                            \
      const tenon_call *c, int64_t begin, int64_t end) {                       \
    TENON_CLAMP_LIMITS_AS(tenon_limits_f32, tenon_limits_f32_of(a->lo, a->hi)) \
    const tenon_vf lo = tenon_vf_splat(m.lo), hi = tenon_vf_splat(m.hi);       \
    const uint16_t *x = (const uint16_t *)c->in[0].data;                       \
    uint16_t *y = (uint16_t *)c->out[0].data;                                  \
    ptrdiff_t i = (ptrdiff_t)begin;                                            \
    for (; i + TENON_VL <= (ptrdiff_t)end; i += TENON_VL)                      \
      tenon_vf_store_##type(                                                   \
          y + i, tenon_vf_clamp(tenon_vf_load_##type(x + i), lo, hi));         \
    if (i < (ptrdiff_t)end) {                                                  \
      const size_t size = (size_t)((ptrdiff_t)end - i) * sizeof *y;            \
      uint16_t rest[TENON_VL] = {0};                                           \
      memcpy(rest, x + i, size);                                               \
      tenon_vf_store_##type(                                                   \
          rest, tenon_vf_clamp(tenon_vf_load_##type(rest), lo, hi));           \
      memcpy(y + i, rest, size);                                               \
    }                                                                          \
    return TENON_OK;                                                           \
  }
TENON_CLAMP_HALF(f16)
TENON_CLAMP_HALF(bf16)

#endif  // TENON_KERN_OPT_CLAMP_HALF_OPT_H
