// clamp_s64_ref.c - limits in integers, rounded towards zero.
#include "kern/clamp.h"
#include "kern/each.h"

TENON_EACH_KERNEL(
    tenon_k_clamp_s64_ref, int64_t, int64_t,
    const tenon_clamp_attrs *a = (const tenon_clamp_attrs *)c->attrs;
    const tenon_limits_s64 m = tenon_limits_s64_of(a->lo, a->hi, INT64_MIN,
                                                   INT64_MAX);
    , (int64_t)tenon_limit_s64(x, m))
