// logistic_s16q_ref.c - 1 / (1 + exp(-x)) of 16-bit numbers, as LiteRT's
// reference LOGISTIC.
#include "kern/each.h"
#include "kern/lookup.h"

TENON_EACH_KERNEL(tenon_k_logistic_s16q_ref, int16_t, int16_t,
                  const tenon_sigmoid_s16 *t = (const tenon_sigmoid_s16 *)
                                                   c->packed;
                  , tenon_sigmoid_logistic(t, x))
