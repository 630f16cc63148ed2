// clamp_s32_ref.c - limits in integers, rounded towards zero.
#include "kern/clamp.h"
#include "kern/each.h"

TENON_EACH_KERNEL(
    tenon_k_clamp_s32_ref, int32_t, int32_t,
    const tenon_clamp_attrs *a = (const tenon_clamp_attrs *)c->attrs;
    const tenon_limits_s64 m = tenon_limits_s64_of(a->lo, a->hi, INT32_MIN,
                                                   INT32_MAX);
    , (int32_t)tenon_limit_s64(x, m))
