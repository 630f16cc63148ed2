// core_fast_arm_pools.c - pools of quantised images and of floats on Cortex-M,
// and means over dimensions.
#include "kern/op/pooling.h"

#include "kern/loop/stored.h"
#include "ops/core/core_rule.h"
#include "ops/core/element/core_arith.h"
#include "ops/core/element/core_factor.h"
#include "ops/core/fast/core_fast_arm.h"

static bool arm_pool_are_known(const tenon_call *c) {
  return tenon_core_is_known(&c->in[0]) && tenon_core_is_known(&c->out[0]);
}
static bool mve_match(const tenon_call *c) {
  // A row of taps is added up as int16.
  return arm_pool_are_known(c) && tenon_core_pool_match(c) &&
         ((const tenon_pool_attrs *)c->attrs)->window.data[1] <= 255;
}
static bool dsp_match(const tenon_call *c) {
  return mve_match(c) && c->in[0].dims[3] >= 4;
}

#define POOL(name, feature)                                \
  CORE_KERNEL(name##_pool_s8_##feature) = {                \
      CORE_ARM(name##_pool_s8, feature, tenon_core_lines), \
      .op = "core::" #name "_pool",                        \
      .types = "s8q -> s8q",                               \
      .match = feature##_match,                            \
      .pack_version = 1,                                   \
      .pack_size = tenon_core_pool_size,                   \
      .pack = tenon_core_pool_pack}
POOL(avg, dsp);
POOL(avg, mve);
POOL(max, dsp);
POOL(max, mve);

#define POOL_F32(name)                                     \
  CORE_KERNEL(name##_pool_f32_fpu) = {                     \
      CORE_ARM(name##_pool_f32, fpu, tenon_core_lines),    \
      .op = "core::" #name "_pool", .types = "f32 -> f32", \
      .match = arm_pool_are_known}
POOL_F32(avg);
POOL_F32(max);

// --- Means -------------------------------------------------------------------

// Neighbours as if they were one; false where some that stay lie between them,
// or sizes are not known.
static bool arm_pool_mean_of(const tenon_call *c, tenon_arm_mean *m) {
  const tenon_reduce_attrs *a = c->attrs;
  const tenon_tensor *x = &c->in[0];
  int64_t n = 1, inner = 1;
  bool is_behind = false;
  for (int32_t d = x->rank - 1; d >= 0; --d) {
    if (x->dims[d] < 1) return false;
    if (x->dims[d] == 1) continue;
    if (tenon_reduce_has(a->dims, d, x->rank)) {
      if (is_behind) return false;
      n *= x->dims[d];
    } else if (n == 1) {
      inner *= x->dims[d];
    } else {
      is_behind = true;
    }
  }
  m->n = (int32_t)n;
  m->c = (int32_t)inner;
  return n < 1 << 23;  // their sum fits
}
static bool mean_match(const tenon_call *c) {
  tenon_arm_mean m;
  return arm_pool_mean_of(c, &m);
}
static int64_t mean_items(const tenon_call *c) {
  tenon_arm_mean m;
  (void)arm_pool_mean_of(c, &m);
  return (int64_t)tenon_count(&c->out[0]) / m.c;
}
CORE_OWN_PACKS(mean_size, tenon_arm_mean)
static tenon_status mean_pack(const tenon_call *c, void *packed) {
  const tenon_opt_float none = {0, false};
  tenon_arm_mean *m = (tenon_arm_mean *)packed;
  struct {
    tenon_requant q;
    int32_t factor[2];
  } r;
  (void)arm_pool_mean_of(c, m);
  tenon_core_pack_requant(&c->in[0], NULL, &c->out[0], none, none,
                          TENON_CORE_TWICE, &r);
  tenon_stored_factor(&r.q, m->n, &m->mult, &m->shift);
  m->less = (int32_t)((uint32_t)m->n * (uint32_t)r.q.x_zero);
  m->zero = r.q.y_zero;
  m->lo = r.q.lo;
  m->hi = r.q.hi;
  return TENON_OK;
}

#define MEAN(feature)                                                       \
  CORE_KERNEL(mean_s8_##feature) = {CORE_ARM(mean_s8, feature, mean_items), \
                                    .op = "core::mean",                     \
                                    .types = "s8q -> s8q",                  \
                                    .match = mean_match,                    \
                                    .pack_version = 1,                      \
                                    .pack_size = mean_size,                 \
                                    .pack = mean_pack}
MEAN(dsp);
MEAN(mve);
