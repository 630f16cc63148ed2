// core_fast_arm_index.c - elements at places on Cortex-M, where these are
// constants.
#include "kern/loop/select.h"
#include "ops/core/fast/core_fast_arm.h"
#include "ops/core/fast/core_fast_like.h"

// False where the places are no constants, or one is outside, which is for a
// run to say, or sizes are not known.
static bool arm_index_of(const tenon_call *c, tenon_arm_places *p) {
  const tenon_index_attrs *a = (const tenon_index_attrs *)c->attrs;
  const tenon_tensor *x = &c->in[0], *at = &c->in[1];
  if (c->n_in != 2 || !at->data || !tenon_core_whole_bytes(c)) return false;
  if (!tenon_core_is_known(x)) return false;
  const tenon_indexed g = tenon_indexed_of(x, at, 1, a->axis);
  const int64_t bytes = (int64_t)tenon_tensor_size(x);
  if (g.count < 1 || bytes > INT32_MAX ||
      bytes / g.span / g.block * g.block * g.count > INT32_MAX)
    return false;
  for (ptrdiff_t i = 0; i < g.count; ++i) {
    const int64_t place = tenon_index_load(at, i);
    if (place >= g.span || place < (a->wrap ? -g.span : 0)) return false;
  }
  p->bytes = (int32_t)(g.block * tenon_element_size(x));
  p->count = (int32_t)g.count;
  p->span = (int32_t)g.span * p->bytes;
  return true;
}
static bool arm_index_match(const tenon_call *c) {
  tenon_arm_places p;
  return arm_index_of(c, &p);
}
static size_t arm_index_size(const tenon_call *c) {
  return sizeof(tenon_arm_places) + tenon_count(&c->in[1]) * sizeof(int32_t);
}
static tenon_status arm_index_pack(const tenon_call *c, void *packed) {
  tenon_arm_places *p = (tenon_arm_places *)packed;
  (void)arm_index_of(c, p);
  int32_t *at = (int32_t *)(p + 1);
  for (int32_t i = 0; i < p->count; ++i) {
    const int32_t place = (int32_t)tenon_index_load(&c->in[1], i) * p->bytes;
    at[i] = place < 0 ? place + p->span : place;
  }
  return TENON_OK;
}
extern CORE_KERNEL(index_ref);
LIKE_FUNCTION(index, int64_t, items)

#define INDEX(feature)                                                   \
  CORE_KERNEL(index_##feature) = {CORE_ARM(index, feature, index_items), \
                                  .op = "core::index",                   \
                                  .types = "T, s32|s64... -> T",         \
                                  .match = arm_index_match,              \
                                  .packs = 1u << 1,                      \
                                  .pack_version = 1,                     \
                                  .pack_size = arm_index_size,           \
                                  .pack = arm_index_pack}
INDEX(dsp);
INDEX(mve);
