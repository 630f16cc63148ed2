// rescale_s32_ref.c - integers by a real factor, as LiteRT rescales them.
#include "kern/each.h"
#include "kern/rescale.h"

TENON_EACH_KERNEL(tenon_k_rescale_s32_ref, int32_t, int32_t,
                  const tenon_rescale *p = (const tenon_rescale *)c->packed;
                  , tenon_requant_twice(x, p->mult, p->shift))
