// core_fast_arm_pools.c - pools of quantised images on Cortex-M.
#include "kern/pooling.h"
#include "ops/core/core_factor.h"
#include "ops/core/core_fast_arm.h"

static bool are_known(const tenon_call *c) {
  for (int i = 0; i < 4; ++i)
    if (c->in[0].dims[i] < 1 || c->out[0].dims[i] < 1) return false;
  return tenon_core_same_quant(&c->in[0], &c->out[0]);
}
static bool mve_match(const tenon_call *c) {
  // A row of taps is added up as int16.
  return are_known(c) &&
         ((const tenon_pool_attrs *)c->attrs)->window.data[1] <= 255;
}
static bool dsp_match(const tenon_call *c) {
  return mve_match(c) && c->in[0].dims[3] >= 4;
}

static int64_t row_items(const tenon_call *c) {
  return (int64_t)c->out[0].dims[0] * c->out[0].dims[1];
}

static size_t limits_size(const tenon_call *c) {
  (void)c;
  return sizeof(tenon_pool_s8);
}
static tenon_status limits_pack(const tenon_call *c, void *packed) {
  const tenon_pool_attrs *a = (const tenon_pool_attrs *)c->attrs;
  tenon_pool_s8 *p = (tenon_pool_s8 *)packed;
  tenon_core_limits(&c->out[0], a->lo, a->hi, &p->lo, &p->hi);
  return TENON_OK;
}

#define POOL(name, feature)                         \
  CORE_KERNEL(name##_pool_s8_##feature) = {         \
      CORE_ARM(name##_pool_s8, feature, row_items), \
      .op = "core::" #name "_pool",                 \
      .types = "s8q -> s8q",                        \
      .match = feature##_match,                     \
      .pack_version = 1,                            \
      .pack_size = limits_size,                     \
      .pack = limits_pack}
POOL(avg, dsp);
POOL(avg, mve);
POOL(max, dsp);
POOL(max, mve);
