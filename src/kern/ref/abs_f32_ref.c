// abs_f32_ref.c - sign dropped, also of NaN.
#include "kern/each.h"
#include "kern/half.h"

TENON_EACH_KERNEL(tenon_k_abs_f32_ref, float, float, ,
                  tenon_f32_of_bits(tenon_bits_of_f32(x) & 0x7fffffffu))
