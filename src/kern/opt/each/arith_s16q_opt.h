// kern/opt/each/arith_s16q_opt.h - quantised sums, differences and products of
// two operands of 16 bits, four registers at a time.
#ifndef TENON_KERN_OPT_ARITH_S16Q_OPT_H
#define TENON_KERN_OPT_ARITH_S16Q_OPT_H

#include "kern/opt/each/arith_stored.h"
#include "kern/opt/words.h"

TENON_FLAT tenon_vi tenon_arith_s16_load(const int16_t *p, ptrdiff_t step,
                                         int32_t zero) {
  const tenon_vi x =
      step ? __builtin_convertvector(*(const tenon_vw_at *)p, tenon_vi)
           : tenon_vi_splat(*p);
  return x - tenon_vi_splat(zero);
}

TENON_ARITH_STORED_OF(s16q, int16_t, tenon_arith_s16_load, 15)

TENON_FLAT void tenon_arith_s16_store(int16_t *to, const tenon_vi y[4]) {
  TENON_UNROLL
  for (int i = 0; i < 4; ++i)
    *(tenon_vw_at *)(to + i * TENON_VL) =
        __builtin_convertvector(y[i], tenon_vw);
}

TENON_ARITH_STORED_SOME(tenon_add_s16q_some, int16_t, tenon_add_v, tenon_add_s8,
                        tenon_add_s16q_of, tenon_add_stored(p, x, y, 1), 0,
                        tenon_arith_s16_store)
TENON_ARITH_STORED_SOME(tenon_sub_s16q_some, int16_t, tenon_add_v, tenon_add_s8,
                        tenon_add_s16q_of, tenon_add_stored(p, x, y, -1), 0,
                        tenon_arith_s16_store)
TENON_ARITH_STORED_SOME(tenon_mul_s16q_some, int16_t, tenon_mul_v, tenon_mul_s8,
                        tenon_mul_s16q_of, tenon_mul_stored(p, x, y), 0,
                        tenon_arith_s16_store)
TENON_ARITH_STORED_RUNS(s16q, int16_t, 15)

#endif  // TENON_KERN_OPT_ARITH_S16Q_OPT_H
