// clamp_f32_ref.c - limits in floats; NaN stays NaN.
#include "kern/clamp.h"
#include "kern/each.h"

TENON_EACH_KERNEL(tenon_k_clamp_f32_ref, float, float,
                  const tenon_clamp_attrs *a = (const tenon_clamp_attrs *)
                                                   c->attrs;
                  const tenon_limits_f32 m = tenon_limits_f32_of(a->lo, a->hi);
                  , tenon_limit_f32(x, m))
