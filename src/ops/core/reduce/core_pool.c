// core_pool.c - core::avg_pool and core::max_pool: one shape rule, and limits
// packed for the quantised ones.
#include <inttypes.h>

#include "kern/op/pooling.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"

static tenon_status pool_infer(tenon_infer *c) {
  const tenon_pool_attrs *a = tenon_infer_attrs(c);
  const tenon_type *x = tenon_infer_in(c, 0);
  if (x->rank != 4)
    return tenon_infer_fail(c, "x has rank %d, expected 4", x->rank);
  TENON_TRY(tenon_core_check_ints(c, "window", a->window, 2, 1));
  TENON_TRY(tenon_core_check_ints(c, "stride", a->stride, 2, 1));
  TENON_TRY(tenon_core_check_ints(c, "pad", a->pad, 4, 0));
  tenon_dim dims[4] = {x->dims[0], {0, 0}, {0, 0}, x->dims[3]};
  for (int i = 0; i < 2; ++i) {
    TENON_TRY(tenon_core_slide(
        c, x->dims[1 + i], a->window.data[i], 1, a->stride.data[i],
        a->pad.data[i] + a->pad.data[i + 2], &dims[1 + i]));
  }
  return tenon_core_result(c, dims, 4, x, true);
}

bool tenon_core_pool_match(const tenon_call *c) {
  return tenon_core_same_quant(&c->in[0], &c->out[0]);
}

CORE_PACKS(tenon_core_pool_size, tenon_pool_s8)

tenon_status tenon_core_pool_pack(const tenon_call *c, void *packed) {
  const tenon_pool_attrs *a = c->attrs;
  tenon_pool_s8 *p = (tenon_pool_s8 *)packed;
  tenon_core_limits(&c->out[0], a->lo, a->hi, &p->lo, &p->hi);
  return TENON_OK;
}

// Sums of one pixel.
static size_t core_pool_pixel_scratch(const tenon_call *c, int64_t items) {
  (void)items;
  return (size_t)c->out[0].dims[3] * sizeof(int32_t);
}

CORE_KERNEL_RANGE(avg_pool_f32_ref, tenon_core_lines, "f32 -> f32");
#define STORED_KERNEL(op, t, q)                                           \
  CORE_KERNEL_RANGE(                                                      \
      op##_pool_##t##_ref, tenon_core_lines, q " -> " q,                  \
      .match = tenon_core_pool_match, .scratch = core_pool_pixel_scratch, \
      .pack_size = tenon_core_pool_size, .pack = tenon_core_pool_pack)
STORED_KERNEL(avg, s8, "s8q");
STORED_KERNEL(avg, u8, "u8q");
STORED_KERNEL(avg, s16q, "s16q");
STORED_KERNEL(max, s8, "s8q");
STORED_KERNEL(max, u8, "u8q");
STORED_KERNEL(max, s16q, "s16q");

CORE_KERNEL_RANGE(max_pool_f32_ref, tenon_core_lines, "f32 -> f32");
#define POOL(name, more, its_members, text)                                  \
  CORE_OPERATOR(                                                             \
      name, pool_infer,                                                      \
      (CORE_K(name##_f32_ref), CORE_K(name##_s8_ref), CORE_K(name##_u8_ref), \
       CORE_K(name##_s16q_ref)),                                             \
      "(Tensor x, *, int[2] window, int[2] stride=1, int[4] pad=0, float? "  \
      "lo=None, float? hi=None" more ") -> Tensor",                          \
      text, its_members)

POOL(avg_pool, "", CORE_MEMBERS(tenon_pool_attrs, window, stride, pad, lo, hi),
     "Means of windows over images, channels last.\n"
     "pad is top, left, bottom, right; padding does not count.");
POOL(max_pool, ", bool skip_nan=False",
     CORE_MEMBERS(tenon_max_pool_attrs, window, stride, pad, lo, hi, skip_nan),
     "Maxima of windows over images, channels last.\n"
     "pad is top, left, bottom, right; padding does not count. NaN wins, as "
     "in PyTorch; with skip_nan it is passed over and the least finite "
     "number is below all, as in LiteRT.");
